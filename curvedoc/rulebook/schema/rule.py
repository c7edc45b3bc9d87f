"""What a rule file may contain."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, StringConstraints, field_validator

from curvedoc.rulebook.schema.case import Case
from curvedoc.rulebook.schema.shared import Expr, Id, Name, ParamFile, Prose, Strict

#: How much a piece of evidence says; `curvedoc.rulebook.rule.GRADES` holds the odds.
Grade = Literal["decisive", "strong", "clear", "weak"]


class MarkFile(Strict):
    """What to draw: `metric` is a local name of `needs`; the others are numbers: measures, params, expressions.

    `called` says in two or three words what a level is; one without it is not drawn.
    """

    metric: Name
    point: Expr | None = None
    start: Expr | None = None
    end: Expr | None = None
    level: Expr | None = None
    called: Prose | None = None


class Say(Strict):
    """An evidence sentence; {name:format} is filled from params and measures."""

    say: Prose
    given: Expr | None = None
    mark: MarkFile | None = None


class TitleFile(Strict):
    """One way to say what a rule saw; the first whose `given` holds and whose fields are all known is taken."""

    say: Annotated[str, StringConstraints(min_length=3, max_length=300, strip_whitespace=True)]
    given: Expr | None = None
    at: Expr | None = None  # the step that it tells, where that is not the onset of the rule


def _as_variants(title: object) -> object:
    return [{"say": title}] if isinstance(title, str) else title


def _plain_last(titles: list[TitleFile]) -> list[TitleFile]:
    if titles[-1].given is not None or "{" in titles[-1].say:
        raise ValueError("the last title stands where nothing is known: without 'given' and without fields")
    return titles


#: Ways to say one thing, from the one that knows most to a plain sentence; one sentence alone is the plain one.
Titles = Annotated[list[TitleFile], Field(min_length=1), BeforeValidator(_as_variants), AfterValidator(_plain_last)]


class ActFile(Strict):
    """What to do about a cause in this run; the first whose `given` holds and whose fields are all known is taken."""

    say: Prose
    given: Expr | None = None
    code: bool = False  # whether the probe of the cause is the code for it
    set: dict[Name, Name] = Field(default={})  # setting that it changes -> the measure or param that is its new value


class CauseLink(Strict):
    """A cause that a rule names: `weight` is its prior odds among the rule's causes."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    cause: Id
    weight: Annotated[float, Field(gt=0, le=100)]
    supports: dict[Expr, Grade] = Field(default={}, alias="for")
    against: dict[Expr, Grade] = Field(default={})
    because: Prose


class Reference(Strict):
    """Where a claim comes from: a paper or a page of documentation."""

    title: str
    url: str | None = None


class RuleFile(Strict):
    """One detector: rules/<family>/<symptom-id>.yaml."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    id: Id
    title: Titles
    kind: Literal["pathology", "notice", "gap"]
    severity: Literal["fatal", "error", "warning", "note"]
    status: Literal["trial", "stable"] = "trial"
    what: Prose
    why: Prose
    lookalikes: Prose
    over: Literal["run", "layer", "metric", "rank", "siblings"] = "run"
    needs: dict[Name, str]
    patterns: dict[Name, str] = Field(default={})
    excepted: dict[Name, str] = Field(default={}, alias="except")
    params: dict[Name, ParamFile] = Field(default={})
    measure: dict[Name, Expr] = Field(default={})
    when: list[Expr] | dict[Name, list[Expr]]
    excused_by: list[Expr] = Field(default=[])
    harmless_if: list[Expr] = Field(default=[])
    undecided_if: list[Expr] = Field(default=[])
    strength: Expr = "1"
    onset: Expr | None = None
    until: Expr | None = None
    explains: list[Id] = Field(default=[])
    yields: list[Id] = Field(default=[])
    evidence: Annotated[list[Say], Field(min_length=1)]
    causes: list[CauseLink]
    tests: Annotated[list[Case], Field(min_length=2)]
    references: list[Reference] = Field(default=[])
    complex_because: Prose | None = None

    @field_validator("strength", mode="before")
    @classmethod
    def _as_text(cls, strength: object) -> object:
        number = isinstance(strength, (int, float)) and not isinstance(strength, bool)
        return str(strength) if number else strength  # `strength: 1` is what one writes

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
