"""What rules/shared.yaml may contain: a pydantic model, used at the file door only."""

from __future__ import annotations

from pydantic import Field

from curvedoc.rulebook.schema import Expr, Name, ParamFile, Strict


class SharedFile(Strict):
    """Inputs, thresholds and measures that several files read by name: rules/shared.yaml."""

    params: dict[Name, ParamFile]
    needs: dict[Name, str] = Field(default={})
    measure: dict[Name, Expr] = Field(default={})
    patterns: dict[Name, str] = Field(default={})
    excepted: dict[Name, str] = Field(default={})
