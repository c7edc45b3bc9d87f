"""The evaluation as terminal text, as the Markdown page docs/accuracy.md and as JSON. No dates, no machine paths."""

from __future__ import annotations

import json
from typing import Any

from curvedoc.core.late_regex import late_regex
from curvedoc.evaluate.rates import Rate
from curvedoc.evaluate.run import Evaluation
from curvedoc.evaluate.tables import FigureTable, mistakes, tables
from curvedoc.evaluate.totals import Totals
from curvedoc.report.escape import markdown, visible

#: A cell of the terminal's table: long lists of symptoms are cut.
_CELL = 60
_PLAIN = late_regex(r"^[A-Za-z0-9 .,%()/+'-]*$")


def _text(table: FigureTable) -> list[str]:
    rows = [table.head, *(tuple(visible(c)[:_CELL] for c in row) for row in table.rows)]
    width = [max(len(row[i]) for row in rows) for i in range(len(table.head))]
    lines = ["  ".join(cell.ljust(w) for cell, w in zip(row, width, strict=True)).rstrip() for row in rows]
    return [table.title, *([table.about] if table.about else []), "", *(f"  {line}" for line in lines), ""]


def to_text(e: Evaluation, single: bool = False) -> str:
    """Every table. single: also the runs that were missed or raised an alarm, by name."""
    out: list[str] = []
    for table in (*tables(e), *(mistakes(e) if single else ())):
        out += _text(table)
    if e.without_rule:
        out.append(f"Symptoms that labels accept and no rule detects: {', '.join(e.without_rule)}")
    return "\n".join(out).rstrip() + "\n"


def _cell(text: str) -> str:
    """Figures and plain names as they are, anything else from the labels escaped."""
    return text if _PLAIN.match(text) else markdown(text)


def _markdown(table: FigureTable) -> list[str]:
    lines = [f"## {table.title}", ""]
    if table.about:
        lines += [table.about, ""]
    lines.append(f"| {' | '.join(table.head)} |")
    lines.append("| --- |" + " ---: |" * (len(table.head) - 1))
    lines += [f"| {' | '.join(_cell(c) for c in row)} |" for row in table.rows]
    return [*lines, ""]


HEAD = """# Accuracy

Written by `curvedoc evaluate LABELS --markdown docs/accuracy.md`; do not edit. The labeled runs are small models that
were really trained, most with a fault injected on purpose, the others healthy or with a peculiarity that provokes false
alarms. Each is judged on its own, repeats of one configuration together. They were used to develop the rules, so the
figures are an upper bound for runs of another kind; the intervals are Wilson's at 95 % and speak of sampling only.

Cross-validated is one thing only: how well stated probabilities hold, by the constants that calibrate them (see "Held
out by task"). Nothing else is: rules, thresholds, prior weights and the evidence for causes were written and corrected
with all of these runs in view.
"""


def to_markdown(e: Evaluation) -> str:
    """The page docs/accuracy.md. Names no single run."""
    out = [HEAD]
    for table in tables(e):
        out += _markdown(table)
    if e.without_rule:
        out += ["## Not detected", "", "Symptoms that labels accept and no rule detects: "
                + ", ".join(f"`{s}`" for s in e.without_rule) + ".", ""]  # fmt: skip
    out.append(f"_curvedoc {e.version}, rules `{e.rules_digest[:12]}`_")
    return "\n".join(out) + "\n"


def _rate(r: Rate) -> dict[str, Any]:
    return {"k": r.k, "n": r.n, "value": r.value, "interval": list(r.interval) if r.interval else None}


def _plain(value: Any) -> Any:
    """Data classes as dictionaries, with every rate's value and interval written out."""
    if isinstance(value, Rate):
        return _rate(value)
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if hasattr(value, "__dataclass_fields__"):
        return {name: _plain(getattr(value, name)) for name in value.__dataclass_fields__}
    return value


def _finite(row: dict[str, Any]) -> dict[str, Any]:
    return {k: None if isinstance(v, float) and v != v else v for k, v in row.items()}


def _totals(t: Totals) -> Any:
    plain = _plain(t)
    plain["macro"] = dict(zip(("hit", "top1", "top3"), t.macro, strict=True))
    return plain


def to_json(e: Evaluation) -> str:
    """Everything, single runs included; sorted keys."""
    document = {
        "schema": "curvedoc-evaluation/1",
        "curvedoc": e.version,
        "rules_digest": e.rules_digest,
        "totals": _totals(e.totals),
        "symptoms": _plain(e.symptoms),
        "families": _plain(e.families),
        "parts": {by: _plain(rows) for by, rows in e.parts},
        "sensitivities": [{"sensitivity": s, "totals": _totals(t)} for s, t in e.sensitivities],
        "held_out": [_finite(_plain(row)) for row in e.held_out],
        "without_rule": list(e.without_rule),
        "runs": [
            {
                "run": o.unit.name, "members": list(o.unit.members), "sort": o.sort, "family": o.unit.label.family,
                "named": sorted(o.said), "causes": list(o.causes), "hit": o.hit, "top1": o.top1, "top3": o.top3,
                "alarms": list(o.alarms), "forbidden": list(o.forbidden), "onset_error": o.onset,
                "stated": None if o.stated is None else {"probability": o.stated[0], "right": o.stated[1]},
            }
            for o in e.outcomes
        ],
    }  # fmt: skip
    return json.dumps(document, indent=1, sort_keys=True, allow_nan=False) + "\n"
