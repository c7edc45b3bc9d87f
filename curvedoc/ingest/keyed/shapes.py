"""Tables and charts in JSON whose names stand apart from their values, as one list of values under each name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.naming.log_words import is_outcome
from curvedoc.ingest.table.keys import COUNTERS
from curvedoc.ingest.table.values import clock, number

Columns = dict[str, Any]

_NAMES = ("schema", "columns", "header", "headers", "fields", "names", "cols", "labels", "keys")
_ROWS = ("data", "rows", "values", "records", "body", "table", "columns", "arrays")
#: What an object calls a name, or a value.
_CALLED, _HELD = ("label", "name", "id", "key", "title", "field", "target", "metric", "tag"), ("v", "value", "y")
_SERIES = ("datasets", "series", "data", "traces", "curves", "lines", "metrics", "result", "scalars")
_VALUES = ("data", "values", "y", "points", "datapoints", "history", "scalars")
#: How a point of a curve says where it is, and what it is.
_WHERE, _WHAT = ("x", "step", "epoch", "iteration"), ("y", "value", "val")
_COUNT = late_regex(r"([^\W\d]{0,20})[ _#-]{0,2}(\d{1,12})")
_COMMENT = late_regex(r"(?:\s{0,20}(?://|#)([^\n]{0,400})\n)+")
_WORDS = late_regex(r"[^\s,;|\[\]\"']+(?: [^\s,;|\[\]\"':]+)*")
_LEAST, _DEEP = 3, 3


def columns_of(value: Any, said: str = "") -> Columns | None:
    """The lists of a table or chart by their names; None for another value. said: the comment ahead of it"""
    if isinstance(value, list):
        found = _headed(value) or _below(said, value) or _chart({"series": value})
        return found if found is not None and _measures(found) else None
    if not isinstance(value, Mapping):
        return None
    for inside in _objects(value, 0):
        found = _table(inside) or _chart(inside)
        if found is not None and _measures(found):
            return found
    return None


def comment_ahead(text: str) -> tuple[str, str]:
    """What the comments ahead of a JSON value say, and the rest of the text."""
    m = _COMMENT.match(text)
    return (m[1].strip(), text[m.end() :]) if m is not None else ("", text)


def _objects(value: Mapping[str, Any], depth: int) -> list[Mapping[str, Any]]:
    inner = [v for v in value.values() if isinstance(v, Mapping)] if depth < _DEEP else []
    return [value, *(o for v in inner for o in _objects(v, depth + 1))]


def _measures(columns: Columns) -> bool:
    """Whether a column measures, and none names things, of which there is one value each."""
    return any(is_outcome(name) for name in columns) and not any(map(_are_things, columns.values()))


def _are_things(cells: Any) -> bool:
    words = isinstance(cells, list) and all(isinstance(c, str) and number(c) is None for c in cells)
    return words and len(set(cells)) == len(cells) and not any(map(_COUNT.fullmatch, cells))


def _names(cells: Any) -> list[str]:
    """The names in a list of texts or of objects that are called; none where it is no such list."""
    if not isinstance(cells, list) or not cells:
        return []
    if all(isinstance(c, Mapping) for c in cells):
        cells = [next((c[k] for k in _CALLED if isinstance(c.get(k), str) and c[k]), None) for c in cells]
    return [c.strip() for c in cells] if all(isinstance(c, str) for c in cells) else []


def _cells(row: Any) -> list[Any] | None:
    if isinstance(row, Mapping) and isinstance(row.get("c"), list):  # Google's tables
        row = row["c"]
    if not isinstance(row, list):
        return None
    return [next((c[k] for k in _HELD if k in c), None) if isinstance(c, Mapping) else c for c in row]


def _laid(names: Sequence[str], rows: Sequence[Any]) -> Columns | None:
    """Rows of cells as columns; so are columns that stand in a list each."""
    cells = [_cells(r) for r in rows]
    whole = [c for c in cells if c is not None and len(c) == len(names)]
    if len(set(names)) < len(names) or len(names) < 2:
        return None
    if len(whole) == len(cells) >= _LEAST:
        return {n: list(column) for n, column in zip(names, zip(*whole, strict=True), strict=True)}
    if len(cells) == len(names) and all(c is not None and len(c) >= _LEAST for c in cells):
        return dict(zip(names, cells, strict=True))
    return None


def _table(value: Mapping[str, Any]) -> Columns | None:
    for key in _NAMES:
        names = _names(value.get(key))
        for held in _ROWS if names else ():
            rows = value.get(held)
            found = _laid(names, rows) if isinstance(rows, list) else None
            if found is not None:
                return found
    fields = value.get("values")
    if isinstance(fields, list) and len(fields) >= _LEAST and all(isinstance(r, Mapping) for r in fields):
        return _of_records(fields)
    return None


def _of_records(rows: Sequence[Mapping[str, Any]]) -> Columns | None:
    """Records below the data of a chart, as Vega holds them."""
    keys = list(dict.fromkeys(k for r in rows for k in r))
    return {k: [r.get(k) for r in rows] for k in keys} if not COUNTERS.isdisjoint(k.lower() for k in keys) else None


def _headed(rows: Sequence[Any]) -> Columns | None:
    """A list of rows, the first of them names."""
    names = _names(rows[0]) if rows and isinstance(rows[0], list) else []
    return _laid(names, rows[1:]) if names else None


def _below(said: str, rows: Sequence[Any]) -> Columns | None:
    """Rows below a comment that names as many columns ("// columns: epoch, train_loss, val_loss")."""
    if not said or not rows or not isinstance(rows[0], list):
        return None
    width = len(rows[0])
    for text in (said.rpartition(":")[2], said):
        for names in ([w.strip() for w in text.split(",")], _WORDS.findall(text), text.split()):
            if len(names) == width:
                return _laid(names, rows)
    return None


def _chart(value: Mapping[str, Any]) -> Columns | None:
    """The curves of a chart, by their labels: Chart.js, Highcharts, ECharts, Plotly."""
    for key in _SERIES:
        curves = value.get(key)
        if not isinstance(curves, list) or not curves or not all(isinstance(c, Mapping) for c in curves):
            continue
        out: Columns = {}
        for c in curves:
            name = next((str(c[k]) for k in _CALLED if isinstance(c.get(k), (str, int)) and c[k]), "")
            if not name and isinstance(c.get("metric"), Mapping):  # Prometheus
                name = str(c["metric"].get("__name__", ""))
            held = next((c[k] for k in _VALUES if isinstance(c.get(k), list)), None)
            if name and isinstance(held, list) and len(held) >= _LEAST:
                out[name] = _curve(held, c.get("x"))
        plain = {len(v) for v in out.values() if isinstance(v, list)}
        counted = _axis(value) if len(plain) == 1 else None
        if any(map(_are_things, (value.get("labels"), value.get("categories")))):  # bars, one for each thing
            return None
        if out and counted is not None and len(counted[1]) in plain:
            return {counted[0]: counted[1], **out}
        if out:
            return out
    return None


def _curve(held: list[Any], x: Any) -> Any:
    """The values of a curve, or its points as they are drawn."""
    if isinstance(x, list) and len(x) == len(held):
        return {"x": x, "y": held}
    if all(isinstance(p, Mapping) for p in held):
        where, what = (next((k for k in keys if k in held[0]), "") for keys in (_WHERE, _WHAT))
        held = [[p.get(where), p.get(what)] for p in held] if where and what else held
    if not all(isinstance(p, list) and len(p) == 2 for p in held):
        return held
    a, b = ([_number(p[i]) for p in held] for i in (0, 1))
    if _is_clock(b):  # Grafana tells the time behind the value
        return a
    return b if _is_clock(a) else {"x": a, "y": b}


def _number(cell: Any) -> Any:
    return number(cell) if isinstance(cell, str) else cell


def _is_clock(cells: list[Any]) -> bool:
    return all(isinstance(c, (int, float)) and clock(float(c)) is not None for c in cells)


def _axis(value: Mapping[str, Any]) -> tuple[str, list[int]] | None:
    """What the labels of a chart count, and their numbers."""
    axis = value.get("xAxis", value.get("xaxis", value.get("x")))
    if isinstance(axis, list) and axis and isinstance(axis[0], Mapping):
        axis = axis[0]
    held = axis if isinstance(axis, list) else None
    if isinstance(axis, Mapping):
        held = axis.get("categories", axis.get("data"))
    labels = value.get("labels", value.get("categories", held))
    found = [_COUNT.fullmatch(str(c).strip()) for c in labels] if isinstance(labels, list) else []
    words = {m[1].lower() for m in found if m is not None}
    if not found or not all(found) or len(words) != 1:
        return None
    counts = [int(m[2]) for m in found if m is not None]
    if counts != sorted(set(counts)):
        return None
    word = words.pop()
    even = counts == list(range(counts[0], counts[0] + len(counts)))
    return word if word in COUNTERS else "epoch" if even else "step", counts
