"""What a rule file and a cause file may contain: pydantic models, used at the file door only."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, field_validator, model_validator

from curvedoc.core.notes import NoteKind

Id = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$", max_length=60)]
Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$", max_length=40)]
Expr = Annotated[str, StringConstraints(min_length=1, max_length=300)]
Prose = Annotated[str, StringConstraints(min_length=3, max_length=4000, strip_whitespace=True)]
#: How much a piece of evidence says; `curvedoc.rulebook.rule.GRADES` holds the odds.
Grade = Literal["decisive", "strong", "clear", "weak"]
#: Where a cause leaves traces. Lines of one channel look at the same thing, so they do not add up.
Channel = Literal[
    "loss", "validation", "gradient", "weights", "activations", "rate", "precision", "timing", "machine", "settings",
    "messages",
]  # fmt: skip


class Strict(BaseModel):
    """Unknown keys are errors: a misspelt key must not be silently without effect."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ParamFile(Strict):
    """A threshold. `loose` and `strict` are the ends of its documented range, which --sensitivity moves along."""

    value: float
    unit: str
    why: Prose
    loose: float | None = None
    strict: float | None = None


class MarkFile(Strict):
    """What to draw: `metric` is a local name of `needs`; the others are numeric measures or params.

    `called` says in two or three words what a level is; one without it is not drawn.
    """

    metric: Name
    point: Name | None = None
    start: Name | None = None
    end: Name | None = None
    level: Name | None = None
    called: Prose | None = None


class Say(Strict):
    """An evidence sentence; {name:format} is filled from params and measures."""

    say: Prose
    given: Name | None = None
    mark: MarkFile | None = None


class TitleFile(Strict):
    """One way to say what a rule saw; the first whose `given` holds and whose fields are all known is taken."""

    say: Annotated[str, StringConstraints(min_length=3, max_length=300, strip_whitespace=True)]
    given: Name | None = None


class ActFile(Strict):
    """What to do about a cause in this run; the first whose `given` holds and whose fields are all known is taken."""

    say: Prose
    given: Name | None = None
    code: bool = False  # whether the probe of the cause is the code for it
    set: dict[Name, Name] = {}  # setting that it changes -> the measure or param that is its new value


class CauseLink(Strict):
    """A cause that a rule names: `weight` is its prior odds among the rule's causes."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    cause: Id
    weight: Annotated[float, Field(gt=0, le=100)]
    supports: dict[Name, Grade] = Field(default={}, alias="for")
    against: dict[Name, Grade] = {}
    because: Prose


class Reference(Strict):
    """Where a claim comes from: a paper or a page of documentation."""

    title: str
    url: str | None = None


Knots = list[tuple[int, float]]


class CaseCurve(Strict):
    """A case's series with more shape than straight lines between knots."""

    knots: Knots
    period: float | None = None  # steps; adds a sine
    amplitude: float | None = None  # of that sine, in units of the value
    growing: float | None = None  # noise, relative to the value, that grows from nothing to this at the end
    noise: float | None = None  # overrides the case's noise for this series
    points: Annotated[int, Field(ge=1, le=20_000)] | None = None
    log: bool = False  # geometric interpolation between knots, noise multiplicative


class CaseMember(Strict):
    """One rank or sibling run of a case."""

    series: dict[str, Knots | CaseCurve] = {}
    config: dict[str, bool | int | float | str] = {}
    log: list[str] | None = None


class CaseRun(Strict):
    """The run of one embedded test. Series are named by role, `role:label` for one layer or data set."""

    name: Prose
    series: dict[str, Knots | CaseCurve] = {}
    config: dict[str, bool | int | float | str] = {}
    log: list[str] | None = None  # lines of a text log; "@120 text" was written after step 120
    ranks: dict[int, CaseMember] = {}
    siblings: list[CaseMember] = []
    noise: Annotated[float, Field(ge=0, le=1)] = 0.0  # relative to the local value
    points: Annotated[int, Field(ge=1, le=20_000)] = 200
    axis: Literal["step", "epoch"] = "step"
    resumed: tuple[int, int] | None = None  # the counter reached the first step, then went back to the second
    notes: dict[NoteKind, int] = {}  # ingest notes of the log, kind -> count


class Case(CaseRun):
    """One embedded test of a rule."""

    expect: Literal["fires", "silent", "not-judged"]
    near: dict[Name, tuple[float, float]] = {}  # measure -> (value, tolerance)
    first: Id | None = None  # the cause with the largest share
    known: Literal["miss", "false-alarm"] | None = None
    shown: bool = False  # drawn on the reference page, instead of the first case that fires


class CauseExpect(Strict):
    """What a case expects of a cause: its lines by their `given`, its answers by the beginning of the question."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    supports: list[Name] = Field(default=[], alias="for")
    against: list[Name] = []
    without: list[Name] = []  # lines that do not hold
    above: list[Id] = []  # causes whose own evidence is weaker
    answers: dict[str, Literal["yes", "no", "open"]] = {}
    rank: Annotated[int, Field(ge=1, le=20)] | None = None  # at most, in the whole diagnosis of the run

    @model_validator(mode="after")
    def _not_empty(self) -> CauseExpect:
        if not (self.supports or self.against or self.without or self.above or self.answers or self.rank):
            raise ValueError("nothing is expected")
        return self


class CauseCase(CaseRun):
    """One embedded test of a cause."""

    expect: CauseExpect
    known: Literal["miss", "false-alarm"] | None = None


class RuleFile(Strict):
    """One detector: rules/<family>/<symptom-id>.yaml."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    id: Id
    title: Annotated[list[TitleFile], Field(min_length=1)]
    kind: Literal["pathology", "notice", "gap"]
    severity: Literal["fatal", "error", "warning", "note"]
    status: Literal["trial", "stable"] = "trial"
    what: Prose
    why: Prose
    lookalikes: Prose
    over: Literal["run", "layer", "metric", "rank", "siblings"] = "run"
    needs: dict[Name, str]
    patterns: dict[Name, str] = {}
    excepted: dict[Name, str] = Field(default={}, alias="except")
    params: dict[Name, ParamFile] = {}
    measure: dict[Name, Expr] = {}
    when: list[Expr] | dict[Name, list[Expr]]
    excused_by: list[Name] = []
    harmless_if: list[Name] = []
    strength: Expr = "1"
    onset: Name | None = None
    until: Name | None = None
    explains: list[Id] = []
    yields: list[Id] = []
    evidence: Annotated[list[Say], Field(min_length=1)]
    causes: list[CauseLink]
    tests: Annotated[list[Case], Field(min_length=2)]
    references: list[Reference] = []
    complex_because: Prose | None = None

    @field_validator("title", mode="before")
    @classmethod
    def _variants(cls, title: object) -> object:
        return [{"say": title}] if isinstance(title, str) else title

    @field_validator("title")
    @classmethod
    def _plain_last(cls, title: list[TitleFile]) -> list[TitleFile]:
        if title[-1].given is not None or "{" in title[-1].say:
            raise ValueError("the last title stands where nothing is known: without 'given' and without fields")
        return title

    @field_validator("when")
    @classmethod
    def _not_empty(cls, when: list[str] | dict[str, list[str]]) -> list[str] | dict[str, list[str]]:
        groups = [when] if isinstance(when, list) else list(when.values())
        if not groups or not all(groups):
            raise ValueError("at least one condition")
        return when

    @field_validator("tests")
    @classmethod
    def _one_shown(cls, tests: list[Case]) -> list[Case]:
        shown = [case for case in tests if case.shown]
        if len(shown) > 1:
            raise ValueError("only one case can be the shown one")
        if shown and shown[0].expect != "fires":
            raise ValueError("the shown case is one that fires")
        return tests


class PredictionFile(Strict):
    """What a channel shows where a cause is at work (`for`), or where it is not (`against`), when `given` is true."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    given: Name
    supports: Grade | None = Field(default=None, alias="for")
    against: Grade | None = None
    say: Prose
    mark: MarkFile | None = None

    @model_validator(mode="after")
    def _one_side(self) -> PredictionFile:
        if (self.supports is None) == (self.against is None):
            raise ValueError("either 'for' or 'against' names a grade")
        return self


class AnswerFile(Strict):
    """What answers a question one way or the other: open unless one of the true/false measures is known true."""

    yes: Name | None = None
    no: Name | None = None

    @model_validator(mode="after")
    def _not_empty(self) -> AnswerFile:
        if self.yes is None and self.no is None:
            raise ValueError("'yes', 'no' or both name a measure")
        return self


class CheckFile(Strict):
    """One question of the troubleshooting tree.

    `answer` is a true/false measure that the log may decide, or one that says yes and another that says no.
    """

    ask: Annotated[str, StringConstraints(min_length=5, max_length=140)]
    how: Prose
    cost: Literal["look", "code", "short-run", "full-run"]
    yes: str  # "confirmed", "ruled-out" or a cause id
    no: str
    answer: Name | AnswerFile | None = None
    because: str | None = None  # the numbers behind the answer, filled like evidence


class CauseFile(Strict):
    """One cause: rules/causes/<cause-id>.yaml."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    id: Id
    title: Prose
    mechanism: Prose
    needs: dict[Name, str] = {}
    patterns: dict[Name, str] = {}
    excepted: dict[Name, str] = Field(default={}, alias="except")
    params: dict[Name, ParamFile] = {}
    measure: dict[Name, Expr] = {}
    predicts: dict[Channel, list[PredictionFile]] = {}
    checks: Annotated[list[CheckFile], Field(min_length=1)]
    fix: Annotated[list[Prose], Field(min_length=1)]
    act: list[ActFile] = []
    probe: str | None = None
    tests: list[CauseCase] = []
    references: list[Reference] = []
    complex_because: Prose | None = None
