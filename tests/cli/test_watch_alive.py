"""Files that are being watched have not ended early, whatever their last line looks like."""

from __future__ import annotations

from pathlib import Path

from curvedoc.options import Options
from curvedoc.pipeline import analyze


def test_a_torn_record_or_a_kill_is_no_early_end_while_someone_watches(tmp_path: Path) -> None:
    rows = [f"step {s} loss {2.3 * 0.99**s:.4f}" for s in range(200)]
    for name, end in (
        ("torn", "Killed\n"),
        ("stopped", "slurmstepd: error: *** JOB 7 CANCELLED DUE TO TIME LIMIT ***\n"),
    ):
        (tmp_path / name).mkdir()
        (tmp_path / name / "train.log").write_text("\n".join(rows) + "\n" + end, encoding="utf-8")
    assert {r.verdict for r in analyze([tmp_path], Options()).runs} == {"ended-early"}
    watched = analyze([tmp_path], Options(alive=True)).runs
    assert {r.verdict for r in watched} == {"healthy"}
    assert not any(f.symptom == "ended-early" for r in watched for f in r.findings)
