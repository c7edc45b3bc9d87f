"""The plans of the lines of a text: rows of its tables, rows of numbers, and what each line says itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import polars as pl

from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.naming.log_words import is_usual, spaced
from curvedoc.ingest.naming.split_words import SCOPES
from curvedoc.ingest.text.layouts.columns import column_plans
from curvedoc.ingest.text.layouts.gains import share_plans
from curvedoc.ingest.text.layouts.grouped_columns import grouped_plans
from curvedoc.ingest.text.layouts.layers import layer_plans
from curvedoc.ingest.text.layouts.repeated_lines import repeated_plans
from curvedoc.ingest.text.layouts.split_rows import split_row_plans
from curvedoc.ingest.text.layouts.splits import split_plans
from curvedoc.ingest.text.layouts.tables import HEADER_RE, LOGGED_RE, MAX_HEADERS, headers, table_plan
from curvedoc.ingest.text.line.plan import LinePlan, plan_of, shape_of
from curvedoc.ingest.text.line.slots import METRIC
from curvedoc.ingest.text.line.template import UPRIGHT

#: A word and a colon ahead of the first name.
_HEAD = late_regex(r"\W*([A-Za-z][\w-]{0,40}): +[A-Za-z_][\w -]{0,40}[:=]")
#: One of several that train a model, as `task_lines` writes it.
_CLIENT = late_regex(r"([A-Za-z]+_\d+): .*?\| ")


def plans_of(lines: pl.DataFrame, templates: list[str]) -> list[LinePlan]:
    """The plan of each template: a row of a table whose header is among the lines, or what the line says itself."""
    bare = pl.col("text").str.replace(LOGGED_RE, "")
    below = bare.shift(-1).fill_null("").alias("below")
    upright = bare.str.replace_all(UPRIGHT, "|")
    could = lines.select(upright, below).filter(pl.col("text").str.contains(HEADER_RE))
    named = headers(could.unique(maintain_order=True).head(MAX_HEADERS).iter_rows())
    plans = {t: table_plan(t, named) or plan_of(t) for t in dict.fromkeys(templates)}
    plans |= column_plans(lines, plans)
    plans |= share_plans(lines, plans)
    plans |= grouped_plans(lines, plans)
    plans |= split_plans(lines, plans)
    plans |= split_row_plans(lines, plans)
    plans |= _labeled(plans)
    plans |= layer_plans(plans)
    plans |= repeated_plans(lines, plans)
    return [plans[t] for t in templates]


def _labeled(plans: Mapping[str, LinePlan]) -> dict[str, LinePlan]:
    """Plans of rows that differ by the word at their head ("PER: precision: 0.9", "LOC: precision: 0.8"), where others
    give the same names without one: their names with the word before them."""
    bare: set[str] = set()
    heads: dict[tuple[str, ...], dict[str, str]] = {}
    for template, plan in plans.items():
        client = _CLIENT.match(template)
        if client is not None and plan.kind:
            heads.setdefault(shape_of(plan), {})[template] = client.group(1)
            bare |= set(shape_of(plan))
        elif plan.kind == "loose" and len(plan.slots) > 1:
            head = _HEAD.match(template[plan.prefix.end :])
            word = head.group(1) if head is not None else ""
            if word and spaced(word) not in SCOPES and not is_usual(word):
                heads.setdefault(shape_of(plan), {})[template] = word
            else:
                bare |= set(shape_of(plan))
    out = {}
    for shape, of in heads.items():
        if len(set(of.values())) > 1 and not bare.isdisjoint(shape):
            for template, word in of.items():
                named = tuple(
                    replace(s, name=f"{word}/{s.name}") if s.role == METRIC else s for s in plans[template].slots
                )
                out[template] = replace(plans[template], slots=named)
    return out
