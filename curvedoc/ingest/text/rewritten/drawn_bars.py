"""Charts of characters: a counter, a bar as long as its value, and the value, before the bar or behind it."""

from __future__ import annotations

import re

from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.naming.log_words import is_outcome

#: A chart of fewer rows is a summary.
_ROWS = 8
#: So much of a text is looked at for the first of them, and of all lines so many belong to it.
_HEAD, _SHARE = 1 << 13, 0.8
_MARKS = "#*=+o>█▉▊▋▌▍▎▏▇■▓▒░━─●•"
#: So many words are the title of a chart.
_WORDS = 6
_WORD = late_regex(r"[A-Za-z]+")
_NUMBER = r"[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d{1,4})?%?"
_BAR = rf"([{re.escape(_MARKS)}])[{re.escape(_MARKS)}]*"
_GAP = r"[ \t]{0,80}"
_ROW = late_regex(
    rf"(?m)^({_GAP}(?:[A-Za-z]{{1,12}}[ \t]?)?\d{{1,9}}(?:{_GAP}[:|])?){_GAP}"
    rf"(?:({_NUMBER}){_GAP}(?:[|:]{_GAP})?{_BAR}{_GAP}\|?"
    rf"|(?:[|\[]{_GAP})?{_BAR}(?:[ .]{{0,80}}[|\]])?[ \t]{{1,80}}\(?({_NUMBER})\)?){_GAP}$"
)


def without_bars(text: str) -> str:
    """The text, with the counter and the value of each row of such a chart; another text as it is."""
    if _ROW.search(text, 0, _HEAD) is None:
        return text
    rows = sum(1 for _ in _ROW.finditer(text))
    said = sum(1 for line in text.split("\n") if line.strip())
    if rows < _ROWS or rows < _SHARE * said:
        return text
    first = _ROW.search(text)
    above = text[: first.start()].rstrip().rpartition("\n")[2].strip(" :=-#*") if first is not None else ""
    if len(above.split()) > _WORDS or any(c.isdigit() for c in above) or not is_outcome(above):
        return _ROW.sub(lambda m: f"{m[1].rstrip(' |:')} {m[2] or m[5]}", text)
    counter = "epoch" if "epoch" in above.lower() else "step"
    return _ROW.sub(lambda m: f"{counter} {_WORD.sub('', m[1]).strip(' |:')} {above}: {m[2] or m[5]}", text)
