"""The plans and times of the lines of a text: rows of its tables, rows of numbers, and what each line says itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import polars as pl

from curvedoc.core.late_regex import late_regex
from curvedoc.core.run import Note
from curvedoc.ingest.naming.log_words import is_usual, spaced
from curvedoc.ingest.naming.split_words import SCOPES
from curvedoc.ingest.table import clock
from curvedoc.ingest.text.layouts.columns import column_plans
from curvedoc.ingest.text.layouts.counted_values import counted_value_plans
from curvedoc.ingest.text.layouts.gains import share_plans
from curvedoc.ingest.text.layouts.grouped_columns import grouped_plans
from curvedoc.ingest.text.layouts.layers import layer_plans
from curvedoc.ingest.text.layouts.repeated_lines import repeated_plans
from curvedoc.ingest.text.layouts.split_rows import split_row_plans
from curvedoc.ingest.text.layouts.splits import split_plans
from curvedoc.ingest.text.layouts.tables import HEADER_RE, LOGGED_RE, MAX_HEADERS, headers, table_plan
from curvedoc.ingest.text.line.plan import LinePlan, plan_of, shape_of
from curvedoc.ingest.text.line.slots import METRIC
from curvedoc.ingest.text.line.template import CLOCK, FRACTION, NUMBER, UPRIGHT, slots, unknown

#: Templates looked at: a log has dozens, running text has one a line.
MAX_PLANS = 50_000
_LEVEL_WORDS = "DEBUG|TRACE|INFO|NOTICE|WARNING|WARN|ERROR|CRITICAL|FATAL"
_STAMPED_RE = rf"^(?:[\W_]|[0-9]+: |\[[A-Za-z_][\w. ]*\]|\[?(?:{_LEVEL_WORDS})\b)*{CLOCK}"
#: A word and a colon ahead of the first name.
_HEAD = late_regex(r"\W*([A-Za-z][\w-]{0,40}): +[A-Za-z_][\w -]{0,40}[:=]")
#: A word, and a column apart from it a name and its number: "liver    IoU 0.79".
_ROW = late_regex(rf"\W*([A-Za-z][\w-]*(?: [A-Za-z][\w-]*)?)  ([A-Za-z][\w@ ]{{0,30}}?)[ :=]+{NUMBER}%?\W*")
#: One of several that train a model, as `programs` writes it.
_CLIENT = late_regex(r"([A-Za-z]+_\d+): .*?\| ")


def with_plans(lines: pl.DataFrame, kinds: pl.DataFrame, told: list[Note]) -> tuple[pl.DataFrame, list[LinePlan]]:
    """Adds `tid`, the index of each line's plan (0: running text), `tokens` (its numbers) and `time`.

    kinds: each template, and how many lines there are of it
    """
    clocks = bool(kinds["template"].str.contains(CLOCK, literal=True).any())
    kinds = kinds.filter(kinds["template"].str.contains(f"[{NUMBER}{FRACTION}]"))
    if len(kinds) > MAX_PLANS:
        told.append(
            Note("many-shapes", f"only {MAX_PLANS:,} shapes of line were looked at", count=len(kinds) - MAX_PLANS)
        )
        kinds = kinds.sort("len", descending=True, maintain_order=True).head(MAX_PLANS)
    templates = kinds["template"].to_list()
    plans = [plan_of(""), *plans_of(lines, templates)]
    place = lines["template"].cast(pl.Enum(kinds["template"]), strict=False).to_physical().cast(pl.Float64).to_numpy()
    tid = np.where(np.isnan(place), 0, place + 1).astype(np.int64)
    useful = np.array([p.kind != "" for p in plans])[tid]
    every = slots(pl.col("masked"))
    lines = lines.with_columns((every if useful.all() else pl.when(pl.Series(useful)).then(every)).alias("tokens"))
    # a line whose numbers were counted otherwise than its template's cannot be read by the plan
    width = np.array([0] + [t.count(NUMBER) + t.count(FRACTION) for t in templates])
    tid[useful & (lines["tokens"].list.len().cast(pl.Float64).to_numpy() != width[tid])] = 0
    lines = lines.hstack([pl.Series("tid", tid)])
    return _timed(lines, told) if clocks else lines.hstack([unknown("time", pl.Float64(), len(lines))]), plans


def _timed(lines: pl.DataFrame, told: list[Note]) -> pl.DataFrame:
    stamped = lines["masked"].str.slice(0, 100).str.contains(_STAMPED_RE)
    if not bool(stamped.any()):
        return lines.hstack([unknown("time", pl.Float64(), len(lines))])
    at = stamped.arg_true()
    time = np.full(len(lines), np.nan)
    time[at.to_numpy()] = clock.seconds(lines["text"].gather(at).str.slice(0, 120)).fill_null(float("nan")).to_numpy()
    time, usable = clock.monotone(time)
    if not usable:
        told.append(Note("clock-goes-back", "the clock of the lines goes back, so their times were left out"))
    return lines.with_columns(pl.Series("time", time).fill_nan(None))


def plans_of(lines: pl.DataFrame, templates: list[str]) -> list[LinePlan]:
    """The plan of each template: a row of a table whose header is among the lines, or what the line says itself."""
    named = headers(_header_lines(lines))
    plans = {t: table_plan(t, named) or plan_of(t) for t in dict.fromkeys(templates)}
    plans |= split_row_plans(lines, plans)
    plans |= counted_value_plans(lines, plans)
    plans |= column_plans(lines, plans)
    plans |= share_plans(lines, plans)
    plans |= grouped_plans(lines, plans)
    plans |= split_plans(lines, plans)
    plans |= _labeled(plans)
    plans |= layer_plans(plans)
    plans |= repeated_plans(lines, plans)
    return [plans[t] for t in templates]


def _header_lines(lines: pl.DataFrame) -> list[tuple[str, str]]:
    """Each line that may be the header of a table, and the one below it."""
    upright = pl.col("text").str.replace(LOGGED_RE, "").str.replace_all(UPRIGHT, "|")
    could = lines.select(upright.str.contains(HEADER_RE)).to_series()
    if not could.any():
        return []
    found = lines.select("text", pl.col("text").shift(-1).fill_null("").alias("below")).filter(could)
    found = found.select(upright, pl.col("below").str.replace(LOGGED_RE, "")).unique(maintain_order=True)
    return found.head(MAX_HEADERS).rows()


def _labeled(plans: Mapping[str, LinePlan]) -> dict[str, LinePlan]:
    """Plans of rows that differ by the word at their head ("PER: precision: 0.9", "LOC: precision: 0.8"), where others
    give the same names without one, or in a column ahead of the name: their names with the word before them."""
    bare: set[str] = set()
    heads: dict[tuple[str, ...], dict[str, str]] = {}
    rows: dict[str, dict[str, str]] = {}
    for template, plan in plans.items():
        client = _CLIENT.match(template)
        if client is not None and plan.kind:
            heads.setdefault(shape_of(plan), {})[template] = client.group(1)
            bare |= set(shape_of(plan))
        elif plan.kind == "loose" and len(plan.slots) == 1 and (row := _ROW.fullmatch(template, plan.prefix.end)):
            if row[2] == plan.slots[0].name and spaced(row[1]) not in SCOPES and not is_usual(row[1]):
                rows.setdefault(row[2], {})[template] = row[1]
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
    for name, said in rows.items():
        if len(set(said.values())) > 1:
            out |= {
                t: replace(plans[t], slots=(replace(plans[t].slots[0], name=f"{w} {name}"),)) for t, w in said.items()
            }
    return out
