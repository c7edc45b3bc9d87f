"""Patterns of paths: what they match, and that they end."""

from __future__ import annotations

import glob
import time
from pathlib import Path

import pytest

from curvedoc.core.errors import UsageError
from curvedoc.ingest.find import glob_matches
from curvedoc.ingest.settings.yaml import YamlTrouble, load_yaml

PATTERNS = (
    "*",
    "*.jsonl",
    "**/*.jsonl",
    "**",
    "a/**",
    "a/**/x.jsonl",
    "**/b/*",
    "?/**/b/*.js*",
    "**/.h/*",
    "**/**/*.csv",
)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("x.jsonl", "a/x.jsonl", "a/b/x.jsonl", "a/b/c/x.csv", "b/y.jsonl", ".h/z.jsonl", "a/.h/z.csv"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return tmp_path


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_matches_what_the_shell_would(tree: Path, pattern: str) -> None:
    wanted = {Path(p) for p in glob.glob(str(tree / pattern), recursive=True)} - {tree}  # noqa: PTH207
    assert set(glob_matches.matches(str(tree / pattern))) - {tree} == wanted


def test_links_to_itself_do_not_make_a_tree_endless(tree: Path) -> None:
    for i in range(8):
        (tree / "a" / f"l{i}").symlink_to(tree)
    assert len(glob_matches.matches(str(tree / "**" / "x.jsonl"))) == 3


def test_too_many_files_are_told(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(glob_matches, "MOST_SEEN", 3)
    with pytest.raises(UsageError, match="narrower"):
        glob_matches.matches(str(tree / "**" / "*.csv"))


def test_merge_keys_that_multiply_are_a_trap() -> None:
    rows = ["a0: &a0 {x: 1, y: 2}"]
    for i in range(1, 13):
        rows.append(f"a{i}: &a{i}\n  <<: [{', '.join([f'*a{i - 1}'] * 10)}]\n  k{i}: {i}")
    start = time.process_time()
    try:
        assert load_yaml("\n".join(rows) + "\n")["a12"]["k12"] == 12  # from 6.0.4 on the parser merges each key once
    except YamlTrouble as e:
        assert "merge keys" in str(e)
    assert time.process_time() - start < 5
    assert load_yaml("base: &b {lr: 0.1}\nrun:\n  <<: *b\n  seed: 1\n")["run"] == {"lr": 0.1, "seed": 1}
