"""Arrays in .npy and .npz files, whole or torn, without ever loading a pickled object."""

from __future__ import annotations

import io
import math
import struct
import tokenize
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

MAGIC, ZIP = b"\x93NUMPY", b"PK\x03\x04"
_LOCAL = struct.Struct("<4sHHHHHIIIHH")
#: numpy's own headers are a hundred bytes; a longer one is made to keep the parser busy.
_LONGEST_HEADER = 2000
_STORED, _DEFLATED, _STREAMED = 0, 8, 8
_IN_EXTRA = 0xFFFFFFFF
PICKLED = "pickled objects, which may run code, are never loaded: save the curves as arrays or JSON"
#: Bytes of an array beyond which it is no curve, and of all arrays of a file.
MAX_ARRAY, MAX_UNPACKED = 32 << 20, 256 << 20
MAX_ARRAYS = 1000


@dataclass(frozen=True, slots=True)
class ArrayShape:
    """What an array's header says. start: where its values begin; dtype: None for pickled objects."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any] | None
    start: int


def header(data: bytes) -> ArrayShape | None:
    """The header of a .npy file, None where there is none."""
    if not data.startswith(MAGIC) or len(data) < 10:
        return None
    stream = io.BytesIO(data)
    try:
        version = np.lib.format.read_magic(stream)
        first = version == (1, 0)
        parse = np.lib.format.read_array_header_1_0 if first else np.lib.format.read_array_header_2_0
        shape, _, dtype = parse(stream, max_header_size=_LONGEST_HEADER)
    except (ValueError, TypeError, SyntaxError, RecursionError, OverflowError, tokenize.TokenError):
        return None
    return ArrayShape(shape, None if dtype.hasobject else dtype, stream.tell())


def array(data: bytes) -> tuple[NDArray[np.float64] | None, str]:
    """(the numbers of an array, what is wrong with it): None for what is none; of a torn one its beginning.

    One number is an array of one, tables keep their columns.
    """
    of = header(data)
    if of is None:
        return None, "no array"
    if of.dtype is None:
        return None, PICKLED
    if of.dtype.kind not in "fiub" or len(of.shape) > 2 or min(of.shape, default=1) < 0:
        return None, "no numbers"
    size = math.prod(of.shape)
    there = min(size, (len(data) - of.start) // of.dtype.itemsize)
    width = max(1, of.shape[1]) if len(of.shape) == 2 else 1
    there -= there % width
    values = np.frombuffer(data, of.dtype, there, of.start).astype(np.float64)
    shaped = values.reshape(-1, width) if len(of.shape) == 2 else values
    return shaped, "the file ends inside an array" if there < size else ""


def members(data: bytes, most: int = MAX_ARRAYS) -> Iterator[tuple[str, bytes, str]]:
    """(name, bytes, what is wrong with them) of the first arrays in a .npz archive, as far as the archive goes.

    Of a member that is too long only the beginning. Names and sizes stand before each member: the end may be missing.
    """
    at, room = 0, MAX_UNPACKED
    for _ in range(most):
        if not data.startswith(ZIP, at) or at + _LOCAL.size > len(data):
            return
        _, _, flags, method, _, _, crc, packed, size, n, extra = _LOCAL.unpack_from(data, at)
        start = at + _LOCAL.size + n + extra
        name = data[at + _LOCAL.size : start - extra].decode("utf-8", "replace").removesuffix(".npy")
        if _IN_EXTRA in (packed, size):
            packed = _long_size(data[start - extra : start], size == _IN_EXTRA)
        at = start + packed
        if flags & _STREAMED or method not in (_STORED, _DEFLATED):
            yield name, b"", "the archive is packed in another way than numpy does"
            return
        body, wrong = data[start:at], ""
        if method == _DEFLATED:
            try:
                body = zlib.decompressobj(-zlib.MAX_WBITS).decompress(body, min(MAX_ARRAY, room) + 1)
            except zlib.error:
                yield name, b"", "the archive is damaged"
                continue
        cut = len(body) > min(MAX_ARRAY, room)
        body = body[: min(MAX_ARRAY, room)]
        if not cut and zlib.crc32(body) != crc:
            wrong = "the file ends inside an array" if at > len(data) else "its checksum is wrong"
        room -= len(body)
        yield name, body, wrong


def _long_size(extra: bytes, both: bool) -> int:
    """The packed size in the field for archives beyond 4 GB, as numpy writes it for all."""
    at = 0
    while at + 4 <= len(extra):
        kind, n = struct.unpack_from("<HH", extra, at)
        if kind == 1 and at + 4 + 8 * (1 + both) <= len(extra):
            return int(struct.unpack_from("<Q", extra, at + 4 + 8 * both)[0])
        at += 4 + n
    return 0
