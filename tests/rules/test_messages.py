"""Messages as frameworks print them reach the rule that names them; harmless lines that sound alike reach none."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import yaml

from curvedoc.core.run import Run
from curvedoc.diagnose.judge.detect import detect
from curvedoc.diagnose.judge.inputs import Bench
from curvedoc.ingest import read_runs
from curvedoc.rulebook.load import load, signals_file

LINES: dict[str, Any] = yaml.safe_load((Path(__file__).parent / "messages.yaml").read_text(encoding="utf-8"))
RULES = {rule.id: rule for rule in load().rules if rule.family == "log-message"}


def told(place: Path, text: str) -> dict[str, str]:
    """Symptom -> evidence of the log-message rules that fire on a text log."""
    (place / "train.log").write_text(text, encoding="utf-8")
    [run] = read_runs([place], signals={}, signals_file=signals_file()).runs
    return findings(run)


def findings(run: Run) -> dict[str, str]:
    bench = Bench(run)
    found = {name: detect(rule, bench, [run], strict=True).finding for name, rule in RULES.items()}
    return {name: "; ".join(e.text for e in f.evidence) for name, f in found.items() if f is not None}


def steps(first: int, last: int) -> str:
    return "".join(f"step {i} loss {2.3 * (1 + i / 10) ** -0.4:.4f}\n" for i in range(first, last))


@cache
def matched() -> dict[str, set[str]]:
    """Line -> the rules whose pattern takes it, from one log that holds every line, each after a step of its own."""
    lines = [line for of_one in LINES["fires"].values() for line in of_one]
    with TemporaryDirectory() as place:
        text = "".join(steps(i, i + 1) + line + "\n" for i, line in enumerate(lines, 1))
        (Path(place) / "train.log").write_text(text, encoding="utf-8")
        [run] = read_runs([Path(place)], signals={}, signals_file=signals_file()).runs
    bench, found = Bench(run), {line: set[str]() for line in lines}
    for rule in RULES.values():
        hits = bench.transcript.hits("hit", rule.program.patterns["hit"], rule.program.excepted.get("hit"))
        assert hits is not None
        for step in hits.series.step.tolist():
            found[lines[step - 1]].add(rule.id)
    return found


@pytest.mark.parametrize("symptom", sorted(LINES["fires"]))
def test_messages_of_frameworks_reach_the_rule_of_their_symptom(symptom: str) -> None:
    # one message may name both types and devices, any error is an exception too, and the two rules of memory read alike
    shared = {"crash-traceback", "dtype-mismatch", "oom-at-start"}
    for line in LINES["fires"][symptom]:
        assert symptom in matched()[line], line
        assert matched()[line] - {symptom} <= shared, line


@pytest.mark.parametrize("symptom", sorted(LINES["fires"]))
def test_a_run_that_ends_in_such_a_message_is_told(symptom: str, tmp_path: Path) -> None:
    assert symptom in told(tmp_path, steps(1, 30) + LINES["fires"][symptom][0] + "\n")


def test_harmless_lines_tell_nothing(tmp_path: Path) -> None:
    lines = [steps(i, i + 1) + line + "\n" for i, line in enumerate(LINES["silent"], 1)]
    assert told(tmp_path, "".join(lines)) == {}


def test_advice_about_memory_does_not_date_the_failure(tmp_path: Path) -> None:
    text = "Hint: if you run out of memory, lower --batch-size\n" + steps(1, 40)
    found = told(tmp_path, text + "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n")
    assert set(found) - {"crash-traceback"} == {"oom-later"}
    assert "Tried to allocate" in found["oom-later"]


def test_a_numeric_warning_counts_only_where_the_loss_is_lost(tmp_path: Path) -> None:
    warning = "/home/user/train.py:12: RuntimeWarning: overflow encountered in exp\n  return 1 / (1 + np.exp(-x))\n"
    assert told(tmp_path, steps(1, 20) + warning + steps(20, 60)) == {}
    lost = "".join(f"step {i} loss nan\n" for i in range(20, 60))
    assert "overflow encountered in exp" in told(tmp_path, steps(1, 20) + warning + lost)["nan-reported"]


def test_a_traceback_is_a_failure_whatever_else_it_says(tmp_path: Path) -> None:
    block = (
        "Traceback (most recent call last):\n"
        '  File "train.py", line 40, in <module>\n'
        "    train()  # lower the batch size to avoid out of memory\n"
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"
    )
    assert "oom-later" in told(tmp_path, steps(1, 40) + block)
