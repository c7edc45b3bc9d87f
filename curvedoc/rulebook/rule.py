"""Rule, cause and their parts as loaded and checked: frozen, ready to evaluate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any, Literal

from curvedoc.core.diagnosis import Cost, Kind, Severity, Trust
from curvedoc.core.frozen import dataclass
from curvedoc.rulebook.expr import Expr

if TYPE_CHECKING:
    from curvedoc.rulebook.facts.fact_schema import FactCase
    from curvedoc.rulebook.schema.case import Case, CauseCase
    from curvedoc.rulebook.schema.remark import RemarkCase

Source = Literal["role", "config", "config-text", "label", "log", "note", "axis", "restarts", "name", "ranks"]
Member = Literal["", "each", "same", "others", "first", "last", "total", "least", "weak", "strong", "moved", "still"]
Scope = Literal["run", "layer", "metric", "rank", "siblings"]


@dataclass(frozen=True, slots=True)
class Need:
    """One input of a rule: a local name for a signal, a setting or the message table."""

    name: str
    source: Source
    target: str  # role, setting key or note kind; "" for the log
    optional: bool
    member: Member = ""
    regex: str = ""  # of a setting, a label or a name; of a role: which of its metrics


@dataclass(frozen=True, slots=True)
class Param:
    """A threshold; loose and strict are the ends of its documented range."""

    name: str
    value: float
    unit: str
    why: str
    loose: float | None
    strict: float | None
    shared: bool = False  # read from rules/shared.yaml, where several files have it


@dataclass(frozen=True, slots=True)
class MarkSpec:
    """What to draw for a sentence, by local names."""

    metric: str
    point: str | None
    start: str | None
    end: str | None
    level: str | None
    called: str = ""  # the level in two or three words


@dataclass(frozen=True, slots=True)
class Sentence:
    """An evidence sentence with its fields (name, format) between the literal parts."""

    text: str
    given: str | None
    mark: MarkSpec | None


#: The odds behind the grades of evidence. What points the other way has the inverse.
GRADES: Mapping[str, float] = {"decisive": 20.0, "strong": 6.0, "clear": 3.0, "weak": 1.5}


@dataclass(frozen=True, slots=True)
class Link:
    """A cause named by a rule."""

    cause: str
    weight: float
    times: Mapping[str, float]
    because: str


@dataclass(frozen=True, slots=True)
class Program:
    """What rule and cause files share: inputs, thresholds and measures in order; then the same by name."""

    needs: tuple[Need, ...]
    patterns: Mapping[str, str]
    params: tuple[Param, ...]
    measures: tuple[tuple[str, Expr], ...]
    excepted: Mapping[str, str] = field(default_factory=dict)  # pattern -> messages that are no hit after all
    facts: tuple[str, ...] = ()  # that it reads
    shared: tuple[str, ...] = ()  # measures that are those of rules/shared.yaml
    unnamed: tuple[tuple[str, Expr], ...] = ()  # what is asked where it stands, each by its own text
    required: tuple[Need, ...] = field(init=False, repr=False)
    inputs: Mapping[str, Need] = field(init=False, repr=False)
    given: Mapping[str, float] = field(init=False, repr=False)
    formulas: Mapping[str, Expr] = field(init=False, repr=False)
    made: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)  # what binding made of it

    def __reduce__(self) -> tuple[Any, ...]:
        # what was made of it does not travel
        parts = (self.needs, self.patterns, self.params, self.measures, self.excepted, self.facts)
        return Program, (*parts, self.shared, self.unnamed)

    def __post_init__(self) -> None:
        for name, value in (
            ("required", tuple(n for n in self.needs if not n.optional)),
            ("inputs", {n.name: n for n in self.needs}),
            ("given", {p.name: p.value for p in self.params}),
            ("formulas", dict((*self.measures, *self.unnamed))),
        ):
            object.__setattr__(self, name, value)


@dataclass(frozen=True, slots=True)
class Rule:
    """One detector."""

    id: str
    family: str
    kind: Kind
    title: str
    severity: Severity
    status: Literal["trial", "stable"]
    what: str
    why: str
    lookalikes: str
    over: Scope
    program: Program
    #: (name or "", conditions that must all hold); any of them fires the rule
    when: tuple[tuple[str, tuple[Expr, ...]], ...]
    excused_by: tuple[str, ...]  # true/false measures: one that is known true silences the rule
    harmless_if: tuple[str, ...]  # the same: one that is known true makes the finding a notice
    undecided_if: tuple[str, ...]  # the same, and the run is inconclusive: the log tells the fault from no lookalike
    strength: Expr
    onset: str | None
    until: str | None
    explains: tuple[str, ...]
    yields: tuple[str, ...]
    evidence: tuple[Sentence, ...]
    causes: tuple[Link, ...]
    tests: tuple[Case, ...]
    references: tuple[tuple[str, str], ...]
    path: str
    complex_because: str = ""  # why it has so many params or measures
    titles: tuple[Sentence, ...] = ()  # how a run is told of it; `title` is the last, which needs nothing
    title_steps: tuple[str | None, ...] = ()  # the step that each of them tells, where that is not the onset


@dataclass(frozen=True, slots=True)
class Act:
    """What to do about a cause in a run of which `sentence` holds; with `code`, by its probe.

    settings: setting that it changes -> the name of the new value, for the command that starts the run again.
    """

    sentence: Sentence
    code: bool
    settings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Prediction:
    """What one channel shows where a cause is at work, or (below 1) where it is not."""

    channel: str
    given: str
    times: float  # of the odds, where `given` holds
    sentence: Sentence


@dataclass(frozen=True, slots=True)
class Answer:
    """What the log says to a question: yes where the one measure is known true, no where the other is."""

    yes: str | None
    no: str | None

    @property
    def names(self) -> tuple[str, ...]:
        """The measures that it reads."""
        return tuple(name for name in (self.yes, self.no) if name is not None)


@dataclass(frozen=True, slots=True)
class CheckSpec:
    """One question of a cause's part of the troubleshooting tree."""

    ask: str
    how: str
    cost: Cost
    yes: str
    no: str
    answer: str | Answer | None  # one measure that is true for yes and false for no; or one for each
    because: str


@dataclass(frozen=True, slots=True)
class Cause:
    """One cause."""

    id: str
    title: str
    mechanism: str
    program: Program
    predicts: tuple[Prediction, ...]
    checks: tuple[CheckSpec, ...]
    fix: tuple[str, ...]
    probe: str
    tests: tuple[CauseCase, ...]
    references: tuple[tuple[str, str], ...]
    path: str
    complex_because: str = ""  # why it has so many params or measures
    acts: tuple[Act, ...] = ()
    titles: tuple[Sentence, ...] = ()  # how it is told of a run; `title` is the last, which needs nothing


@dataclass(frozen=True, slots=True)
class Way:
    """One way to know a fact: its value, when it speaks, how far it is trusted, the sentence that says how."""

    value: Expr | bool | str  # true, false and words of the list stand for themselves
    given: Expr | None
    trust: Trust
    say: str
    source: str  # "configuration", "curves" ...: what the value is read from


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that may be true of a run, and the ways to know it. `words` maps each word to how it reads."""

    id: str
    title: str
    type: Literal["number", "flag", "word", "step", "text"]
    unit: str
    what: str
    words: Mapping[str, str]
    program: Program
    ways: tuple[Way, ...]
    doubt: str | None  # the param beyond which two sure numbers contradict each other
    tests: tuple[FactCase, ...]
    references: tuple[tuple[str, str], ...]
    path: str
    told: bool | float | str | None = None  # what the user says it is


@dataclass(frozen=True, slots=True)
class Remark:
    """Something that is said of a run beside its findings, and the limits by which it is."""

    id: str
    title: str
    what: str
    why: str
    lookalikes: str
    program: Program  # its params alone
    tests: tuple[RemarkCase, ...]
    references: tuple[tuple[str, str], ...]
    path: str


@dataclass(frozen=True, slots=True)
class Rulebook:
    """Every rule, cause, fact and remark, and a digest of the files they came from."""

    rules: tuple[Rule, ...]
    causes: Mapping[str, Cause]
    digest: str
    facts: Mapping[str, Fact] = field(default_factory=dict)
    remarks: Mapping[str, Remark] = field(default_factory=dict)
    made: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)  # what judging made of it

    def __reduce__(self) -> tuple[Any, ...]:
        return Rulebook, (self.rules, self.causes, self.digest, self.facts, self.remarks)  # which does not travel

    def rule(self, id_: str) -> Rule | None:
        """The rule of that id."""
        return next((r for r in self.rules if r.id == id_), None)
