"""Facts on the command line: listed, explained, overridden, told by doctor and on the page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from curvedoc.cli.app import app

RUN = CliRunner()


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rows = "\n".join(f"{i * 10},{2.3 * 0.98**i:.4f},{0.1 + i * 0.006:.4f}" for i in range(100))
    (tmp_path / "log.csv").write_text(f"step,train_loss,train_acc\n{rows}\n", encoding="utf-8")
    return tmp_path / "log.csv"


def call(*words: str) -> Result:
    return RUN.invoke(app, list(words))


def facts(*words: str) -> dict[str, dict[str, object]]:
    found: dict[str, dict[str, object]] = json.loads(call(*words, "--format", "json").stdout)["runs"][0]["facts"]
    return found


def test_doctor_tells_what_is_known_and_how(log: Path) -> None:
    said = call("doctor", str(log)).stdout
    assert "fact   classes" in said and "10 classes: the first loss is ln 10, and one answer in 10 is right" in said


def test_a_fact_is_overridden_on_the_command_line_and_in_the_configuration(log: Path) -> None:
    assert facts("analyze", str(log), "--no-html")["classes"]["value"] == 10.0
    told = facts("analyze", str(log), "--no-html", "--fact", "classes=20")["classes"]
    assert (told["value"], told["known_by"], told["trust"]) == (20.0, "you said so", "sure")
    (log.parent / "curvedoc.toml").write_text("[facts]\nclasses = 30\nwarm-start = true\n", encoding="utf-8")
    configured = facts("analyze", str(log), "--no-html")
    assert configured["classes"]["value"] == 30.0 and configured["warm_start"]["value"] is True
    assert facts("analyze", str(log), "--no-html", "--fact", "classes=20")["classes"]["value"] == 20.0
    assert '"classes" = "30"' in call("analyze", "--show-config").stdout


def test_a_fact_is_overridden_in_the_environment(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CURVEDOC_FACTS", "classes=40")
    assert facts("analyze", str(log), "--no-html")["classes"]["value"] == 40.0


@pytest.mark.parametrize("command", ["analyze", "triage", "doctor", "watch"])
def test_a_mistyped_fact_gets_a_hint(log: Path, command: str) -> None:
    result = call(command, str(log), "--fact", "clases=10", *(["--once"] if command == "watch" else []))
    assert result.exit_code == 2 and "no fact 'clases'" in result.stderr and "classes" in result.stderr


def test_facts_are_listed_and_explained() -> None:
    listed = call("rules", "--facts").stdout
    assert "How many classes the model tells apart" in listed and "the configuration says {value:.0f} classes" in listed
    (row,) = (r for r in json.loads(call("rules", "--facts", "--json").stdout) if r["id"] == "classes")
    assert row["known_by"][0] == {
        "from": "configuration", "trust": "sure", "say": "the configuration says {value:.0f} classes",
    }  # fmt: skip
    assert "How it is known" in call("explain", "chance-loss").stdout


def test_the_page_has_a_fold_of_what_is_known(log: Path) -> None:
    assert call("analyze", str(log), "--html", "page.html", "-q").exit_code == 0
    page = (log.parent / "page.html").read_text(encoding="utf-8")
    assert "What is known about this run" in page and "the first loss is ln 10" in page
