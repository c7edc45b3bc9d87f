"""Reader of logs in YAML: a list of records, a document for each, or curves as lists under their names."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from curvedoc.core.late_regex import late_regex
from curvedoc.core.run import Note
from curvedoc.ingest.bytes.file import decode, pointer, read_text
from curvedoc.ingest.contract import Log
from curvedoc.ingest.json.columns import logs_of
from curvedoc.ingest.json.nested_records import nested_records
from curvedoc.ingest.naming.log_words import is_outcome, names_curve
from curvedoc.ingest.settings.yaml import MAX_TEXT, YamlTrouble, load_yaml
from curvedoc.ingest.table.batch import RecordBatch
from curvedoc.ingest.table.columns import table
from curvedoc.ingest.table.inference.proof import is_log
from curvedoc.ingest.table.keys import COUNTERS, measures_splits, records_of
from curvedoc.ingest.table.log import logs_of_table

NAME = "yaml"
FILES: tuple[str, ...] = ("*.yaml", "*.yml")
ABOUT = "YAML of training records: a list, a document for each, or lists of values under their names"

#: The parser takes a second for a sixteenth of it.
MAX_LOG = 1 << 22
#: Fewer records, and shorter lists, are settings.
_RECORDS, _VALUES = 3, 8
_ITEM = late_regex(r"^(?=- )", re.MULTILINE)
_DOCUMENT = late_regex(r"^---[^\n]*\n", re.MULTILINE)
#: YAML 1.1 takes 1e-4 for a text.
_NUMBER = late_regex(r"[-+]?\d+(?:\.\d*)?[eE][-+]?\d+|[-+]?(?i:nan|inf)")
#: Counters of records or in keys, and numbers of a list: what is parsed has some of these.
_COUNTED = rb"(?:epoch|step|iter|iteration|round|episode)"
_NUMBERED = rb"|[\"']?\d+[\"']?[ \t]*:[ \t]*(?:\{|$)"
_SIGNS = late_regex(
    rb"(?im)^[ \t]*(?:- +)?\{?[ \t]*[\"']?(?:\w{0,16}" + _COUNTED + rb"s?[\"']?[ \t]*:[ \t]*\d"
    rb"|" + _COUNTED + rb"[ _-]?\d+[\"']?[ \t]*:" + _NUMBERED + rb")"
    rb"|(?:[\[,]|^[ \t]*-)[ \t]*-?\d+\.\d+[ \t]*(?=[,\]\n])"
)


def claims(path: Path, head: bytes) -> bool:
    """Whether a YAML file holds records that are counted and measured, or curves."""
    if not path.name.lower().removesuffix(".gz").endswith((".yaml", ".yml")) or not _signs(head):
        return False
    text, _ = decode(head)
    if len(head) >= 1 << 16:
        text = text[: max((m.start() for m in _ITEM.finditer(text)), default=text.rfind("\n") + 1)]
    found, _ = _value(text)
    return _holds_log(found)


def guesses(path: Path, head: bytes, named: bool) -> bool:
    """Whether records of unknown keys are a log by their values."""
    if not path.name.lower().endswith((".yaml", ".yml")) or not named:
        return False
    found, _ = _value(decode(head)[0])
    rows = _rows(found)
    return rows is not None and is_log(table([RecordBatch(rows, range(1, len(rows) + 1))]), named)


def read(paths: Sequence[Path]) -> list[Log]:
    """One log a file or training; what cannot be parsed is a note."""
    return [log for path in paths for log in _read(path)]


def _read(path: Path) -> list[Log]:
    data, notes = read_text(path)
    stand_in = pointer(data)
    if stand_in is not None:
        return [Log(path, NAME, notes=(*notes, stand_in), bytes=len(data))]
    text, more = decode(data)
    found, told = _value(text)
    notes = (*notes, *more, *told)
    rows = _rows(found)
    if rows is not None:
        return logs_of_table(path, NAME, table([RecordBatch(rows, range(1, len(rows) + 1))]), len(data), notes)
    if isinstance(found, Mapping):
        return logs_of(path, NAME, found, len(data), notes)
    return [Log(path, NAME, notes=(*notes, Note("not-a-log", "no records in it")), bytes=len(data))]


def _signs(head: bytes) -> bool:
    return len(list(itertools.islice(_SIGNS.finditer(head), _RECORDS))) == _RECORDS


def _holds_log(found: Any) -> bool:
    rows = _rows(found)
    if rows is not None:
        keys = {str(k).lower() for r in rows for k in _flat(r)}
        counted = not COUNTERS.isdisjoint(k.rsplit("/", 1)[-1] for k in keys)
        measured = any(is_outcome(k) for k in keys) or all(map(measures_splits, rows))
        return len(rows) >= _RECORDS and counted and measured
    return isinstance(found, Mapping) and _has_curve(found, 0)


def _has_curve(value: Mapping[str, Any], depth: int) -> bool:
    for key, v in value.items():
        if isinstance(v, list) and len(v) >= _VALUES and names_curve(str(key)):
            if all(isinstance(x, (int, float)) for x in v):
                return True
        elif isinstance(v, Mapping) and depth < 4 and _has_curve(v, depth + 1):
            return True
    return False


def _flat(row: Mapping[str, Any], depth: int = 0) -> list[str]:
    out = []
    for k, v in row.items():
        out += [f"{k}/{x}" for x in _flat(v, depth + 1)] if isinstance(v, Mapping) and depth < 4 else [str(k)]
    return out


def _rows(found: Any) -> list[dict[str, Any]] | None:
    """The records of a value: its entries, or those of the list that an object holds."""
    several = nested_records(found) if isinstance(found, (list, dict)) else []
    if len({str(r.get("run")) for r in several}) > 1:
        return several
    if isinstance(found, list):
        rows = [r for r in found if isinstance(r, dict)]
        return rows if rows and 2 * len(rows) > len(found) else None
    return records_of(found)


def _value(text: str) -> tuple[Any, tuple[Note, ...]]:
    """The value of a text: of several documents a list; a long list is parsed some entries at a time."""
    notes: list[Note] = []
    if len(text) > MAX_LOG:
        notes.append(Note("too-large", "a YAML log was read up to 4 MB"))
        text = text[: max((m.start() for m in _ITEM.finditer(text[:MAX_LOG])), default=0)]
    parts = [p for p in _DOCUMENT.split(text) if p.strip()]
    entries: list[Any] = []
    for part in parts:
        for piece in _pieces(part):
            value = _parsed(piece, notes)
            if len(parts) == 1 and isinstance(value, Mapping):
                return value, tuple(notes)
            entries += value if isinstance(value, list) else [value] if value is not None else []
    return entries or None, tuple(notes)


def _parsed(piece: str, notes: list[Note]) -> Any:
    """The value of a piece; of one that is torn, what stands ahead of its last entry or line."""
    try:
        return _plain(load_yaml(piece))
    except YamlTrouble as e:
        cut = max((m.start() for m in _ITEM.finditer(piece)), default=piece.rstrip().rfind("\n") + 1)
        notes.append(Note("damaged", f"not readable as a whole: {str(e).splitlines()[0][:100]}"))
    try:
        return _plain(load_yaml(piece[:cut])) if cut else None
    except YamlTrouble:
        return None


def _pieces(part: str) -> list[str]:
    """A document as it is, or where it is a long list, its entries in pieces of a size that is parsed."""
    if len(part) <= MAX_TEXT:
        return [part]
    out, first, last = [], 0, 0
    for at in [*(m.start() for m in _ITEM.finditer(part)), len(part)]:
        if at - first > MAX_TEXT // 2 and last > first:
            out.append(part[first:last])
            first = last
        last = at
    return [*out, part[first:]]


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_plain(v) for v in value]
    return float(value) if isinstance(value, str) and _NUMBER.fullmatch(value) else value
