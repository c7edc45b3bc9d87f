"""Event records of one length, thousands at once: one is read, the others are compared with it word by word.

Records that one training loop writes differ in clock, step, value and tag only. So the layout of one of them serves
all that agree with it outside these bytes; the rest is tried with another one's layout, and what fits none is left
to the slow path. Checksums are verified for every record (see `tb_crc`).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from curvedoc.core.frozen import dataclass
from curvedoc.ingest.tensorboard.checksum import checksums, tables, unmask_all
from curvedoc.ingest.tensorboard.frames import HEAD
from curvedoc.ingest.tensorboard.template import Span, Template, TemplateSlot, template

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Words = NDArray[np.uint64]

#: Longer records go one by one: they are few, and a word matrix of them would be wide.
MAX_LENGTH = 4096
#: Fewer records of a kind are not worth a matrix.
_FEW = 8
#: Layouts tried on one length before what remains goes one by one.
_ROUNDS = 24
#: Records looked at to find one with a layout.
_PROBES = 8
#: Tags are told apart by 13 bits of a hash first (and then compared in full): its tables stay in the first cache.
_HASH_BITS = 13
_ODD = np.uint64(0x9E3779B97F4A7C15)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


@dataclass(frozen=True, slots=True)
class DecodedColumns:
    """Points of many records: which record, tag number, step, wall time, value, and whether its type is float32."""

    record: Ints
    tag: NDArray[np.int32]
    step: Ints
    wall: Floats
    value: Floats
    narrow: bool | NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Decoded:
    """What came of records: points, records with a wrong checksum, and records left for the slow path."""

    columns: tuple[DecodedColumns, ...]
    wrong: Ints
    slow: Ints


class Tags:
    """Numbers for tags, in order of appearance."""

    def __init__(self) -> None:
        self._ids: dict[bytes, int] = {}

    def number(self, tag: bytes) -> int:
        """The tag's number, a new one for a new tag."""
        return self._ids.setdefault(tag, len(self._ids))

    def names(self) -> list[str]:
        """The tags by number; bytes that are no UTF-8 are written as escapes."""
        return [t.decode("utf-8", "backslashreplace") for t in self._ids]

    def __len__(self) -> int:
        return len(self._ids)


def decode(buf: bytearray, pos: Ints, length: Ints, tags: Tags) -> Decoded:
    """The points of all records; `record` counts along `pos` (header positions) and `length`."""
    columns: list[DecodedColumns] = []
    wrong: list[Ints] = []
    slow: list[Ints] = [np.flatnonzero(length > MAX_LENGTH)]
    fit = np.flatnonzero(length <= MAX_LENGTH)
    short = length[fit].astype(np.uint16)
    order = np.argsort(short, kind="stable")  # a radix sort for 16 bits
    short, rows = short[order], fit[order]
    edges = np.flatnonzero(np.diff(short)) + 1
    for a, z in zip([0, *edges.tolist()], [*edges.tolist(), len(rows)], strict=True):
        if z - a < _FEW:
            slow.append(rows[a:z])
            continue
        size = int(short[a])
        words = _words(buf, pos[rows[a:z]] + HEAD, (size + 11) // 8)
        for part in _group(words, size, rows[a:z], tags):
            columns += part.columns
            wrong.append(part.wrong)
            slow.append(part.slow)
    empty = np.empty(0, np.int64)
    return Decoded(tuple(columns), np.concatenate([empty, *wrong]), np.concatenate([empty, *slow]))


def _words(buf: bytearray, at: Ints, k: int) -> Words:
    """`k` words from each place on, uint64 [k, n]."""
    items = np.ndarray((len(buf) - 8 * k + 1,), f"V{8 * k}", buf, 0, (1,))  # one copy per record, not one per word
    return np.ascontiguousarray(items[at].view("<u8").reshape(-1, k).T)


def _group(words: Words, size: int, rows: Ints, tags: Tags) -> Iterator[Decoded]:
    """Records of one length: words [k, n] with the data and its checksum, a column per record."""
    empty = np.empty(0, np.int64)
    for _ in range(_ROUNDS):
        if len(rows) < _FEW:
            break
        layout, row = _layout(words, size)
        if layout is None:
            break
        fits, tag_of = _compare(words, size, layout, row)
        if fits.all():
            yield _take(words, size, rows, layout, tag_of, tags)
            return
        good = np.flatnonzero(fits)
        part = None if tag_of is None else tag_of[good]
        yield _take(words[:, good], size, rows[good], layout, part, tags)
        rest = np.flatnonzero(~fits)
        words, rows = words[:, rest], rows[rest]
    yield Decoded((), empty, rows)


def _layout(words: Words, size: int) -> tuple[Template | None, int]:
    """The layout of one of the records, and which one it is."""
    n = words.shape[1]
    for row in dict.fromkeys(n * k // _PROBES for k in range(_PROBES)):
        found = template(words[:, row].tobytes()[:size])
        if found is not None:
            return found, row
    return None, 0


def _mask(size: int, words: int, spans: list[Span]) -> Words:
    out = np.zeros(words * 8, np.uint8)
    for a, z in spans:
        out[a:z] = 255
    out[size:] = 0
    return out.view(np.uint64)


def _compare(words: Words, size: int, layout: Template, row: int) -> tuple[NDArray[np.bool_], NDArray[np.intp] | None]:
    """Which records agree with one of them outside the variable bytes, bool [n].

    With one number per record its tag may differ: then also a hash per record, by which equal tags are found; records
    whose tag differs from that of the first with the same hash do not agree. With several, the tags must agree.
    """
    k, n = words.shape
    keep = np.full(k * 8, 255, np.uint8)
    keep[size:] = 0
    for span in (layout.wall, *(s.value for s in layout.slots)):
        if span is not None:
            keep[span[0] : span[1]] = 0
    if layout.step is not None:
        keep[layout.step[0] : layout.step[1]] = 128  # the varint must have the same length
    single = layout.slots[0].tag if len(layout.slots) == 1 else None
    if single is not None:
        keep[single[0] : single[1]] = 0
    fits = np.ones(n, np.bool_)
    for j, m in enumerate(keep.view(np.uint64)):
        if m:
            fits &= ((words[j] & m) == (words[j, row] & m)) if m != _ALL else (words[j] == words[j, row])
    if single is None:
        return fits, None
    tag_words = [words[j] & m if m != _ALL else words[j] for j, m in enumerate(_mask(size, k, [single])) if m]
    if all(bool((w == w[0]).all()) for w in tag_words):
        return fits, None
    mixed = np.zeros(n, np.uint64)
    for w in tag_words:
        mixed = (mixed ^ w) * _ODD
        mixed ^= mixed >> np.uint64(29)
    code = ((mixed * _ODD) >> np.uint64(64 - _HASH_BITS)).astype(np.intp)
    first = np.zeros(1 << _HASH_BITS, np.intp)
    good = np.flatnonzero(fits)[::-1]  # a record that stands for a tag must itself agree
    first[code[good]] = good
    stand = first[code]
    for w in tag_words:
        fits &= w == w[stand]
    return fits, code


def _take(words: Words, size: int, rows: Ints, layout: Template, code: NDArray[np.intp] | None, tags: Tags) -> Decoded:
    """The points of records with one layout, their checksums verified; `code` tells tags apart (None: there is one)."""
    kind: NDArray[np.intp] | None = None
    stand = np.zeros(1, np.intp)
    if code is not None:
        slot_of = np.full(1 << _HASH_BITS, -1, np.intp)
        slot_of[code] = np.arange(len(code))
        used = np.flatnonzero(slot_of >= 0)
        stand = slot_of[used]
        slot_of[used] = np.arange(len(used))
        kind = slot_of[code]
    samples = np.ascontiguousarray(words[:, stand].T).view(np.uint8)[:, :size]
    good = _verified(words, size, layout, samples, kind)
    wrong = np.empty(0, np.int64)
    held = np.ones(len(samples), np.bool_)
    if not good.all():
        wrong = rows[~good]
        keep = np.flatnonzero(good)
        words, rows = words[:, keep], rows[keep]
        if kind is not None:
            kind = kind[keep]
            held = np.bincount(kind, minlength=len(samples)) > 0  # a tag seen only in damaged records is none
    n = len(rows)
    wall = _bytes_at(words, layout.wall).view("<f8") if layout.wall else np.zeros(n)
    step = _varint(words, layout.step) if layout.step else np.zeros(n, np.int64)
    columns = []
    for slot in layout.slots if n else ():
        named = np.ascontiguousarray(samples[:, slot.tag[0] : slot.tag[1]])
        ids = [tags.number(row.tobytes()) if h else 0 for row, h in zip(named, held.tolist(), strict=True)]
        tag = np.full(n, ids[0], np.int32) if kind is None else np.array(ids, np.int32)[kind]
        columns.append(DecodedColumns(rows, tag, step, wall, _values(words, slot), slot.dtype == "<f4"))
    return Decoded(tuple(columns), wrong, np.empty(0, np.int64))


def _verified(
    words: Words, size: int, layout: Template, samples: NDArray[np.uint8], kind: NDArray[np.intp] | None
) -> NDArray[np.bool_]:
    """Which records have the checksum that they carry, bool [n]."""
    spans = [s for s in (layout.wall, layout.step, *(slot.value for slot in layout.slots)) if s is not None]
    variable = _differing(words, [b for a, z in spans for b in range(a, z)])
    table = tables(size)
    n = words.shape[1]
    got, part, byte = np.zeros(n, np.uint32), np.empty(n, np.uint32), np.empty(n, np.uint64)
    for b in variable:
        np.right_shift(words[b >> 3], np.uint64(8 * (b & 7)), out=byte)
        np.bitwise_and(byte, np.uint64(255), out=byte)
        table[size - 1 - b].take(byte.view(np.int64), out=part, mode="clip")  # clip: unbuffered, and nothing to clip
        got ^= part
    blank = samples.copy()
    blank[:, variable] = 0
    fixed = checksums(blank)
    got ^= fixed[0] if kind is None else fixed[kind]
    good: NDArray[np.bool_] = unmask_all(_bytes_at(words, (size, size + 4)).astype(np.uint32)) == got
    return good


def _differing(words: Words, places: list[int]) -> list[int]:
    """Those of some bytes that are not the same in every record (the upper bytes of a clock are)."""
    differ = {j: int(np.bitwise_or.reduce(words[j] ^ words[j, 0])) for j in {b >> 3 for b in places}}
    return [b for b in places if differ[b >> 3] >> 8 * (b & 7) & 255]


def _bytes_at(words: Words, span: Span) -> Words:
    """Up to eight bytes of every record as one little-endian number, uint64 [n]."""
    a, z = span
    shift = np.uint64(8 * (a & 7))
    out: Words = words[a >> 3] >> shift
    if a >> 3 != (z - 1) >> 3:
        out |= words[(a >> 3) + 1] << (np.uint64(64) - shift)
    if z - a < 8:
        out &= np.uint64((1 << 8 * (z - a)) - 1)
    return out


def _varint(words: Words, span: Span) -> Ints:
    out = np.zeros(words.shape[1], np.uint64)
    for k, b in enumerate(range(*span)):
        byte = (words[b >> 3] >> np.uint64(8 * (b & 7))) & np.uint64(127)
        out |= byte << np.uint64(7 * k)
    return out.view(np.int64)


def _values(words: Words, slot: TemplateSlot) -> Floats:
    raw = _bytes_at(words, slot.value)
    narrow = raw.astype("<u4") if slot.dtype in ("<f4", "<i4") else raw
    with np.errstate(invalid="ignore"):  # signaling NaN
        return narrow.view(slot.dtype).astype(np.float64)
