"""The table of runs: one line each, in text and numbers."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite

from curvedoc.core.diagnosis import Curve, Diagnosis, RunDiagnosis
from curvedoc.core.frozen import dataclass
from curvedoc.report import words
from curvedoc.report.charts.spark import Spark, spark
from curvedoc.report.inbox import lost_of, lost_unit, lost_words
from curvedoc.report.summary import first_thing, group_of, last_value, main_curve, onset, told_first, why


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table of runs."""

    id: str  # of its section; "" where the run has none
    run: RunDiagnosis
    glyph: str
    word: str
    style: str
    group: str
    group_title: str
    finding: str
    why: str
    spark: Spark | None
    onset: int | None
    last: float | None
    lost: str
    lost_sort: str  # "" for nothing
    first: str  # what to do first


def rows(
    d: Diagnosis,
    runs: tuple[RunDiagnosis, ...],
    ids: Mapping[str, str],
    sparks: dict[tuple[str, int], Spark] | None = None,
) -> tuple[Row, ...]:
    """The table, in the order of `runs`. sparks: those of an earlier call for the same diagnosis, kept for the next."""
    known = {} if sparks is None else sparks
    groups = group_of(d)
    unit = lost_unit(d.runs)
    out = []
    for r in runs:
        glyph, word, style = words.VERDICTS[r.verdict]
        group, curve = groups.get(r.run), main_curve(r)
        finding = told_first(r)
        # each over its own length: of a run a thirtieth as long as another nothing would be seen
        drawn = r.run, _last_finite(curve) if curve else 0
        if curve and drawn not in known:
            known[drawn] = spark(curve, drawn[1], onset(r))
        lost = lost_of(r, unit)
        first = first_thing(r)
        out.append(
            Row(
                ids.get(r.run, ""),
                r,
                glyph,
                word,
                style,
                group.name if group else "",
                ", ".join(s.replace("-", " ") for s in group.signature) if group else "",
                finding,
                why(r),
                known[drawn] if curve else None,
                onset(r),
                last_value(r),
                lost_words(lost, unit),
                "" if lost is None else f"{lost:g}",
                first.ask if first and r.verdict in ("failed", "warning", "ended-early") else "",
            )
        )
    return tuple(out)


def _last_finite(curve: Curve) -> int:
    """The step of the last bucket with a finite value; of none the last one."""
    return next((s for s, v in zip(reversed(curve.step), reversed(curve.mean), strict=True) if isfinite(v)), 0)
