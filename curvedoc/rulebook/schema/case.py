"""What a case inside a rule or cause file may contain."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, model_validator

from curvedoc.core.notes import NoteKind
from curvedoc.rulebook.schema.shared import Expr, Id, Name, Prose, Strict

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

    series: dict[str, Knots | CaseCurve] = Field(default={})
    config: dict[str, bool | int | float | str] = Field(default={})
    log: list[str] | None = None


class CaseRun(Strict):
    """The run of one embedded test. Series are named by role, `role:label` for one layer or data set."""

    name: Prose
    series: dict[str, Knots | CaseCurve] = Field(default={})
    config: dict[str, bool | int | float | str] = Field(default={})
    log: list[str] | None = None  # lines of a text log; "@120 text" was written after step 120
    ranks: dict[int, CaseMember] = Field(default={})
    siblings: list[CaseMember] = Field(default=[])
    noise: Annotated[float, Field(ge=0, le=1)] = 0.0  # relative to the local value
    points: Annotated[int, Field(ge=1, le=20_000)] = 200
    axis: Literal["step", "epoch"] = "step"
    resumed: tuple[int, int] | None = None  # the counter reached the first step, then went back to the second
    notes: dict[NoteKind, int] = Field(default={})  # ingest notes of the log, kind -> count


class Case(CaseRun):
    """One embedded test of a rule."""

    expect: Literal["fires", "silent", "not-judged"]
    near: dict[Name, tuple[float, float]] = Field(default={})  # measure -> (value, tolerance)
    first: Id | None = None  # the cause with the largest share
    known: Literal["miss", "false-alarm"] | None = None
    shown: bool = False  # drawn on the reference page, instead of the first case that fires


class CauseExpect(Strict):
    """What a case expects of a cause: its lines by their `given`, its answers by the beginning of the question."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    supports: list[Expr] = Field(default=[], alias="for")
    against: list[Expr] = Field(default=[])
    without: list[Expr] = Field(default=[])  # lines that do not hold
    above: list[Id] = Field(default=[])  # causes whose own evidence is weaker
    answers: dict[str, Literal["yes", "no", "leaning-yes", "leaning-no", "open"]] = Field(default={})
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
