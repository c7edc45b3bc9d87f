"""What a fact file may contain: pydantic models, used at the file door only."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, field_validator, model_validator

from curvedoc.rulebook.schema.case import CaseRun
from curvedoc.rulebook.schema.rule import Reference
from curvedoc.rulebook.schema.shared import Expr, Name, ParamFile, Prose, Strict


class WayFile(Strict):
    """One way to know a fact. A way without `given` speaks whenever its value is known."""

    value: bool | Expr
    given: Expr | None = None
    trust: Literal["sure", "guess"] = "sure"
    say: Prose

    @field_validator("value", mode="before")
    @classmethod
    def _as_text(cls, value: object) -> object:
        return str(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value


class Expected(Strict):
    """What a case says of a fact; a number is compared within a hundredth."""

    value: bool | float | str
    trust: Literal["sure", "guess"] = "sure"
    doubt: bool = False


class FactCase(CaseRun):
    """One embedded test of a fact."""

    expect: Expected | Literal["unknown"]


class FactFile(Strict):
    """One fact: rules/facts/<id>.yaml."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    id: Name
    title: Prose
    type: Literal["number", "flag", "word", "step", "text"]
    unit: str = ""
    what: Prose
    words: dict[Name, str] = Field(default={})
    needs: dict[Name, str] = Field(default={})
    patterns: dict[Name, str] = Field(default={})
    excepted: dict[Name, str] = Field(default={}, alias="except")
    params: dict[Name, ParamFile] = Field(default={})
    measure: dict[Name, Expr] = Field(default={})
    known_by: Annotated[list[WayFile], Field(min_length=1)]
    doubt: Name | None = None
    tests: Annotated[list[FactCase], Field(min_length=2)]
    references: list[Reference] = Field(default=[])

    @model_validator(mode="after")
    def _words_of_a_word(self) -> FactFile:
        if (self.type == "word") != bool(self.words):
            raise ValueError("a fact of type word, and no other, lists its words")
        return self
