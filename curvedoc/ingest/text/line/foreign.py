"""Numbers, counters and tables written as in other places: decimal commas, a % ahead, counters without a blank, numpy's
names around its numbers, the summary of COCO's evaluation, the rows of a table in LaTeX or HTML."""

from __future__ import annotations

import re

from curvedoc.core.late_regex import late_regex

#: As much of a text shows how its numbers are written, at its head and in its middle.
_SHOWN = 1 << 17
#: A number with a comma in it that ends where it does: no row of a table, no list.
_WITH_COMMA = late_regex(
    r"(?<![\d.,])(?:[=:] ?|[^\W\d_] {1,3}|\) ?[,/;|]? )[-+]?\d{1,7},\d{1,12}(?=[\s;|)\]%]|$|,\s)", re.MULTILINE
)
_COMMA = late_regex(r",(?<=\d,)(?=\d)")
_THOUSANDS = late_regex(r"[1-9]\d{0,2},\d{3}$")
_WITH_POINT = late_regex(r"(?<![\d.])\d+\.\d+(?![\d.])")
#: So many numbers with a comma that group no thousands, and so many times as many as there are with a point.
_HABIT, _TIMES = 12, 5
#: "3 & 0.52 & 91.2 \\"
_LATEX_ROW = late_regex(r"^([^&\n]{0,60}(?: & [^&\n]{0,60}){2,40}?)[ \t]*\\\\[^\n]{0,80}$", re.MULTILINE)
_ROWS = ("<tr>", "<tr ", "<TR>", "<TR ")
#: "[np.float32(0.91), np.float64(0.3)]", as numpy prints its numbers in a list since version 2.
_NUMPY = late_regex(r"\bnp\.(?:float|u?int)\d{1,3}\(([^()\n]{1,40})\)")
#: " Average Precision  (AP) @[ IoU=0.50:0.95 | area=   all | maxDets=100 ] = 0.486"
_COCO = late_regex(
    r"Average (?:Precision|Recall) {1,8}\((A[PR])\) @\[ ?IoU=0?(\.\d+)(:0?\.95)? *\| ?area= *(all|small|medium|large) *"
    r"\| ?maxDets= *(\d{1,5}) *\] = (-?\d\.\d+)"
)
#: "%81.2", as Turkish writes it
PERCENT_AHEAD = r"([\s:=(])%([0-9]{1,3}(?:\.[0-9]+)?)([\s,;|)]|$)"
#: Counters of languages that write no blank, and their numbers: "エポック3".
UNSPACED = r"(^[\s\[(|]*)(エポック|ステップ|イテレーション|에폭|에포크|스텝|epoch|轮次|周期|回合|步数|迭代)([0-9]{1,9})"
#: What stands for the tags of a table, and for all others.
_TAGS = (
    (late_regex(r">\s+<"), "><"),
    (late_regex(r"(?i)<tr\b[^<>]{0,300}>"), "\n| "),
    (late_regex(r"(?i)</tr>"), "\n"),
    (late_regex(r"(?i)</t[dh]>"), " | "),
    (late_regex(r"(?i)</?[a-z][^<>]{0,300}>"), ""),
)


def as_usual(text: str) -> str:
    """The text with points for decimal commas, where that is the habit of its numbers, numpy's and COCO's numbers by
    themselves, and bars for the marks between the cells of LaTeX and HTML."""
    if "np." in text:
        text = _NUMPY.sub(r"\1", text)
    if "maxDets" in text:
        text = _COCO.sub(_precision, text)
    if "," in text and _has_decimal_commas(text):
        text = _WITH_COMMA.sub(lambda m: _COMMA.sub(".", m[0]), text)
    if "&" in text and " & " in text and "\\\\" in text:
        text = _LATEX_ROW.sub(lambda m: f"| {m[1].replace(' & ', ' | ')} |", text)
    return _without_tags(text) if "<" in text and any(tag in text for tag in _ROWS) else text


def _precision(m: re.Match[str]) -> str:
    """A line of COCO's summary by its usual name, AP, AP50, APs or AR100; nothing where no object was of the size."""
    what, overlap, whole, area, most, value = m.groups()
    if value.startswith("-"):
        return ""
    kind = area[0] if area != "all" else most if what == "AR" else "" if whole else overlap[1:].ljust(2, "0")
    return f"val {what}{kind}: {value}"


def _without_tags(text: str) -> str:
    """The rows of HTML's tables with bars between their cells, one a line."""
    for tag, mark in _TAGS:
        text = tag.sub(mark, text)
    return text


def _has_decimal_commas(text: str) -> bool:
    middle = len(text) // 2
    shown = text if len(text) <= 2 * _SHOWN else text[:_SHOWN] + text[middle : middle + _SHOWN]
    if _COMMA.search(shown) is None:  # asked at each comma, that of a number at each letter
        return False
    found = [m[0] for m in _WITH_COMMA.finditer(shown)]
    decimal = sum(_THOUSANDS.search(n) is None for n in found)
    if decimal < _HABIT or 2 * decimal < len(found):
        return False
    return decimal > _TIMES * len(_WITH_POINT.findall(shown))
