"""The questions of a cause, each answered from the log where the log can, or where a probe printed the answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from curvedoc.core.diagnosis import Answer, Check
from curvedoc.core.frozen import dataclass
from curvedoc.diagnose.sentence.counter import Counter
from curvedoc.diagnose.sentence.fields import fill
from curvedoc.rulebook.rule import Answer as AnswerSpec
from curvedoc.rulebook.rule import CheckSpec, Need, Program

if TYPE_CHECKING:
    from curvedoc.diagnose.judge.names import Names

PROBED = "a probe printed this answer into the log"
SILENT = "no line of the log says so"
#: What was logged was looked at and settles nothing.
UNSHOWN = "the log does not show it"


@dataclass(frozen=True, slots=True)
class Behind:
    """What an answer rests on: inputs, facts, and whether it is only what a message says."""

    needs: tuple[Need, ...]
    facts: tuple[str, ...]
    told: bool


def answered(
    spec: CheckSpec,
    env: Names,
    texts: Mapping[str, str | None],
    program: Program,
    count: Counter,
    said: bool | None = None,
) -> Check:
    """One question: yes or no with the numbers behind it, leaning, open, or unanswerable with what is missing.

    A look at what was never logged takes a run that logs it. said: what a probe answered, which is asked first
    """
    if said is not None:
        return Check(spec.ask, spec.how, spec.cost, spec.yes, spec.no, "yes" if said else "no", PROBED)
    if spec.answer is None:
        return Check(spec.ask, spec.how, spec.cost, spec.yes, spec.no)
    behind = _behind(program, spec.answer)
    missing = [n for n in behind.needs if env.get(n.name) is None]
    answer = _settled(spec.answer, env) or _leaning(spec, env, behind)
    because = fill(spec.because, env, texts, count) or ""
    if answer:
        silent = SILENT if answer == "leaning-no" and behind.told and not because else because
        return Check(spec.ask, spec.how, spec.cost, spec.yes, spec.no, answer, silent)
    if not missing and behind.told and spec.cost != "look":
        return Check(spec.ask, spec.how, spec.cost, spec.yes, spec.no)
    how, cost = spec.how, spec.cost
    if cost == "look" and missing and all(n.source == "role" for n in missing):
        how, cost = f"log {_listed(missing)} first; {how}", "short-run"
    roles = tuple(dict.fromkeys(n.target for n in missing if n.source == "role"))
    return Check(
        spec.ask,
        how,
        cost,
        spec.yes,
        spec.no,
        "unanswerable",
        _lack(missing) or _unknown(behind.facts, env) or UNSHOWN,
        roles,
    )


def _settled(answer: str | AnswerSpec, env: Mapping[str, Any]) -> Answer | Literal[""]:
    if isinstance(answer, str):
        truth = env.get(answer)
        return "" if truth is None else "yes" if truth else "no"
    if answer.yes is not None and env.get(answer.yes) is True:
        return "yes"
    return "no" if answer.no is not None and env.get(answer.no) is True else ""


def _leaning(spec: CheckSpec, env: Mapping[str, Any], behind: Behind) -> Answer | Literal[""]:
    """Which way a question leans where all is known and nothing is clear, as for a rate between low and high.

    What a log does not say leans nowhere where the question is about the code: few programs tell what they do.
    """
    answer = spec.answer
    if not isinstance(answer, AnswerSpec) or any(env.get(name) is None for name in answer.names):
        return ""
    if behind.told and spec.cost != "look":
        return ""
    return "leaning-yes" if answer.yes is None else "leaning-no"


def _behind(program: Program, answer: str | AnswerSpec) -> Behind:
    """What an answer rests on, directly or through other measures, in the order of the file."""
    key = f"behind {answer if isinstance(answer, str) else answer.names}"
    found: Behind | None = program.made.get(key)
    if found is None:
        found = program.made[key] = _found_behind(program, answer)
    return found


def _found_behind(program: Program, answer: str | AnswerSpec) -> Behind:
    seen: set[str] = set()
    left = [answer] if isinstance(answer, str) else [*answer.names]
    while left:
        name = left.pop()
        if name not in seen:
            seen.add(name)
            formula = program.formulas.get(name)
            left += formula.names if formula is not None else ()
    patterns = seen & set(program.patterns)
    needs = tuple(n for n in program.needs if n.name in seen or (n.source == "log" and patterns))
    told = bool(patterns) and not any(n.name in seen for n in needs)
    return Behind(needs, tuple(sorted(seen & set(program.facts))), told)


def _unknown(facts: tuple[str, ...], env: Names) -> str:
    """What is not known of the run and would answer."""
    named = [name for fact in facts if env.get(fact) is None and (name := env.bench.fact_name(fact))]
    return f"not known: {', '.join(named)}" if named else ""


def _listed(needs: list[Need]) -> str:
    # a rate may be missing as a signal and as a setting
    return ", ".join(dict.fromkeys(n.target or "the console output" for n in needs))


def _lack(missing: list[Need]) -> str:
    settings = [n for n in missing if n.source in ("config", "config-text")]
    signals = [n for n in missing if n not in settings]
    said = [f"not logged: {_listed(signals)}"] if signals else []
    return "; ".join(said + ([f"not in the configuration: {_listed(settings)}"] if settings else []))
