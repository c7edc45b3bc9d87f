"""CONTRIBUTING's recipes, followed to the letter: what they make one touch is enough."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest
from typer.testing import CliRunner

from curvedoc.cli.app import app
from curvedoc.ingest import registry
from curvedoc.rulebook.load import load


def call(*args: str) -> str:
    done = CliRunner().invoke(app, [*args])
    assert done.exit_code == 0, done.output
    return done.output


def module_of(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_detector_is_one_file(tmp_path: Path) -> None:
    call("new-rule", "loss-up-late", "--dir", str(tmp_path / "mine"))
    assert "4 of 4 cases" in call("test-rules", str(tmp_path / "mine"))
    rows = "".join(f'{{"step": {i}, "loss": {abs(i - 60) / 30 + 0.2:.3f}}}\n' for i in range(100))
    (tmp_path / "run.jsonl").write_text(rows)
    told = call("analyze", str(tmp_path / "run.jsonl"), "--rules", str(tmp_path / "mine"), "-f", "json")
    assert '"loss-up-late"' in told


def test_a_cause_is_one_file(tmp_path: Path) -> None:
    call("new-cause", "moon-phase", "--dir", str(tmp_path / "mine" / "causes"))
    cause = load([tmp_path / "mine"]).causes["moon-phase"]
    assert cause.title == "Moon phase" and cause.checks


def test_a_reader_is_one_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    call("new-reader", "trainer9", "--dir", str(tmp_path))
    made = module_of(tmp_path / "trainer9.py")
    monkeypatch.setattr("curvedoc.ingest.find.plan.READERS", (made, *registry.READERS))
    monkeypatch.setattr("curvedoc.ingest.read.READERS", (made, *registry.READERS))
    lines = [f"@{i} loss={2.3 * 0.97**i:.4f} lr=0.01" for i in range(60)]
    log = tmp_path / "run.trainer9"
    log.write_text("\n".join([*lines[:30], "what is this", *lines[30:]]) + "\n")
    (made_log,) = made.read([log])
    assert made_log.height == 120 and [n.kind for n in made_log.notes] == ["garbage-lines"]


@pytest.mark.parametrize("command", ["new-rule", "new-cause", "new-reader"])
def test_a_skeleton_overwrites_nothing_unless_forced(tmp_path: Path, command: str) -> None:
    folder = tmp_path / ("causes" if command == "new-cause" else "mine")
    call(command, "mine", "--dir", str(folder))
    again = CliRunner().invoke(app, [command, "mine", "--dir", str(folder)])
    assert again.exit_code == 2 and "exists already" in again.output
    call(command, "mine", "--dir", str(folder), "--force")


@pytest.mark.parametrize(
    ("command", "name", "folder"),
    [("new-cause", "Moon Phase", "causes"), ("new-cause", "moon", "mine"), ("new-reader", "My-Trainer", "mine")],
)
def test_a_wrong_name_is_told_with_a_right_one(tmp_path: Path, command: str, name: str, folder: str) -> None:
    done = CliRunner().invoke(app, [command, name, "--dir", str(tmp_path / folder)])
    assert done.exit_code == 2 and "error:" in done.output
