"""Run x rule or cause -> what each of its lines said, and so why it fired, stayed silent or was not judged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from curvedoc.core.diagnosis import Check
from curvedoc.core.numbers import spelled
from curvedoc.core.run import Run
from curvedoc.core.series import Series
from curvedoc.diagnose.judge.answers import answered
from curvedoc.diagnose.judge.detect import alternatives, judge_subject
from curvedoc.diagnose.judge.inputs import Bench
from curvedoc.diagnose.judge.names import WHOLE, Names
from curvedoc.diagnose.judge.scopes import subjects
from curvedoc.rulebook.evaluate import code_of
from curvedoc.rulebook.expr import Expr
from curvedoc.rulebook.rule import Cause, Fact, Program, Rule


@dataclass(frozen=True, slots=True)
class TracedLine:
    """A condition or measure: what it said of the run, and what the names in it stood for."""

    name: str  # of an alternative or a measure
    text: str
    value: str
    names: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class RuleTrace:
    """What a rule said of one subject."""

    label: str
    outcome: str  # "fires", "silent: excused by few", "silent: rise > rise_min is false", "not judged: needs val_loss"
    conditions: tuple[TracedLine, ...]
    excuses: tuple[TracedLine, ...]
    measures: tuple[TracedLine, ...]  # those that conditions and excuses rest on


@dataclass(frozen=True, slots=True)
class CauseTrace:
    """What a cause's own evidence said of a run."""

    evidence: tuple[tuple[str, float, TracedLine], ...]  # channel, factor, line
    checks: tuple[Check, ...]
    measures: tuple[TracedLine, ...]


def trace_rule(
    rule: Rule, run: Run, group: Sequence[Run] = (), facts: Mapping[str, Fact] | None = None
) -> tuple[RuleTrace, ...]:
    """One trace for each subject of the rule; none where the run has no such subject."""
    bench = Bench(run, facts=facts)
    traces = []
    for subject in subjects(bench, rule, group):
        judgment = judge_subject(rule, bench, subject)
        env = bench.environment(rule.program, subject)
        conditions = tuple(
            TracedLine(name, e.text, _said(code_of(e)(env)), _values(e.names, env))
            for name, lines in rule.when
            for e in lines
        )
        alternatives(rule, env)  # whose names excuses may ask
        excuses = tuple(_measure(rule.program, name, env) for name in rule.excused_by)
        reason = _why_silent(conditions, excuses) if judgment.outcome == "silent" else judgment.reason
        outcome = judgment.outcome.replace("-", " ") + (f": {reason}" if reason else "")
        read = [name for _, lines in rule.when for e in lines for name in e.names]
        measures = _behind(rule.program, [*read, *rule.excused_by], env)
        traces.append(RuleTrace(subject.label, outcome, conditions, excuses, measures))
    return tuple(traces)


def trace_cause(cause: Cause, run: Run, facts: Mapping[str, Fact] | None = None) -> CauseTrace:
    """What each line for and against a cause says of a run, and how its questions are answered."""
    bench = Bench(run, facts=facts)
    env = bench.environment(cause.program, WHOLE)
    evidence = tuple((p.channel, p.times, _measure(cause.program, p.given, env)) for p in cause.predicts)
    checks = tuple(
        answered(c, env, env.texts(), cause.program, bench.counter, bench.transcript.answer(cause.id, i))
        for i, c in enumerate(cause.checks)
    )
    return CauseTrace(evidence, checks, _behind(cause.program, [p.given for p in cause.predicts], env))


def _why_silent(conditions: Iterable[TracedLine], excuses: Iterable[TracedLine]) -> str:
    """The first line of each alternative that does not hold, and the excuses that are known."""
    false: dict[str, str] = {}
    for line in conditions:
        if line.value == "false":
            false.setdefault(line.name, f"`{line.text}` is false")
    known = [line.name for line in excuses if line.value == "true"]
    excused = [f"excused by `{'`, `'.join(known)}`"] if known else []
    return "; ".join([*false.values(), *excused])


def _measure(program: Program, name: str, env: Names) -> TracedLine:
    formula: Expr | None = program.formulas.get(name)
    fact = env.bench.fact(name) if name in program.facts else None
    text = formula.text if formula is not None else fact.because if fact is not None else name
    return TracedLine(name, text, _said(env[name]), _values(formula.names if formula is not None else (), env))


def _behind(program: Program, names: Iterable[str], env: Names) -> tuple[TracedLine, ...]:
    """The measures that names rest on, in the order of the file."""
    seen: set[str] = set()
    left = list(names)
    while left:
        name = left.pop()
        if name not in seen:
            seen.add(name)
            left += program.formulas[name].names if name in program.formulas else ()
    return tuple(_measure(program, name, env) for name, _ in program.measures if name in seen)


def _values(names: Iterable[str], env: Names) -> tuple[tuple[str, str], ...]:
    return tuple((name, _said(env[name])) for name in names)


def _said(value: object) -> str:
    match value:
        case None:
            return "unknown"
        case bool():
            return "true" if value else "false"
        case float():
            return spelled(value, ".4g")
        case Series():
            return f"{len(value):,} rows"
    return type(value).__name__
