"""What a configuration file may hold, checked."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field


class ConfigFile(BaseModel):
    """The keys of a configuration file and their values; anything else is an error."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, populate_by_name=True, alias_generator=lambda n: n.replace("_", "-")
    )

    rules: list[str] = []
    select: list[str] = []
    ignore: list[str] = []
    set: list[str] = []
    sensitivity: Annotated[float, Field(ge=-1, le=1)] = 0.0
    signals: dict[str, str] = {}
    fail_on: Literal["never", "note", "warning", "error", "failed", "fatal"] = "never"
