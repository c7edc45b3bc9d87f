"""What a cause file may contain."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, StringConstraints, model_validator

from curvedoc.rulebook.schema.case import CauseCase
from curvedoc.rulebook.schema.rule import ActFile, Grade, MarkFile, Reference, Titles
from curvedoc.rulebook.schema.shared import Expr, Id, Name, ParamFile, Prose, Strict

#: Where a cause leaves traces. Lines of one channel look at the same thing, so they do not add up.
Channel = Literal[
    "loss", "validation", "gradient", "weights", "activations", "rate", "precision", "timing", "machine", "settings",
    "messages",
]  # fmt: skip


class PredictionFile(Strict):
    """What a channel shows where a cause is at work (`for`), or where it is not (`against`), when `given` is true."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    given: Expr
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
    """What answers a question one way or the other; where both are known and neither is true, it leans."""

    yes: Expr | None = None
    no: Expr | None = None

    @model_validator(mode="after")
    def _not_empty(self) -> AnswerFile:
        if self.yes is None and self.no is None:
            raise ValueError("'yes', 'no' or both name a measure")
        return self


class CheckFile(Strict):
    """One question of the troubleshooting tree.

    `answer` is what the log may decide, true or false, or what says yes and what says no.
    """

    ask: Annotated[str, StringConstraints(min_length=5, max_length=140)]
    how: Prose
    cost: Literal["look", "code", "short-run", "full-run"]
    yes: str  # "confirmed", "ruled-out" or a cause id
    no: str
    answer: Expr | AnswerFile | None = None
    because: str | None = None  # the numbers behind the answer, filled like evidence


class CauseFile(Strict):
    """One cause: rules/causes/<cause-id>.yaml."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    id: Id
    title: Titles
    mechanism: Prose
    needs: dict[Name, str] = Field(default={})
    patterns: dict[Name, str] = Field(default={})
    excepted: dict[Name, str] = Field(default={}, alias="except")
    params: dict[Name, ParamFile] = Field(default={})
    measure: dict[Name, Expr] = Field(default={})
    predicts: dict[Channel, list[PredictionFile]] = Field(default={})
    checks: Annotated[list[CheckFile], Field(min_length=1)]
    fix: Annotated[list[Prose], Field(min_length=1)]
    act: list[ActFile] = Field(default=[])
    probe: str | None = None
    tests: list[CauseCase] = Field(default=[])
    references: list[Reference] = Field(default=[])
    complex_because: Prose | None = None
