"""A process makes the book of shipped rules once, and anew where a file or a choice changed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from curvedoc.options import _MOST_BOOKS, Options, rulebook
from curvedoc.rulebook import location

pytestmark = pytest.mark.fast


def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "shape" / "one.yaml"
    file.parent.mkdir()
    file.write_text("id: one\n")
    os.utime(file, (1e9, 1e9))
    monkeypatch.setattr(location, "rules_dir", lambda: tmp_path)
    return file


def test_a_second_call_has_the_same_book(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(location, "shipped_state", lambda: (("a.yaml", 1, 1),))
    book = rulebook(Options())
    assert rulebook(Options()) is book
    assert rulebook(Options(siblings=False)) is book
    strict = rulebook(Options(sensitivity=-1.0))
    assert strict.digest != book.digest
    for other in (Options(ignore=("divergence",)), Options(select=("divergence",)), Options(facts=("classes=10",))):
        assert rulebook(other) is not book
        assert rulebook(other) is rulebook(other)
    assert rulebook(Options(ignore=("divergence",))).rule("divergence") is None


def test_a_changed_file_makes_another_book(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(location, "shipped_state", lambda: (("a.yaml", 1, 1),))
    book = rulebook(Options())
    monkeypatch.setattr(location, "shipped_state", lambda: (("a.yaml", 2, 1),))
    assert rulebook(Options()) is not book


def test_few_books_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(location, "shipped_state", lambda: (("a.yaml", 1, 1),))
    first = rulebook(Options(sensitivity=0.01))
    for i in range(_MOST_BOOKS):
        rulebook(Options(sensitivity=0.1 + 0.1 * i))
    assert rulebook(Options(sensitivity=0.01)) is not first


def test_what_a_user_writes_is_read_at_each_call(tmp_path: Path) -> None:
    rules = Options(rules=(tmp_path,))
    assert rulebook(rules) is not rulebook(rules)
    moved = Options(set=(_any_param(),))
    assert rulebook(moved) is not rulebook(moved)


def _any_param() -> str:
    rule = next(r for r in rulebook(Options()).rules if r.program.params)
    param = next(p for p in rule.program.params)
    return f"{rule.id}.{param.name}={param.value}"


def test_the_state_tells_a_file_that_was_saved_or_added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = _folder(tmp_path, monkeypatch)
    state = location.shipped_state()
    assert state == ((str(file), 10**18, 8),)
    file.write_text("id: two\n")
    os.utime(file, (1e9 + 1, 1e9 + 1))
    assert location.shipped_state() not in ((), state)
    other = file.with_name("other.yaml")
    other.write_text("")
    os.utime(other, (1e9, 1e9))
    assert len(location.shipped_state()) == 2


def test_a_file_saved_just_now_is_not_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = _folder(tmp_path, monkeypatch)
    os.utime(file)
    assert location.shipped_state() == ()
