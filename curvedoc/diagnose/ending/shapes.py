"""The two shapes that a message compares, and where they differ."""

from __future__ import annotations

import re

_PLACES = ("first", "second", "third", "fourth", "fifth")
_SHAPE = re.compile(r"[\[(] ?((?:\d+|None)(?:, ?(?:\d+|None))*),? ?[\])]")
#: Two numbers for one dimension, the one that is there and the one that is asked for, by names of their own.
_PAIRS = tuple(
    re.compile(say)
    for say in (
        r"to have (?P<wanted>\d+) channels, but got (?P<found>\d+) channels",
        r"to have value (?P<wanted>\d+),? but received input with shape .*?(?P<found>\d+)[\])]",
        r"mat1 and mat2 shapes cannot be multiplied \(\d+x(?P<found>\d+) and (?P<wanted>\d+)x\d+\)",
    )
)


def apart(message: str) -> dict[str, str]:
    """Texts for sentences: wanted and found, the sizes that differ, dimension, their place where shapes are whole.

    Of two shapes of equal length that differ at one place; {} where the message holds none.

    >>> apart("Expected hidden[0] size (2, 256, 32), got [1, 256, 32]")
    {'wanted': '2', 'found': '1', 'dimension': 'first'}
    >>> apart("mat1 and mat2 shapes cannot be multiplied (16x27 and 30x32)")
    {'wanted': '30', 'found': '27'}
    >>> apart("shape '[8, 400]' is invalid for input of size 20000")
    {}
    """
    named = next((m for p in _PAIRS if (m := p.search(message))), None)
    if named is not None:
        return {"wanted": named["wanted"], "found": named["found"]}
    shapes = [m[1].replace(" ", "").split(",") for m in _SHAPE.finditer(message)]
    whole = [s for s in shapes if len(s) > 1]
    if len(whole) != 2 or len(whole[0]) != len(whole[1]) or "xpected" not in message:
        return {}
    differ = [i for i, (a, b) in enumerate(zip(*whole, strict=True)) if a != b]
    if len(differ) != 1 or "None" in (whole[0][differ[0]], whole[1][differ[0]]):
        return {}
    i = differ[0]
    place = "last" if i == len(whole[0]) - 1 else _PLACES[i] if i < len(_PLACES) else f"{i + 1}th"
    return {"wanted": whole[0][i], "found": whole[1][i], "dimension": place}
