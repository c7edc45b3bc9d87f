"""Codes and signs that a line explains ("T = training loss, V = validation loss"), with their names written out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.naming.log_words import is_outcome, is_usual
from curvedoc.ingest.naming.split_words import split_of
from curvedoc.ingest.text.line import words

#: A legend stands among so many lines at the top or the bottom, and is as long as that at most.
_TOP, _BOTTOM, _LONGEST = 40, 5, 240
#: So many numbers stand behind its codes.
_USED, _FEWEST = 5, 2
_TITLE = late_regex(
    r"^[\W_]*(?:(?:legend|legende|key|symbols?|abbreviations?|meaning|where|columns?|here)\b[ :=]*)?", re.I
)
_APART = late_regex(r"\s*[,;|]\s*(?:and )?|\s{2,}|\t| and ")
#: "T = training loss", "tl: train loss", "📉 training loss"
_MEANS = late_regex(r"([^\W\d]\w{0,3})(?: ?[:=]{1,2} ?| ?-> ?| is (?:the )?| - )(\w[\w /()%-]{1,40})")
_SIGN = late_regex(r"([^\w\s()\[\]{}\"'#.,;:=/\\+-]{1,3}|[@#])[ :=]{1,3}(\w[\w /()%-]{1,40})")
_ASIDE = late_regex(r" ?\([^()]*\)| in (?:percent|%).*$")
_DIGIT = late_regex(r"\d")


def spelled_out(text: str) -> str:
    """The text, with the name in place of each code behind which a number stands; one without a legend as it is."""
    found = _legend(text)
    if not found:
        return text
    codes = "|".join(map(re.escape, sorted(found, key=len, reverse=True)))
    used = re.compile(
        rf"(^[ \t]*)?(?<!\w)({codes})[ \t]{{0,9}}[:=]?[ \t]{{0,9}}(?=[-+]?(?:\.?\d|nan\b|inf\b))", re.MULTILINE
    )
    often = sum(1 for _ in zip(range(_USED), used.finditer(text), strict=False))
    if often < _USED:
        return text
    return used.sub(lambda m: f"{m[1]}{found[m[2]]}: " if m[1] is not None else f" | {found[m[2]]}: ", text)


def _legend(text: str) -> Mapping[str, str]:
    head = text[: _TOP * _LONGEST].split("\n", _TOP)[:_TOP]
    tail = text[-_BOTTOM * _LONGEST :].rsplit("\n", _BOTTOM)[-_BOTTOM:]
    for line in (*head, *tail):
        if 8 <= len(line) <= _LONGEST and not _DIGIT.search(line) and (found := _meanings(line)):
            return found
    return {}


def _meanings(line: str) -> Mapping[str, str]:
    """The codes of a line that is nothing but codes and what they mean, an outcome among them."""
    if not is_outcome(line):
        return {}
    bare = _TITLE.sub(lambda m: m[0].lstrip("#/%*- (")[-1:] if m[0] and not m[0][-1:].isspace() else "", line.strip())
    for said in dict.fromkeys((line.strip(" #/%*-()."), bare.strip(" ()."))):
        items = [i for i in _APART.split(said) if i]
        pairs = [m for i in items if (m := _MEANS.fullmatch(i) or _SIGN.fullmatch(i)) is not None]
        found = {m[1]: _ASIDE.sub("", m[2]).strip() for m in pairs}
        if len(items) == len(pairs) == len(found) == len(set(found.values())) >= _FEWEST and _fits(found.values()):
            return found
    return {}


def _fits(names: Iterable[str]) -> bool:
    known = [is_usual(n) or split_of(n) != "" or n.lower() in (*words.EPOCH_WORDS, *words.STEP_WORDS) for n in names]
    return all(known)
