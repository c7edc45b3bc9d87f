"""Fewer lines of a text that is too long: rare kinds of line whole, of common ones the extremes and an even sample.

Nothing is known of the format: a kind of line is one of the same words and as many numbers, and an extreme is the
lowest or the highest of one of its numbers in a stretch of the file.
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float32]

_LF, _CR, _DOT, _MINUS, _ZERO = 10, 13, 46, 45, 48
#: So many characters of a number say how large it is.
_DIGITS = 6
#: Kinds of line whose numbers are looked at, and places of numbers in one: the commonest, the first.
_KINDS, _PLACES = 16, 256
#: Lines that say what happened, and how many of a word are taken from a stretch.
_LOUD = (
    b"Traceback (most",
    b"Error",
    b"ERROR",
    b"error",
    b"WARN",
    b"Warn",
    b"nan",
    b"NaN",
    b"Infinity",
    b" inf",
    b"kill",
)
_OFTEN = 100
#: What follows the first line of a traceback.
_TRACE = 40
#: Shares of the room for loud lines and for extremes; the rest is for all others.
_FOR_LOUD, _FOR_EXTREMES = 0.25, 0.4

#: Numbers, blanks, the bars of progress.
_NO_WORD = b"0123456789.+-eE \t\r\n#|\xe2\x96\x88\x8f\x8e\x8d\x8c\x8b\x8a\x89"


@functools.cache
def _random() -> NDArray[np.uint32]:
    """A number for each byte, 0 for those of no word; made late, since random numbers take a while to import."""
    made = np.random.default_rng(0).integers(1, 1 << 32, 256, dtype=np.uint32)
    made[[*_NO_WORD]] = 0
    return made


@functools.cache
def _numeric() -> NDArray[np.bool_]:
    return np.isin(np.arange(256), [*b"0123456789."])


def thin(block: bytes, room: int) -> bytes:
    """The lines of the block, in order, that tell most in so many bytes."""
    if len(block) <= room:
        return block
    text = np.frombuffer(block, np.uint8)
    end = text == _LF
    end[:-1] |= (text[:-1] == _CR) & (text[1:] != _LF)
    end[-1] = True
    ends = np.flatnonzero(end) + 1
    starts = np.concatenate(([0], ends[:-1]))
    size = ends - starts
    first, count = _tokens(text, starts)
    words = np.add.reduceat(_random()[text], starts, dtype=np.uint32).astype(np.int64)
    _, kind, often = np.unique(words << 16 | np.minimum(count, 0xFFFF), return_inverse=True, return_counts=True)
    keep = np.zeros(len(starts), np.bool_)
    left = _take(keep, size, _loud(block, starts), _FOR_LOUD * room)
    quota = _quota(often, (room - left) / max(1.0, float(size.mean())))
    common = np.argsort(-often)[:_KINDS]
    found = _extremes(text, first, count, kind, common[often[common] > quota])
    left += _take(keep, size, found, _FOR_EXTREMES * room)
    quota = _quota(often, (room - left) / max(1.0, float(size.mean())))
    _take(keep, size, _even(kind, often, quota), room - left)
    return text[np.repeat(keep, size)].tobytes()


def _take(keep: NDArray[np.bool_], size: Ints, lines: Ints, room: float) -> int:
    """Keeps lines in the order given as far as there is room; how many bytes they have."""
    fresh = lines[~keep[lines]]
    fresh = fresh[np.sort(np.unique(fresh, return_index=True)[1])]
    fits = np.cumsum(size[fresh]) <= room
    keep[fresh[fits]] = True
    return int(size[fresh[fits]].sum())


def _tokens(text: NDArray[np.uint8], starts: Ints) -> tuple[Ints, Ints]:
    """Where numbers begin, and how many each line has."""
    numeric = _numeric()[text]
    numeric[1:] &= ~numeric[:-1].copy()
    return np.flatnonzero(numeric), np.add.reduceat(numeric, starts, dtype=np.int64)


def _loud(block: bytes, starts: Ints) -> Ints:
    """Lines that hold a word of trouble, a traceback with what follows it; the last one first, then in order."""
    found: list[int] = []
    for word in _LOUD:
        at = block.rfind(word)
        places = [at] if at >= 0 else []
        at = block.find(word)
        while at >= 0 and len(places) < _OFTEN:
            places.append(at)
            at = block.find(word, at + 1)
        lines = (np.searchsorted(starts, places, "right") - 1).tolist()
        more = _TRACE if word is _LOUD[0] else 1
        found += [i for line in lines for i in range(line, min(line + more, len(starts)))]
    return np.array(found, np.int64)


def _sizes(text: NDArray[np.uint8], first: Ints) -> Floats:
    """How large numbers are, by their first characters."""
    padded = np.concatenate((text, np.zeros(_DIGITS + 1, np.uint8)))
    value = np.zeros(len(first), np.float32)
    scale = np.ones(len(first), np.float32)
    dotted = np.zeros(len(first), np.bool_)
    going = np.ones(len(first), np.bool_)
    for i in range(_DIGITS + 1):
        sign = padded[first + i]
        digit = (sign - np.uint8(_ZERO)).astype(np.uint8)
        figure = going & (digit < 10)
        dot = going & (sign == _DOT)
        value = np.where(figure, value * 10 + digit, value)
        scale = np.where(figure & dotted, scale * 10, scale)
        dotted |= dot
        going = figure | dot
    long = np.flatnonzero(going & ~dotted)  # whole numbers of more figures: what stands behind makes them larger
    if len(long):
        rest = padded[np.minimum(first[long, None] + np.arange(_DIGITS + 1, 24), len(padded) - 1)]
        figures = np.logical_and.accumulate((rest >= _ZERO) & (rest < _ZERO + 10), axis=1).sum(axis=1)
        value[long] *= np.float32(10.0) ** figures.astype(np.float32)
    negative = (first > 0) & (text[first - 1] == _MINUS)
    return (np.where(negative, -value, value) / scale).astype(np.float32)


def _extremes(text: NDArray[np.uint8], first: Ints, count: Ints, kind: Ints, kinds: Ints) -> Ints:
    """The lines with the lowest and the highest of each number of some kinds of line, what stands out most first."""
    found: list[Ints] = []
    clear: list[Floats] = []
    behind = np.cumsum(count)
    for k in kinds.tolist():
        lines = np.flatnonzero(kind == k)
        places = min(int(count[lines[0]]), _PLACES)
        if not places:
            continue
        at = first[(behind[lines] - count[lines])[:, None] + np.arange(places)]
        value = _sizes(text, at.ravel()).reshape(at.shape)
        low, high = value.argmin(axis=0), value.argmax(axis=0)
        spread = value.std(axis=0)
        moves = spread > 0
        mean, column = value.mean(axis=0), np.arange(places)
        for place in (low, high):
            away = np.abs(value[place, column] - mean) / np.where(moves, spread, 1)
            found.append(lines[place[moves]])
            clear.append(away[moves].astype(np.float32))
    if not found:
        return np.zeros(0, np.int64)
    return np.concatenate(found)[np.argsort(-np.concatenate(clear), kind="stable")]


def _quota(often: Ints, lines: float) -> float:
    """How many lines of each kind there is room for, where rare kinds leave theirs to the others."""
    rising = np.sort(often)
    used = np.concatenate(([0], np.cumsum(rising)[:-1]))
    quota = (lines - used) / np.arange(len(rising), 0, -1)
    fits = np.flatnonzero(rising > quota)
    return max(0.0, float(quota[fits[0]])) if len(fits) else float(rising[-1])


def _even(kind: Ints, often: Ints, quota: float) -> Ints:
    """So many lines of each kind, evenly apart; rare kinds first."""
    order = np.argsort(kind, kind="stable")
    begin = np.cumsum(often) - often
    total = often[kind[order]]
    place = np.arange(len(kind)) - begin[kind[order]]
    share = np.minimum(1.0, quota / total)
    chosen = np.floor((place + 1) * share) > np.floor(place * share)
    lines = order[chosen]
    return np.asarray(lines[np.argsort(often[kind[lines]], kind="stable")], np.int64)
