"""Messages as frameworks print them reach the rule that names them; harmless lines that sound alike reach none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from curvedoc.diagnose.bench import Bench
from curvedoc.diagnose.detect import detect
from curvedoc.ingest import read_runs
from curvedoc.model import Run
from curvedoc.rulebook.load import load, signals_file

LINES: dict[str, Any] = yaml.safe_load((Path(__file__).parent / "messages.yaml").read_text(encoding="utf-8"))
FIRES = [(symptom, line) for symptom, lines in LINES["fires"].items() for line in lines]
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


@pytest.mark.parametrize(("symptom", "line"), FIRES, ids=[f"{s}: {line[:60]}" for s, line in FIRES])
def test_a_message_of_a_framework_is_told_by_its_rule(symptom: str, line: str, tmp_path: Path) -> None:
    found = told(tmp_path, steps(1, 30) + line + "\n")
    assert symptom in found
    # one message may name both types and devices, and any error is an exception too
    assert set(found) - {symptom} <= {"crash-traceback", "dtype-mismatch"}


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
