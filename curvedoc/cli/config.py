"""The configuration: curvedoc.toml or [tool.curvedoc] of the nearest pyproject.toml upward, under the environment."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from curvedoc.errors import UsageError


class FileConfig(BaseModel):
    """What a configuration file may hold."""

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


def find(start: Path) -> tuple[Path, dict[str, Any]] | None:
    """The nearest configuration file at or above a directory, with its curvedoc table."""
    for folder in (start, *start.parents):
        own, project = folder / "curvedoc.toml", folder / "pyproject.toml"
        for path in (own, project):
            if not path.is_file():
                continue
            try:
                document = tomllib.loads(path.read_text(encoding="utf-8"))
            except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
                if path == own:
                    raise UsageError(f"not TOML: {error}", str(path)) from error
                continue  # somebody else's broken pyproject is not ours to report
            table = document if path == own else document.get("tool", {}).get("curvedoc")
            if isinstance(table, dict):
                return path, table
    return None


def variable(key: str) -> str:
    """The environment variable of a key.

    >>> variable("fail_on")
    'CURVEDOC_FAIL_ON'
    """
    return f"CURVEDOC_{key.upper()}"


def from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    """The keys that the environment sets, not yet checked: lists are comma-separated, `rules` like PATH.

    An empty variable counts as not set. Raises UsageError for signals that are no ROLE=METRIC pairs.
    """
    table: dict[str, Any] = {}
    for key, field in FileConfig.model_fields.items():
        text = environment.get(variable(key), "").strip()
        if not text:
            continue
        if key == "signals":
            pairs = [p.partition("=") for p in text.split(",")]
            if not all(role and sign and metric for role, sign, metric in pairs):
                raise UsageError(f"'{text}' is not ROLE=METRIC,...", variable(key))
            table[key] = {role.strip(): metric.strip() for role, _, metric in pairs}
        elif field.annotation == list[str]:
            table[key] = [p.strip() for p in text.split(os.pathsep if key == "rules" else ",") if p.strip()]
        else:
            table[key] = text
    return table


def load(start: Path, environment: Mapping[str, str] = os.environ) -> FileConfig:
    """The configuration that holds in a directory: the environment over the file over the defaults."""
    return sourced(start, environment)[0]


def sourced(start: Path, environment: Mapping[str, str] = os.environ) -> tuple[FileConfig, dict[str, str]]:
    """The configuration as `load` gives it, and for each key that is set where it comes from. Raises UsageError."""
    found = find(start.resolve())
    config, origin = FileConfig(), {}
    if found is not None:
        path, table = found
        config = _checked(table, {}, str(path))
        config = config.model_copy(update={"rules": [str(path.parent / r) for r in config.rules]})
        origin = {key.replace("-", "_"): str(path) for key in table}
    table = from_environment(environment)
    if table:
        over = _checked(table, {k: variable(k) for k in table}, "environment")
        config = config.model_copy(update={k: getattr(over, k) for k in table})
        origin |= {k: variable(k) for k in table}
    return config, origin


def _checked(table: Mapping[str, Any], names: Mapping[str, str], where: str) -> FileConfig:
    """The table as a configuration; errors name each key by `names` or as it stands."""
    try:
        return FileConfig.model_validate(table)
    except ValidationError as error:
        told = []
        for item in error.errors():
            place = [str(p) for p in item["loc"]]
            key = names.get(place[0].replace("-", "_"), place[0]) if place else ""
            told.append(f"{'.'.join([key, *place[1:]])}: {item['msg']}")
        raise UsageError("; ".join(told), where) from error


def as_toml(config: FileConfig, origin: Mapping[str, str]) -> str:
    """The configuration as a curvedoc.toml, each key with where it comes from."""
    lines, tables = [], []
    for key in FileConfig.model_fields:
        value, name = getattr(config, key), key.replace("_", "-")
        note = f"  # {origin.get(key, 'default')}"
        if isinstance(value, dict):
            pairs = [f"{_toml(k)} = {_toml(v)}" for k, v in sorted(value.items())]
            tables += ["", f"[{name}]{note}", *pairs]
        else:
            lines.append(f"{name} = {_toml(value)}{note}")
    return "\n".join(lines + tables) + "\n"


def _toml(value: object) -> str:
    # of strings, lists of them and finite numbers the JSON spelling is the TOML one
    return json.dumps(value, ensure_ascii=False)
