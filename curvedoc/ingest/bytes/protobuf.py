"""Protobuf wire format, just enough to walk a message whose schema is known: field numbers and where values lie."""

from __future__ import annotations

from collections.abc import Iterator

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5

#: A varint of 64 bits has at most this many bytes.
_LONGEST = 10


def varint(b: bytes | memoryview, at: int, end: int) -> tuple[int, int]:
    r"""The unsigned number at `at` and the place behind it.

    Raises ValueError where it runs past `end` or has more than ten bytes.

    >>> varint(b"\x96\x01", 0, 2)
    (150, 2)
    """
    value = shift = 0
    for i in range(at, min(end, at + _LONGEST)):
        byte = b[i]
        value |= (byte & 127) << shift
        if byte < 128:
            return value & 0xFFFF_FFFF_FFFF_FFFF, i + 1
        shift += 7
    raise ValueError("varint runs past its end")


def fields(b: bytes | memoryview, at: int, end: int) -> Iterator[tuple[int, int, int, int, int]]:
    """Field number, wire type, first byte of the value, the place behind it, and the number of a varint (else 0).

    Raises ValueError at a length or a wire type that cannot be; what came before has been given by then.
    """
    while at < end:
        key, at = varint(b, at, end)
        kind = key & 7
        number = 0
        if kind == BYTES:
            size, at = varint(b, at, end)
            stop = at + size
        elif kind == VARINT:
            number, stop = varint(b, at, end)
        elif kind == FIXED64:
            stop = at + 8
        elif kind == FIXED32:
            stop = at + 4
        else:
            raise ValueError(f"wire type {kind}")
        if stop > end:
            raise ValueError("field runs past its end")
        yield key >> 3, kind, at, stop, number
        at = stop


def signed(number: int) -> int:
    """The int64 that an unsigned varint stands for.

    >>> signed(2**64 - 1)
    -1
    """
    return number - (1 << 64) if number >> 63 else number
