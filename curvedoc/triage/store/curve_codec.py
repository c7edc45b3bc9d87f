"""Columns of a curve as bytes and back, each in the shortest of a few plain forms that loses nothing.

Compressing them took more time than all else that keeps a run, for what these forms save as well: steps at one
distance, columns that are equal since a bucket holds one value, values that came from a file of 32 bits.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

#: What bytes that hold less than they say raise.
BAD_NUMBERS = struct.error
#: What stands for a column beside its bytes: the form and its length, or its values where no form holds them.
Kind = list[Any]
#: A column as short as a sparkline's is not worth a look for a shorter form.
_FEW = 70
#: Longer numbers are none of ours.
_DIGITS = 400
#: Steps beyond have differences that 64 bits may not hold.
_FAR = 1 << 62


def pack_floats(columns: Sequence[Sequence[float]]) -> tuple[list[Kind], list[bytes]]:
    """The columns, each as it is shortest.

    "=" as the column before, "f" 32 bits that lose nothing, "d" 64 bits
    """
    import numpy as np

    kinds: list[Kind] = []
    out: list[bytes] = []
    before = b""
    for column in columns:
        n = len(column)
        data = struct.pack(f"<{n}d", *column)
        if data == before and data:
            kinds.append(["=", n])
            continue
        before = data
        if n <= _FEW:
            kinds.append(["d", n])
            out.append(data)
            continue
        wide = np.frombuffer(data, "<f8")
        with np.errstate(over="ignore", invalid="ignore"):
            narrow = wide.astype("<f4")
        short = n > 0 and narrow.astype("<f8").tobytes() == data
        kinds.append(["f" if short else "d", n])
        out.append(narrow.tobytes() if short else data)
    return kinds, out


def pack_steps(column: Sequence[int]) -> tuple[Kind, bytes]:
    """The steps as they are shortest.

    "r" first and distance, "h" first and 32 bits of each distance, "q" 64 bits, "j" by themselves where larger
    """
    import numpy as np

    n = len(column)
    try:
        data = struct.pack(f"<{n}q", *column)
    except struct.error:
        return ["j", [str(int(v)) for v in column]], b""
    if n > _FEW and min(column) > -_FAR and max(column) < _FAR:
        apart = np.diff(np.frombuffer(data, "<i8"))
        least, most = int(apart.min()), int(apart.max())
        if least == most:
            return ["r", n], struct.pack("<qq", column[0], least)
        if least >= -(1 << 31) and most < 1 << 31:
            return ["h", n], data[:8] + apart.astype("<i4").tobytes()
    return ["q", n], data


def unpack(kind: Kind, data: bytes, at: int, other: Sequence[float]) -> tuple[tuple[Any, ...], int]:
    """A column, and where the next one begins. other: the column before, or the one that it is as long as.

    Raises ValueError, TypeError, IndexError or `BAD_NUMBERS` where the bytes do not hold what they should.
    """
    form, n = kind
    if form == "j":
        return tuple([int(v) for v in n if len(v) < _DIGITS]), at
    if type(n) is not int or n < 0:
        raise ValueError("a length that is none")
    match form:
        case "d" | "f" | "q":
            return struct.unpack_from(f"<{n}{form}", data, at), at + n * (4 if form == "f" else 8)
        case "=" if n == len(other):
            return tuple(other), at
        case "h" if n > 0:
            first, *apart = struct.unpack_from(f"<q{n - 1}i", data, at)
            return tuple(accumulate(apart, initial=first)), at + 8 + 4 * (n - 1)
        case "r" if n == len(other):  # whose length bytes stand for: a range needs none, however long it is said to be
            first, distance = struct.unpack_from("<qq", data, at)
            return tuple(range(first, first + n * distance, distance)) if distance else (first,) * n, at + 16
    raise ValueError("another form")
