"""Two runs beside each other -> Difference: where each common signal parts, and what else is not the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from curvedoc.core.diagnosis import Finding, RunDiagnosis, Verdict
from curvedoc.core.run import Run, Scalar
from curvedoc.core.series import Series
from curvedoc.diagnose.siblings.families import DERIVED
from curvedoc.ingest.naming.canonical_settings import settings_of
from curvedoc.ingest.naming.signals import Signals
from curvedoc.stats.pairs.repeats import parting_gap, parting_step
from curvedoc.stats.pairs.runs import common, first_difference, paired_z, same_order

#: Fewer common finite rows have a last value and no level.
LEVEL_ROWS = 8


@dataclass(frozen=True, slots=True)
class SignalDifference:
    """One signal of two runs on their common steps.

    role:    "" where the metric has no role; metrics are the raw names in the one and the other run
    first:   first step at which the logged values differ at all, None where they never do
    parting: first step at which they differ by more than the last printed digit
    gap:     relative difference there, 0..1
    ends:    level of each over the last quarter of the common steps (the last common finite values below eight rows)
    apart:   the first minus the second end
    z:       the mean difference of the last quarter, step by step, in standard errors; None below 20 rows
    """

    role: str
    label: str
    metrics: tuple[str, str]
    steps: int
    first: int | None
    parting: int | None
    gap: float | None
    values: tuple[float, float] | None  # at `first`
    ends: tuple[float, float] | None
    apart: float | None
    z: float | None


@dataclass(frozen=True, slots=True)
class SettingDifference:
    """One configuration key that differs; a value is None where the run does not have the key."""

    key: str
    values: tuple[Scalar | None, Scalar | None]
    canonical: bool  # a key of signals.yaml, whatever the log calls it


@dataclass(frozen=True, slots=True)
class OnlyIn:
    """A finding that one run has and the other has not."""

    symptom: str
    title: str
    severity: str
    first_step: int | None
    scope: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Difference:
    """Two runs beside each other.

    signals: those that both logged, the earliest parting first; unshared: metrics of one run only, by run
    one_order: whether both saw their data in one order, None where the loss cannot tell
    """

    runs: tuple[str, str]
    verdicts: tuple[Verdict, Verdict]
    headlines: tuple[str, str]
    signals: tuple[SignalDifference, ...]
    unshared: tuple[tuple[str, ...], tuple[str, ...]]
    settings: tuple[SettingDifference, ...]
    findings: tuple[tuple[OnlyIn, ...], tuple[OnlyIn, ...]]
    one_order: bool | None

    @property
    def parted(self) -> SignalDifference | None:
        """The signal that parts first by more than rounding (the loss where several do), None where none does."""
        apart = [s for s in self.signals if s.parting is not None]
        return min(apart, key=lambda s: (s.parting or 0, s.role != "loss"), default=None)

    @property
    def first(self) -> SignalDifference | None:
        """The signal that differs first, None where none does."""
        apart = [s for s in self.signals if s.first is not None]
        return min(apart, key=lambda s: s.first or 0, default=None)


def difference(a: Run, b: Run, of_a: RunDiagnosis, of_b: RunDiagnosis, table: Signals) -> Difference:
    """The difference of two runs and of their diagnoses. table: tells which raw keys a canonical one stands for."""
    pairs = _pairs(a, b)
    signals = [_signal(role, label, p, q) for role, label, p, q in pairs]
    signals.sort(key=_order)
    ours, theirs = {p.metric for *_, p, _ in pairs}, {q.metric for *_, q in pairs}
    p, q = a.series("loss"), b.series("loss")
    return Difference(
        runs=(a.name, b.name),
        verdicts=(of_a.verdict, of_b.verdict),
        headlines=(of_a.headline, of_b.headline),
        signals=tuple(signals),
        unshared=(_names(a, ours), _names(b, theirs)),
        settings=_all_settings(a, b, table),
        findings=(_only(of_a, of_b), _only(of_b, of_a)),
        one_order=None if p is None or q is None else same_order(p, q),
    )


def _order(s: SignalDifference) -> tuple[object, ...]:
    """The earliest parting first, then what differs by rounding, then the rest; the loss before others."""
    never = s.parting is None, s.first is None
    return *never, s.parting or 0, s.role != "loss", s.role == "", s.role, s.label, s.metrics


def _names(run: Run, taken: set[str]) -> tuple[str, ...]:
    return tuple(sorted(set(run.metrics()) - taken))


def _pairs(a: Run, b: Run) -> list[tuple[str, str, Series, Series]]:
    """Series of both runs: the preferred metric of each role and label, then metrics of one raw name."""
    out: list[tuple[str, str, Series, Series]] = []
    seen: tuple[set[str], set[str]] = set(), set()
    best: tuple[dict[tuple[str, str], str], dict[tuple[str, str], str]] = {}, {}
    for run, table in zip((a, b), best, strict=True):
        for m in run.roles:
            table.setdefault((m.role, m.label), m.metric)
    raw = sorted(set(a.metrics()) & set(b.metrics()))
    named = [(role, label, name, best[1][role, label]) for (role, label), name in best[0].items() if
             (role, label) in best[1]]  # fmt: skip
    for role, label, x, y in [*named, *(("", "", name, name) for name in raw)]:
        p, q = a.metric(x), b.metric(y)
        if p is None or q is None or x in seen[0] or y in seen[1]:
            continue
        seen[0].add(x)
        seen[1].add(y)
        out.append((role, label, p, q))
    return out


def _signal(role: str, label: str, a: Series, b: Series) -> SignalDifference:
    step, p, q = common(a, b)
    first, parting = first_difference(a, b), parting_step(a, b)
    values = None
    if first is not None:
        row = int(np.searchsorted(step, int(first)))
        values = float(p[row]), float(q[row])
    ok = np.isfinite(p) & np.isfinite(q)
    p, q = p[ok], q[ok]
    last = max(4, len(p) // 4) if len(p) >= LEVEL_ROWS else 1
    ends = (float(np.median(p[-last:])), float(np.median(q[-last:]))) if len(p) else None
    return SignalDifference(
        role=role,
        label=label,
        metrics=(a.metric, b.metric),
        steps=len(step),
        first=None if first is None else int(first),
        parting=None if parting is None else int(parting),
        gap=parting_gap(a, b),
        values=values,
        ends=ends,
        apart=None if ends is None else ends[0] - ends[1],
        z=paired_z(a, b),
    )


def _all_settings(a: Run, b: Run, table: Signals) -> tuple[SettingDifference, ...]:
    """Canonical keys that differ, then raw ones that no canonical key of the same two values stands for."""
    out = _settings(a.settings, b.settings, True)
    told = {s.key: s.values for s in out}
    for s in _settings(a.config, b.config, False):
        x, y = ({} if v is None else settings_of({s.key: v}, table) for v in s.values)
        if not any(told.get(name, ()) == (x.get(name), y.get(name)) for name in {*x, *y}):
            out.append(s)
    return tuple(out)


def _settings(a: Mapping[str, Scalar], b: Mapping[str, Scalar], canonical: bool) -> list[SettingDifference]:
    """Keys whose values differ or that one side lacks; 1 and 1.0 are one value, 1 and True are not."""
    out = []
    for key in sorted({*a, *b} - {*DERIVED} if canonical else {*a, *b}):
        x, y = a.get(key), b.get(key)
        same = x == y and isinstance(x, bool) == isinstance(y, bool)
        both_nan = x != x and y != y
        if not same and not both_nan:
            out.append(SettingDifference(key, (x, y), canonical))
    return out


def _only(a: RunDiagnosis, b: RunDiagnosis) -> tuple[OnlyIn, ...]:
    known = {_mark(f) for f in b.findings}
    return tuple(
        OnlyIn(f.symptom, f.title, f.severity, f.first_step, dict(f.scope))
        for f in a.findings
        if _mark(f) not in known and f.explained_by is None
    )


def _mark(f: Finding) -> tuple[object, ...]:
    return f.symptom, tuple(sorted(f.scope.items()))
