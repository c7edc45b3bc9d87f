"""What the README shows works: its commands on the sample logs, and its Python."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import get_args

import pytest
from typer.testing import CliRunner

from curvedoc.cli.app import app
from curvedoc.rulebook.rule import Member
from curvedoc.rulebook.schema.case import CauseExpect
from curvedoc.rulebook.schema.cause import CauseFile
from curvedoc.rulebook.schema.rule import RuleFile
from curvedoc.rulebook.vocabulary import SPECIAL

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


def test_the_python_of_its_page_works(place: Path) -> None:
    page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 5
    for text in blocks:
        exec(compile(text, "docs/python.md", "exec"), {})


def test_the_examples_of_the_rule_language_are_files_whose_cases_hold(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    examples = re.findall(r"^```yaml\n(id: (\S+)\n.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert len(examples) == 3
    for example, id_ in examples:
        folder = tmp_path / ("causes" if "predicts:" in example else "mine")
        folder.mkdir(exist_ok=True)
        (folder / f"{id_}.yaml").write_text(example, encoding="utf-8")
    result = CliRunner().invoke(app, ["test-rules", str(tmp_path)])
    assert result.exit_code == 0, result.output
    assert "9 of 9 cases of 2 rules and 1 causes hold" in result.output


def test_every_word_of_the_rule_language_is_in_its_page() -> None:
    text = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    members = [m for m in get_args(Member) if m]
    assert [m for m in members if f"`{m} <role>`" not in text] == []
    assert [name for name in SPECIAL if f"`{name}(" not in text] == []
    keys = [f.alias or name for model in (RuleFile, CauseFile, CauseExpect) for name, f in model.model_fields.items()]
    assert [k for k in keys if f"`{k}`" not in text and f"`{k}:" not in text] == []
