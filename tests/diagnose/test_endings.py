"""How runs end: real processes that end so, logs as they are left behind, and what must not be said."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from curvedoc.core.diagnosis import RunDiagnosis
from curvedoc.options import Options
from curvedoc.pipeline import analyze
from curvedoc.report.exchange.brief import to_brief
from curvedoc.report.html.page import to_html
from curvedoc.report.markdown import to_markdown
from curvedoc.report.terminal.summary import to_text
from tests.helpers.endings import CASES, Case, available, steps, text, traceback

DOCS = Path(__file__).resolve().parents[2] / "docs" / "endings.md"


def judged(place: Path) -> RunDiagnosis:
    """The last run in a folder."""
    return analyze([place], Options()).runs[-1]


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_an_ending_is_told_with_its_cause(case: Case, tmp_path: Path) -> None:
    if not available(case):
        pytest.skip("no bash and POSIX signals here")
    case.make(tmp_path)
    run = judged(tmp_path)
    assert run.ending.value == case.word, run.ending
    assert not case.cause or run.causes[0].cause == case.cause, run.headline
    assert (run.verdict == "ended-early") == early(case)


def early(case: Case) -> bool:
    """Whether the run ended before its time without an error of its own."""
    if case.word in ("killed", "hardware"):
        return case.cause in ("killed-run", "node-failure") or "off the bus" in case.name
    return case.word in ("by-hand", "time-limit", "preempted", "cut-off")


def test_enough_endings_are_tried_and_enough_are_real() -> None:
    assert len(CASES) >= 60 and sum(c.real for c in CASES) >= 25
    assert len({c.name for c in CASES}) == len(CASES)


def table() -> str:
    """The table of docs/endings.md."""
    rows = ["| ending | made by | told as | first cause |", "| --- | --- | --- | --- |"]
    for c in CASES:
        made = f"a real process: {c.made}" if c.real else {"text": "a log as it is left behind"}.get(c.made, c.made)
        rows.append(f"| {c.name} | {made} | {c.word or 'unknown'} | {c.cause or 'none needed'} |")
    return "\n".join(rows)


def test_the_table_of_the_docs_is_what_is_tried() -> None:
    text_ = DOCS.read_text(encoding="utf-8")
    head, _, rest = text_.partition("| ending |")
    if os.environ.get("CURVEDOC_WRITE"):
        DOCS.write_text(head + table() + "\n", encoding="utf-8")
    assert head and "| ending |" + rest.rstrip("\n") == table(), "run this test with CURVEDOC_WRITE=1"


def test_the_frame_and_what_the_message_names_are_kept(tmp_path: Path) -> None:
    text(traceback("KeyError: 'ckpt_dir'", "path = cfg['ckpt_dir']"))(tmp_path)
    run = judged(tmp_path)
    assert run.ending.place == "train.py:39" and dict(run.ending.captured) == {"key": "'ckpt_dir'"}
    assert "train.py:39" in " ".join(e.text for f in run.findings for e in f.evidence)


def test_what_was_listed_before_training_began_counts_no_steps(tmp_path: Path) -> None:
    samples = [f"  [{i}] TurbID={j}, start_idx={1000 + 37 * i * i % 900}" for j in (1, 2, 3) for i in range(5)]
    (tmp_path / "train.log").write_text(
        "\n".join(["Samples (show 8):", *samples, traceback("RuntimeError: no")]) + "\n"
    )
    run = judged(tmp_path)
    assert run.verdict == "failed"
    assert "step" not in run.headline, run.headline


def test_the_headline_of_a_killed_run_says_where_and_what_to_do(tmp_path: Path) -> None:
    text("Killed", last=696, total="/2000")(tmp_path)
    run = judged(tmp_path)
    assert run.headline == (
        "Killed at step 696 of 2,000; healthy until then (the loss went from 2.214 to 0.419): resume from the last "
        "checkpoint."
    )


def test_what_killed_a_run_is_not_told_by_shares_where_the_log_does_not_say_it(tmp_path: Path) -> None:
    torn_row = steps(1, 80) + "step 81/200 los"
    (tmp_path / "train.log").write_text(torn_row, encoding="utf-8")
    found = analyze([tmp_path], Options())
    run = found.runs[-1]
    assert run.verdict == "ended-early" and run.none_of_these is None
    for told in (to_text(found), to_markdown(found), to_brief(found)):
        assert not re.search(r"\d %", told) and "dmesg" in told
    assert "None of these" not in to_html(found)


def test_a_fault_outranks_an_early_end(tmp_path: Path) -> None:
    lost = "".join(f"step {i}/200 loss nan\n" for i in range(81, 120))
    (tmp_path / "train.log").write_text(steps(1, 80) + lost + "Killed\n", encoding="utf-8")
    run = judged(tmp_path)
    assert run.verdict == "failed" and run.ending.value == "killed"


def test_an_error_after_which_training_went_on_is_a_note(tmp_path: Path) -> None:
    error = "RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB\n"
    (tmp_path / "train.log").write_text(steps(1, 80) + error + steps(81, 200), encoding="utf-8")
    run = judged(tmp_path)
    assert run.verdict == "healthy" and run.ending.value == "finished"
    [note] = [f for f in run.findings if f.symptom.startswith("oom")]
    assert note.kind == "notice" and "120 logged rows" in note.evidence[-1].text


def test_out_of_memory_after_rows_is_not_called_the_first_iteration(tmp_path: Path) -> None:
    rows = "".join(f"step {i} | val accuracy {0.2 + 0.003 * i:.4f}\n" for i in range(1, 100))
    error = traceback("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.")
    (tmp_path / "train.log").write_text(rows + error + "\n", encoding="utf-8")
    assert {f.symptom for f in judged(tmp_path).findings if f.kind == "pathology"} == {"oom-later"}


def test_a_missing_last_line_end_is_no_early_end(tmp_path: Path) -> None:
    rows = "step,loss\n" + "".join(f"{i},{2.3 * (1 + i / 10) ** -0.4:.4f}\n" for i in range(1, 100))
    (tmp_path / "metrics.csv").write_text(rows.rstrip("\n"), encoding="utf-8")
    assert judged(tmp_path).verdict == "healthy"


@pytest.mark.parametrize(("older", "word"), [(0.0, "running"), (7200.0, "cut-off")])
def test_a_run_is_cut_off_where_other_files_went_on_for_ten_intervals(older: float, word: str, tmp_path: Path) -> None:
    for name, last in (("a", 80), ("b", 200)):
        place = tmp_path / name
        place.mkdir()
        rows = "".join(
            f'{{"step": {i}, "loss": {2.3 * (1 + i / 10) ** -0.4:.4f}, "timestamp": {1714560000 + 60 * i}}}\n'
            for i in range(1, last + 1)
        )
        (place / "metrics.jsonl").write_text(rows, encoding="utf-8")
        (place / "config.yaml").write_text("max_steps: 200\n", encoding="utf-8")
    path = tmp_path / "a" / "metrics.jsonl"
    was = path.stat().st_mtime - older
    os.utime(path, (was, was))
    runs = {r.run: r for r in analyze([tmp_path], Options()).runs}
    assert runs["a"].ending.value == word
    assert runs["a"].verdict == ("ended-early" if word == "cut-off" else "healthy")
    assert runs["b"].ending.value == "finished"


def test_a_ceiling_is_no_length(tmp_path: Path) -> None:
    for name, last in (("a", 80), ("b", 200)):
        place = tmp_path / name
        place.mkdir()
        rows = "".join(
            f'{{"step": {i}, "loss": {2.3 * (1 + i / 10) ** -0.4:.4f}, "timestamp": {1714560000 + 60 * i}}}\n'
            for i in range(1, last + 1)
        )
        (place / "metrics.jsonl").write_text(rows, encoding="utf-8")
        (place / "config.yaml").write_text("max_steps: 200\nearly_stopping_patience: 3\n", encoding="utf-8")
    path = tmp_path / "a" / "metrics.jsonl"
    was = path.stat().st_mtime - 7200
    os.utime(path, (was, was))
    runs = {r.run: r for r in analyze([tmp_path], Options()).runs}
    assert runs["a"].ending.value is None and runs["a"].verdict == "healthy"


def test_an_end_that_the_log_names_is_no_guess(tmp_path: Path) -> None:
    rows = "".join(f"step={i} loss={7 / (1 + i / 50):.4f}\n" for i in range(300))
    told = "slurmstepd: error: *** JOB 481 ON node042 CANCELLED AT 2024-03-03T11:00:12 DUE TO TIME LIMIT ***\n"
    (tmp_path / "slurm-481.out").write_text(rows + told)
    run = judged(tmp_path)
    assert run.verdict == "ended-early"
    assert run.causes[0].cause == "time-limit" and run.causes[0].probability > 0.7


def test_an_error_of_a_program_that_logged_nothing_ended_it(tmp_path: Path) -> None:
    bars = "".join(f"Map (num_proc=4): {k}%|##  | {k}/100 [00:01<00:01, 41.2 examples/s]\n" for k in range(0, 101, 9))
    crash = "Traceback (most recent call last):\n  File \"tune.py\", line 8, in <module>\nKeyError: 'prompt'\n"
    path = tmp_path / "train.err"
    path.write_text(bars + crash + bars)
    [run] = analyze([path]).runs
    assert (run.verdict, run.headline.startswith("Crashed")) == ("failed", True)


def test_what_a_model_writes_of_divisibility_is_no_refused_setting(tmp_path: Path) -> None:
    rows = [f"step {i} loss {2.0 - 0.05 * i:.3f}" for i in range(30)]
    rows.insert(20, "This means that 44 must be divisible by k, and 44 / k is at least 3.")
    path = tmp_path / "train.log"
    path.write_text("\n".join(rows) + "\n")
    assert analyze([path]).runs[0].verdict == "healthy"


def test_the_error_that_a_loader_worker_passed_on_is_told_as_it_was_first(tmp_path: Path) -> None:
    frames = '  File "/env/lib/python3.11/site-packages/torch/_utils.py", line 7, in reraise\n    raise exception\n'
    own = '  File "/home/u/proj/rows.py", line 31, in __getitem__\n    return row["target"]\n'
    log = "".join(f"step {i} loss {2 / (1 + i / 20):.4f}\n" for i in range(60))
    log += f"Traceback (most recent call last):\n{frames}KeyError: Caught KeyError in DataLoader worker process 3.\n"
    log += f"Original Traceback (most recent call last):\n{own}KeyError: 'target'\n"
    (tmp_path / "train.log").write_text(log, encoding="utf-8")
    run = judged(tmp_path)
    assert "rows.py:31: KeyError: 'target'" in run.headline and "Caught" not in run.headline
    assert run.causes[0].cause == "missing-key"
