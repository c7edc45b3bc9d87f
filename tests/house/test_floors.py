"""Imports go down only: a module may import from its own folder and from floors below."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2] / "curvedoc"

#: Lowest first. The two of one floor do not know each other.
FLOORS = (
    ("__init__", "core"),
    ("serialize",),
    ("ingest", "stats"),
    ("rulebook",),
    ("options",),
    ("diagnose",),
    ("report",),
    ("triage",),
    ("pipeline",),
    ("analysis",),
    ("evaluate",),
    ("cli",),
    ("__main__",),
)
LEVEL = {name: level for level, names in enumerate(FLOORS) for name in names}
MODULES = sorted(p for p in ROOT.rglob("*.py"))


def unit(path: Path) -> str:
    """The folder or top-level module that a file belongs to."""
    relative = path.relative_to(ROOT)
    return relative.parts[0].removesuffix(".py")


def imported(path: Path) -> set[str]:
    """Units of curvedoc that a file imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module] if node.module != "curvedoc" else [f"curvedoc.{a.name}" for a in node.names]
        elif isinstance(node, ast.Import):
            names = [a.name for a in node.names]
        for name in names:
            if name.startswith("curvedoc."):
                part = name.split(".")[1]
                found.add(part if part in LEVEL else "__init__")
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_a_module_imports_from_its_own_folder_and_from_floors_below(path: Path) -> None:
    own = unit(path)
    assert own in LEVEL, f"{path} stands on no floor: add it to FLOORS"
    wrong = {u for u in imported(path) if u != own and LEVEL[u] >= LEVEL[own]}
    # __init__ opens the package to Python users and may reach up lazily
    assert own == "__init__" or not wrong, f"{path.name} imports {sorted(wrong)}"


@pytest.mark.parametrize("path", MODULES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_a_module_can_be_read_in_one_sitting(path: Path) -> None:
    lines = len(path.read_text(encoding="utf-8").splitlines())
    assert lines <= 320, f"{path} has {lines} lines: is there a missing noun?"
