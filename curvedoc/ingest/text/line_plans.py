"""The plans of the lines of a text: rows of its tables, rows of numbers, and what each line says itself."""

from __future__ import annotations

import polars as pl

from curvedoc.ingest.text.layouts.columns import column_plans
from curvedoc.ingest.text.layouts.tables import HEADER_RE, MAX_HEADERS, headers, table_plan
from curvedoc.ingest.text.line.plan import LinePlan, plan_of

#: A sentence with an outcome that is said so often is a record.
HABIT = 5


def plans_of(lines: pl.DataFrame, templates: list[str]) -> list[LinePlan]:
    """The plan of each template: a row of a table whose header is among the lines, or what the line says itself."""
    could = lines.filter(pl.col("text").str.contains(HEADER_RE))["text"]
    named = headers(could.unique(maintain_order=True).head(MAX_HEADERS))
    plans = {t: (table_plan(t, named) if named else None) or plan_of(t) for t in dict.fromkeys(templates)}
    plans |= column_plans(lines, plans)
    return [plans[t] for t in templates]


def shape_of(plan: LinePlan) -> tuple[str, ...]:
    """The names of what a line holds."""
    return tuple(s.name for s in plan.slots)
