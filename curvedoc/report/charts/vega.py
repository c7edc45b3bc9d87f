"""Vega-Lite templates of the curve panels, written by Altair: the page and the baked pictures draw the same ones."""

from __future__ import annotations

import re
from typing import Any

#: The light palette; every color is a CSS variable with this fallback, so a theme is pure CSS and a picture that left
#: the page is still right. Okabe-Ito hues, told apart by color-blind readers.
LIGHT = {
    "ink": "#1d1b18",
    "ink2": "#57534c",
    "ink3": "#69645b",
    "line": "#e5e2da",
    "grid": "#efece5",
    "card": "#ffffff",
    "mark": "#57534c",
    "s-train": "#0072b2",
    "s-val": "#d55e00",
    "s-gn": "#7a4aa8",
    "s-lr": "#00795c",
    "s-tp": "#5b6470",
    "s-ref": "#a39d91",
    "fail": "#b23c00",
    "b-warn": "#e69f0026",
    "b-dead": "#1d1b1812",
    "b-warm": "#0072b214",
    "b-decay": "#00795c0f",
    "b-diverge": "#d55e001f",
}
#: Left edge of every panel, in pixels: equal in all of them, so that one line can be the cross-hair of all.
AXIS_WIDTH = 46
#: Width of a baked picture; the card of the page is about as wide on a desk.
WIDTH = 1040


def color(name: str) -> str:
    """A palette color as a CSS variable with its light value as the fallback."""
    return f"var(--{name},{LIGHT[name]})"


def templates() -> dict[str, dict[str, Any]]:
    """The four panel templates by name: `log` or `lin`, with `_x` for the lowest, which carries the step axis."""
    return {
        f"{kind}{'_x' if bottom else ''}": panel(kind == "log", bottom)
        for kind in ("log", "lin")
        for bottom in (False, True)
    }


#: Behind a text that may stand on a curve.
_HALO: dict[str, Any] = {"fill": "var(--card)", "stroke": "var(--card)", "strokeWidth": 4, "fontSize": 11}


def _label(axis: str) -> str:
    """The text of a label that was made with its place."""
    return f"{axis}l[indexof({axis}t, datum.value)]"


def panel(log: bool, bottom: bool) -> dict[str, Any]:
    """One panel as a Vega-Lite spec over named data sets and a few parameters.

    Parameters: `xd`, `yd` the visible domains, `xt`, `yt` where the axes are labeled, `xl`, `yl` the labels, `top` the
    pixels that the badges take. Data sets: bands {a, b, m, k, l}; cells {a, b, r, q, c, o}; env {x, lo, hi, c};
    ref {x, v}; lines {x, v, k, c}; dots {x, v, c}; levels {v, l}; rules {x}; badges {bx, x, n, c}; labels (the bands
    that show their text). All field names are ours: a metric's name never becomes a field, because `.`, `[` and `:`
    are syntax there.
    """
    import altair as alt

    xscale = alt.Scale(domain=alt.ExprRef("xd"), nice=False, zero=False)
    yscale = (
        alt.Scale(domain=alt.ExprRef("yd"), nice=False, clamp=True, type="log")
        if log
        else alt.Scale(domain=alt.ExprRef("yd"), nice=False, clamp=True, zero=False)
    )
    xaxis = alt.Axis(
        title=None,
        grid=True,
        labels=bottom,
        ticks=bottom,
        values=alt.ExprRef("xt"),
        labelExpr=_label("x"),
        labelFlush=True,
        labelOverlap="greedy",
        labelSeparation=6,
    )
    # no label is left out for lack of room: where they stand was chosen to fit
    yaxis = alt.Axis(
        title=None,
        values=alt.ExprRef("yt"),
        minExtent=AXIS_WIDTH,
        maxExtent=AXIS_WIDTH,
        labelOverlap=False,
        labelLimit=AXIS_WIDTH,
        labelExpr=_label("y"),
    )

    def x(field: str = "x") -> Any:
        return alt.X(field=field, type="quantitative", scale=xscale, axis=xaxis)

    def y(field: str = "v") -> Any:
        return alt.Y(field=field, type="quantitative", scale=yscale, axis=yaxis)

    def data(name: str) -> Any:
        return alt.Chart(alt.NamedData(name))

    raw_stroke = alt.Stroke(field="c", type="nominal", scale=None)
    raw_fill = alt.Fill(field="c", type="nominal", scale=None)
    layers = [
        data("bands").mark_rect(clip=True).encode(x=x("a"), x2=alt.X2(field="b"), fill=raw_fill),
        data("cells")
        .mark_rect(clip=True)
        .encode(
            x=x("a"),
            x2=alt.X2(field="b"),
            y=y("r"),
            y2=alt.Y2(field="q"),
            fill=raw_fill,
            opacity=alt.Opacity(field="o", type="quantitative", scale=None),
        ),
        data("ref")
        .mark_line(clip=True, stroke="var(--s-ref)", strokeWidth=1.2, strokeDash=[5, 3])
        .encode(x=x(), y=y()),
        data("env").mark_area(clip=True, opacity=0.2).encode(x=x(), y=y("lo"), y2=alt.Y2(field="hi"), fill=raw_fill),
        data("levels").mark_rule(clip=True, strokeWidth=1.2, strokeDash=[6, 3], stroke="var(--mark)").encode(y=y()),
        data("levels")
        .mark_text(clip=True, align="right", baseline="bottom", dy=-3, dx=-4, **_HALO)
        .encode(x=alt.value(alt.ExprRef("width")), y=y(), text=alt.Text(field="l", type="nominal")),
        data("levels")
        .mark_text(clip=True, fill="var(--ink2)", fontSize=11, align="right", baseline="bottom", dy=-3, dx=-4)
        .encode(x=alt.value(alt.ExprRef("width")), y=y(), text=alt.Text(field="l", type="nominal")),
        data("lines")
        .mark_line(clip=True, strokeWidth=1.6)
        .encode(x=x(), y=y(), stroke=raw_stroke, detail=alt.Detail(field="k", type="nominal")),
        data("dots").mark_circle(clip=True, size=15, opacity=1).encode(x=x(), y=y(), fill=raw_fill),
        data("rules")
        .mark_rule(clip=True, strokeWidth=1, stroke="var(--mark)", strokeDash=[2, 3])
        .encode(x=x(), y=alt.value(alt.ExprRef("top")), y2=alt.value(alt.ExprRef("height"))),
        data("labels")
        .mark_text(clip=True, fill="var(--ink3)", fontSize=11.5, baseline="top")
        .encode(x=x("m"), y=alt.value(alt.ExprRef("top + 3")), text=alt.Text(field="l", type="nominal")),
        data("badges")
        .mark_rule(strokeWidth=1, stroke="var(--mark)")
        .encode(x=x("bx"), x2=alt.X2(field="x"), y=alt.value(11), y2=alt.value(alt.ExprRef("top"))),
        data("badges")
        .mark_circle(size=300, stroke="var(--card)", strokeWidth=1.5, opacity=1)
        .encode(x=x("bx"), y=alt.value(11), fill=raw_fill),
        data("badges")
        .mark_text(fill="var(--card)", fontSize=11, fontWeight=700, baseline="middle")
        .encode(x=x("bx"), y=alt.value(11.5), text=alt.Text(field="n", type="nominal")),
    ]
    chart = (
        alt.layer(*layers)
        .add_params(
            alt.param(name="xd", value=[0, 1]),
            alt.param(name="yd", value=[1, 2]),
            *(alt.param(name=name, value=[]) for name in ("xt", "xl", "yt", "yl")),
            alt.param(name="top", value=0),
        )
        .properties(
            width=WIDTH,
            height=120,
            autosize=alt.AutoSizeParams(type="fit-x", contains="padding"),
            padding={"left": 0, "right": 14, "top": 2, "bottom": 2},
        )
        .configure(
            axis=alt.AxisConfig(
                labelColor="var(--ink3)",
                tickColor="var(--line)",
                domainColor="var(--line)",
                gridColor="var(--grid)",
                labelFontSize=11,
                labelFont="system-ui, sans-serif",
            ),
            view=alt.ViewConfig(stroke=None),
            background="transparent",
            font="system-ui, sans-serif",
        )
        .configure_legend(disable=True)
        .configure_mark(aria=False)
    )
    spec: dict[str, Any] = _with_fallbacks(chart.to_dict())
    spec.pop("datasets", None)
    return spec


def _with_fallbacks(node: Any) -> Any:
    match node:
        case str():
            return re.sub(r"var\(--([\w-]+)\)", lambda m: color(m[1]), node)
        case list():
            return [_with_fallbacks(v) for v in node]
        case dict():
            return {k: _with_fallbacks(v) for k, v in node.items()}
    return node
