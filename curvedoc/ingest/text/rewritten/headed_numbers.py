"""Numbers alone below the heading of an epoch ("== Epoch 3 ==", "0.52", "0.81"), by names that their courses tell."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np

from curvedoc.core.late_regex import late_regex
from curvedoc.core.series import Floats
from curvedoc.ingest.naming.split_words import ANY_SPLIT, split_of
from curvedoc.ingest.naming.values.curve_shape import comes_down, gains
from curvedoc.ingest.naming.values.rivals import are_twins
from curvedoc.ingest.text.rewritten.written_number import NUMBER

#: So much of a text is looked at for the first block; fewer blocks show no course.
_HEAD, _BLOCKS, _SHARE = 1 << 13, 8, 0.8
_COUNTER = r"(?:epoch|ep|step|iter(?:ation)?|round)"
_LABEL = rf"(?:[\[(]?(?:{ANY_SPLIT}|tr|te|va)[\])]?[ \t:=|]{{1,9}})"
_ROW = rf"[ \t]{{0,20}}{_LABEL}?{NUMBER}(?:[ \t,;|/]+{NUMBER}){{0,3}}[ \t]*"
_BLOCK = late_regex(
    rf"(?im)^[^\w\n]{{0,40}}({_COUNTER})[ \t:#=_]{{0,3}}(\d{{1,9}})(?: ?/ ?\d{{1,9}}| of \d{{1,9}})?[^\w\n]{{0,40}}\n"
    rf"((?:{_ROW}(?:\n|\Z)){{1,4}})\n*"
)
_SPLIT_ROW = late_regex(rf"(?im)^[ \t]*[\[(]?({ANY_SPLIT}|tr|te|va)\b.*$")
_FIND = late_regex(rf"(?<!\w){NUMBER}")


def with_courses(text: str) -> str:
    """The text, with a line for each such block that names what comes down as a loss and what rises as a share; another
    text as it is."""
    if _BLOCK.search(text, 0, _HEAD) is None:
        return text
    blocks = list(_BLOCK.finditer(text))
    rows = [_FIND.findall(m[3]) for m in blocks]
    length = sum(len(m[0]) for m in blocks)
    if len(blocks) < _BLOCKS or len({len(r) for r in rows}) > 1 or length < _SHARE * len(text):
        return text
    if any(int(a[2]) >= int(b[2]) for a, b in pairwise(blocks)):
        return text
    splits = _splits(blocks[0][3])
    names = _names(np.array(rows, float), splits) if all(_splits(m[3]) == splits for m in blocks) else []
    return _BLOCK.sub(lambda m: _line(m, names), text) if names else text


def _line(m: re.Match[str], names: list[str]) -> str:
    return " | ".join(f"{n}: {v}" for n, v in zip((m[1], *names), (m[2], *_FIND.findall(m[3])), strict=True)) + "\n"


def _splits(rows: str) -> list[str]:
    """The split ahead of each number, "" for none."""
    out: list[str] = []
    for row in rows.strip("\n").split("\n"):
        said = _SPLIT_ROW.match(row)
        out += [split_of(said[1]) if said is not None else ""] * len(_FIND.findall(row))
    return out


def _names(table: Floats, splits: list[str]) -> list[str]:
    """What the columns are called, none where no loss is among them. splits: ahead of each"""
    columns = list(table.T)
    shares = [i for i, v in enumerate(columns) if gains(v)]
    losses = [i for i, v in enumerate(columns) if i not in shares and bool((v > 0).all()) and comes_down(v)]
    rest = [i for i in range(len(columns)) if i not in shares]
    if not losses or any(bool((columns[i] == np.floor(columns[i])).all()) for i in losses):
        return []
    if any(splits):
        kinds = ["acc" if i in shares else "loss" if i in losses or i in rest else "" for i in range(len(columns))]
        named = [f"{split} {kind}".strip() for split, kind in zip(splits, kinds, strict=True)]
        return named if len(set(named)) == len(named) else []
    twins = next(((a, b) for a in rest for b in rest if a < b and are_twins(columns[a], columns[b])), None)
    out = [f"column {i + 1}" for i in range(len(columns))]
    for name, found in (("loss", list(twins) if twins is not None else losses[:1]), ("acc", shares[:2])):
        for k, i in enumerate(found):
            out[i] = f"val {name}" if k else f"train {name}" if len(found) > 1 else name
    return out
