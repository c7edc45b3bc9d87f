"""Readers of other packages, found by their entry points."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from curvedoc.core import entry_points
from curvedoc.ingest.outside_readers import outside_readers

READER = """
from curvedoc.core.block import Block
from curvedoc.ingest.contract import Log
NAME, FILES, ABOUT = "shiny", ("*.shiny",), "shiny logs"
def claims(path, head): return head.startswith(b"shiny")
def read(paths): return [Log(p, NAME) for p in paths]
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    info = tmp_path / "shiny-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: shiny\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[curvedoc.readers]\nshiny = shiny_reader\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    entry_points.forget()
    outside_readers.cache_clear()
    yield tmp_path / "shiny_reader.py"
    entry_points.forget()
    outside_readers.cache_clear()
    sys.modules.pop("shiny_reader", None)


def test_a_reader_of_another_package_is_found(package: Path) -> None:
    package.write_text(READER)
    found = outside_readers()
    assert [r.NAME for r in found] == ["shiny"]
    assert found[0].claims(Path("a.shiny"), b"shiny 1")


@pytest.mark.parametrize(("text", "said"), [("1 / 0", "ZeroDivisionError"), ("NAME = 'shiny'", "lacks FILES")])
def test_a_broken_one_is_told_and_costs_its_format_alone(package: Path, text: str, said: str) -> None:
    package.write_text(text)
    with pytest.warns(UserWarning, match=said):
        assert outside_readers() == ()
