"""Blocks of values, counted or not, each below a title that says what it is of ("# validation loss"), as records."""

from __future__ import annotations

import re
from collections.abc import Iterator

from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.naming.log_words import is_outcome, spaced
from curvedoc.ingest.text.line import words
from curvedoc.ingest.text.rewritten.written_number import NUMBER

#: So much of a text is looked at for the first block; a block has so many rows, and the blocks so much of the text.
_HEAD, _ROWS, _SHARE = 1 << 13, 5, 0.8
_NUMBER = rf"{NUMBER}%?"
_LINK = r"[ \t]{0,20}(?:[ \t:=,;|)]|[-=]>)[ \t]{0,20}"
_WORD = r"(?:(?:[Ee]poch|EPOCH|[Ss]tep|STEP|[Ii]ter(?:ation)?|[Rr]ound)[ #:]{0,2})?"
_ROW = rf"[ \t]{{0,20}}(?:\(?{_WORD}\d{{1,12}}{_LINK}{_NUMBER}\)?|{_NUMBER},?)[ \t]{{0,20}}"
#: A title, perhaps a rule, perhaps a line with the names of both columns, and the rows.
_TITLE = r"[^\w\n]{0,20}(?:(?:[A-Za-z]{2,12} )?\d{1,3}[:.)-] ?)?[A-Za-z][A-Za-z _/().-]{1,60}[^\w\n]{0,20}"
_BLOCK = late_regex(
    rf"(?m)^({_TITLE})\n+(?:[=~*#-]{{3,80}}\n)?(?:[^\w\n]{{0,5}}([A-Za-z_]{{1,12}})[ \t,;|:]+[A-Za-z_ /()]{{1,30}}\n+)?"
    rf"((?:{_ROW}(?:\n|\Z)){{{_ROWS},}})"
)
_PAIR = late_regex(rf"[ \t]*\(?{_WORD}(\d{{1,12}}){_LINK}({_NUMBER})\)?[ \t]*")
#: What each row is called that counts ("epoch 3: 0.5").
_FIRST = late_regex(r"[ \t]*\(?([A-Za-z]+)")
_NAME = late_regex(r"[A-Za-z][A-Za-z _/.-]*[A-Za-z]")


def with_titles(text: str) -> str:
    """The text, with the title ahead of each value where several blocks count the same; another text as it is."""
    if _BLOCK.search(text, 0, _HEAD) is None:
        return text
    blocks = list(_BLOCK.finditer(text))
    names = [_title(m[1]) for m in blocks]
    rows = [_rows(m[3].rstrip("\n").split("\n")) for m in blocks]
    length = sum(len(m[0]) for m in blocks)
    several = len(blocks) > 1 and all(rows) and len(set(names)) == len(names) and all(map(is_outcome, names))
    if not several or length < _SHARE * len(text.strip()) or len({r[0][0] for r in rows}) > 1:
        return text
    counters = {spaced(m[2] or (said[1] if (said := _FIRST.match(m[3])) is not None else "")) for m in blocks}
    counter = next((c for c in counters if c in (*words.EPOCH_WORDS, *words.STEP_WORDS)), "step")
    if not rows[0][0][0]:
        counter, rows = "", [[(str(i), value) for i, (_, value) in enumerate(r)] for r in rows]
    return "\n".join(_records(counter, names, rows)) + "\n"


def _rows(lines: list[str]) -> list[tuple[str, str]]:
    """The count and the value of each row, "" for the count where none has one; nothing where only some have."""
    pairs = [_PAIR.fullmatch(line) for line in lines]
    if not any(pairs):
        return [("", line.strip(" \t,")) for line in lines]
    return [(m[1], m[2]) for m in pairs if m is not None] if all(pairs) else []


def _records(counter: str, names: list[str], rows: list[list[tuple[str, str]]]) -> Iterator[str]:
    """A record for each count, in the order of counting."""
    table: dict[int, list[str]] = {}
    for name, pairs in zip(names, rows, strict=True):
        for count, value in pairs:
            table.setdefault(int(count), []).append(f"{name}: {value}")
    for step in sorted(table):
        yield " | ".join((*([f"{counter} {step}"] if counter else []), *table[step]))


def _title(line: str) -> str:
    """The name in a title: what stands behind the number of the block, without marks."""
    said = re.split(r"\d[:.-]", line)[-1]
    name = _NAME.search(said)
    return name[0] if name is not None else ""
