"""What a configuration file may hold, checked."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator


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
    map: dict[str, str] = {}
    facts: dict[str, str] = {}
    fail_on: Literal["never", "note", "warning", "error", "failed", "fatal"] = "never"

    @field_validator("facts", mode="before")
    @classmethod
    def _as_text(cls, facts: object) -> object:
        """A number or truth of TOML as the command line would spell it."""
        if not isinstance(facts, dict):
            return facts
        return {k: str(v).lower() if isinstance(v, (bool, int, float)) else v for k, v in facts.items()}
