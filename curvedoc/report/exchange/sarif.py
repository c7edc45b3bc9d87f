"""The diagnosis as SARIF 2.1.0, for code-scanning views; useful where the run directory is in the repository."""

from __future__ import annotations

import hashlib
import json
from typing import Any
from urllib.parse import quote

from curvedoc.core.diagnosis import Diagnosis, Finding, RunDiagnosis
from curvedoc.report import words
from curvedoc.report.escape import clip, visible
from curvedoc.report.redact import redact
from curvedoc.report.summary import decides, ranked_findings, worst_first

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
#: GitHub shows 5,000 results of a file and drops the rest.
MOST_RESULTS = 5000
_LEVEL = {"fatal": "error", "error": "error", "warning": "warning", "note": "note"}
_TEXT = 2000


def to_sarif(d: Diagnosis) -> str:
    """One SARIF run: a rule per symptom, a result per finding that nothing else explains, worst run first.

    A result points at the file that its run was read from. Its fingerprint leaves step numbers out, so that the same
    failure of the same run is one alert over time. Sorted keys; ends with a newline.
    """
    results: list[dict[str, Any]] = []
    rules: dict[str, dict[str, Any]] = {}
    for run in worst_first(d):
        for finding in ranked_findings(run):
            if finding.kind == "gap" or finding.explained_by:
                continue
            rules.setdefault(finding.symptom, _rule(finding))
            results.append(_result(run, finding))
    driver = {
        "name": "curvedoc",
        "version": d.version,
        "properties": {"rules_digest": d.rules_digest},
        "rules": [rules[k] for k in sorted(rules)],
    }
    unread = [
        {"level": "warning", "message": {"text": _plain(f"{u.path}: {u.reason}")}} for u in d.unreadable[:MOST_RESULTS]
    ]
    invocation = {"executionSuccessful": True, "toolExecutionNotifications": unread}
    sarif = {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results[:MOST_RESULTS], "invocations": [invocation]}],
    }
    return json.dumps(sarif, sort_keys=True, indent=1, allow_nan=False) + "\n"


def _plain(text: str) -> str:
    return clip(visible(redact(text)), _TEXT)


def _rule(f: Finding) -> dict[str, Any]:
    return {
        "id": f.symptom,
        "shortDescription": {"text": _plain(f.title)},
        "defaultConfiguration": {"level": _LEVEL[f.severity]},
    }


def _result(run: RunDiagnosis, f: Finding) -> dict[str, Any]:
    cause = next((c for c in run.causes if f.symptom in c.findings), None)
    parts = [f"{words.run_name(run.run) or 'run'}: {f.title}."]
    parts += [f"{words.cap(e.text)}." for e in f.evidence]
    if cause:
        parts.append(f"{words.cap(words.likelihood(cause.probability))}: {cause.title}.")
        parts += [f"Fix: {fix}" for fix in cause.fix[:1]]
    mark = hashlib.sha256("\0".join([f.symptom, run.run, *sorted(f.scope.values())]).encode("utf-8", "surrogatepass"))
    source = run.sources[0].path if run.sources else run.run
    properties: dict[str, Any] = {"run": visible(run.run), "strength": f.strength, "verdict": run.verdict}
    if f.first_step is not None:
        properties["steps"] = [f.first_step, f.last_step if f.last_step is not None else f.first_step]
    result: dict[str, Any] = {
        "ruleId": f.symptom,
        "level": _LEVEL[f.severity] if f.kind == "pathology" else "warning" if decides(run, f) else "note",
        "message": {"text": _plain(" ".join(parts))},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": _uri(source)}, "region": {"startLine": 1}}}],
        "partialFingerprints": {"curvedoc/v1": mark.hexdigest()[:32]},
        "properties": properties,
    }
    if cause and 0 <= cause.probability <= 1:
        result["rank"] = round(100 * cause.probability, 1)
    return result


def _uri(path: str) -> str:
    """A relative URI reference of a path; the part after `::` is no file."""
    return quote(path.split("::", 1)[0].replace("\\", "/").encode("utf-8", "surrogatepass")) or "."
