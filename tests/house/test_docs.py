"""What the README shows works: its commands on the sample logs, and its Python."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from curvedoc.cli.app import app

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def commands() -> list[list[str]]:
    """The arguments of every curvedoc command in a shell block that names a sample."""
    out = []
    for language, text in BLOCKS:
        for part in re.split(r"\n|&&", text) if language == "sh" else ():
            words = shlex.split(part, comments=True)
            if words and Path(words[0]).name == "curvedoc" and any(w.startswith("sample_logs") for w in words):
                out.append(words[1:])
    return out


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty directory with the samples in it, so that reports are not written into the checkout."""
    (tmp_path / "sample_logs").symlink_to(ROOT / "sample_logs", target_is_directory=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_readme_shows_commands_on_the_samples() -> None:
    assert {c[0] for c in commands()} >= {"analyze", "diff", "watch", "doctor"}


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_a_command_of_the_readme_works(words: list[str], place: Path) -> None:
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    assert result.stdout.strip()
    written = [words[i + 1] for i, w in enumerate(words) if w in ("--html", "--json", "--markdown")]
    assert all((place / name).stat().st_size for name in written)


def test_the_python_of_the_readme_works(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    blocks = [text for language, text in BLOCKS if language == "python"]
    assert blocks
    for text in blocks:
        exec(compile(text, "README.md", "exec"), {})
    assert "failed" in capsys.readouterr().out
