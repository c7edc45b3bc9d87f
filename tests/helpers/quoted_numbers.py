"""Numbers that a sentence quotes of a run, and whether the page shows them: on a curve, or as a fact or a setting."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from curvedoc.core.diagnosis import RunDiagnosis

_NUMBER = re.compile(r"(?<![\w.@\-])(-?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?)(?![\w]|\.\d)(%| times|-fold| there)?")
_PLACE = re.compile(r"(?:step|epoch|sample|row|point)s? \(?$")
#: Words before a number that is the level of many points.
_LEVEL = ("about ", "median norm of ")
#: Of the last digit that is printed.
_HALF = 0.51


@dataclass(frozen=True, slots=True)
class Quoted:
    """One number of a sentence, with what stands before it."""

    text: str
    before: str

    @property
    def value(self) -> float:
        """The number itself."""
        return float(self.text.replace(",", ""))

    @property
    def place(self) -> bool:
        """Whether it is a step."""
        return bool(_PLACE.search(self.before))

    @property
    def level(self) -> bool:
        """Whether it is said to be about so much."""
        return self.before.endswith(_LEVEL)

    @property
    def width(self) -> float:
        """How far a value may lie from it and be printed so."""
        digits, _, exponent = self.text.replace(",", "").partition("e")
        return _HALF * 10.0 ** (int(exponent or 0) - len(digits.partition(".")[2]))


def quoted(sentence: str) -> Iterator[Quoted]:
    """The numbers of a sentence that are values or steps of its run; shares and factors are worked out of them."""
    for m in _NUMBER.finditer(sentence):
        if not m[2]:
            yield Quoted(m[1], sentence[: m.start()])


def shown(run: RunDiagnosis) -> set[float]:
    """Every value that the page of a run has: of its curves, its signals, its facts and its settings."""
    drawn = {v for c in run.curves for part in (c.low, c.mean, c.high, c.raw[1]) for v in part if v == v}
    drawn |= {s.last_value for s in run.signals if s.last_value is not None}
    drawn |= {float(f.value) for f in run.facts.values() if isinstance(f.value, (int, float))}
    settings = {k: float(v) for k, v in run.config.items() if isinstance(v, (int, float))}
    # batches times their size are the samples of an epoch
    steps = run.facts.get("epoch_steps")
    batches = float(steps.value) if steps is not None and isinstance(steps.value, (int, float)) else 0.0
    drawn |= {settings.get("batch_size", 0.0) * n for n in (batches, settings.get("steps_per_epoch", 0.0))}
    return drawn | {*settings.values()}


def unfounded(run: RunDiagnosis, sentence: str) -> list[str]:
    """The numbers of a sentence that nothing on the page of its run shows; of levels those beyond all that is drawn."""
    values = shown(run)
    steps = [s for c in run.curves for s in (*c.step, *c.raw[0])]
    last = max([s.last_step for s in run.signals if s.last_step is not None], default=0)
    wrong = []
    layers = (name for f in run.findings for named in f.scope.values() for name in named.split(", "))
    for layer in (name for name in layers if any(c.isalpha() for c in name)):
        sentence = sentence.replace(layer, "")
    for number in quoted(sentence):
        x = number.value
        if number.place:
            found = min(steps, default=0) <= x <= max([last, *steps]) or "epoch" in number.before[-8:]
        elif number.level:
            inside = bool(values) and min(values) - number.width <= x <= max(values) + number.width
            # a count of samples is no level
            found = inside or any(abs(v - x) <= number.width for v in values)
        else:
            found = any(abs(v - x) <= number.width for v in values)
        if not found:
            wrong.append(number.text)
    return wrong
