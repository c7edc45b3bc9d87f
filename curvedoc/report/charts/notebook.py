"""One role's curves as a plain Altair chart, for a notebook."""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING

from curvedoc.core.diagnosis import Curve, Diagnosis
from curvedoc.core.errors import UsageError, not_installed
from curvedoc.report import words
from curvedoc.report.charts.columns import thinned
from curvedoc.report.charts.drawing import short
from curvedoc.report.escape import visible
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
    made: alt.Chart = (
        _offline()(alt.InlineData(values=rows))
        .mark_line(strokeWidth=1.4)
        .encode(
            x=alt.X(field="step", type="quantitative", title=chosen[0].axis),
            y=alt.Y(field="value", type="quantitative", title=visible(role), scale=scale),
            color=alt.Color(field="curve", type="nominal", title=None, legend=alt.Legend() if several else None),
        )
        .properties(width=600, height=240)
    )
    return made


@functools.cache
def _offline() -> type[alt.Chart]:
    """A chart that a notebook shows as a picture: Altair's own display loads its renderer from the network."""
    import altair as alt

    class OfflineChart(alt.Chart):
        def _repr_mimebundle_(self, *_: object, **__: object) -> dict[str, str]:
            try:
                import vl_convert
            except ModuleNotFoundError as error:
                raise not_installed("vl-convert-python", "a chart in a notebook") from error
            svg: str = vl_convert.vegalite_to_svg(self.to_json(), allowed_base_urls=[])
            return {"image/svg+xml": svg, "text/plain": "<chart; .to_dict() gives its specification>"}

    return OfflineChart


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
