"""One run on the bench: its signals, settings and messages as the inputs of rules, each computed once."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import polars as pl

from curvedoc.core.block import restarts_of
from curvedoc.core.diagnosis import KnownFact
from curvedoc.core.run import Note, RoleMatch, Run
from curvedoc.core.series import Series
from curvedoc.diagnose.judge import grades
from curvedoc.diagnose.judge.facts import established
from curvedoc.diagnose.judge.inventory import (
    ABOVE_FLOOR,
    ANY_LOSS,
    ANY_METRIC,
    GRADES,
    LOSSES,
    METRICS,
    QUALITY,
    SHORTFALL,
    VAL_WRONG,
    WRONG,
    Inventory,
    Makers,
)
from curvedoc.diagnose.judge.layers import SUMMARIES, Summary, summary
from curvedoc.diagnose.judge.names import WHOLE, Names, Subject
from curvedoc.diagnose.judge.transcript import Transcript
from curvedoc.diagnose.sentence.counter import Counter, counter
from curvedoc.diagnose.sentence.spoken import SILENT, Spoken
from curvedoc.diagnose.sentence.titles import lower_first
from curvedoc.rulebook.evaluate import Evaluator
from curvedoc.rulebook.facts.fact_files import shipped_facts
from curvedoc.rulebook.literals import words_needed
from curvedoc.rulebook.rule import Fact, Need, Program
from curvedoc.rulebook.vocabulary import calls

#: Layers that a summary takes in: thousands of parameters add nothing after the first few hundred.
MAX_LAYERS = 400


#: The measure that the run is for.
MAIN_QUALITY = "main_quality"
#: The input of that fact by which the name of a measure says that it should fall.
ERROR = "lower"
LOSS_KIND = "loss_kind"
#: What a user logs to have an input that is worked out; the last is there wherever a loss is of that kind.
MADE_OF = {
    ANY_LOSS: "loss",
    ANY_METRIC: "val_metric",
    ABOVE_FLOOR: "",
    QUALITY: "val_accuracy",
    SHORTFALL: "val_accuracy",
    WRONG: "accuracy",
    VAL_WRONG: "val_accuracy",
}


class Bench:
    """A run with its memo. Not shared between threads; one per run and analysis."""

    def __init__(
        self,
        run: Run,
        evaluator: Evaluator | None = None,
        facts: Mapping[str, Fact] | None = None,
        known: Sequence[Note] = (),
        spoken: Spoken = SILENT,
        inventory: Inventory | None = None,
    ) -> None:
        """facts: that may be asked for; those that ship with curvedoc where none are given.

        known: what was found out of the run as a whole, as notes that rules and facts may ask for;
        spoken: what the message that ended the run says, for sentences; inventory: what runs of its kind have.
        """
        self.run = run
        self.known = tuple(known)
        self.spoken = spoken
        self.transcript = Transcript(run.messages, run.has_text)
        self._counter: Counter | None = None
        self.evaluator = evaluator or Evaluator(calls())
        self._facts = shipped_facts() if facts is None else facts
        self._inventory = inventory
        self._known: dict[str, KnownFact | None] = {}
        self._restarts: Series | None = None
        #: what was found of inputs, by member, role and name, of facts, whatever they rest on, and of shared measures
        self.picked: dict[tuple[str, str, str], Series | None] = {}
        self.values: dict[str, Any] = {}
        self.shared: dict[str, Any] = {}

    @property
    def counter(self) -> Counter:
        """What the run counts in; boosted trees count rounds, whatever the log calls them."""
        if self._counter is None:
            self._counter = counter(self.run)  # what asks for the fact may tell a step
            if self._counter.axis in ("step", "row", "epoch") and self.value_of("boosted", False):
                self._counter = Counter("round")
        return self._counter

    def fact(self, name: str) -> KnownFact | None:
        """What is known of a fact of the run; None where nothing is."""
        if name not in self._known:
            self._known[name] = established(self._facts[name], self) if name in self._facts else None
        return self._known[name]

    def facts(self) -> dict[str, KnownFact]:
        """All that is known of the run."""
        names = sorted(self._facts) if self._inventory is None else self._inventory.known()
        return {name: known for name in names if (known := self.fact(name)) is not None}

    def value_of(self, name: str, firm: bool) -> Any:
        """The value of a fact, None where it is unknown, or where it is not firm and only such a fact is wanted."""
        known = self.fact(name)
        if known is None or (firm and not known.firm):
            value = None
        else:
            value = float(known.value) if type(known.value) is int else known.value  # a step, as other numbers
        if not firm:
            self.values[name] = value
        return value

    def doubtful(self, name: str) -> bool:
        """Whether a fact is known, and not firmly."""
        known = self.fact(name)
        return known is not None and not known.firm

    def word(self, name: str) -> str | None:
        """How a fact reads that is a word."""
        known = self.fact(name)
        if known is None or not isinstance(known.value, str):
            return None
        return self._facts[name].words.get(known.value, known.value)

    def fact_name(self, name: str) -> str:
        """What a fact tells, for a sentence; that of a flag is a sentence by itself, and no name."""
        fact = self._facts.get(name)
        return "" if fact is None or fact.type == "flag" else lower_first(fact.title)

    def pick(self, need: Need) -> Series | None:
        """The series behind a role of the whole run; first and last in the order logged; or a summary of its layers."""
        key = (need.member, need.target, need.regex)
        try:
            return self.picked[key]
        except KeyError:
            found = self.picked[key] = self._found(need)
            return found

    def _found(self, need: Need) -> Series | None:
        if need.regex and need.member not in SUMMARIES:
            return self._called(METRICS if need.target == ANY_METRIC else (need.target,), need.regex)
        if need.member in ("first", "last"):
            matches = [m for m in self.run.matches(need.target) if self.run.metric(m.metric) is not None]
            if not matches:
                return None
            return self.run.metric(matches[0 if need.member == "first" else -1].metric)
        if need.member in SUMMARIES:
            return self._summary(need.member, need.target, need.regex)
        if need.target == ANY_LOSS:
            return next((s for role in LOSSES if (s := self.run.series(role)) is not None), None)
        if need.target in (QUALITY, SHORTFALL):
            return grades.quality(self.run, self.fact(MAIN_QUALITY), 1.0 if need.target == QUALITY else -1.0)
        if need.target == ABOVE_FLOOR:
            return grades.above_floor(self.run, self.fact(LOSS_KIND))
        if need.target in GRADES:
            return grades.wrong(self.run, self.fact(MAIN_QUALITY), GRADES[need.target])
        return self.run.series(need.target)

    def is_error(self, role: str) -> bool:
        """Whether the metric of a role is one that should fall, by its name."""
        fact = self._facts.get(MAIN_QUALITY)
        named = None if fact is None else fact.program.inputs.get(ERROR)
        return named is not None and self.bind(replace(named, target=role), WHOLE) is True

    def _called(self, roles: Sequence[str], regex: str) -> Series | None:
        """The first metric of the first of the roles that is called so."""
        matches = (m for role in roles for m in self.run.matches(role) if _is_called(m, regex))
        return next((s for m in matches if (s := self.run.metric(m.metric)) is not None), None)

    def _summary(self, kind: Summary, role: str, regex: str) -> Series | None:
        named = [m for m in self.run.matches(role)[:MAX_LAYERS] if not regex or _is_called(m, regex)]
        found = [(m.label or m.metric, self.run.metric(m.metric)) for m in named]
        return summary(kind, [(label, s) for label, s in found if s is not None])

    def bind(self, need: Need, subject: Subject) -> Any:
        """The value of one input, None where the run has none."""
        match need.source:
            case "role":
                return subject.pick(self, need)
            case "config":
                return _number(self.run.settings.get(need.target))
            case "config-text":
                setting = self.run.settings.get(need.target)
                return None if setting is None else _contains(str(setting), need.regex)
            case "label":
                return _contains(subject.label, need.regex)
            case "note":
                return float(self._notes(need.target))
            case "axis":
                return 1.0 if self.run.axis == need.target else 0.0
            case "restarts":
                return self.restarts()
            case "name":
                roles = METRICS if need.target == ANY_METRIC else (need.target,)
                match = next((m for role in roles for m in self.run.matches(role)), None)
                return None if match is None else _is_called(match, need.regex)
            case "ranks":
                return float(len(self.run.ranks())) or None
            case "log":
                return True if self.run.has_text or not self.run.messages.is_empty() else None

    def groups(self, need: Need) -> Collection[str]:
        """The named groups of the regex of a setting that take part in its match."""
        setting = self.run.settings.get(need.target)
        return () if setting is None else _groups(str(setting), need.regex)

    def kinds_of(self, family: str) -> Collection[str]:
        """What follows the family in the kinds of notes, as words: "by_hand" of "ended", for "ended-by-hand"."""
        kinds = [n.kind.partition("-") for n in self._all_notes()]
        return [rest.replace("-", "_") for begins, _, rest in kinds if begins == family]

    def _notes(self, kind: str) -> int:
        return sum(n.count for n in self._all_notes() if n.kind == kind)

    def _all_notes(self) -> Sequence[Note]:
        return [*self.known, *self.run.notes, *(n for s in self.run.sources for n in s.notes)]

    def restarts(self) -> Series:
        """One row per restart: the step it went back to, value the step it came from."""
        if self._restarts is None:
            self._restarts = restarts_of(self.run.blocks)
        return self._restarts

    def makers(self, program: Program) -> Makers:
        """What gives the values of a program's names in the run as a whole."""
        return own_makers(program) if self._inventory is None else self._inventory.makers(program)

    def environment(self, program: Program, subject: Subject) -> Names:
        """Every name of a program with its value."""
        return Names(self, program, subject, self.makers(program) if subject is WHOLE else own_makers(program))


def own_makers(program: Program) -> Makers:
    """What gives the values of a program's names in any run, kept on it."""
    made: Makers | None = program.made.get("makers")
    if made is None:
        made = program.made["makers"] = Makers(program)
    return made


def _number(setting: object) -> float | None:
    if isinstance(setting, (bool, int, float)):
        number = float(setting)
        return number if math.isfinite(number) else None
    if isinstance(setting, str):
        try:
            number = float(setting)
        except ValueError:
            return None
        return number if math.isfinite(number) else None
    return None


def _is_called(match: RoleMatch, regex: str) -> bool:
    return any(_contains(x, regex) for x in (match.metric, match.label))


@lru_cache(maxsize=1024)
def _contains(text: str, regex: str) -> bool:
    """Whether a setting or label matches: asked of the same few for run after run."""
    words, low = words_needed(regex), text.lower()
    if words and not any(word in low for word in words):
        return False
    return bool(pl.Series([text]).str.contains(f"(?i){regex}")[0])


@lru_cache(maxsize=256)
def _groups(text: str, regex: str) -> Collection[str]:
    """The named groups of a regex that take part in its first match."""
    found = pl.Series([text]).str.extract_groups(f"(?i){regex}").struct.unnest().row(0, named=True)
    return frozenset(name for name, part in found.items() if part is not None)
