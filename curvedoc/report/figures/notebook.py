"""One role's curves as a plain Altair chart, for a notebook."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from curvedoc.core.diagnosis import Curve, Diagnosis
from curvedoc.core.errors import UsageError, not_installed
from curvedoc.report import words
from curvedoc.report.charts.columns import thinned
from curvedoc.report.charts.drawing import short
from curvedoc.report.charts.vega import color
from curvedoc.report.escape import clip, visible
from curvedoc.report.summary import worst_first

if TYPE_CHECKING:
    import altair as alt

#: Altair refuses data of more than 5,000 rows; each bucket takes up to two.
_ROWS = 4_800
_LEAST = 20
#: Runs of one chart: more hues cannot be told apart.
_MOST = 40
#: A log scale where a positive curve spans at least this factor.
_LOG_FROM = 10.0
#: Curves of at most this many points show each of them.
_DOTS = 60
_HUES = ("s-train", "s-val", "s-lr", "s-gn", "s-tp", "s-ref")


def plain_chart(d: Diagnosis, role: str, run: str | None = None) -> alt.Chart:
    """A line per run and metric of a role over its steps: low and high of each bucket, so that no spike is lost.

    Columns of the data: step, value (null where nothing was finite), curve. Raises UsageError.
    """
    try:
        import altair as alt
    except ModuleNotFoundError as error:
        raise not_installed("altair", "a chart") from error
    chosen = [r for r in worst_first(d) if run is None or r.run == run or words.run_name(r.run) == run]
    if not chosen:
        raise UsageError(f"no run '{run}'", "", "runs: " + ", ".join(r.run for r in d.runs[:10]))
    found = [(r, c) for r in chosen for c in r.curves if c.step and role in (c.role, c.metric)][:_MOST]
    if not found:
        there = sorted({c.role or c.metric for r in chosen for c in r.curves})
        raise UsageError(f"no curve of role '{role}'", "", f"there are: {', '.join(there) or 'none'}")
    most = max(_LEAST, _ROWS // (2 * len(found)))
    metrics = {c.metric for _, c in found}
    rows: list[dict[str, str | float | None]] = []
    known: list[float] = []
    for r, c in found:
        names = ([words.run_name(r.run)] if len(chosen) > 1 else []) + ([c.metric] if len(metrics) > 1 else [])
        name = visible(" ".join(n for n in names if n) or c.metric)
        points = _points(thinned(c, most))
        rows += [{"step": x, "value": v, "curve": name} for x, v in points]
        known += [v for _, v in points if v is not None]
    log = bool(known) and min(known) > 0 and max(known) / min(known) >= _LOG_FROM
    scale = alt.Scale(type="log") if log else alt.Scale(zero=False)
    several = len({row["curve"] for row in rows}) > 1
    made = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_line(strokeWidth=1.4)
        .encode(
            x=alt.X(field="step", type="quantitative", title=chosen[0].axis),
            y=alt.Y(field="value", type="quantitative", title=visible(role), scale=scale),
            color=alt.Color(field="curve", type="nominal", title=None, legend=alt.Legend() if several else None),
        )
        .properties(width=600, height=240)
    )
    return _showing(made, chosen[0].axis, visible(role))


def _showing(made: alt.Chart, axis: str, title: str) -> alt.Chart:
    """The chart as one that a notebook shows as a picture: Altair's own display loads its renderer from the network.

    Our picture is that of the chart as made; one that was changed since is drawn by vl-convert.
    """
    import altair as alt

    class OfflineChart(alt.Chart):
        def _repr_mimebundle_(self, *_: object, **__: object) -> dict[str, str]:
            svg = _picture(self.to_dict(), axis, title) if self.to_json() == as_made else _drawn_by_vega(self.to_json())
            return {"image/svg+xml": svg, "text/plain": "<chart; .to_dict() gives its specification>"}

    shown = OfflineChart.from_dict(made.to_dict())
    as_made = shown.to_json()
    return shown


def _drawn_by_vega(specification: str) -> str:
    try:
        import vl_convert
    except ModuleNotFoundError as error:
        raise not_installed("'curvedoc[vega]'", "the picture of a chart that was changed") from error
    svg: str = vl_convert.vegalite_to_svg(specification, allowed_base_urls=[])
    return svg


def _picture(specification: dict[str, Any], axis: str, title: str) -> str:
    """The lines of a chart in the way of the page's panels, their names below the heading."""
    from curvedoc.report.figures.figure import HUES, Figure, svg

    (rows,) = specification["datasets"].values()
    names = list(dict.fromkeys(row["curve"] for row in rows))
    lines = []
    for i, name in enumerate(names):
        own = [row for row in rows if row["curve"] == name]
        hue = _HUES[i % len(_HUES)]
        x, v = [row["step"] for row in own], [row["value"] for row in own]
        lines.append({"x": x, "v": v, "dots": len(x) <= _DOTS, "c": color(hue), "n": name})
    log = specification["encoding"]["y"]["scale"].get("type") == "log"
    panel = {"k": "", "h": 240, "log": log, "lines": lines, "levels": []}
    first, last = (edge(row["step"] for row in rows) for edge in (min, max))
    drawn = {"panels": [panel], "bands": [], "marks": [], "view": [first, max(last, first + 1)], "per": 1, "unit": axis}
    told = [f"{HUES[_HUES[i % len(_HUES)]]}: {name}" for i, name in enumerate(names)] if len(names) > 1 else names
    heading = f"{title} against {axis}"
    return svg(Figure("", "", heading, "", heading, clip(", ".join(told), 160), drawn))


def _points(c: Curve) -> list[tuple[int, float | int | None]]:
    """Both extremes of each bucket, the one nearer to the last value first; one point where they are the same."""
    out: list[tuple[int, float | int | None]] = []
    last = math.nan
    for x, low, high in zip(c.step, c.low, c.high, strict=True):
        if not math.isfinite(low):
            out.append((x, None))
            continue
        pair = (high, low) if abs(high - last) < abs(low - last) else (low, high)
        out += [(x, short(v)) for v in (pair if low < high else pair[:1])]
        last = pair[1]
    return out
