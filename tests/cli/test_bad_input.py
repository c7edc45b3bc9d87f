"""Through the command line: whatever is handed in, there is an answer, a clean message or a note, and never a crash."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from curvedoc.cli.app import app

SHIPPED = Path(__file__).resolve().parents[2] / "rules"
DONE, FINDINGS, USAGE, NOTHING, PARTIAL = 0, 1, 2, 4, 5


def curvedoc(*args: str | Path) -> Result:
    """In this process, where pytest makes every warning an error (exit code 3)."""
    return CliRunner().invoke(app, [str(a) for a in args])


def analyzed(*args: str | Path) -> dict[str, Any]:
    """The one JSON document on stdout."""
    result = curvedoc("analyze", *args, "--format", "json", "--no-html")
    assert result.exit_code == DONE, (result.exit_code, result.stderr)
    document: dict[str, Any] = json.loads(result.stdout)
    assert not [n for r in document["runs"] for n in r["notes"] if n["kind"] == "rule-failed"]
    return document


def write(folder: Path, losses: list[object], steps: list[int] | None = None, **more: list[object]) -> Path:
    """A JSON-lines log of these values in a folder of its own."""
    folder.mkdir(exist_ok=True)
    rows = []
    for i, value in enumerate(losses):
        extra = {k: v[i] for k, v in more.items()}
        rows.append(json.dumps({"step": i * 10 if steps is None else steps[i], "loss": value, **extra}) + "\n")
    (folder / "metrics.jsonl").write_text("".join(rows))
    return folder


def falling(n: int = 60) -> list[object]:
    return [0.3 + 2 * math.exp(-i / 12) + 0.02 * math.sin(i * 2.7) for i in range(n)]


# --- nothing to read -----------------------------------------------------------------------------


def test_an_empty_directory_holds_no_run(tmp_path: Path) -> None:
    result = curvedoc("analyze", tmp_path)
    assert result.exit_code == NOTHING
    assert "no training run found" in result.stderr and not result.stdout
    assert not list(tmp_path.iterdir())


def test_a_directory_without_logs_holds_no_run(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("# notes\nloss went down\n")
    (tmp_path / "model.pt").write_bytes(b"PK\x03\x04" + bytes(200))
    (tmp_path / "deep" / "deeper").mkdir(parents=True)
    assert curvedoc("analyze", tmp_path).exit_code == NOTHING


@pytest.mark.parametrize("name", ["metrics.jsonl", "train.log", "events.out.tfevents.1.h.2.0", "run-x.wandb", "a.csv"])
def test_a_binary_file_under_the_name_of_a_log_is_told_and_read_by_none(tmp_path: Path, name: str) -> None:
    noise = bytes((i * i * 31 + i * 7 + 13) % 256 for i in range(5000))
    (tmp_path / name).write_bytes(noise)
    result = curvedoc("analyze", tmp_path)
    assert result.exit_code == NOTHING, result.output
    assert "Traceback" not in result.output


@pytest.mark.skipif(os.name != "posix" or not hasattr(os, "geteuid"), reason="needs POSIX permissions")
def test_a_directory_that_may_not_be_listed_is_told(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("permissions do not stop root")
    locked = tmp_path / "locked"
    locked.mkdir()
    write(tmp_path / "open", falling())
    locked.chmod(0)
    try:
        document = analyzed(tmp_path)
        assert curvedoc("analyze", tmp_path, "--strict", "--no-html").exit_code == PARTIAL
    finally:
        locked.chmod(0o755)
    assert [u["path"] for u in document["unreadable"]] == ["locked"]


def test_a_broken_link_is_told_beside_the_runs_that_can_be_read(tmp_path: Path) -> None:
    write(tmp_path / "fine", falling())
    (tmp_path / "gone").mkdir()
    (tmp_path / "gone" / "metrics.jsonl").symlink_to(tmp_path / "nowhere.jsonl")
    document = analyzed(tmp_path)
    assert [(u["path"], u["reason"]) for u in document["unreadable"]] == [("gone/metrics.jsonl", "a broken link")]
    assert curvedoc("analyze", tmp_path, "--strict", "--no-html").exit_code == PARTIAL


def test_a_path_that_does_not_exist_is_a_usage_error(tmp_path: Path) -> None:
    result = curvedoc("analyze", tmp_path / "nowhere")
    assert result.exit_code == USAGE and "nowhere" in result.stderr


# --- what the user asks for ------------------------------------------------------------------------


def test_every_error_of_every_rule_file_is_told_with_its_line(tmp_path: Path) -> None:
    write(tmp_path / "run", falling())
    rules = tmp_path / "rules"
    rules.mkdir()
    good = (SHIPPED / "shape" / "divergence.yaml").read_text()
    (rules / "rule-a.yaml").write_text(
        good.replace("id: divergence", "id: rule-a").replace("measure:\n", "measure:\n  odd: medain(loss)\n")
    )
    (rules / "b.yaml").write_text("id: rule-b\ntitle: [unclosed\n")
    (rules / "rule-c.yaml").write_text(
        good.replace("id: divergence", "id: rule-c").replace("measure:\n", "measure:\n  odd: 1 > = 2\n")
    )
    result = curvedoc("analyze", tmp_path / "run", "--rules", rules)
    assert result.exit_code == USAGE
    told = [line for line in result.stderr.splitlines() if ".yaml:" in line]
    assert len(told) == 3, result.stderr
    for name in ("rule-a.yaml", "b.yaml", "rule-c.yaml"):
        mine = [line for line in told if name in line]
        assert mine, result.stderr
        number = mine[0].split(f"{name}:")[1].split(":")[0]
        assert number.isdigit() and int(number) > 1, mine
    assert "median" in result.stderr  # the near match of 'medain'


def test_an_unknown_metric_for_a_role_is_a_usage_error_with_a_near_match(tmp_path: Path) -> None:
    write(tmp_path, falling(), objective_total=falling())
    result = curvedoc("analyze", tmp_path, "--signal", "loss=objective_totl")
    assert result.exit_code == USAGE
    assert "objective_total" in result.stderr


def test_an_unknown_role_is_a_usage_error_with_a_near_match(tmp_path: Path) -> None:
    write(tmp_path, falling())
    result = curvedoc("analyze", tmp_path, "--signal", "grad_nrm=loss")
    assert result.exit_code == USAGE and "grad_norm" in result.stderr


@pytest.mark.parametrize(
    ("level", "code"), [("never", DONE), ("fatal", FINDINGS), ("error", FINDINGS), ("warning", FINDINGS)]
)
def test_fail_on_turns_findings_into_an_exit_code(tmp_path: Path, level: str, code: int) -> None:
    write(tmp_path, [*falling(40), *[math.nan] * 20])
    assert curvedoc("analyze", tmp_path, "--no-html", "--fail-on", level).exit_code == code


def test_fail_on_leaves_a_healthy_run_alone(tmp_path: Path) -> None:
    write(tmp_path, falling())
    assert curvedoc("analyze", tmp_path, "--no-html", "--fail-on", "warning").exit_code == DONE


def test_a_truncated_file_counts_as_unreadable_input_only_under_strict(tmp_path: Path) -> None:
    path = write(tmp_path, falling()) / "metrics.jsonl"
    path.write_bytes(path.read_bytes()[:-9])
    assert curvedoc("analyze", tmp_path, "--no-html").exit_code == DONE
    assert curvedoc("analyze", tmp_path, "--no-html", "--strict").exit_code == PARTIAL
    (run,) = analyzed(tmp_path)["runs"]
    assert run["signals"]["loss"]["points"] == 59
    assert [n["kind"] for s in run["sources"] for n in s["notes"]] == ["truncated"]


# --- strange values ----------------------------------------------------------------------------------

STRANGE: dict[str, list[object]] = {
    "nan_from_the_start": [math.nan] * 40,
    "inf_from_the_start": [math.inf] * 40,
    "minus_inf": [-math.inf] * 40,
    "nan_and_inf_mixed": [(math.nan, math.inf, -math.inf, 1.0)[i % 4] for i in range(40)],
    "one_finite_value": [math.nan] * 20 + [1.0] + [math.nan] * 20,
    "constant": [0.7] * 50,
    "all_zero": [0.0] * 50,
    "two_points": [2.0, 1.0],
    "one_point": [2.0],
    "tiny": [1e-300 * (1 + 1 / (i + 1)) for i in range(60)],
    "denormal": [5e-324 * (i % 3) for i in range(60)],
    "huge": [1e300 * (1 + 1 / (i + 1)) for i in range(60)],
    "huge_and_both_signs": [1.7e308 * (-1) ** i for i in range(60)],
    "from_huge_to_tiny": [10.0 ** (300 - 10 * i) for i in range(60)],
    "nulls": [None if i % 2 else 1.0 / (i + 1) for i in range(60)],
    "quoted": [f"{2.0 / (i + 1):.5f}" for i in range(60)],
    "booleans": [bool(i % 2) for i in range(60)],
    "integers_beyond_64_bits": [2**70 + i for i in range(60)],
    "lists_and_objects": [[1, 2], {"a": 1}, "text", None, 0.5] * 12,
}


@pytest.fixture(scope="module")
def strange(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Every strange run diagnosed in one call that writes all reports."""
    top = tmp_path_factory.mktemp("strange")
    runs = top / "runs"
    runs.mkdir()
    for name, values in STRANGE.items():
        write(runs / name, values, grad_norm=values, lr=values, val_loss=values)
    reports = ("--html", top / "r.html", "--markdown", top / "r.md")
    result = curvedoc("analyze", runs, *reports, "--format", "json", "--debug", "--no-siblings")
    assert result.exit_code == DONE, repr(result.exception)
    text = curvedoc("analyze", runs, "--no-html", "--all", "--verbose", "--debug", "--no-siblings")
    assert text.exit_code == DONE, repr(text.exception)
    return {"runs": {r["run"]: r for r in json.loads(result.stdout)["runs"]}, "text": text.stdout, "top": top}


@pytest.mark.parametrize("name", STRANGE)
def test_strange_values_give_an_answer(strange: dict[str, Any], name: str) -> None:
    run = strange["runs"][name]
    assert run["verdict"] in ("failed", "warning", "healthy", "inconclusive")
    assert not [n for n in run["notes"] if n["kind"] == "rule-failed"], run["notes"]
    assert name[:5] in strange["text"]  # a narrow table shortens a long name in its middle
    for report in ("r.html", "r.md"):
        assert name in (strange["top"] / report).read_text()


@pytest.mark.parametrize("name", ["nan_from_the_start", "inf_from_the_start"])
def test_a_loss_that_was_never_finite_has_failed(strange: dict[str, Any], name: str) -> None:
    assert strange["runs"][name]["verdict"] == "failed"
    assert strange["runs"][name]["findings"][0]["symptom"] == "nan-at-start"


@pytest.mark.parametrize("name", ["two_points", "one_point", "one_finite_value"])
def test_too_few_values_are_not_called_healthy(strange: dict[str, Any], name: str) -> None:
    assert strange["runs"][name]["verdict"] != "healthy"


def test_steps_that_repeat_go_back_or_are_enormous_give_an_answer(tmp_path: Path) -> None:
    steps = {
        "all_the_same": [5] * 60,
        "each_twice": [i // 2 for i in range(60)],
        "backwards": list(range(60, 0, -1)),
        "negative": list(range(-60, 0)),
        "beyond": [2**62 + i for i in range(60)],
        "far_apart": [0, *[10**15 + i for i in range(59)]],
    }
    for name, axis in steps.items():
        write(tmp_path / name, falling(), axis)
    verdicts = {r["run"]: r["verdict"] for r in analyzed(tmp_path)["runs"]}
    assert sorted(verdicts) == sorted(steps)
    assert set(verdicts.values()) <= {"failed", "warning", "healthy", "inconclusive"}


def test_a_nan_run_among_good_ones_is_the_only_one_told(tmp_path: Path) -> None:
    write(tmp_path / "good", falling())
    write(tmp_path / "bad", [*falling(40), *[math.nan] * 20])
    verdicts = {r["run"]: r["verdict"] for r in analyzed(tmp_path)["runs"]}
    assert verdicts == {"good": "healthy", "bad": "failed"}


# --- a process of its own ------------------------------------------------------------------------------


def test_stdout_is_one_json_document_and_everything_else_goes_to_stderr(tmp_path: Path) -> None:
    write(tmp_path / "bad", [*falling(40), math.inf, *[math.nan] * 20], lr=[1e-300] * 61, grad_norm=[1e300] * 61)
    (tmp_path / "torn").mkdir()
    (tmp_path / "torn" / "metrics.jsonl").write_text('{"step": 1, "loss"')
    command = [
        sys.executable,
        "-W",
        "error::RuntimeWarning",
        "-m",
        "curvedoc",
        "analyze",
        "bad",
        "torn",
        "--format",
        "json",
    ]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert found.returncode == DONE, found.stderr
    document = json.loads(found.stdout)
    assert [r["run"] for r in document["runs"]] == ["bad"]
    assert "Traceback" not in found.stderr and "Warning" not in found.stderr


def test_a_reader_that_closes_the_pipe_gets_no_traceback(tmp_path: Path) -> None:
    write(tmp_path, falling())
    command = f"{sys.executable} -m curvedoc analyze . --format json | head -c 10"
    found = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "Traceback" not in found.stderr and "Exception" not in found.stderr, found.stderr
