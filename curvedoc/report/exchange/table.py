"""The findings of a diagnosis as one polars table, for questions that no report answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from curvedoc.core.diagnosis import Diagnosis
from curvedoc.report.redact import redact

if TYPE_CHECKING:
    import polars as pl


def to_polars(d: Diagnosis) -> pl.DataFrame:
    """One row per finding: run, verdict, symptom, kind, severity, strength, first_step, last_step, metric, scope
    ("layer=fc1"), explained_by, evidence (sentences, one a line), cause and probability (the likeliest one that this
    symptom names, null without one). A run without findings has no row; the columns are always there.
    """
    import polars as pl

    schema: dict[str, type[pl.DataType]] = {
        "run": pl.String,
        "verdict": pl.String,
        "symptom": pl.String,
        "kind": pl.String,
        "severity": pl.String,
        "strength": pl.Float64,
        "first_step": pl.Int64,
        "last_step": pl.Int64,
        "metric": pl.String,
        "scope": pl.String,
        "explained_by": pl.String,
        "evidence": pl.String,
        "cause": pl.String,
        "probability": pl.Float64,
    }
    rows = []
    for run in d.runs:
        for f in run.findings:
            cause = next((c for c in run.causes if f.symptom in c.findings), None)
            rows.append(
                (
                    run.run,
                    run.verdict,
                    f.symptom,
                    f.kind,
                    f.severity,
                    f.strength,
                    f.first_step,
                    f.last_step,
                    f.metric,
                    redact(", ".join(f"{k}={v}" for k, v in sorted(f.scope.items()))),
                    f.explained_by,
                    redact("\n".join(e.text for e in f.evidence)),
                    cause.cause if cause else None,
                    cause.probability if cause else None,
                )
            )
    return pl.DataFrame(rows, schema=schema, orient="row")
