"""Reader of values under numbered keys: properties, settings in sections, and objects of JSON or YAML."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from curvedoc.core.late_regex import late_regex
from curvedoc.core.notes import coalesce
from curvedoc.core.run import Note
from curvedoc.ingest.bytes.compression import unpacked_name
from curvedoc.ingest.bytes.file import HEAD_BYTES, decode, decoded_head, read_text
from curvedoc.ingest.contract import Log
from curvedoc.ingest.keyed.braces import braced
from curvedoc.ingest.keyed.paths import records
from curvedoc.ingest.settings.yaml import YamlTrouble, load_yaml
from curvedoc.ingest.table.batch import RecordBatch
from curvedoc.ingest.table.columns import table
from curvedoc.ingest.table.keys import records_of
from curvedoc.ingest.table.log import logs_of_table
from curvedoc.ingest.table.values import number

NAME = "numbered-keys"
FILES: tuple[str, ...] = ("*.properties", "*.ini", "*_by_step.json", "*.env")
ABOUT = 'values under numbered keys: `epoch.3.loss=0.5`, sections by epoch, {"300": 0.5} in a file called by its metric'

_LINED = (
    ".properties", ".ini", ".cfg", ".conf", ".env", ".txt", ".log", ".dat", ".toml", ".prom", ".edn", ".pbtxt",
    ".textproto", ".prototxt", ".sexp", ".rb", ".hcl", ".lua", ".php", ".lp", ".json5", ".hjson", ".jsonc", ".js", "",
)  # fmt: skip
_YAML = (".yaml", ".yml")
_PAIR = late_regex(
    r"\s*(?:export )?[\"']?([^\s=:\"'{}][^=:\"'{}]{0,120}?)[\"']?\s*[=:]\s*[\"']?([^\s\"',;]{1,40})[\"']?[,;]?\s*"
)
_SECTION = late_regex(r"\s*\[{1,2}([^\[\]=\n]{1,60})\]{1,2}:?\s*")
#: 'train_loss{epoch="3"} 0.5 1709629927'
_LABELED = late_regex(r"\s*([A-Za-z_:][\w:]{0,100})\{([^{}]{1,400})\}\s+([-+\w.]{1,40})(?:\s+\d{9,20})?\s*")
_LABEL = late_regex(r"(\w{1,60})=\"([^\"]{0,100})\"")
_COMMENTS = ("#", ";", "!", "//", "%")
#: So many lines are looked at before the rest is, and so large a share of all are pairs or sections.
_FIRST, _SHARE = 12, 0.9
_DEEP, _MOST = 5, 16 << 20

Pairs = list[tuple[str, float]]


def claims(path: Path, head: bytes) -> bool:
    """Whether the numbers in a file stand under keys that count."""
    name = Path(unpacked_name(path.name.lower()))
    if b"\x00" in head[:100] or name.suffix not in (*_LINED, *_YAML, ".json"):
        return False
    if len(head) >= HEAD_BYTES and name.suffix == ".json":
        head, _ = read_text(path, _MOST)
    text = decoded_head(head)
    return bool(_rows(text, name, len(head) < HEAD_BYTES))


def read(paths: Sequence[Path]) -> list[Log]:
    """One log a file or training."""
    return [log for path in paths for log in _read(path)]


def _read(path: Path) -> list[Log]:
    data, notes = read_text(path, _MOST)
    text, more = decode(data)
    name = Path(unpacked_name(path.name))
    rows = _rows(text, name, True)
    told = [*notes, *more]
    if not rows:
        told.append(Note("not-a-log", "no values under numbered keys"))
        return [Log(path, NAME, notes=coalesce(told), bytes=len(data))]
    return logs_of_table(path, NAME, table([RecordBatch(rows, range(1, len(rows) + 1))]), len(data), told)


def _rows(text: str, name: Path, whole: bool) -> list[dict[str, Any]]:
    suffix = name.suffix.lower()
    rows = records(_pairs(text, suffix, whole), name.stem)
    if rows or suffix in (*_YAML, ".json") or "{" not in text:
        return rows
    return braced(text if whole else text[: text.rfind("}") + 1])


def _pairs(text: str, suffix: str, whole: bool) -> Pairs:
    """The numbers of a text under the paths of their keys. whole: its end is there"""
    if suffix == ".json" or text.lstrip()[:1] == "{":
        with suppress(ValueError, RecursionError):
            value = json.loads(text)
            if isinstance(value, dict) and records_of(value) is None:  # of objects there are other readers
                return list(_flat(value, "", 0))
        return []
    if suffix in _YAML:
        with suppress(YamlTrouble):
            value = load_yaml(text)
            if isinstance(value, dict) and records_of(value) is None:
                return list(_flat(value, "", 0))
        return []
    lines = [r for r in text.split("\n") if r.strip() and not r.lstrip().startswith(_COMMENTS)]
    lines = lines if whole else lines[:-1]
    if not all(map(_fits, lines[:_FIRST])) or sum(map(_fits, lines)) < _SHARE * len(lines):
        return []
    return list(_lined(lines))


def _fits(line: str) -> bool:
    return any(form.fullmatch(line) is not None for form in (_PAIR, _SECTION, _LABELED))


def _lined(lines: Sequence[str]) -> Iterator[tuple[str, float]]:
    section = ""
    for line in lines:
        headed = _SECTION.fullmatch(line)
        if headed is not None:
            section = f"{headed[1].strip()}/"
        elif (m := _LABELED.fullmatch(line)) is not None and (value := number(m[3])) is not None:
            yield "/".join([m[1], *(f"{k} {v}" for k, v in _LABEL.findall(m[2]))]), value
        elif (m := _PAIR.fullmatch(line)) is not None and (value := number(m[2].replace(",", "."))) is not None:
            yield section + m[1].strip(), value


def _flat(value: dict[object, object], ahead: str, depth: int) -> Iterator[tuple[str, float]]:
    for key, held in value.items():
        if isinstance(held, dict) and depth < _DEEP:
            yield from _flat(held, f"{ahead}{key}/", depth + 1)
        elif isinstance(held, (int, float)) and not isinstance(held, bool):
            yield f"{ahead}{key}", float(held)
