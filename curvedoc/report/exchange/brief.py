"""A run in less than two kilobytes of JSON: what a reader with little room, a program or a model, needs to act."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

from curvedoc.core.diagnosis import Diagnosis, Evidence, RunDiagnosis
from curvedoc.report.advice import how_to_log, missing, signal_name
from curvedoc.report.redact import redact
from curvedoc.report.summary import (
    decides,
    explains_nothing,
    first_thing,
    lead_finding,
    onset,
    ranked_findings,
    worst_first,
)

#: Bytes of one run, its line end included.
MOST_BYTES = 2000
_MOST_TEXT, _LEAST_TEXT = 400, 40
#: What is given up first where there is no room: (path, how many are kept).
_SPARE: tuple[tuple[tuple[str, ...], int], ...] = (
    (("next_action", "code"), 0),
    (("other_causes",), 1),
    (("log_next_time",), 2),
    (("also",), 2),
    (("cause", "for"), 2),
    (("cause", "against"), 1),
    (("log_next_time",), 1),
    (("other_causes",), 0),
    (("also",), 0),
    (("log_next_time",), 0),
)


def to_brief(d: Diagnosis) -> str:
    """A line of JSON for each run, worst first, in ASCII."""
    return "".join(_line(run_brief(run)) for run in worst_first(d))


def run_brief(run: RunDiagnosis) -> dict[str, Any]:
    """Verdict, end, onset, first cause with its evidence, next action, what to log; what is unknown is left out."""
    lead, flagged = lead_finding(run), run.verdict not in ("healthy", "inconclusive")
    first = first_thing(run)
    brief: dict[str, Any] = {
        "run": run.run,
        "verdict": run.verdict,
        "headline": run.headline,
        "ended": _kept(how=run.ending.value, at=run.ending.step, because=run.ending.because, line=run.ending.place),
    }
    if lead is not None:
        brief["onset"] = _kept(**{run.axis: onset(run)}, symptom=lead.symptom, metric=lead.metric)
        brief["seen"] = [e.text for e in lead.evidence[:2]]
        others = [f for f in ranked_findings(run) if f is not lead and decides(run, f)]
        brief["also"] = [f.symptom for f in others][:4]
    if flagged and run.causes and not explains_nothing(run):
        top = run.causes[0]
        brief["cause"] = _kept(
            id=top.cause, title=top.title, probability=round(top.probability, 2), **{"for": _texts(top.supports, 3)},
            against=_texts(top.against, 2),
        )  # fmt: skip
        brief["other_causes"] = [{c.cause: round(c.probability, 2)} for c in run.causes[1:3] if c.probability >= 0.05]
    if first is not None:
        action = run.next_action
        code = action.code if action and len(action.code) <= _MOST_TEXT else ""  # half a program helps nobody
        brief["next_action"] = _kept(text=first.ask, command=action.command if action else "", code=code)
    if run.verdict != "healthy":
        brief["log_next_time"] = [_kept(signal=signal_name(n), line=how_to_log(n)) for n, _ in missing(run)[:3]]
    return _fitted(_clean({k: v for k, v in brief.items() if v or v == 0}))


def _fitted(brief: dict[str, Any]) -> dict[str, Any]:
    """The brief without what there is no room for: first the least telling lists, then the ends of long texts."""
    for path, most in _SPARE:
        if _size(brief) <= MOST_BYTES:
            return brief
        _cut(brief, path, most)
    length = _MOST_TEXT
    while _size(brief) > MOST_BYTES and length >= _LEAST_TEXT:
        length = length * 3 // 4
        at_most = length
        brief = _mapped(brief, lambda text, n=at_most: shortened(text, n))  # type: ignore[misc]
    return brief


def _cut(brief: dict[str, Any], path: tuple[str, ...], most: int) -> None:
    holder = brief
    for key in path[:-1]:
        holder = holder.get(key, {})
    if path[-1] not in holder:
        return
    if most == 0:
        del holder[path[-1]]
    else:
        holder[path[-1]] = holder[path[-1]][:most]


def shortened(text: str, most: int) -> str:
    """The text, or its beginning to a word's end.

    >>> shortened("the loss rose at once", 12)
    'the loss...'
    """
    if len(text) <= most:
        return text
    head = text[: most - 3]
    return (head.rpartition(" ")[0] or head) + "..."


def _line(brief: dict[str, Any]) -> str:
    return json.dumps(brief, allow_nan=False, separators=(",", ":")) + "\n"


def _size(brief: dict[str, Any]) -> int:
    return len(_line(brief))


def _texts(evidence: tuple[Evidence, ...], most: int) -> list[str]:
    return [e.text for e in evidence[:most]]


def _kept(**values: Any) -> dict[str, Any]:
    return {k: v for k, v in values.items() if v not in (None, "", [], {})}


def _clean(brief: dict[str, Any]) -> dict[str, Any]:
    """Credentials masked, no text beyond all measure."""
    cleaned: dict[str, Any] = _mapped(brief, lambda text: shortened(redact(text), _MOST_TEXT))
    return cleaned


def _mapped(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {change(k): _mapped(v, change) for k, v in value.items()}
    if isinstance(value, list):
        return [_mapped(v, change) for v in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
