"""The words and number formats that every view shares, so that they cannot disagree."""

from __future__ import annotations

import math

from curvedoc.core.diagnosis import Cost, KnownFact, Verdict
from curvedoc.core.numbers import spelled
from curvedoc.diagnose.sentence.ties import ASSERTED as ASSERTED

#: Glyph, word and style class of a verdict. Never color alone.
VERDICTS: dict[Verdict, tuple[str, str, str]] = {
    "failed": ("✕", "Failed", "fail"),
    "warning": ("▲", "Warning", "warn"),
    "ended-early": ("■", "Ended early", "early"),
    "inconclusive": ("?", "Inconclusive", "unsure"),
    "healthy": ("✓", "Healthy", "ok"),
}

COSTS: dict[Cost, str] = {
    "look": "reading files",
    "code": "a small change of code",
    "short-run": "one short run",
    "full-run": "one full run",
}

#: At or above: the word. A headline asserts a cause only from `ASSERTED` up.
POSSIBLE = 0.10
_LIKELY = ((0.70, "very likely"), (ASSERTED, "likely"), (POSSIBLE, "possible"), (0.0, "unlikely"))


#: Less time than this, 3 minutes, is not worth a word: steps say more.
SHOWN_HOURS = 0.05


def fact(known: KnownFact) -> str:
    """The value of a fact as it reads: yes or no, a word, a number with its unit.

    >>> fact(KnownFact(10.0, "classes", "sure", "configuration", "")), fact(KnownFact(True, "", "sure", "curves", ""))
    ('10 classes', 'yes')
    """
    if isinstance(known.value, bool):
        return "yes" if known.value else "no"
    if isinstance(known.value, str):
        return known.value.replace("_", " ")
    return f"{spelled(known.value, ',.0f' if isinstance(known.value, int) else '.4g')} {known.unit}".strip()


def unit(axis: str) -> str:
    """What one place on an axis is called: `sample` where steps are counted in samples."""
    from curvedoc.diagnose.sentence.counter import Counter  # brings polars: a kept answer is told without

    return Counter(axis).noun


def likelihood(probability: float) -> str:
    """The word for a probability, judged after rounding to whole percents as it is shown beside it.

    >>> [likelihood(p) for p in (0.9, 0.695, 0.6, 0.1, 0.02)]
    ['very likely', 'very likely', 'likely', 'possible', 'unlikely']
    """
    shown = math.floor(probability * 100 + 0.5) / 100 if math.isfinite(probability) else 0.0
    return next((word for floor, word in _LIKELY if shown >= floor), "unlikely")


def percent(probability: float) -> str:
    """A probability as shown: whole percents, never a false 0 or 100.

    >>> percent(0.784), percent(0.999), percent(0.001)
    ('78 %', '> 99 %', '< 1 %')
    """
    if not math.isfinite(probability):
        return "unknown"
    shown = math.floor(probability * 100 + 0.5)
    if shown >= 100:
        return "> 99 %"
    return f"{shown} %" if shown >= 1 else "< 1 %"


def cap(text: str) -> str:
    """The text with a capital letter, where it begins with an ordinary word and not with a name such as grad_norm.

    >>> cap("the loss rose"), cap("grad_norm rose"), cap("lr/peak rose"), cap("")
    ('The loss rose', 'grad_norm rose', 'lr/peak rose', '')
    """
    head = text.split(" ", 1)[0].rstrip(",.:;?")
    return text[:1].upper() + text[1:] if head.isalpha() and head.islower() and head.isascii() else text


def run_name(name: str) -> str:
    """A run's name as shown: "." is the place that the user pointed at and says nothing.

    >>> run_name("."), run_name(".::blue-owl-3"), run_name("sweep/a")
    ('', 'blue-owl-3', 'sweep/a')
    """
    return "" if name == "." else name.removeprefix(".::") or name


def count(n: int, noun: str, plural: str = "") -> str:
    """A number with its noun: `1 run`, `1,200 runs`."""
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"


def verdicts(verdict: Verdict, n: int) -> str:
    """How many runs got a verdict: `2 failed`, `1 warning`, `3 could not be judged`.

    >>> verdicts("warning", 2), verdicts("healthy", 1), verdicts("inconclusive", 3)
    ('2 warnings', '1 healthy', '3 could not be judged')
    """
    word = {
        "warning": "warnings" if n != 1 else "warning",
        "inconclusive": "could not be judged",
        "ended-early": "ended early",
    }.get(verdict, verdict)
    return f"{n:,} {word}"


def step(n: int | None) -> str:
    """A step number with thousands separators, or "none"."""
    return "none" if n is None else f"{n:,}"


def value(v: float | None) -> str:
    """A measured value in about three digits; "none" for None."""
    return spelled(v)


def hours(h: float | None) -> str:
    """Hours with one decimal below a hundred; minutes below one hour.

    >>> hours(43.62), hours(0.3), hours(212.4), hours(None), hours(0.001)
    ('43.6 h', '18 min', '212 h', 'unknown', '< 1 min')
    """
    if h is None or not math.isfinite(h) or h < 0:
        return "unknown"
    if h >= 1:
        return f"{h:,.1f} h" if h < 100 else f"{h:,.0f} h"
    minutes = math.floor(h * 60 + 0.5)
    return f"{minutes} min" if minutes else "< 1 min"


def size(n: int) -> str:
    """Bytes in a readable unit: `840 B`, `12 kB`, `3.4 MB`."""
    if n < 1000:
        return f"{n} B"
    if n < 1_000_000:
        return f"{n / 1000:.0f} kB"
    return f"{n / 1e6:.1f} MB" if n < 1e9 else f"{n / 1e9:.1f} GB"


def json_number(value: float | None) -> float | None:
    """A number as JSON has it, which knows no NaN and no infinity."""
    return value if value is not None and math.isfinite(value) else None
