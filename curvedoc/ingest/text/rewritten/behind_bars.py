"""Numbers alone behind or below a progress bar, as print() leaves them beside tqdm ("12it [00:03, 3.9it/s]0.52")."""

from __future__ import annotations

import re

import numpy as np

from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.naming.values.curve_shape import comes_down
from curvedoc.ingest.text.rewritten.written_number import NUMBER

#: So much of a text is looked at for the first bar; fewer numbers show no course.
_HEAD, _ROWS = 1 << 14, 12
_BARS = late_regex(r"(?:it/s|s/it)\]")
_BEHIND = late_regex(
    rf"(?m)^[^\[\n]{{0,160}}?(?<!\d)(\d{{1,9}})(?:/\d{{1,9}}|it) \[[^\]\n]{{5,60}}(?:it/s|s/it)\]\r?\n?"
    rf"[ \t]{{0,9}}(?:tensor\()?({NUMBER})(?:, [^)\n]{{1,80}}\)|\))?[ \t]*$"
)


def without_glue(text: str) -> str:
    """The text, with the place in the bar and what stands behind it as a record, where those numbers come down as a
    loss does; another text as it is."""
    if _BARS.search(text, 0, _HEAD) is None:
        return text
    values = np.array([float(m[2]) for m in _BEHIND.finditer(text)])
    if len(values) < _ROWS or not bool((values > 0).all()) or bool((values == np.floor(values)).all()):
        return text
    return _BEHIND.sub(_record, text) if comes_down(values) else text


def _record(m: re.Match[str]) -> str:
    return f"step: {m[1]} | loss: {m[2]}"
