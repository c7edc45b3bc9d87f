"""What is new since an earlier triage."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from curvedoc.core.diagnosis import Diagnosis, RunDiagnosis
from curvedoc.core.errors import UsageError
from curvedoc.diagnose.siblings.groups import groups, own
from curvedoc.report.exchange.json_document import from_json

_HINT = "save one with curvedoc triage PATH --json FILE, or with -f jsonl"


@dataclass(frozen=True, slots=True)
class Known:
    """What an earlier triage told. failures: run -> the symptoms that nothing else in it explains."""

    failures: Mapping[str, frozenset[str]] = field(default_factory=dict)
    unreadable: frozenset[str] = frozenset()  # paths


def known_of(before: Diagnosis) -> Known:
    """What a diagnosis tells."""
    return Known({r.run: failures(r) for r in before.runs}, frozenset(u.path for u in before.unreadable))


def failures(run: RunDiagnosis) -> frozenset[str]:
    """The symptoms that nothing else in the run explains."""
    return frozenset(own(run))


def new_only(now: Diagnosis, known: Known) -> Diagnosis:
    """The runs with a failure of their own that was not known of them, and paths newly unreadable.

    A run is known by its name; one whose failures are all known, and one that is healthy, is left out.
    """
    runs = tuple(r for r in now.runs if failures(r) - known.failures.get(r.run, frozenset()))
    lost = tuple(u for u in now.unreadable if u.path not in known.unreadable)
    return replace(now, runs=runs, groups=groups(runs), contrasts=(), unreadable=lost)


def read_known(path: Path) -> Known:
    """What a saved file tells: a diagnosis (`--json`), or JSON lines of runs (`-f jsonl`, also several appended) or
    of whole diagnoses. Raises UsageError with the line for anything else.

    A line of a run has its name as `run` and its symptoms as `failures`, `symptoms` or `findings`; of several lines of
    one run the last counts.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot be read: {error}", str(path)) from error
    rows = [(i, line) for i, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not rows:
        raise UsageError("the file is empty", str(path), _HINT)
    if path.suffix.lower() not in (".jsonl", ".ndjson") and not _is_line(rows[0][1]):
        return known_of(_diagnosis(text, str(path)))
    told: dict[str, frozenset[str]] = {}
    lost: set[str] = set()
    for number, line in rows:
        known = _line(line, f"{path}:{number}")
        told.update(known.failures)
        lost |= known.unreadable
    return Known(told, frozenset(lost))


def _is_line(text: str) -> bool:
    """Whether a line is a whole JSON object of a run or of a path that was not read."""
    try:
        row = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(row, dict) and "schema" not in row and bool({"run", "unreadable"} & set(row))


def _line(text: str, where: str) -> Known:
    try:
        row = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"not JSON: {str(error)[:200]}", where, _HINT) from error
    if isinstance(row, dict) and "schema" in row:
        return known_of(_diagnosis(text, where))
    if isinstance(row, dict) and isinstance(row.get("run"), str):
        return Known({row["run"]: _symptoms(row, where)})
    if isinstance(row, dict) and isinstance(row.get("unreadable"), str):
        return Known(unreadable=frozenset((row["unreadable"],)))
    raise UsageError("no run: it has no 'run' with a name", where, _HINT)


def _symptoms(row: Mapping[str, Any], where: str) -> frozenset[str]:
    """Names under `failures`, else `symptoms` (a list, or one text with blanks), else the `findings` of a diagnosis."""
    for key in ("failures", "symptoms", "findings"):
        value = row.get(key)
        if value is None:
            continue
        if isinstance(value, str):
            return frozenset(value.split())
        if isinstance(value, list) and all(isinstance(v, str) for v in value):
            return frozenset(value)
        if key == "findings" and isinstance(value, list) and all(isinstance(v, dict) for v in value):
            own = [v for v in value if v.get("kind", "pathology") == "pathology" and v.get("explained_by") is None]
            return frozenset(str(v.get("symptom", "")) for v in own)
        raise UsageError(f"'{key}' is no list of symptoms", where, _HINT)
    if row.get("verdict") in ("healthy", "inconclusive", "ended-early"):
        return frozenset()
    raise UsageError("it has neither 'failures' nor 'symptoms' nor 'findings'", where, _HINT)


def _diagnosis(text: str, where: str) -> Diagnosis:
    try:
        return from_json(text)
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(f"not a curvedoc diagnosis: {str(error)[:200]}", where, _HINT) from error
    except UsageError as error:
        raise UsageError(error.what, f"{where} {error.where}".rstrip(), error.hint or _HINT) from error
