"""Findings where a merge request shows them: GitHub's workflow commands, GitLab's code quality report."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from curvedoc.core.diagnosis import Diagnosis, Finding, RunDiagnosis
from curvedoc.report import words
from curvedoc.report.escape import clip, visible
from curvedoc.report.redact import redact
from curvedoc.report.summary import decides, ranked_findings, why, worst_first

#: GitHub shows ten annotations of a kind for a step, and drops the rest.
MOST_ANNOTATIONS = 10
_TEXT = 1000
_COMMAND = {"fatal": "error", "error": "error", "warning": "warning", "note": "notice"}
_GITLAB = {"fatal": "blocker", "error": "critical", "warning": "major", "note": "info"}


def to_github(d: Diagnosis) -> str:
    """Workflow commands, an annotation for each finding that decides a verdict, and one for what was not read."""
    lines: dict[str, list[str]] = {"error": [], "warning": [], "notice": []}
    for run, f in _deciding(d):
        kind = _COMMAND[f.severity] if f.kind == "pathology" else "warning"
        lines[kind].append(_annotation(kind, _file(run), f"{_name(run)}: {f.symptom}", _message(run, f)))
    for u in d.unreadable[:1]:
        more = f" (and {len(d.unreadable) - 1:,} more)" if len(d.unreadable) > 1 else ""
        lines["warning"].append(_annotation("warning", u.path, "could not be read", f"{u.path}: {u.reason}{more}"))
    return "".join(line + "\n" for kind in lines for line in lines[kind][:MOST_ANNOTATIONS])


def to_gitlab(d: Diagnosis) -> str:
    """GitLab's code quality report: one issue for each finding that decides a verdict. Ends with a newline."""
    issues: list[dict[str, Any]] = []
    for run, f in _deciding(d):
        mark = "\0".join([f.symptom, run.run, *sorted(f.scope.values())]).encode("utf-8", "surrogatepass")
        issues.append(
            {
                "check_name": f.symptom,
                "description": _plain(f"{_name(run)}: {_message(run, f)}"),
                "fingerprint": hashlib.sha256(mark).hexdigest()[:32],
                "severity": _GITLAB[f.severity] if f.kind == "pathology" else "major",
                "location": {"path": _file(run), "lines": {"begin": 1}},
            }
        )
    return json.dumps(issues, indent=1, sort_keys=True) + "\n"


def _deciding(d: Diagnosis) -> Iterator[tuple[RunDiagnosis, Finding]]:
    for run in worst_first(d):
        for f in ranked_findings(run):
            if decides(run, f) and not f.explained_by:
                yield run, f


def _message(run: RunDiagnosis, f: Finding) -> str:
    seen = " ".join(f"{words.cap(e.text)}." for e in f.evidence[:2])
    cause = why(run) if run.causes and f.symptom in run.causes[0].findings else ""
    action = run.next_action.text if run.next_action else ""
    parts = (f"{f.title}.", seen, f"Cause: {cause}." if cause else "", f"Do this first: {action}" if action else "")
    return " ".join(p for p in parts if p)


def _name(run: RunDiagnosis) -> str:
    return words.run_name(run.run) or "run"


def _file(run: RunDiagnosis) -> str:
    """The file that a finding points at: where the run was read from; the part after `::` is no file."""
    path = run.sources[0].path if run.sources else run.run
    return path.split("::", 1)[0].replace("\\", "/").encode("utf-8", "replace").decode() or "."


def _plain(text: str) -> str:
    return clip(visible(redact(text)), _TEXT)


def _annotation(kind: str, file: str, title: str, message: str) -> str:
    return f"::{kind} file={_property(file)},title={_property(title)}::{_data(_plain(message))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(_plain(text)).replace(":", "%3A").replace(",", "%2C")
