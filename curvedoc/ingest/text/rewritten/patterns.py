"""Rows of numbers between marks, below a line that has names between the same marks ("# epoch: train loss / val loss"
and "3: 0.5 / 0.6"), as pairs."""

from __future__ import annotations

import re
from functools import partial
from itertools import islice

from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.naming.log_words import is_outcome, spaced
from curvedoc.ingest.naming.split_words import split_of
from curvedoc.ingest.text.line import words
from curvedoc.ingest.text.rewritten.written_number import NUMBER

#: So much of a text is looked at for such a line, and so many rows are the habit of it.
_HEAD, _ROWS = 1 << 14, 5
_COUNTER = r"(?:epochs?|ep|steps?|iter(?:ation)?s?|it|rounds?|episodes?|batch|n|i|k|#)"
_TITLE = late_regex(
    rf"(?im)^[ \t]*(?:[#/%;*]+[ \t]*)?(?:(?:format|columns?|legend|fields|lines?)[ \t]*[:=][ \t]*)?"
    rf"([\[(<]?{_COUNTER}\b[^\w\n][^\d\n=]{{3,100}}?)[ \t]*$"
)
#: A name, and the marks between two of them.
_NAME = late_regex(r"[^\W\d]\w*(?:[ _.-]\w+){0,3}|#")
_NUMBER = rf"{NUMBER}|[-+]?(?:nan|inf)"
#: What other readers know of: tables.
_USUAL = late_regex(r"[\s|,%]*")


def named_numbers(text: str) -> str:
    """The text, with the name ahead of each number of such rows."""
    for title in islice(_TITLE.finditer(text, 0, _HEAD), _ROWS):
        said = title[1]
        names = [m[0] for m in _NAME.finditer(said)]
        marks = [" ".join(m.split()) for m in _NAME.split(said)]
        if len(names) < 2 or all(map(_USUAL.fullmatch, marks)) or not _tells(names):
            continue
        opened, closed = (re.escape(m) + "[ \\t]{0,9}" if m else "" for m in (marks[0], marks[-1]))
        gaps = [opened, *map(_gap, marks[1:-1]), rf"[ \t]{{0,9}}{closed}$"]
        again = rf"(?:{re.escape(names[0])}[ \t:#=]{{0,3}})?"  # which each row may say once more
        count = rf"(?im)^[ \t]{{0,20}}{gaps[0]}{again}(\d{{1,12}})"
        rows = re.compile(count + "".join(rf"{gap}({_NUMBER})[%s]?" for gap in gaps[1:-1]) + gaps[-1])
        if sum(1 for _ in islice(rows.finditer(text), _ROWS)) == _ROWS:
            return rows.sub(partial(_pairs, names), text)
    return text


def _gap(mark: str) -> str:
    return rf"[ \t]{{0,20}}{re.escape(mark)}[ \t]{{0,20}}" if mark else r"[ \t]{1,20}"


def _tells(names: list[str]) -> bool:
    """Whether names are those of a counter and of an outcome, and none is a word of a sentence."""
    measured = any(is_outcome(n) or split_of(n) for n in names[1:])
    return measured and len(set(names)) == len(names) and not any(map(words.is_prose, names[1:]))


def _pairs(names: list[str], row: re.Match[str]) -> str:
    first, *values = row.groups()
    counter = "epoch" if spaced(names[0]).startswith("ep") else "step" if len(names[0]) < 2 else names[0]
    return " | ".join([f"{counter} {first}", *(f"{n}: {v}" for n, v in zip(names[1:], values, strict=True))])
