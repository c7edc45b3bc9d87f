"""Reader of values under numbered keys: properties, settings in sections, and objects of JSON or YAML."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from curvedoc.core.late_regex import late_regex
from curvedoc.core.notes import coalesce
from curvedoc.core.run import Note
from curvedoc.ingest.bytes.file import HEAD_BYTES, decode, decoded_head, read_text
from curvedoc.ingest.contract import Log
from curvedoc.ingest.keyed.paths import records
from curvedoc.ingest.settings.yaml import YamlTrouble, load_yaml
from curvedoc.ingest.table.batch import RecordBatch
from curvedoc.ingest.table.columns import table
from curvedoc.ingest.table.keys import records_of
from curvedoc.ingest.table.log import logs_of_table
from curvedoc.ingest.table.values import number

NAME = "numbered-keys"
FILES: tuple[str, ...] = ("*.properties", "*.ini", "*_by_step.json", "*.env")
ABOUT = (
    'values under numbered keys: `epoch.3.loss=0.5`, a section an epoch, {"300": 0.5} in a file called by its metric'
)

_PACKED = late_regex(r"(?:\.(?:gz|zst|zstd))+$")
_LINED = (".properties", ".ini", ".cfg", ".conf", ".env", ".txt", ".log", ".dat", ".toml", "")
_YAML = (".yaml", ".yml")
_PAIR = late_regex(
    r"\s*(?:export )?[\"']?([^\s=:\"'{}][^=:\"'{}]{0,120}?)[\"']?\s*[=:]\s*[\"']?([^\s\"',;]{1,40})[\"']?[,;]?\s*"
)
_SECTION = late_regex(r"\s*\[{1,2}([^\[\]=\n]{1,60})\]{1,2}:?\s*")
_COMMENTS = ("#", ";", "!", "//", "%")
#: So many lines are looked at before the rest is, and so large a share of all are pairs or sections.
_FIRST, _SHARE = 12, 0.9
_DEEP, _MOST = 5, 16 << 20

Pairs = list[tuple[str, float]]


def claims(path: Path, head: bytes) -> bool:
    """Whether the numbers in a file stand under keys that count."""
    name = Path(_PACKED.sub("", path.name.lower()))
    if b"\x00" in head[:100] or name.suffix not in (*_LINED, *_YAML, ".json"):
        return False
    if len(head) >= HEAD_BYTES and name.suffix == ".json":
        head, _ = read_text(path, _MOST)
    text = decoded_head(head)
    return bool(records(_pairs(text, name.suffix, len(head) < HEAD_BYTES), name.stem))


def read(paths: Sequence[Path]) -> list[Log]:
    """One log a file or training."""
    return [log for path in paths for log in _read(path)]


def _read(path: Path) -> list[Log]:
    data, notes = read_text(path, _MOST)
    text, more = decode(data)
    name = Path(_PACKED.sub("", path.name))
    rows = records(_pairs(text, name.suffix.lower(), True), name.stem)
    told = [*notes, *more]
    if not rows:
        told.append(Note("not-a-log", "no values under numbered keys"))
        return [Log(path, NAME, notes=coalesce(told), bytes=len(data))]
    return logs_of_table(path, NAME, table([RecordBatch(rows, range(1, len(rows) + 1))]), len(data), told)


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
    return _PAIR.fullmatch(line) is not None or _SECTION.fullmatch(line) is not None


def _lined(lines: Sequence[str]) -> Iterator[tuple[str, float]]:
    section = ""
    for line in lines:
        headed = _SECTION.fullmatch(line)
        if headed is not None:
            section = f"{headed[1].strip()}/"
        elif (m := _PAIR.fullmatch(line)) is not None and (value := number(m[2].replace(",", "."))) is not None:
            yield section + m[1].strip(), value


def _flat(value: dict[object, object], ahead: str, depth: int) -> Iterator[tuple[str, float]]:
    for key, held in value.items():
        if isinstance(held, dict) and depth < _DEEP:
            yield from _flat(held, f"{ahead}{key}/", depth + 1)
        elif isinstance(held, (int, float)) and not isinstance(held, bool):
            yield f"{ahead}{key}", float(held)
