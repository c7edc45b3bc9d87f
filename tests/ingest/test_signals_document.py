"""signals.yaml is parsed once; what is kept of it is the document and nothing more."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from curvedoc.core.errors import RuleError
from curvedoc.ingest.naming.signals_document import _parsed
from curvedoc.ingest.naming.signals_document import signals_document as made_of
from curvedoc.rulebook.location import signals_file


def signals_document(text: bytes, where: str) -> Any:
    return made_of(text, where, lambda document, known: document)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CURVEDOC_CACHE", str(tmp_path))
    return tmp_path / "signals"


def test_the_shipped_file_comes_back_as_it_was_and_without_yaml(monkeypatch: pytest.MonkeyPatch) -> None:
    text = signals_file().read_bytes()
    first = signals_document(text, "signals.yaml")
    monkeypatch.setitem(sys.modules, "yaml", None)
    assert signals_document(text, "signals.yaml") == first and first["patterns"]


@pytest.mark.parametrize("text", [b"{1: a}", b"a: 2020-01-01", b"a: &x [1]\nb: [*x, *x]"])
def test_what_json_cannot_give_back_as_it_was_is_not_kept(text: bytes, folder: Path) -> None:
    assert signals_document(text, "s") == _parsed(text, "s") == yaml.safe_load(text)
    assert list(folder.glob("*.json")) == []


def test_damage_in_what_is_kept_costs_only_the_parsing(folder: Path) -> None:
    signals_document(b"a: [1, .inf]", "s")
    (kept,) = folder.glob("*.json")
    whole = kept.read_bytes()
    for at in range(len(whole)):
        for damaged in (whole[:at], whole[:at] + bytes([whole[at] ^ 5]) + whole[at + 1 :]):
            kept.write_bytes(damaged)
            assert signals_document(b"a: [1, .inf]", "s") == {"a": [1, float("inf")]}


def test_no_yaml_is_told_with_its_place() -> None:
    with pytest.raises(RuleError, match="not YAML"):
        signals_document(b"a: [1", "s")


def test_only_what_something_was_made_of_is_kept_and_is_known_then(folder: Path) -> None:
    def refuse(document: object, known: bool) -> None:
        raise RuleError("no table", "s")

    with pytest.raises(RuleError, match="no table"):
        made_of(b"a: [1]", "s", refuse)
    assert list(folder.glob("*.json")) == []
    assert [made_of(b"a: [1]", "s", lambda document, known: known) for _ in range(2)] == [False, True]
