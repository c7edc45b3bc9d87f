"""Run x rule -> finding, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from curvedoc.core.diagnosis import Evidence, Finding
from curvedoc.core.frozen import dataclass
from curvedoc.core.run import Run
from curvedoc.core.series import Series
from curvedoc.diagnose.judge.inputs import MADE_OF, Bench, own_makers
from curvedoc.diagnose.judge.inventory import Makers
from curvedoc.diagnose.judge.names import WHOLE, Names, Subject, called
from curvedoc.diagnose.judge.scopes import subjects
from curvedoc.diagnose.sentence.fields import evidence, fill, first_that_holds
from curvedoc.rulebook.code import Code, Fixed
from curvedoc.rulebook.evaluate import code_of
from curvedoc.rulebook.rule import Need, Program, Rule

Outcome = Literal["fires", "silent", "not-judged", "broken"]

#: A measure that cannot grade a finding leaves it in the middle.
UNGRADED = 0.5
#: Severities that fail a run.
_FAILING = ("fatal", "error")
#: Scopes that a finding counts its members by.
_COUNTED = ("layer", "metric", "rank")
#: Layers or ranks named in one merged finding.
NAMED_MEMBERS = 5


@dataclass(frozen=True, slots=True)
class Judgment:
    """What one rule said of one run."""

    rule: Rule
    outcome: Outcome
    reason: str = ""
    needs: tuple[str, ...] = ()
    finding: Finding | None = None


def _input_name(need: Need) -> str:
    match need.source:
        case "log":
            return "log_text"
        case "config" | "config-text":
            return f"config.{need.target}"
    name = MADE_OF.get(need.target, need.target)
    return f"another {name}" if need.member == "others" else name


def _undecided(rule: Rule, env: Names) -> tuple[str, tuple[str, ...]]:
    """The line that could not be decided and the optional signals that are missing behind it."""
    missing = tuple(dict.fromkeys(name for key, name in _nameable(rule, env.makers) if env[key] is None))
    if missing:
        return f"needs {' or '.join(missing)}", missing
    lines = [e for _, group in rule.when for e in group]
    open_line = next((e for e in lines if code_of(e)(env) is None), lines[0])
    return f"too little to decide: {open_line.text}", missing


def _nameable(rule: Rule, makers: Makers) -> list[tuple[str, str]]:
    """The inputs that a run may lack and that have a name to be asked for by: their own names, and that one."""
    found: list[tuple[str, str]] | None = makers.made.get("nameable")
    if found is None:
        found = [(n.name, _input_name(n)) for n in rule.program.needs if not _there(makers[n.name])]
        found = makers.made["nameable"] = [pair for pair in found if pair[1]]
    return found


def _there(made: Code) -> bool:
    """Whether an input has a value in every run."""
    return isinstance(made, Fixed) and made.value is not None


def judge_subject(rule: Rule, bench: Bench, subject: Subject) -> Judgment:
    """What a rule says of one run, layer, data set, rank or sibling."""
    makers = bench.makers(rule.program) if subject is WHOLE else own_makers(rule.program)
    settled: Judgment | None = makers.made.get("settled")
    if settled is not None:
        return settled
    env = Names(bench, rule.program, subject, makers)
    for need in rule.program.required:
        if env[need.name] is None:
            name = _input_name(need)
            lacking = Judgment(rule, "not-judged", f"needs {name}", (name,))
            if isinstance(makers[need.name], Fixed):  # no run of its kind has it
                makers.made["settled"] = lacking
            return lacking
    truths = alternatives(rule, env)
    # excuses come last: most rules are silent without them
    if not (True in truths or None in truths) or any(env.get(name) is True for name in rule.excused_by):
        return _silent(rule, makers)
    if True not in truths:
        reason, missing = _undecided(rule, env)
        return Judgment(rule, "not-judged", reason, missing)
    harmless = any(env.get(name) is True for name in (*rule.harmless_if, *rule.undecided_if))
    strength = code_of(rule.strength)(env)
    # what rests on a guess may be told, but fails no run
    firm = rule.severity not in _FAILING or (certain := env.certain()) is env or True in alternatives(rule, certain)
    texts, count = env.texts(), bench.counter
    told = first_that_holds(rule.titles, env, texts, count)
    at = None if told is None else rule.title_steps[told[0]]  # the sentence and the mark tell one step
    first, last = _step(env, at or rule.onset), _step(env, rule.until)
    lead = next((env[n.name] for n in rule.program.needs if isinstance(env.get(n.name), Series)), None)
    finding = Finding(
        symptom=rule.id,
        title=rule.title if told is None else told[1],
        general=rule.title,
        about=fill(rule.what, rule.program.given, {}) or "",
        kind="notice" if harmless else rule.kind,
        severity="note" if harmless else rule.severity if firm else "warning",
        strength=round(UNGRADED if strength is None else min(1.0, max(0.0, strength)), 4),
        first_step=first,
        last_step=last,
        metric=lead.metric if lead is not None and lead.metric else None,
        scope=dict(subject.scope),
        # every sentence may need a number that this run does not have; the title needs none
        evidence=evidence(rule.evidence, env, texts, count) or (Evidence(rule.title),),
        measures={k: env[k] for k in _told(rule.program) if isinstance(env[k], (float, bool))},
        causes=_shares(rule, env),
    )
    return Judgment(rule, "fires", finding=finding)


def alternatives(rule: Rule, env: Names) -> list[bool | None]:
    """Whether each alternative of a rule holds; they are names for what follows."""
    truths: list[bool | None] = []
    lines = env.makers.made.get("when") or _lines(rule, env.makers)
    for name, group in lines:
        held: bool | None = True
        for code in group:
            truth = code(env)
            if truth is False:
                held = False
                break
            held = None if truth is None else held
        if name:
            env[name] = held
        truths.append(held)
    return truths


def _lines(rule: Rule, makers: Makers) -> list[tuple[str | None, list[Code]]]:
    """The lines of each alternative as what gives their truth, kept with what was made of the rule's program."""
    made: list[tuple[str | None, list[Code]]] = []
    for name, group in rule.when:
        codes = [makers.code(line) for line in group]
        never = next((c for c in codes if isinstance(c, Fixed) and c.value is False), None)
        made.append((name, codes if never is None else [never]))
    if all(isinstance(codes[0], Fixed) and codes[0].value is False for _, codes in made):
        makers.made["settled"] = _silent(rule, makers)
    makers.made["when"] = made
    return made


def _silent(rule: Rule, makers: Makers) -> Judgment:
    """What a rule says of most runs, made once."""
    found: Judgment | None = makers.made.get("silent")
    if found is None:
        found = makers.made["silent"] = Judgment(rule, "silent")
    return found


def _told(program: Program) -> Iterator[str]:
    """What a finding tells the values of: measures, those of the file first, what sentences work out, and facts."""
    yield from (name for name, _ in program.measures if name not in program.shared)
    yield from (text for text, expr in program.unnamed if expr.type is float)
    yield from program.shared
    yield from program.facts


def _step(env: Mapping[str, Any], name: str | None) -> int | None:
    value = None if name is None else env.get(name)
    return None if value is None else round(value)


def _shares(rule: Rule, env: Mapping[str, Any]) -> tuple[tuple[str, float], ...]:
    odds = []
    for link in rule.causes:
        weight = link.weight
        for measure, factor in link.times.items():
            if env.get(measure) is True:
                weight *= factor
        odds.append((link.cause, weight))
    total = sum(w for _, w in odds)
    return tuple((c, w / total) for c, w in sorted(odds, key=lambda o: -o[1]))


def _merge(findings: Sequence[Finding]) -> Finding:
    """One finding for all layers, data sets or ranks that show a symptom: the clearest one speaks."""
    best = max(findings, key=lambda f: f.strength)
    if len(findings) == 1:
        return best
    key = next(iter(best.scope))
    names = [f.scope[key] for f in findings]
    named = ", ".join(names[:NAMED_MEMBERS]) + (
        f" and {len(names) - NAMED_MEMBERS} more" if len(names) > NAMED_MEMBERS else ""
    )
    steps = [f.first_step for f in findings if f.first_step is not None]
    # the headline is the title of the clearest one: it must not speak as if that were the only one
    label, others = called(best.scope[key]), [called(n) for n in names if n != best.scope[key]]
    all_of_them = f"{label} and {others[0]}" if len(others) == 1 else f"{label} (and {len(others)} more)"
    title = best.title.replace(label, all_of_them, 1)
    also = Evidence(f"the same in {len(names)} {key}{'s' * (key in _COUNTED)}: {named}")
    return replace(
        best,
        title=title,
        scope={key: named},
        first_step=min(steps, default=best.first_step),
        evidence=(*best.evidence, also),
    )


def detect(rule: Rule, bench: Bench, group: Sequence[Run] = (), strict: bool = False) -> Judgment:
    """What a rule says of a run. group: the run and its repeats, for rules over siblings.

    An exception inside a statistic makes the judgment `broken` and stops no other rule; strict raises it (tests do).
    """
    try:
        if rule.over == "run":
            return judge_subject(rule, bench, WHOLE)
        members = subjects(bench, rule, group)
        if not members:
            each = next(n.target for n in rule.program.needs if n.member == "each")
            words = {"rank": "several ranks", "siblings": "a second run of the same configuration"}
            need = words.get(rule.over, each)
            return Judgment(rule, "not-judged", f"needs {need}", (each if rule.over in ("layer", "metric") else need,))
        judged = [judge_subject(rule, bench, member) for member in members]
    except Exception as error:
        if strict:
            raise
        return Judgment(rule, "broken", f"the rule failed: {type(error).__name__}: {str(error)[:200]}")
    fired = [j.finding for j in judged if j.finding is not None]
    if fired:
        return Judgment(rule, "fires", finding=_merge(fired))
    return next((j for j in judged if j.outcome == "silent"), judged[0])
