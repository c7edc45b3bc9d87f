"""What is true of a run: a fact by its ways to be known, in order of trust, with what contradicts it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from curvedoc.core.diagnosis import KnownFact, Trust
from curvedoc.core.late_regex import late_regex
from curvedoc.core.numbers import spelled
from curvedoc.diagnose.judge.names import WHOLE, Names
from curvedoc.diagnose.sentence.fields import fill
from curvedoc.rulebook.code import Code
from curvedoc.rulebook.facts.fact import SETTING
from curvedoc.rulebook.rule import Fact, Way

if TYPE_CHECKING:
    from curvedoc.diagnose.judge.inputs import Bench

TOLD = "you said so"
#: A path, a file or an artifact: "true", "auto" and "none" are settings too.
_PLACE = late_regex(r"^\S*[/\\.:]\S*$")

Value = bool | int | float | str


def established(fact: Fact, bench: Bench) -> KnownFact | None:
    """The fact of one run, None where no way knows it: by the first sure way, else by the first guess.

    What rests on a guess, or on a fact in doubt, is a guess. Two sure ways that disagree leave the first in doubt.
    """
    if fact.told is not None:
        return KnownFact(fact.told, fact.unit, "sure", TOLD, TOLD)
    makers = bench.makers(fact.program)
    ways = makers.ways(fact)
    if not ways:
        return None
    env = Names(bench, fact.program, WHOLE, makers)
    sure: list[tuple[Way, Value]] = []
    guess: tuple[Way, Value] | None = None
    for way, given, made in ways:
        if (way.trust == "guess" and (sure or guess)) or (sure and not _comparable(fact)):
            continue
        value = _value(fact, way, given, made, env)
        if value is None:
            continue
        firm = env.certain() if way.trust == "sure" else None
        if firm is not None and (firm is env or _value(fact, way, given, made, firm) == value):
            sure.append((way, value))
        elif guess is None:
            guess = way, value
    if not sure:
        return None if guess is None else _known(fact, *guess, "guess", env, None)
    way, value = sure[0]
    # ways that read the same thing stand in order of preference: they do not contradict each other
    against = next((s for s in sure[1:] if s[0].source != way.source and _differ(fact, value, s[1], env)), None)
    doubt = None if against is None else _sentence(fact, *against, env)
    return _known(fact, way, value, "sure", env, doubt)


def _comparable(fact: Fact) -> bool:
    """Whether a second sure way may contradict the first."""
    return fact.type in ("flag", "word") or fact.doubt is not None


def _value(fact: Fact, way: Way, given: Code | None, made: Code | None, env: Names) -> Value | None:
    if given is not None and given(env) is not True:
        return None
    if isinstance(way.value, str) and way.value not in fact.words:
        return env.spelled(way.value, fact.words) if fact.words else _text(way.value, env)
    value: Value | None = way.value if made is None else made(env)  # type: ignore[assignment]
    return round(value) if fact.type == "step" and isinstance(value, float) else value


def _text(source: str, env: Names) -> str | None:
    """What a group of a pattern took from a message, or a setting says whose name begins so, as it was written.

    Of a setting only what reads like a place.
    """
    if not source.startswith(SETTING):
        return env.text(source)
    begins = source.removeprefix(SETTING)
    said = (v for k, v in env.bench.run.config.items() if k.rsplit(".", 1)[-1].lower().startswith(begins))
    return next((v for v in said if isinstance(v, str) and _PLACE.search(v)), None)


def _differ(fact: Fact, one: Value, other: Value, env: Names) -> bool:
    if fact.doubt is None or isinstance(one, (bool, str)) or isinstance(other, (bool, str)):
        return one != other
    tolerance: float = env[fact.doubt]
    return abs(one - other) > tolerance * max(abs(one), abs(other))


def _known(fact: Fact, way: Way, value: Value, trust: Trust, env: Names, doubt: str | None) -> KnownFact:
    return KnownFact(value, fact.unit, trust, way.source, _sentence(fact, way, value, env), doubt)


def _sentence(fact: Fact, way: Way, value: Value, env: Names) -> str:
    texts = env.texts()
    numbers: Mapping[str, Any] = env
    if isinstance(value, str):
        texts["value"] = fact.words.get(value, value)
    else:
        numbers = _With(env, float(value))
    # a sentence may name a number that this run does not have; how the value is known still holds
    return fill(way.say, numbers, texts, env.bench.counter) or f"by {way.source}: {spoken(fact, value)}"


def spoken(fact: Fact, value: Value) -> str:
    """A value as it reads: a word of the list, yes or no, a number with its unit."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return fact.words.get(value, value)
    return f"{spelled(value, ',.0f' if fact.type == 'step' else '.4g')} {fact.unit}".strip()


class _With(dict[str, Any]):
    """The names of a fact, and {value}."""

    def __init__(self, env: Names, value: float) -> None:
        super().__init__(value=value)
        self._env = env

    def get(self, name: str, default: Any = None) -> Any:
        return self["value"] if name == "value" else self._env.get(name, default)
