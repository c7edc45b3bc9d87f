"""The names that a rule reads, each with its value in one run, found when first read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any

from curvedoc.core.frozen import dataclass
from curvedoc.core.late_regex import late_regex
from curvedoc.core.series import Series
from curvedoc.diagnose.judge.inventory import Makers
from curvedoc.diagnose.sentence.units import unit_of
from curvedoc.rulebook.evaluate import Env
from curvedoc.rulebook.facts.fact import NOTE
from curvedoc.rulebook.rule import Need, Program

if TYPE_CHECKING:
    from curvedoc.diagnose.judge.inputs import Bench


#: The name of a group of a pattern.
_GROUP = late_regex(r"\(\?P?<(\w+)>")


@dataclass(frozen=True, slots=True)
class Subject:
    """What a rule is evaluated for: the run, or one layer, data set, rank or sibling of it."""

    label: str
    scope: Mapping[str, str]
    pick: Callable[[Bench, Need], Series | None]


def _own(bench: Bench, need: Need) -> Series | None:
    return bench.pick(need)


#: The run as a whole.
WHOLE = Subject("", {}, _own)


class Names(Env):
    """Every name of a program with its value, None for unknown; inputs and measures are found when first read.

    Lazily, because a condition that fails spares what is behind it: most rules are silent on most runs.
    """

    __slots__ = ("bench", "firm", "firmer", "makers", "program", "subject")

    def __init__(self, bench: Bench, program: Program, subject: Subject, makers: Makers, firm: bool = False) -> None:
        self.known = bench.evaluator
        self.bench, self.program, self.subject, self.makers, self.firm = bench, program, subject, makers, firm
        self.firmer: Names | None = None

    def __missing__(self, name: str) -> Any:
        # a measure sees only names above it, so this ends
        value = self[name] = self.makers[name](self)
        return value

    def certain(self) -> Names:
        """The same names where facts that are guessed or in doubt are unknown; these themselves where none is."""
        facts = self.program.facts
        if self.firm or not facts or not any(map(self.bench.doubtful, facts)):
            return self  # and not kept: names that hold themselves would hold their run until the collector comes
        if self.firmer is None:
            self.firmer = Names(self.bench, self.program, self.subject, self.makers, True)
        return self.firmer

    def pick(self, need: Need) -> Series | None:
        """The series of an input."""
        subject = self.subject
        return self.bench.pick(need) if subject is WHOLE else subject.pick(self.bench, need)

    def bind(self, need: Need) -> Any:
        """The value of an input that is no series."""
        return self.bench.bind(need, self.subject)

    def match(self, name: str, regex: str) -> Series | None:
        """The messages that match a pattern."""
        hits = self.bench.transcript.hits(name, regex, self.program.excepted.get(name))
        return None if hits is None else hits.series

    def get(self, name: str, default: Any = None) -> Any:
        """The value of a name; None for one that the program does not have."""
        return self[name]

    def spelled(self, source: str, words: Collection[str]) -> str | None:
        """The word of a list that a note, a setting or the first message of a pattern spells out."""
        return next((word for word in words if word in self._groups(source)), None)

    def _groups(self, source: str) -> Collection[str]:
        if source.startswith(NOTE):
            return self.bench.kinds_of(source.removeprefix(NOTE))
        if (regex := self.program.patterns.get(source)) is not None:
            hits = self.bench.transcript.hits(source, regex, self.program.excepted.get(source))
            return () if hits is None else hits.texts
        return self.bench.groups(self.program.inputs[source])

    def texts(self) -> SentenceTexts:
        """The texts for a program's sentences."""
        return SentenceTexts(self)

    def text(self, name: str) -> str | None:
        """The label, what a pattern matched, how a series is logged, how a fact reads, where the program died; or None,
        where that is no text."""
        if name.startswith("name."):
            need = self.program.inputs.get(name.removeprefix("name."))
            own = need is not None and need.source == "role" and not need.member
            series = self.bench.pick(need) if own and need is not None else None
            return None if series is None else series.metric.rsplit("/", 1)[-1]
        if name.startswith("unit."):
            logged = self.program.inputs.get(name.removeprefix("unit."))
            series = None if logged is None else self[logged.name]
            return unit_of(series.metric) if isinstance(series, Series) else ""
        found = self.bench.spoken.place.get(name)
        if found is None and name not in _texts_of(self.program):
            return None  # a number, as most
        for pattern, regex in self.program.patterns.items():
            hits = self.bench.transcript.hits(pattern, regex, self.program.excepted.get(pattern))
            found = found if hits is None else hits.texts.get(name, found)
        if found is None and name in self.program.facts:
            found = self.bench.word(name)
        return called(self.subject.label) if found is None and name == "label" else found


def _texts_of(program: Program) -> Collection[str]:
    """The names that a program may have a text for, wherever its patterns match."""
    found: frozenset[str] | None = program.made.get("texts")
    if found is None:
        groups = (group for regex in program.patterns.values() for group in _GROUP.findall(regex))
        matched = (f"{pattern}_text" for pattern in program.patterns)
        found = program.made["texts"] = frozenset(("label", *groups, *matched, *program.facts))
    return found


class SentenceTexts(dict[str, str | None]):
    """The texts for a program's sentences, each found when a sentence names it; None for what is no text."""

    __slots__ = ("_names",)

    def __init__(self, names: Names) -> None:
        self._names = names

    def __missing__(self, name: str) -> str | None:
        found = self[name] = self._names.text(name)
        return found

    def get(self, name: str, default: Any = None) -> Any:
        """The text of a name, None for one that is no text."""
        return self[name]


def called(label: str) -> str:
    """A layer as a sentence names it: of one that is known by its place alone, that it is a layer.

    >>> called("0"), called("blocks.2.attn")
    ('layer 0', 'blocks.2.attn')
    """
    return f"layer {label}" if label.isdigit() else label
