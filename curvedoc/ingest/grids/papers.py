"""Tables and plotted curves of LaTeX: tabular, and what pgfplots draws from coordinates or rows in the text."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator

from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.grids.grid import Grid, grid_of
from curvedoc.ingest.grids.sets import curve_of

_EDGE = late_regex(r"\\(begin|end)\{(tabular[x*]?|longtable|array)\}(?:\[[^\]\n]{0,40}\])?")
_CAPTION = late_regex(r"\\caption\{([^{}]{1,120})\}")
_ROW = late_regex(r"\\\\(?:\[[^\]]{0,20}\])?|\\tabularnewline")
_RULES = late_regex(
    r"\\(?:hline|toprule|midrule|bottomrule|endhead|endfirsthead|(?:c(?:mid)?rule|cline)(?:\([lr]{1,2}\))?\{[^}]{0,80}\})"
)
_WIDE = late_regex(r"\\multicolumn\{(\d{1,2})\}\{[^}]{0,40}\}\{([^{}]*)\}")
_COMMENT = late_regex(r"(?<!\\)%[^\n]*")
_PLOT = late_regex(
    r"\\addplot\+?[^;{]{0,300}?\b(coordinates|table)\b(?:\s*\[[^\]]{0,200}\])?\s*\{([^{}]*)\}\s*;"
    r"(?:\s*\\addlegendentry\{([^{}]{1,80})\})?"
)
_PAIR = late_regex(r"\(\s*([-+.\deE]+)\s*,\s*([-+.\deE]+)\s*\)")
_LEGEND = late_regex(r"\\legend\{([^{}]{1,400})\}|legend entries\s*=\s*\{([^{}]{1,400})\}")
_LABEL = late_regex(r"(x|y)label\s*=\s*\{?([^,{}\]]{1,60})")


def paper_grids(text: str) -> list[Grid]:
    """The tables in a text of LaTeX, and the curves of its plots as tables of two columns."""
    text = _COMMENT.sub("", text)
    found = [g for title, rows in _tabular(text) if (g := grid_of(title, rows)) is not None]
    return [*found, *_plots(text)] if "\\addplot" in text else found


def _tabular(text: str) -> Iterator[tuple[str, list[list[str]]]]:
    captions = [(m.start(), m[1]) for m in _CAPTION.finditer(text)]
    begun: dict[str, int] = {}
    for m in _EDGE.finditer(text):
        if m[1] == "begin":
            begun[m[2]] = m.end()
            continue
        start = begun.pop(m[2], None)
        if start is None:
            continue
        at = bisect([c[0] for c in captions], start)
        near = min(captions[max(at - 1, 0) : at + 1], key=lambda c: abs(c[0] - m.start()), default=(0, ""))
        body = _RULES.sub("", text[start : m.start()])
        body = _WIDE.sub(lambda w: w[2] + "&" * (int(w[1]) - 1), body)
        head, *rest = _ROW.split(body)
        # the kinds of the columns stand ahead of the first cell
        rows = [head[head.rfind("}", 0, head.find("&")) + 1 :] if "&" in head else head, *rest]
        yield near[1], [r.replace("\\&", "+").split("&") for r in rows if r.strip()]


def _plots(text: str) -> Iterator[Grid]:
    plots = [m for m in _PLOT.finditer(text)]
    legends = [n.strip() for m in _LEGEND.finditer(text) for n in (m[1] or m[2]).split(",")]
    labels = {m[1]: m[2].strip() for m in _LABEL.finditer(text)}
    for i, m in enumerate(plots):
        pairs = _PAIR.findall(m[2]) if m[1] == "coordinates" else []
        lines = [r.replace("\\\\", " ").replace(",", " ").split() for r in m[2].split("\n")]
        rows = [[x, y] for x, y in pairs] or [r for r in lines if len(r) == 2]
        title = m[3] or (legends[i] if i < len(legends) else "")
        grid = curve_of(title, labels.get("x", ""), labels.get("y", ""), rows)
        if grid is not None:
            yield grid
