"""The questions of a cause, each answered from the log where the log can, or where a probe printed the answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from curvedoc.core.diagnosis import Check
from curvedoc.diagnose.sentence.counter import Counter
from curvedoc.diagnose.sentence.fields import fill
from curvedoc.rulebook.rule import Answer, CheckSpec, Need, Program

PROBED = "a probe printed this answer into the log"


def answered(
    spec: CheckSpec,
    env: Mapping[str, Any],
    texts: Mapping[str, str | None],
    program: Program,
    count: Counter,
    said: bool | None = None,
) -> Check:
    """One question: yes or no with the numbers behind it, open, or unanswerable with what is missing for an answer.

    A look at what was never logged takes a run that logs it. said: what a probe answered, which is asked first
    """
    if said is not None:
        return Check(spec.ask, spec.how, spec.cost, spec.yes, spec.no, "yes" if said else "no", PROBED)
    if spec.answer is None:
        return Check(spec.ask, spec.how, spec.cost, spec.yes, spec.no)
    truth = _truth(spec.answer, env)
    if truth is not None:
        because = fill(spec.because, env, texts, count) or ""
        return Check(spec.ask, spec.how, spec.cost, spec.yes, spec.no, "yes" if truth else "no", because)
    missing = [n for n in _behind(program, spec.answer) if env.get(n.name) is None]
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
        _lack(missing) or _between(spec, env, texts, count),
        roles,
    )


def _between(spec: CheckSpec, env: Mapping[str, Any], texts: Mapping[str, str | None], count: Counter) -> str:
    """What is said where all inputs are there and speak neither for a yes nor for a no, as a rate at the border."""
    seen = fill(spec.because, env, texts, count) if spec.because else None
    return f"{seen}: neither clearly so nor clearly not" if seen else "the log does not show it"


def _truth(answer: str | Answer, env: Mapping[str, Any]) -> bool | None:
    if isinstance(answer, str):
        return env.get(answer)
    if answer.yes is not None and env.get(answer.yes) is True:
        return True
    return False if answer.no is not None and env.get(answer.no) is True else None


def _behind(program: Program, answer: str | Answer) -> list[Need]:
    """The inputs that an answer rests on, directly or through other measures, in the order of the file."""
    key = f"behind {answer if isinstance(answer, str) else answer.names}"
    found: list[Need] | None = program.made.get(key)
    if found is None:
        found = program.made[key] = _found_behind(program, answer)
    return found


def _found_behind(program: Program, answer: str | Answer) -> list[Need]:
    seen: set[str] = set()
    left = [answer] if isinstance(answer, str) else [*answer.names]
    while left:
        name = left.pop()
        if name not in seen:
            seen.add(name)
            formula = program.formulas.get(name)
            left += formula.names if formula is not None else ()
    patterns = seen & set(program.patterns)
    return [n for n in program.needs if n.name in seen or (n.source == "log" and patterns)]


def _listed(needs: list[Need]) -> str:
    # a rate may be missing as a signal and as a setting
    return ", ".join(dict.fromkeys(n.target or "the console output" for n in needs))


def _lack(missing: list[Need]) -> str:
    settings = [n for n in missing if n.source in ("config", "config-text")]
    signals = [n for n in missing if n not in settings]
    said = [f"not logged: {_listed(signals)}"] if signals else []
    return "; ".join(said + ([f"not in the configuration: {_listed(settings)}"] if settings else []))
