"""The tools themselves: plain functions from texts and numbers to JSON, that write nothing and print nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from curvedoc.cli.agent.places import Roots
from curvedoc.core.diagnosis import Diagnosis, RunDiagnosis
from curvedoc.core.errors import UsageError
from curvedoc.options import Options
from curvedoc.report.redact import redact

#: What one answer holds at most.
MOST_RUNS, MOST_TEXT = 50, 20_000
#: A caller waits for the answer.
_SECONDS = 60.0


class Tools:
    """What a caller may ask about training runs below the roots."""

    def __init__(self, roots: Roots) -> None:
        self._roots = roots

    def analyze(self, path: str, limit: int = 5) -> dict[str, Any]:
        """Diagnose the training run, or the runs, in a file or folder: verdict, how it ended, onset, first cause with
        evidence for and against, next action, what to log. Worst first; each run in less than 2 kB."""
        from curvedoc.report.exchange.brief import run_brief
        from curvedoc.report.summary import worst_first

        found = self._diagnosis(path)
        runs = worst_first(found)
        return {"runs": [run_brief(r) for r in runs[: _count(limit)]], "of": len(runs), **_unread(found)}

    def triage(self, path: str, limit: int = 20) -> dict[str, Any]:
        """Rank many runs below a folder: one line a run, worst first; groups that failed alike; settings that separate
        failed runs from healthy ones. Ask `analyze` about single runs then."""
        from curvedoc.report.summary import onset, worst_first

        found = self._diagnosis(path)
        runs = worst_first(found)
        tally: dict[str, int] = {}
        for run in runs:
            tally[run.verdict] = tally.get(run.verdict, 0) + 1
        rows = [
            {"run": r.run, "verdict": r.verdict, "onset": onset(r), "headline": redact(r.headline)[:300], **_cause(r)}
            for r in runs[: _count(limit)]
        ]
        groups = [{"name": g.name, "runs": len(g.runs), "like": g.representative} for g in found.groups[:20]]
        return {
            "verdicts": tally, "runs": rows, "of": len(runs), "groups": groups,
            "contrasts": [redact(c.text) for c in found.contrasts[:10]], **_unread(found),
        }  # fmt: skip

    def explain(self, id: str, run: str = "") -> str:
        """What a symptom, cause or fact is: how it is seen, what it is mistaken for, what to do (Markdown). With `run`,
        a path: what each line of the rule said of that run, and what excused it."""
        from curvedoc.cli.rules import page_of, pages_of_run
        from curvedoc.report.explain.markdown import to_markdown

        if len(id) > 100:
            raise UsageError("no symptom, cause, fact or remark has so long a name")
        pages = pages_of_run(id, self._roots.place(run), Options()) if run else [page_of(id, [])]
        return "\n".join(map(to_markdown, pages))[:MOST_TEXT]

    def diff(self, a: str, b: str) -> dict[str, Any]:
        """Put two runs beside each other: the step at which they part, and which settings and findings differ.
        PATH::NAME is one of several runs in a path."""
        from curvedoc.cli.diff import compared

        made = compared(self._roots.run(a), self._roots.run(b), Options(siblings=False))
        if len(made) > MOST_TEXT:
            made = _shorter(json.loads(made))
        found: dict[str, Any] = json.loads(made)
        return found

    def facts(self, path: str) -> dict[str, Any]:
        """What is true of each run and how that is known: classes, chance level, warm start, schedule, length ..., and
        which metric was taken for what."""
        found = self._diagnosis(path)
        return {
            "runs": [
                {
                    "run": r.run,
                    "facts": {
                        k: {
                            "value": redact(f.value)[:200] if isinstance(f.value, str) else f.value,
                            "unit": f.unit,
                            "trust": f.trust,
                            "because": redact(f.because)[:200],
                        }
                        for k, f in r.facts.items()
                    },
                    "signals": {s.role: {"metric": s.metric, "points": s.points} for s in r.signals},
                }
                for r in found.runs[:MOST_RUNS]
            ],
            "of": len(found.runs),
        }

    def _diagnosis(self, path: str) -> Diagnosis:
        from curvedoc.pipeline import analyze
        from curvedoc.triage import Limits

        place = self._roots.place(path)
        return analyze([place], Options(), limits=Limits(seconds=_SECONDS))


def _count(limit: int) -> int:
    return max(1, min(limit, MOST_RUNS))


def _cause(run: RunDiagnosis) -> dict[str, Any]:
    flagged = run.verdict in ("failed", "warning", "ended-early") and run.causes
    return {"cause": run.causes[0].cause, "probability": round(run.causes[0].probability, 2)} if flagged else {}


def _unread(found: Diagnosis) -> dict[str, Any]:
    told = [{"path": u.path, "reason": redact(u.reason)[:200]} for u in found.unreadable[:10]]
    return {"unreadable": told} if told else {}


def _shorter(made: dict[str, Any]) -> str:
    """The difference with its long lists cut to ten."""
    cut = {k: v[:10] if isinstance(v, list) else v for k, v in made.items()}
    text = json.dumps(cut)
    return text if len(text) <= MOST_TEXT else json.dumps({k: v for k, v in cut.items() if not isinstance(v, list)})


SKILL = Path(__file__).with_name("SKILL.md")
