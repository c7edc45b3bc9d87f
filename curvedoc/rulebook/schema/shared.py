"""What all files of the rulebook are made of, and what rules/shared.yaml may contain."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Id = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$", max_length=60)]
Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$", max_length=40)]
Expr = Annotated[str, StringConstraints(min_length=1, max_length=300)]
Prose = Annotated[str, StringConstraints(min_length=3, max_length=4000, strip_whitespace=True)]


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


class SharedFile(Strict):
    """Inputs, thresholds and measures that several files read by name: rules/shared.yaml."""

    params: dict[Name, ParamFile]
    needs: dict[Name, str] = Field(default={})
    measure: dict[Name, Expr] = Field(default={})
    patterns: dict[Name, str] = Field(default={})
    excepted: dict[Name, str] = Field(default={})
