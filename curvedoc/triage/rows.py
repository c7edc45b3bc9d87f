"""One flat row per run: what the terminal prints and what csv and parquet hold."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from curvedoc.core.diagnosis import Diagnosis, RunDiagnosis
from curvedoc.report.escape import visible
from curvedoc.report.redact import redact
from curvedoc.report.summary import group_of, last_value, lead_finding, onset, worst_first

if TYPE_CHECKING:
    import polars as pl

Row = dict[str, str | int | float | None]

#: Columns and what they hold, in order.
COLUMNS: Mapping[str, type] = {
    "run": str,
    "verdict": str,
    "group": str,  # letter of the runs that failed the same way, None for none
    "symptom": str,  # of the finding that the verdict rests on
    "finding": str,
    "severity": str,
    "cause": str,
    "probability": float,  # of that cause
    "onset": int,
    "last_value": float,  # of the main curve, NaN where it ended so
    "last_step": int,
    "steps_wasted": int,
    "hours_wasted": float,
    "headline": str,
    "differs": str,  # from the healthy run whose configuration is nearest, and in what
    "symptoms": str,  # every pathology, the first failure first, consequences after what explains them; by blanks
}


def rows(d: Diagnosis) -> list[Row]:
    """The runs, worst first."""
    groups = group_of(d)
    return [_row(r, groups[r.run].name if r.run in groups else None) for r in worst_first(d)]


def _row(run: RunDiagnosis, group: str | None) -> Row:
    lead = lead_finding(run)
    cause = run.causes[0] if run.causes else None
    ends = [s.last_step for s in run.signals if s.last_step is not None]
    return {
        "run": run.run,
        "verdict": run.verdict,
        "group": group,
        "symptom": lead.symptom if lead else None,
        "finding": redact(lead.title) if lead else None,
        "severity": lead.severity if lead else None,
        "cause": cause.cause if cause else None,
        "probability": cause.probability if cause else None,
        "onset": onset(run),
        "last_value": last_value(run),
        "last_step": max(ends, default=None),
        "steps_wasted": run.cost.steps_wasted,
        "hours_wasted": run.cost.hours_wasted,
        "headline": redact(run.headline),
        "differs": redact(run.nearest.text) if run.nearest else None,
        "symptoms": " ".join(f.symptom for f in run.findings if f.kind == "pathology"),
    }


def frame(d: Diagnosis) -> pl.DataFrame:
    """The rows as a polars frame with the columns of `COLUMNS`."""
    import polars as pl

    kinds: dict[type, type[pl.DataType]] = {str: pl.String, int: pl.Int64, float: pl.Float64}
    table = rows(d)
    columns = {name: [_fit(r[name], kind) for r in table] for name, kind in COLUMNS.items()}
    return pl.DataFrame(columns, schema={name: kinds[kind] for name, kind in COLUMNS.items()})


def _fit(value: str | int | float | None, kind: type) -> str | int | float | None:
    """The value as its column can hold it: steps beyond 64 bits and lone surrogates of file names cannot."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if kind is int and value is not None and not -(1 << 63) <= value < 1 << 63:
        return None
    return value


def to_csv(d: Diagnosis) -> str:
    """The rows as CSV with a header; NaN spelled NaN, what is not known left empty.

    A cell that a spreadsheet would run as a formula gets an apostrophe in front, and what a terminal would obey is
    spelled out: names come from logs.
    """
    import csv

    sink = io.StringIO()
    writer = csv.writer(sink, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows(d):
        writer.writerow([_cell(_fit(row[name], kind)) for name, kind in COLUMNS.items()])
    return sink.getvalue()


def to_jsonl(d: Diagnosis) -> str:
    """One JSON object a line: each run with its row, `failures` (symptoms that nothing else explains) and `symptoms`
    as lists, then each path that could not be read. Numbers that are not finite are null."""
    from curvedoc.triage.baseline import failures

    own = {r.run: sorted(failures(r)) for r in d.runs}
    lines: list[object] = []
    for row in rows(d):
        name = str(row["run"])
        spelled = {k: None if isinstance(v, float) and not math.isfinite(v) else v for k, v in row.items()}
        lines.append({**spelled, "symptoms": str(row["symptoms"]).split(), "failures": own[name]})
    lines += [{"unreadable": u.path, "reason": u.reason} for u in d.unreadable]
    return "".join(json.dumps(line, allow_nan=False) + "\n" for line in lines)


def _cell(value: str | int | float | None) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return visible(f"'{value}" if value[:1] in ("=", "+", "-", "@", "\t", "\r") else value)
    return "NaN" if isinstance(value, float) and math.isnan(value) else repr(value)


def to_parquet(d: Diagnosis) -> bytes:
    """The rows as a parquet file."""
    sink = io.BytesIO()
    frame(d).write_parquet(sink)
    return sink.getvalue()
