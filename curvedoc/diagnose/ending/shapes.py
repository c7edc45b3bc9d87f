"""The two shapes or sizes that a message compares, and where they differ."""

from __future__ import annotations

import math
import re

from curvedoc.core.late_regex import late_regex

_PLACES = ("first", "second", "third", "fourth", "fifth")
_SHAPE = late_regex(r"[\[(] ?((?:\d+|None)(?:, ?(?:\d+|None))*),? ?[\])]")
#: Two numbers for one dimension, the one that is there and the one that is asked for, and what is counted.
_PAIRS = tuple(
    (late_regex(say), counted)
    for say, counted in (
        (r"to have (?P<wanted>\d+) channels, but got (?P<found>\d+) channels", "input channels"),
        (
            r"to have value (?P<wanted>\d+),? but received input with shape .*?(?P<found>\d+)[\])]",
            "input features",
        ),
        (
            r"mat1 and mat2 shapes cannot be multiplied \(\d+x(?P<found>\d+) and (?P<wanted>\d+)x\d+\)",
            "input features",
        ),
    )
)
#: Two sizes of which none is the right one.
_SIDES = tuple(
    late_regex(say)
    for say in (
        r"size of tensor a \((?P<left>\d+)\) must match the size of tensor b \((?P<right>\d+)\)",
        r"input batch_size \((?P<left>\d+)\) to match target batch_size \((?P<right>\d+)\)",
        r"shape '(?P<left>\[[\d, -]*\])' is invalid for input of size (?P<right>\d+)",
    )
)


def apart(message: str) -> dict[str, str]:
    """Texts for sentences: wanted and found, the sizes of one dimension, and counted, what they count, or dimension,
    their place; else left and right, two sizes or shapes that should agree, and fits, a shape that would.

    >>> apart("Expected hidden[0] size (2, 256, 32), got [1, 256, 32]")
    {'wanted': '2', 'found': '1', 'dimension': 'first'}
    >>> apart("mat1 and mat2 shapes cannot be multiplied (16x27 and 30x32)")
    {'wanted': '30', 'found': '27', 'counted': 'input features'}
    >>> apart("shape '[8, 400]' is invalid for input of size 20000")
    {'left': '[8, 400]', 'right': '20000', 'fits': '[8, 2500]'}
    """
    for pattern, counted in _PAIRS:
        named = pattern.search(message)
        if named is not None:
            return {"wanted": named["wanted"], "found": named["found"], "counted": counted}
    sides = next((m for p in _SIDES if (m := p.search(message))), None)
    if sides is not None:
        return {"left": sides["left"], "right": sides["right"]} | _fitting(sides["left"], sides["right"])
    whole = [s for s in (m[1].replace(" ", "").split(",") for m in _SHAPE.finditer(message)) if len(s) > 1]
    if len(whole) != 2 or whole[0] == whole[1] or "None" in (*whole[0], *whole[1]):
        return {}
    differ = [i for i, (a, b) in enumerate(zip(*whole, strict=False)) if a != b]
    if len(whole[0]) != len(whole[1]) or len(differ) != 1 or "xpected" not in message:
        return {side: f"[{', '.join(shape)}]" for side, shape in zip(("left", "right"), whole, strict=True)}
    i = differ[0]
    place = "last" if i == len(whole[0]) - 1 else _PLACES[i] if i < len(_PLACES) else f"{i + 1}th"
    return {"wanted": whole[0][i], "found": whole[1][i], "dimension": place}


def _fitting(shape: str, size: str) -> dict[str, str]:
    """The shape with its last dimension such that it holds so many values, where there is one."""
    sizes = [int(n) for n in re.findall(r"-?\d+", shape)]
    rest = math.prod(sizes[:-1]) if len(sizes) > 1 else 0
    if rest <= 0 or int(size) % rest:
        return {}
    return {"fits": f"[{', '.join(map(str, [*sizes[:-1], int(size) // rest]))}]"}
