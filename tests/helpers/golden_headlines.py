"""The headline and the first action of samples and of made-up runs: `python -m tests.helpers.golden_headlines` writes
them anew. A person reads the difference before it is committed."""

from __future__ import annotations

from pathlib import Path

import yaml

from curvedoc.core.diagnosis import RunDiagnosis
from curvedoc.diagnose.cases import build
from curvedoc.diagnose.run import diagnose
from curvedoc.pipeline import Options, analyze
from curvedoc.rulebook.load import load

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "sample_logs"
GOLDEN = ROOT / "tests" / "golden" / "headlines.yaml"

Said = dict[str, dict[str, str]]


def told() -> Said:
    """Name of a sample, or of a symptom for the first case that fires of its file -> what is said of that run."""
    found = {f"sample {r.run}": _said(r) for r in analyze([SAMPLES], Options()).runs}
    book = load()
    for rule in book.rules:
        case = next((c for c in rule.tests if c.expect == "fires" and not c.siblings and not c.known), None)
        if case is not None:
            found[rule.id] = _said(diagnose(build(case, case, ranks=case.ranks), book, strict=True))
    return found


def _said(run: RunDiagnosis) -> dict[str, str]:
    said = {"verdict": run.verdict, "headline": run.headline}
    return said | ({"action": run.next_action.text} if run.next_action else {})


if __name__ == "__main__":
    GOLDEN.parent.mkdir(exist_ok=True)
    GOLDEN.write_text(yaml.safe_dump(told(), width=110, sort_keys=True, allow_unicode=True), encoding="utf-8")
