"""Vectors as sources and dumps hold them (MATLAB, R, C, Mathematica, h5dump, ncdump), written as lists under their
names."""

from __future__ import annotations

from curvedoc.core.late_regex import late_regex

_NUM = r"[-+]?(?:\d+(?:\.\d*)?(?:[eE][-+]?\d{1,4})?f?|\.\d+|nan|NaN|NA|inf|Inf)"
_MORE = rf"(?:\s*+,\s*+{_NUM})"
#: "losses <- c(2.3, 2.1)", "float losses[2] = {2.3, 2.1};", "losses: (2.3, 2.1)".
_IN_OTHER_MARKS = late_regex(
    rf"([A-Za-z][\w.$]{{0,60}})(?:\[\d{{0,9}}\])?[ \t]*(?:<-|=>|:=|=|:)[ \t]*(?:[A-Za-z]\w{{0,12}})?[({{]"
    rf"\s*+({_NUM}{_MORE}+)\s*+,?\s*+[)}}]"
)
#: "{{1, 2.3}, {2, 2.1}}": pairs of a counter and a value.
_PAIRS = late_regex(
    rf"([A-Za-z][\w.$]{{0,60}})[ \t]*(?:<-|:=|=|:)[ \t]*\{{\s*+"
    rf"((?:\{{\s*+\d{{1,12}}\s*+,\s*+{_NUM}\s*+\}}\s*+,?+\s*+){{2,}})\}}"
)
_SECOND = late_regex(rf",\s*+({_NUM})\s*+\}}")
#: MATLAB parts the values of a list by blanks, line ends, semicolons and marks of lines that go on.
_GOES_ON = late_regex(
    rf"\[\s*+(?:\.\.\.\s*+)?{_NUM}(?:(?:[ \t]*+(?:;|\.\.\.)\s*+|\s++){_NUM}){{2,}}\s*+;?\s*+(?:\.\.\.\s*+)?\]"
)
_PART = late_regex(r"\.\.\.|[;\s]+")
#: What h5dump writes, of each value row its place ahead of it.
_PLACE = r"(?:\(\d{1,12}(?:,\d{1,12})?\): )?"
_DATASET = late_regex(
    rf"(?s)DATASET \"([^\"\n]{{1,80}})\" \{{(?:(?!DATASET).){{0,2000}}?DATA \{{\s*+({_PLACE}{_NUM}"
    rf"(?:\s*+,\s*+{_PLACE}{_NUM})+)\s*+\}}"
)
_PLACES = late_regex(r"\(\d+(?:,\d+)?\): ")
#: What ncdump writes: " loss = 2.3, 2.1 ;".
_ENDED = late_regex(rf"(?m)^[ \t]*([A-Za-z][\w.]{{0,60}})[ \t]*=\s*+({_NUM}{_MORE}{{2,}})\s*+;")


def bracketed(text: str) -> str:
    """The text, with each such vector as `name = [1, 2, 3]`."""
    if "DATASET " in text:
        text = _DATASET.sub(lambda m: f"\n{m[1]} = [{_PLACES.sub('', m[2])}]\n", text)
    if "{{" in text:
        text = _PAIRS.sub(lambda m: f"{m[1]} = [{', '.join(_SECOND.findall(m[2]))}]", text)
    if "(" in text or "{" in text:
        text = _IN_OTHER_MARKS.sub(lambda m: f"{m[1].rsplit('$', 1)[-1]} = [{m[2]}]", text)
    if ";" in text:
        text = _ENDED.sub(r"\1 = [\2]", text)
    if "[" in text and (";" in text or "..." in text):
        text = _GOES_ON.sub(lambda m: _PART.sub(" ", m[0]), text)
    return text
