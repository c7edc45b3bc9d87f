"""What a reader has to know of a panel to read it: what its shades mean, what lies off its scale."""

from __future__ import annotations

from curvedoc.report import words
from curvedoc.report.charts.panels import Panel
from curvedoc.report.charts.scale import beyond
from curvedoc.report.charts.strip import cells


def panel_note(p: Panel, end: int) -> str:
    """`Goes up to 1.5e+35, off this scale.`; for a strip of layers its rows and shades; "" for nothing."""
    if p.rows:
        made = cells(p.curves, end)
        names = made["names"]
        shades = f"pale {words.value(made['low'])}, dark {words.value(made['high'])}"
        broken = ", red NaN or Inf" if -1 in made["s"] else ""
        return f"a row for each of {len(names)} layers, 1 is {names[0]}, {len(names)} is {names[-1]}; {shades}{broken}"
    if p.clip is None:
        return ""
    low, high = beyond((v for c in p.curves for v in (*c.low, *c.high)), p.clip)
    said = [f"up to {words.value(high)}"] if high is not None else []
    said += [f"down to {words.value(low)}"] if low is not None else []
    return f"goes {' and '.join(said)}, off this scale" if said else ""
