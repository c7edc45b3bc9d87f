"""CRC-32C of event files, one record at a time or thousands at once.

The checksum is linear over GF(2): the state after a message is the XOR of what each byte alone contributes, and that
depends only on the byte and its distance to the end. So records of one length differ in their checksum only by the
few bytes in which they differ.

Source: Castagnoli, Braeuer & Herrmann (1993) for the polynomial; the masking is that of TFRecord files.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint32]

_POLYNOMIAL = 0x82F63B78
_MASK = 0xA282EAD8
#: Bytes that one gather takes; its table (1 KiB per byte of distance) stays within a processor's cache.
_BLOCK = 1024
#: Below this the plain loop is faster than a gather.
_SHORT = 64


@cache
def _byte_table() -> Words:
    """What one byte alone leaves in the state: uint32 [256]."""
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & 1, (table >> 1) ^ np.uint32(_POLYNOMIAL), table >> 1).astype(np.uint32)
    table.setflags(write=False)
    return table


@cache
def _byte_list() -> list[int]:
    return [int(x) for x in _byte_table()]


@cache
def _tables(size: int) -> Words:
    byte = _byte_table()
    out = np.empty((size, 256), np.uint32)
    out[0] = byte
    for d in range(1, size):
        out[d] = (out[d - 1] >> np.uint32(8)) ^ byte[out[d - 1] & np.uint32(255)]
    out.setflags(write=False)
    return out


def tables(distance: int) -> Words:
    """Contribution of a byte that `d` bytes follow, uint32 [at least `distance`, 256]."""
    size = 256
    while size < distance:
        size *= 2
    return _tables(size)


@cache
def _gather() -> tuple[Words, NDArray[np.int64]]:
    return np.ascontiguousarray(tables(_BLOCK)[:_BLOCK]).ravel(), np.arange(_BLOCK - 1, -1, -1, dtype=np.int64) * 256


def crc32c(data: bytes | memoryview) -> int:
    """The checksum of one message.

    >>> hex(crc32c(b"123456789"))
    '0xe3069283'
    """
    state = 0xFFFFFFFF
    at = 0
    if len(data) >= _SHORT:
        flat, rows = _gather()
        a = np.frombuffer(data, np.uint8)
        while len(a) - at >= 4:
            block = a[at : at + _BLOCK].astype(np.int64)
            # The state enters as if XORed into the first four bytes of an empty start.
            block[:4] ^= np.array([state & 255, state >> 8 & 255, state >> 16 & 255, state >> 24])
            block += rows[_BLOCK - len(block) :]
            state = int(np.bitwise_xor.reduce(flat[block]))
            at += len(block)
    byte = _byte_list()
    for x in data[at:]:
        state = byte[(state ^ x) & 255] ^ (state >> 8)
    return state ^ 0xFFFFFFFF


@cache
def _of_zeros(size: int) -> int:
    return crc32c(bytes(size))


def checksums(messages: NDArray[np.uint8]) -> Words:
    """The checksums of messages of one length, uint8 [n, size] -> uint32 [n]."""
    n, size = messages.shape
    flat = tables(size)[:size].ravel()
    rows = np.arange(size - 1, -1, -1, dtype=np.int64) * 256
    parts = flat.take(messages + rows) if n * size else np.zeros((n, 1), np.uint32)
    out: Words = np.bitwise_xor.reduce(parts, axis=1) ^ np.uint32(_of_zeros(size))
    return out


def mask(crc: int) -> int:
    """The checksum as it is stored."""
    return (((crc >> 15) | (crc << 17)) + _MASK) & 0xFFFFFFFF


def mask_all(crc: Words) -> Words:
    """The checksums as they are stored, uint32 [n]."""
    return ((crc >> np.uint32(15)) | (crc << np.uint32(17))) + np.uint32(_MASK)


def unmask_all(stored: Words) -> Words:
    """The checksums that stored ones stand for, uint32 [n]."""
    crc = stored - np.uint32(_MASK)
    return (crc >> np.uint32(17)) | (crc << np.uint32(15))


def length_checksums(length: NDArray[np.uint64]) -> Words:
    """Stored checksums of the 8-byte lengths in record headers, uint32 [n]; lengths below 2**24."""
    out = np.full(length.shape, crc32c(bytes(8)), np.uint32)
    table = tables(8)
    for k in range(3):
        out ^= table[7 - k][((length >> np.uint64(8 * k)) & np.uint64(255)).astype(np.intp)]
    return mask_all(out)


@cache
def short_lengths() -> Words:
    """Stored checksums of every header length below 2**16, uint32 [65536]."""
    return length_checksums(np.arange(1 << 16, dtype=np.uint64))


def header(length: int) -> bytes:
    """The twelve bytes before a record of `length` bytes."""
    raw = length.to_bytes(8, "little")
    return raw + mask(crc32c(raw)).to_bytes(4, "little")
