"""The tests inside rule files: build the run that a case describes, judge it, compare."""

from __future__ import annotations

import functools
import math
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from curvedoc.core.late_regex import late_regex
from curvedoc.core.run import ASSEMBLED, MESSAGES, Note, RoleMatch, Run, Scalar, Source
from curvedoc.core.series import Floats, Ints
from curvedoc.diagnose.judge.detect import Judgment, detect
from curvedoc.diagnose.judge.inputs import Bench
from curvedoc.ingest.naming.signals import load_signals, shares
from curvedoc.rulebook.location import signals_file
from curvedoc.rulebook.rule import Fact, Rule
from curvedoc.rulebook.schema.case import Case, CaseCurve, CaseMember, CaseRun, CauseCase, Knots

_STEPPED = late_regex(r"^@(\d+) (.*)$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class CaseResult:
    """What a case gave."""

    rule: str
    case: str
    passed: bool
    known: str | None
    problem: str  # "" when it passed


@functools.cache
def _shares() -> frozenset[str]:
    return shares(load_signals(signals_file()))


def _between(step: Ints, knots: Knots, log: bool) -> Floats:
    """Straight lines between knots (geometric with log); a non-finite knot holds from its step on."""
    x = np.array([k[0] for k in knots], dtype=np.float64)
    y = np.array([k[1] for k in knots], dtype=np.float64)
    finite = np.isfinite(y)
    value = np.full(len(step), np.nan)
    if finite.any():
        height = np.log(np.maximum(y[finite], 1e-300)) if log else y[finite]
        value = np.interp(step, x[finite], height)
        value = np.exp(value) if log else value
    for i in np.flatnonzero(~finite):
        until = x[i + 1] if i + 1 < len(x) else np.inf
        value[(step >= x[i]) & (step < until)] = y[i]
    return value


def _series(spec: Knots | CaseCurve, case: CaseRun, key: str) -> tuple[Ints, Floats]:
    curve = CaseCurve(knots=spec) if isinstance(spec, list) else spec
    first, last = curve.knots[0][0], curve.knots[-1][0]
    grid = np.linspace(first, last, curve.points or case.points).round().astype(np.int64)
    step = np.unique(np.concatenate([grid, np.array([k[0] for k in curve.knots], dtype=np.int64)]))
    value = _between(step, curve.knots, curve.log)
    noise = case.noise if curve.noise is None else curve.noise
    if noise:
        # seeded by the case's own words, so that adding a case never changes another
        rng = np.random.default_rng(zlib.crc32(f"{case.name}/{key}".encode()))
        value = value * (1.0 + noise * rng.standard_normal(len(value)))
    if curve.growing:
        rng = np.random.default_rng(zlib.crc32(f"{case.name}/{key}/growing".encode()))
        ramp = np.linspace(0.0, 1.0, len(value)) ** 3
        value = value * (1.0 + curve.growing * ramp * rng.standard_normal(len(value)))
    if curve.period and curve.amplitude:
        value = value + curve.amplitude * np.sin(2 * math.pi * step / curve.period)
    return step, value


def _messages(lines: Sequence[str]) -> pl.DataFrame:
    rows = []
    for number, line in enumerate(lines, 1):
        match = _STEPPED.match(line)
        text = match[2] if match else line
        level = "TRACEBACK" if text.startswith("Traceback") else ""
        rows.append(("case.log", number, None, level, int(match[1]) if match else None, 0, text, None))
    return pl.DataFrame(rows, schema=dict(MESSAGES), orient="row")


def _resumed(points: pl.DataFrame, reached: int, back_to: int) -> pl.DataFrame:
    """The log of a run that reached one step, then went on from an earlier one."""
    before = points.filter(pl.col("step") <= reached).with_columns(superseded=pl.col("step") >= back_to)
    again = points.filter(pl.col("step") >= back_to).with_columns(segment=pl.lit(1, pl.Int32))
    return pl.concat([before, again])


def build(
    member: CaseRun | CaseMember, case: CaseRun, name: str = "case", ranks: Mapping[int, CaseMember] | None = None
) -> Run:
    """The run that a case (or one of its siblings) describes."""
    parts: list[pl.DataFrame] = []
    matches: dict[tuple[str, str], RoleMatch] = {}
    sources: list[tuple[int, CaseRun | CaseMember]] = [(0, member), *((r, m) for r, m in (ranks or {}).items())]
    for rank, owner in sources:
        for key, spec in owner.series.items():
            role, _, label = key.partition(":")
            step, value = _series(spec, case, f"{name}/{rank}/{key}")
            unit = "fraction" if role in _shares() else ""
            matches[role, label] = RoleMatch(role, key, label, "case", unit=unit)
            n = len(step)
            parts.append(
                pl.DataFrame(
                    {
                        "metric": [key] * n,
                        "step": step,
                        "value": value,
                        "time": step.astype(np.float64),
                        "rank": [rank] * n,
                        "flags": [0] * n,
                        "segment": [0] * n,
                        "superseded": [False] * n,
                    },
                    schema=dict(ASSEMBLED),
                )
            )
    points = pl.concat(parts) if parts else pl.DataFrame(schema=dict(ASSEMBLED))
    if case.resumed is not None:
        points = _resumed(points, *case.resumed)
    log = member.log
    config: dict[str, Scalar] = dict(member.config)
    return Run(
        name=name,
        data=points,
        messages=_messages(log or []),
        roles=tuple(matches.values()),
        config=config,
        settings=config,
        sources=(Source("case", "case", len(points), 0, tuple(Note(k, k, count=n) for k, n in case.notes.items())),),
        axis=case.axis,
        has_text=log is not None,
    )


def judge(rule: Rule, case: Case, facts: Mapping[str, Fact] | None = None) -> Judgment:
    """The rule's judgment of the case's run. facts: that it may read, else those that ship with curvedoc."""
    run = build(case, case, ranks=case.ranks)
    group = [run, *(build(m, case, f"sibling {i}") for i, m in enumerate(case.siblings, 1))]
    return detect(rule, Bench(run, facts=facts), group, strict=True)


def _problem(rule: Rule, case: Case, facts: Mapping[str, Fact] | None) -> str:
    got = judge(rule, case, facts)
    if got.outcome != case.expect:
        why = f" ({got.reason})" if got.reason else ""
        measures = got.finding.measures if got.finding else {}
        return f"expected {case.expect}, got {got.outcome}{why} {dict(measures) if measures else ''}".rstrip()
    if got.finding is None:
        return ""
    for name, (wanted, tolerance) in case.near.items():
        value = got.finding.strength if name == "strength" else got.finding.measures.get(name)
        if value is None or abs(float(value) - wanted) > tolerance:
            return f"{name} is {value}, expected {wanted} within {tolerance}"
    if case.first is not None and (not got.finding.causes or got.finding.causes[0][0] != case.first):
        return f"first cause is {got.finding.causes[0][0] if got.finding.causes else None}, expected {case.first}"
    return ""


def check(rule: Rule, case: Case, facts: Mapping[str, Fact] | None = None) -> CaseResult:
    """Whether a case holds. A case marked `known` is expected to fail, and is wrong when it passes."""
    return result_of(rule.id, case, _problem(rule, case, facts))


def result_of(id_: str, case: Case | CauseCase, problem: str) -> CaseResult:
    """The result of a case with what is wrong about it, the other way round where it is marked `known`."""
    if case.known is None:
        return CaseResult(id_, case.name, not problem, None, problem)
    passed = bool(problem)
    said = "" if passed else f"marked known: {case.known}, but it passes now: remove the mark"
    return CaseResult(id_, case.name, passed, case.known, said)
