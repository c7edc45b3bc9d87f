"""Configuration files beside a log: JSON, YAML, TOML or lines of text, as flat dotted keys."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from curvedoc.core.late_regex import late_regex
from curvedoc.core.run import Note, Scalar
from curvedoc.ingest.bytes.file import decode, pointer, read_bytes
from curvedoc.ingest.naming.log_words import names_curve
from curvedoc.ingest.settings.flatten import flatten, scalar, settings

#: A configuration is kilobytes; what is larger is data.
MAX_BYTES = 1 << 20

_SUFFIXES = (".json", ".yaml", ".yml", ".toml", ".txt")
#: Words of a file's name that make it a configuration.
_NAMES = {
    "config", "configs", "configuration", "cfg", "hparam", "hparams", "hyperparams", "hyperparameters",
    "hyperparam", "params", "param", "parameters", "args", "arguments", "options", "opts", "opt", "settings",
    "flags", "overrides", "recipe",
}  # fmt: skip
#: YAML holds no curves, so that a file named for the training alone is one too.
_YAML_NAMES = {
    "train", "training", "experiment", "run", "model", "default", "base", "finetune", "pretrain", "sft",
}  # fmt: skip
_NOT_CONFIG = {
    "tokenizer", "generation", "preprocessor", "processor", "compose", "pre", "commit", "hydra", "adapter",
    "vocab",
}  # fmt: skip
_WORD = late_regex(r"[A-Za-z]+")
#: Each blank line or comment can be passed in one way only: many of them would take for ever otherwise.
_YAML_START = late_regex(rb"(?:[ \t\r\f\v]*+(?:#[^\n]*+|---[^\n]*+|%[^\n]*+)?\n)*+\s*+(?:[\w\"'./-]++\s*+:(?:\s|$)|- )")
#: So many entries that each count are records of a log.
_YAML_COUNT = late_regex(
    rb"(?m)^(?:- |---[^\n]*\n)\{?\s*[\"']?(?:epoch|step|global_step|iteration|iter)\b"
    rb"|^(?:epoch|step|iteration)[_ -]?\d+:"
)
_RECORDS = 3
#: What W&B and SwanLab say of each setting.
_VALUED = frozenset(("value", "desc", "sort"))
_FLAT_LINE = late_regex(r"([A-Za-z_][\w.-]*)\s*:\s+(\S.*)")


def is_config(path: Path, head: bytes) -> bool:
    """Whether the file is a run's configuration, by its name and the first 64 KiB: curves stored as JSON are not."""
    name, suffix = path.name, path.suffix.lower()
    if suffix not in _SUFFIXES or name.startswith(".") or len(head) >= 1 << 16 or not head.strip():
        return False
    if name in ("wandb-summary.json", "wandb-metadata.json"):
        return False
    named, run_named = _named(path.stem)
    match suffix:
        case ".json":
            return named and _is_settings(_json(head))
        case ".yaml" | ".yml":
            return (
                (named or run_named or path.parent.name == ".hydra")
                and name != "hydra.yaml"
                and bool(_YAML_START.match(head))
                and len(_YAML_COUNT.findall(head)) < _RECORDS
            )
        case ".toml":
            return named
        case _:
            return named and len(head) < 1 << 14 and bool(settings(decode(head)[0]))


@lru_cache(maxsize=1024)  # the files of a tree have a few names between them
def _named(stem: str) -> tuple[bool, bool]:
    """Whether a file's name says configuration, and whether it says what may be one in YAML."""
    words = {w.lower() for w in _WORD.findall(re.sub(r"([a-z])([A-Z])", r"\1 \2", stem))}
    other = bool(words & _NOT_CONFIG)
    return bool(words & _NAMES) and not other, bool(words & _YAML_NAMES) and not other


def read_config(path: Path) -> tuple[dict[str, Scalar], tuple[Note, ...]]:
    """Flat dotted keys of a configuration file; damage leaves what could be read and a note.

    W&B's {"lr": {"value": 0.1}} is unwrapped, a list becomes its JSON text, null is left out.
    """
    data, notes = read_bytes(path, MAX_BYTES)
    stand_in = pointer(data)
    if stand_in is not None:
        return {}, (*notes, stand_in)
    text, more = decode(data)
    try:
        value = _parsed(text, path.suffix.lower())
    except (ValueError, RecursionError) as e:
        found = {m[1]: v for m in map(_FLAT_LINE.fullmatch, text.splitlines()) if m and (v := scalar(m[2])) is not None}
        first = str(e).splitlines()[0] if str(e) else type(e).__name__
        return found, (*notes, *more, Note("damaged", f"not readable as a whole: {first[:120]}"))
    return flat_config(value), (*notes, *more)


def flat_config(value: object) -> dict[str, Scalar]:
    """Flat dotted keys of a parsed configuration, W&B's and Hydra's own shapes unwrapped."""
    if isinstance(value, list):
        pairs = [v.lstrip("+~").split("=", 1) for v in value if isinstance(v, str) and "=" in v]
        return {k: v for k, text in pairs if (v := scalar(text)) is not None}
    if not isinstance(value, Mapping):
        return {}
    kept = {k: v for k, v in value.items() if k not in ("_wandb", "wandb_version")}
    if kept and all(isinstance(v, Mapping) and "value" in v and {*v} <= _VALUED for v in kept.values()):
        kept = {k: v["value"] for k, v in kept.items() if k != "_wandb"}
    # YAML 1.1 takes 1e-4 for a string.
    return {k: _number(v) for k, v in flatten(kept).items()}


def _number(value: Scalar) -> Scalar:
    if isinstance(value, str) and value[:1] in "+-.0123456789":
        found = scalar(value)
        return value if found is None else found
    return value


def _parsed(text: str, suffix: str) -> object:
    if suffix == ".json":
        return json.loads(text)
    if suffix in (".yaml", ".yml"):
        from curvedoc.ingest.settings.yaml import load_yaml

        return load_yaml(text)
    if suffix == ".toml":
        import tomllib

        return tomllib.loads(text)
    return settings(text)


def _json(head: bytes) -> Any:
    try:
        return json.loads(head.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return None


def _is_settings(value: Any) -> bool:
    """Whether a JSON value is settings: an object that holds no curve and no records."""
    if not isinstance(value, dict) or "log_history" in value:
        return False
    return not any(_is_curve(k, v) for k, v in value.items())


def _is_curve(key: str, value: Any) -> bool:
    if isinstance(value, dict):
        return any(_is_curve(k, v) for k, v in value.items())
    if not isinstance(value, list) or len(value) < 3:
        return False
    if all(isinstance(v, dict) for v in value):
        return sum(bool({"step", "epoch", "iteration", "_step"} & set(v)) for v in value) > len(value) // 2
    return names_curve(key) and all(isinstance(v, (int, float, type(None))) for v in value)
