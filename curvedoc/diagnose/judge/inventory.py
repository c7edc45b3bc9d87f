"""What a run has to be judged by, whatever its values: runs of one script have the same, and lack the same.

What follows for rules, facts and causes from that alone is worked out once for all runs of a kind.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from operator import itemgetter, methodcaller
from typing import Any

from curvedoc.core.run import Note, Run
from curvedoc.rulebook.code import UNKNOWN, Code, Fixed, code_with
from curvedoc.rulebook.evaluate import code_of
from curvedoc.rulebook.expr import Expr
from curvedoc.rulebook.facts.fact import NOTE
from curvedoc.rulebook.rule import Fact, Need, Program, Rulebook, Way
from curvedoc.rulebook.shared import shared_params

#: What rules need that look at nothing but whether a loss is a number; progress is not asked of it.
ANY_LOSS, LOSSES = "any_loss", ("loss", "game_loss", "aux_loss")
#: The share of wrong answers, in training and on other samples, by what is graded there.
WRONG, VAL_WRONG = "wrong", "val_wrong"
GRADES = {WRONG: ("accuracy", "metric"), VAL_WRONG: ("val_accuracy", "val_metric")}
#: What says how good the model is, by the fact of that name, turned so that up is better.
QUALITY = "quality"
#: The same with its sign turned, for what is asked of curves that should fall.
SHORTFALL = "shortfall"
#: What a loss of similarity, whose floor is -1, has left above it, by the fact of what kind of number the loss is.
ABOVE_FLOOR = "above_floor"
#: Measures by their names, whichever samples they grade: other than those of training where there are such.
ANY_METRIC, METRICS = "any_metric", ("val_metric", "metric")
#: The roles of which an input is worked out.
_WORKED_OUT = {ANY_LOSS: LOSSES, ANY_METRIC: METRICS, ABOVE_FLOOR: ("loss",), **GRADES}

#: Runs of a kind that are judged each by itself first: to work out what follows takes as long as a few of them. Where
#: nothing was made of the rules yet it takes no longer than that, so that the first kind of all is begun with at once.
FIRST = 3
#: Kinds of runs that are remembered.
KINDS = 16
#: Sources of inputs that a run has or lacks, and what is looked for there.
_Key = tuple[frozenset[str], frozenset[str], frozenset[str], bool, str]
Ways = list[tuple[Way, "Code | None", "Code | None"]]


class Makers(dict[str, Code]):
    """What gives the value of each name of a program, made when it is first read.

    `Fixed` where no run changes it: thresholds, and with an inventory what it lacks and what follows from it.
    made: what else was made of the program
    """

    __slots__ = ("_common", "_inventory", "_once", "_program", "made")

    def __init__(self, program: Program, inventory: Inventory | None = None) -> None:
        super().__init__((name, Fixed(value)) for name, value in program.given.items())
        self._program, self._inventory = program, inventory
        self.made: dict[str, Any] = {}
        #: measures that have the same value whichever program asks, and names that one formula reads
        self._common = frozenset(program.shared if inventory is not None and _as_shipped(program) else ())
        self._once = frozenset() if inventory is None else _read_once(program)
        for name, regex in program.patterns.items():
            silent = inventory is not None and not inventory.messages
            self[name] = UNKNOWN if silent else methodcaller("match", name, regex)
        for name, need in program.inputs.items():
            fixed = None if inventory is None else inventory.fixed(need)
            if fixed is None and inventory is not None and need.source == "role":
                self[name] = _picked(need)
            else:
                self[name] = fixed or methodcaller("pick" if need.source == "role" else "bind", need)

    def __missing__(self, name: str) -> Code:
        formula, inventory = self._program.formulas.get(name), self._inventory
        if formula is not None:
            made = self.code(formula)
            if name in self._common and not isinstance(made, Fixed):
                made = _of_all(name, made)
        elif inventory is not None and name in self._program.facts and inventory.unknown(name):
            made = UNKNOWN
        else:
            made = _fact(name)
        self[name] = made
        return made

    def code(self, expr: Expr) -> Code:
        """What gives the value of an expression of the program."""
        return code_of(expr) if self._inventory is None else code_with(expr, self._named)

    def _named(self, name: str) -> Code:
        made = self[name]
        return made if isinstance(made, Fixed) or name in self._once else itemgetter(name)

    def ways(self, fact: Fact) -> Ways:
        """The ways to know a fact that may speak: each with what says whether it does, and what gives its value."""
        found: Ways | None = self.made.get("ways")
        if found is None:
            found = self.made["ways"] = []
            for way in fact.ways:
                given = None if way.given is None else self.code(way.given)
                value = self.code(way.value) if isinstance(way.value, Expr) else None
                silent = (isinstance(given, Fixed) and given.value is not True) or _unknown(value)
                if isinstance(way.value, str) and way.value not in fact.words:
                    silent = silent or self._unspelled(way.value)
                if not silent:
                    found.append((way, given, value))
        return found

    def _unspelled(self, source: str) -> bool:
        """Whether no run of the kind has what a way finds a word or a text in."""
        if source.startswith(NOTE):
            return self._inventory is not None and not self._inventory.notes(source.removeprefix(NOTE))
        return source in self and _unknown(self[source])


# what is asked most, each a hundred times a run
def _picked(need: Need) -> Code:
    """The series of an input of the run as a whole."""
    key = need.member, need.target, need.regex

    def code(env: Any) -> Any:
        try:
            return env.bench.picked[key]
        except KeyError:
            return env.bench.pick(need)

    return code


def _of_all(name: str, made: Code) -> Code:
    """The value of a measure that programs share, found once a run."""

    def code(env: Any) -> Any:
        if env.firm:
            return made(env)
        shared = env.bench.shared
        try:
            return shared[name]
        except KeyError:
            value = shared[name] = made(env)
            return value

    return code


def _as_shipped(program: Program) -> bool:
    """Whether no threshold that programs share has a value of its own in this one."""
    shared = shared_params()
    return all(p.name in shared and p.value == shared[p.name].value for p in program.params if p.shared)


def _read_once(program: Program) -> frozenset[str]:
    """The names that a single formula reads: to keep their values takes longer than to ask for them there. Those of
    alternatives have no formula, and are kept where they were judged."""
    times = Counter(name for formula in program.formulas.values() for name in formula.names)
    asked = {*program.formulas, *program.inputs, *program.patterns, *program.facts}
    return frozenset(name for name, count in times.items() if count == 1 and name in asked)


def _fact(name: str) -> Code:
    """The value of a fact."""

    def code(env: Any) -> Any:
        if not env.firm:
            try:
                return env.bench.values[name]
            except KeyError:
                pass
        return env.bench.value_of(name, env.firm)

    return code


def _unknown(code: Code | None) -> bool:
    return isinstance(code, Fixed) and code.value is None


class Inventory:
    """The roles, settings, kinds of notes and messages of a kind of runs, and what follows from them."""

    def __init__(self, key: _Key, facts: Mapping[str, Fact]) -> None:
        self._roles, self._settings, self._notes, self.messages, self._axis = key
        self._facts = facts
        self._unknown: dict[str, bool] = {}
        self._known: Sequence[str] | None = None
        self._makers: dict[int, Makers] = {}
        self.seen = 0

    def makers(self, program: Program) -> Makers:
        """What gives the values of a program's names in runs of this kind."""
        found = self._makers.get(id(program))
        if found is None:
            found = self._makers[id(program)] = Makers(program, self)
        return found

    def known(self) -> Sequence[str]:
        """The facts that may be known."""
        if self._known is None:
            self._known = [name for name in sorted(self._facts) if not self.unknown(name)]
        return self._known

    def unknown(self, name: str) -> bool:
        """Whether no way leads to a fact."""
        found = self._unknown.get(name)
        if found is None:
            self._unknown[name] = False  # while it is looked for
            fact = self._facts.get(name)
            found = fact is None or (fact.told is None and not self.makers(fact.program).ways(fact))
            self._unknown[name] = found
        return found

    def notes(self, family: str) -> bool:
        """Whether there are notes of kinds that begin so."""
        return any(kind.startswith(f"{family}-") for kind in self._notes)

    def fixed(self, need: Need) -> Fixed | None:
        """The value of an input that all runs of this kind have; None where it is a matter of each."""
        match need.source:
            case "role" | "name" if need.target not in (QUALITY, SHORTFALL):
                there = not self._roles.isdisjoint(_WORKED_OUT.get(need.target, (need.target,)))
                return None if there else UNKNOWN
            case "config" | "config-text":
                return None if need.target in self._settings else UNKNOWN
            case "note":
                return None if need.target in self._notes else Fixed(0.0)
            case "axis":
                return Fixed(1.0 if self._axis == need.target else 0.0)
            case "log":
                return Fixed(True) if self.messages else UNKNOWN
        return None


def inventory_of(run: Run, known: Sequence[Note], book: Rulebook) -> Inventory | None:
    """The inventory of runs like this one; None for the first of them, but for the first kind of all."""
    notes = [*known, *run.notes, *(n for s in run.sources for n in s.notes)]
    messages = run.has_text or not run.messages.is_empty()
    roles, settings = frozenset([m.role for m in run.roles]), frozenset(run.settings)
    key = (roles, settings, frozenset([n.kind for n in notes]), messages, run.axis)
    kinds: dict[_Key, Inventory] = book.made.setdefault("kinds", {})
    found = kinds.get(key)
    if found is None:
        if len(kinds) >= KINDS:
            del kinds[next(iter(kinds))]
        found = kinds[key] = Inventory(key, book.facts)
    first = book.made.setdefault("first", found)
    found.seen += 1
    return found if found.seen > FIRST or found is first else None
