"""The configuration: curvedoc.toml or [tool.curvedoc] of the nearest pyproject.toml upward, under the environment."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from curvedoc.core.errors import UsageError


@dataclass(frozen=True)
class FileConfig:
    """What a configuration says. Made by `checked`, which knows what each key may hold."""

    rules: list[str] = field(default_factory=list)
    select: list[str] = field(default_factory=list)
    ignore: list[str] = field(default_factory=list)
    set: list[str] = field(default_factory=list)
    sensitivity: float = 0.0
    signals: dict[str, str] = field(default_factory=dict)
    map: dict[str, str] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)
    fail_on: str = "never"


#: Its keys, as attributes are spelled.
KEYS = tuple(f.name for f in fields(FileConfig))
#: Keys that are tables, and what a pair of theirs is called.
_PAIRS: Mapping[str, str] = {"signals": "ROLE=METRIC", "map": "ROLE=METRIC", "facts": "FACT=VALUE"}
_LISTS = ("rules", "select", "ignore", "set")


def find(start: Path) -> tuple[Path, dict[str, Any]] | None:
    """The nearest configuration file at or above a directory, with its curvedoc table."""
    for folder in (start, *start.parents):
        own, project = folder / "curvedoc.toml", folder / "pyproject.toml"
        for path in (own, project):
            if not path.is_file():
                continue
            import tomllib

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

    An empty variable counts as not set. Raises UsageError for signals and facts that are no pairs.
    """
    table: dict[str, Any] = {}
    for key in KEYS:
        text = environment.get(variable(key), "").strip()
        if not text:
            continue
        if key in _PAIRS:
            pairs = [p.partition("=") for p in text.split(",")]
            if not all(left and sign and right for left, sign, right in pairs):
                raise UsageError(f"'{text}' is not {_PAIRS[key]},...", variable(key))
            table[key] = {left.strip(): right.strip() for left, _, right in pairs}
        elif key in _LISTS:
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
        config = checked(table, str(path))
        config = replace(config, rules=[str(path.parent / r) for r in config.rules])
        origin = {key.replace("-", "_"): str(path) for key in table}
    table = from_environment(environment)
    if table:
        over = checked(table, "environment", {k: variable(k) for k in table})
        config = replace(config, **{k: getattr(over, k) for k in table})
        origin |= {k: variable(k) for k in table}
    return config, origin


def checked(table: Mapping[str, Any], where: str, names: Mapping[str, str] | None = None) -> FileConfig:
    """The table as a configuration. Raises UsageError that names each wrong key by `names` or as it stands."""
    # only here: most calls have no configuration, and the library that checks one takes longer than a small triage
    from pydantic import ValidationError

    from curvedoc.cli.settings.config_schema import ConfigFile

    try:
        found = ConfigFile.model_validate(table)
        return FileConfig(**{key: getattr(found, key) for key in KEYS})
    except ValidationError as error:
        told = []
        for item in error.errors():
            place = [str(p) for p in item["loc"]]
            key = (names or {}).get(place[0].replace("-", "_"), place[0]) if place else ""
            told.append(f"{'.'.join([key, *place[1:]])}: {item['msg']}")
        raise UsageError("; ".join(told), where) from error


def as_toml(config: FileConfig, origin: Mapping[str, str]) -> str:
    """The configuration as a curvedoc.toml, each key with where it comes from."""
    lines, tables = [], []
    for key in KEYS:
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
