"""A diagnosis as JSON (contract version 1) and back: the source of truth that every other view can be redrawn from."""

from __future__ import annotations

import json
import math
from typing import Any

from curvedoc.core.diagnosis import Diagnosis, RunDiagnosis, Signal
from curvedoc.core.errors import UsageError
from curvedoc.report.redact import kept_setting, redact
from curvedoc.serialize.dataclass_json import build, schema, to_plain

SCHEMA = "curvedoc/1"

#: Keys whose values may quote the log.
_SENTENCES = ("text", "title", "action", "command", "headline", "because", "doubt", "reason")
#: Parts of a run that quote nothing, or are masked by their own keys.
_OWN_WAY = ("config", "curves", "not_judged", "signals", "cost")

#: Significant digits of drawn numbers: one part in 100,000 is far below a pixel, and curves are most of the file.
CURVE_DIGITS = 5


def to_json(d: Diagnosis) -> str:
    """The diagnosis as one JSON document in ASCII: sorted keys, null for non-finite, byte-identical for equal input.

    Curves are cut to 5 significant digits; everything else is exact. Ends with a newline.
    """
    return json.dumps(_document(d), sort_keys=True, allow_nan=False, separators=(",", ":")) + "\n"


def from_json(text: str) -> Diagnosis:
    """The diagnosis that `to_json` wrote; signals come back in order of their role.

    A null among numbers comes back as NaN. Raises UsageError where the text is not such a document.
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as e:
        raise UsageError("this is not JSON", "", f"{e}") from e
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        found = document.get("schema") if isinstance(document, dict) else None
        hint = f"its schema is {found!r}; this version reads {SCHEMA!r}" if found else f"it has no schema {SCHEMA!r}"
        raise UsageError("this is not a saved diagnosis", "", hint)
    document["version"] = document.get("curvedoc")
    runs = document.get("runs")
    if isinstance(runs, list):
        for i, run in enumerate(runs):
            if isinstance(run, dict) and isinstance(run.get("signals"), dict):
                run["signals"] = _list_signals(run["signals"], f"$.runs[{i}].signals")
    return build(Diagnosis, document)  # type: ignore[no-any-return]


def json_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of the document, generated from the dataclasses that it is built from."""
    defs: dict[str, Any] = {}
    schema(Diagnosis, defs)
    signal = defs.pop("Signal")
    one = {k: v for k, v in signal["properties"].items() if k != "role"}
    other = {"type": "object", "properties": one, "required": sorted(one)}
    best_of = {"others": {"type": "array", "items": other}}
    defs["Signal"] = {
        "type": "object",
        "description": "The metric taken for a role, and the others that matched it, best first.",
        "properties": {**one, **best_of},
        "required": sorted([*one, "others"]),
    }
    by_role = {"type": "object", "additionalProperties": {"$ref": "#/$defs/Signal"}}
    defs["RunDiagnosis"]["properties"]["signals"] = by_role
    # later versions may know more verdicts: what does not know one takes the run for one that is not healthy
    verdicts = defs["RunDiagnosis"]["properties"]["verdict"]["enum"]
    defs["RunDiagnosis"]["properties"]["verdict"] = {
        "type": "string",
        "description": f"Known so far: {', '.join(verdicts)}. The list is open.",
        "examples": verdicts,
    }
    top = defs.pop("Diagnosis")
    properties = {k: v for k, v in top["properties"].items() if k != "version"}
    properties |= {"schema": {"const": SCHEMA}, "curvedoc": {"type": "string"}}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "curvedoc-1.schema.json",
        "title": "curvedoc diagnosis, version 1",
        "type": "object",
        "properties": properties,
        "required": sorted(properties),
        "$defs": defs,
    }


def _document(d: Diagnosis) -> dict[str, Any]:
    document = to_plain(d)
    document["schema"] = SCHEMA
    document["curvedoc"] = document.pop("version")
    for run, row in zip(d.runs, document["runs"], strict=True):
        row["signals"] = _by_role(run)
        row["config"] = {k: kept_setting(k, v) for k, v in row["config"].items()}
        _redact_texts({k: v for k, v in row.items() if k not in _OWN_WAY})
        row["headline"] = redact(row["headline"])
        for fact in row["facts"].values():  # the text of one quotes a setting or a message
            fact["value"] = redact(fact["value"]) if isinstance(fact["value"], str) else fact["value"]
        row["ending"]["captured"] = {k: redact(v) for k, v in row["ending"]["captured"].items()}
        for apart in row["nearest"]["settings"] if row["nearest"] else ():
            apart |= {side: kept_setting(apart["key"], apart[side]) for side in ("here", "there")}
        for curve in row["curves"]:
            for key in ("mean", "low", "high"):
                curve[key] = [_short(v) for v in curve[key]]
            curve["raw"] = [curve["raw"][0], [_short(v) for v in curve["raw"][1]]]
    _redact_texts({k: v for k, v in document.items() if k != "runs"})
    return document  # type: ignore[no-any-return]


def _redact_texts(node: Any) -> None:
    """Mask credentials in every sentence that may quote the log."""
    for value in node if isinstance(node, list) else node.values() if isinstance(node, dict) else ():
        _redact_texts(value)
    for key in _SENTENCES if isinstance(node, dict) else ():
        if isinstance(node.get(key), str):
            node[key] = redact(node[key])


def _by_role(run: RunDiagnosis) -> dict[str, Any]:
    """Signals under their role: the first of a role stands for it, the rest are its `others`."""
    table: dict[str, Any] = {}
    for signal in run.signals:
        row = _signal(signal)
        if signal.role in table:
            table[signal.role]["others"].append(row)
        else:
            table[signal.role] = {**row, "others": []}
    return table


def _signal(signal: Signal) -> dict[str, Any]:
    return {k: v for k, v in to_plain(signal).items() if k != "role"}


def _list_signals(table: dict[str, Any], where: str) -> list[Any]:
    rows = []
    for role in sorted(table):
        best = table[role]
        if not isinstance(best, dict) or not isinstance(best.get("others", []), list):
            raise UsageError("expected an object", f"{where}.{role}", "is this a diagnosis that curvedoc wrote?")
        rows.append({**best, "role": role})
        rows.extend({**o, "role": role} if isinstance(o, dict) else o for o in best.get("others", []))
    return rows


def _short(value: float | None) -> float | int | None:
    """A number at `CURVE_DIGITS` significant digits; a whole one without its ".0"."""
    if value is None or not math.isfinite(value):
        return None
    short = float(f"{value:.{CURVE_DIGITS}g}")
    if math.isinf(short):  # the largest doubles round up out of range
        short = math.copysign(1.7976e308, value)
    return int(short) if short.is_integer() and abs(short) < 1e15 else short
