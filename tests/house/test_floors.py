"""The house can be seen: imports go down only, rooms are small and have a name that says what is in them."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2] / "curvedoc"

#: Lowest first. Those of one floor do not know each other.
FLOORS = (
    ("core", "record"),
    ("serialize", "session", "stats"),
    ("ingest", "rulebook"),
    ("options",),
    ("diagnose",),
    ("report",),
    ("triage",),
    ("pipeline",),
    ("analysis", "reading"),
    ("companion", "evaluate", "integrations"),
    ("cli",),
    ("__main__",),
)
#: The floors inside a folder: its rooms, and modules that stand beside them.
INSIDE = {
    "stats": (("basic",), ("shape", "pairs"), ("noise", "schedule"), ("events",), ("vocabulary",)),
    "ingest": (
        ("bytes", "contract", "memory", "naming"),
        ("late_reader", "outside_readers"),
        ("settings", "trainings"),
        ("table", "tensorboard"),
        ("json",),
        ("csv", "keyed", "stores"),
        ("text",),
        ("grids",),
        ("notebook",),
        ("wandb",),
        ("registry",),
        ("find",),
        ("assemble",),
        ("read",),
    ),
    "diagnose": (
        ("grounds", "sentence"),
        ("curves", "judge", "main_curve"),
        ("ending",),
        ("restart", "story"),
        ("run", "cases", "siblings"),
        ("fact_cases", "many"),
    ),
    "report": (
        ("credentials",),
        ("advice", "escape", "event_order", "glossary", "redact", "schedule_words", "words"),
        ("comparison", "mask", "summary"),
        ("charts", "exchange", "limits", "tree"),
        ("explain", "figures", "terminal"),
        ("markdown",),
        ("html",),
    ),
    "triage": (
        ("baseline", "store"),
        ("full_curves", "rows", "run"),
        ("engines", "text"),
        ("request",),
        ("bundle_sweep",),
        ("tree_sweep",),
    ),
}
#: Words that say nothing of what a module holds.
RIDDLES = {
    "told", "kept", "held", "again", "afresh", "beside", "further", "plain", "quick", "shown", "bare", "solid", "oven",
    "crew", "kit", "shelf", "misc", "part", "parts", "utils", "util", "common", "stuff",
}  # fmt: skip
MOST_MODULES = 16
MODULES = sorted(p for p in ROOT.rglob("*.py"))
WITHIN = sorted(p for p in MODULES if p.relative_to(ROOT).parts[0] in INSIDE and p.parent != ROOT)


def dotted(path: Path) -> str:
    """The name by which a file is imported."""
    return ".".join(("curvedoc", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__")


NAMES = {dotted(p): p for p in MODULES}


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def imported(path: Path, types: bool = True) -> frozenset[str]:
    """The modules of curvedoc that a file imports, anywhere in it; types: also for its type hints alone."""
    found = set()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    hints = (n for n in tree.body if isinstance(n, ast.If) and isinstance(n.test, ast.Name))
    aside = {id(n) for h in hints if not types and h.test.id == "TYPE_CHECKING" for n in ast.walk(h)}
    for node in ast.walk(tree):
        if id(node) in aside:
            continue
        names = []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [m if (m := f"{node.module}.{a.name}") in NAMES else node.module for a in node.names]
        elif isinstance(node, ast.Import):
            names = [a.name for a in node.names]
        found.update(n for n in names if n.split(".")[0] == "curvedoc")
    return frozenset(found - {dotted(path)})


def unit(module: str, depth: int) -> str:
    """The folder or loose module, so many folders down, that a module belongs to ("" for the package itself)."""
    parts = module.split(".")
    return parts[depth] if len(parts) > depth else ""


def climbs(path: Path, floors: tuple[tuple[str, ...], ...], depth: int) -> set[str]:
    """What a file imports from its own floor or from above, without its own room."""
    level = {unit: i for i, units in enumerate(floors) for unit in units}
    own, above = unit(dotted(path), depth), dotted(path).split(".")[:depth]
    if own not in level and depth > 1 and len(path.relative_to(ROOT).parts) == depth:
        return set()  # a module beside the rooms of a folder: that there is no circle is enough
    assert own in level, f"{name(path)} stands on no floor: add '{own}' to the floors of {'.'.join(above)}"
    near = (m for m in imported(path) if m.split(".")[:depth] == above)
    others = {unit(m, depth) for m in near} - {own, ""}
    return {u for u in others if level.get(u, -1) >= level[own]}


def circle(arrows: Mapping[str, set[str]]) -> list[str]:
    """A way from a node back to it, [] where there is none."""
    seen: set[str] = set()

    def search(node: str, way: list[str]) -> list[str]:
        if node in way:
            return [*way[way.index(node) :], node]
        if node in seen:
            return []
        seen.add(node)
        for after in sorted(arrows.get(node, ())):
            if found := search(after, [*way, node]):
                return found
        return []

    return next((found for node in sorted(arrows) if (found := search(node, []))), [])


def classes() -> Iterator[tuple[str, str]]:
    """(name of a class, where it is defined)."""
    for path in MODULES:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                yield node.name, name(path)


# __init__ of the package opens it to Python users and reaches up lazily
@pytest.mark.parametrize("path", [p for p in MODULES if p != ROOT / "__init__.py"], ids=name)
def test_a_module_imports_from_its_own_folder_and_from_floors_below(path: Path) -> None:
    wrong = climbs(path, FLOORS, 1)
    assert not wrong, f"{name(path)} imports {sorted(wrong)}"


@pytest.mark.parametrize("path", [p for p in WITHIN if unit(dotted(p), 2)], ids=name)
def test_a_module_imports_from_its_own_room_and_from_rooms_below(path: Path) -> None:
    wrong = climbs(path, INSIDE[unit(dotted(path), 1)], 2)
    assert not wrong, f"{name(path)} imports {sorted(wrong)}"


def test_modules_import_each_other_in_no_circle() -> None:
    # what a folder opens to its users lazily is no import of its own
    lazy = {"curvedoc", "curvedoc.ingest"}
    arrows = {m: set(imported(p, types=False)) - lazy for m, p in NAMES.items() if m not in lazy}
    assert circle(arrows) == []


def test_folders_import_each_other_in_no_circle() -> None:
    """Of one folder with another that stands beside it, wherever in the tree."""
    arrows: dict[str, set[str]] = defaultdict(set)
    for module, path in NAMES.items():
        parts = module.split(".")
        for other in imported(path, types=False):
            there = other.split(".")
            same = next((i for i, (a, b) in enumerate(zip(parts, there, strict=False)) if a != b), None)
            if same is None or other == "curvedoc":
                continue
            arrows[".".join(parts[: same + 1])].add(".".join(there[: same + 1]))
    assert circle(arrows) == []


def test_a_folder_holds_no_more_modules_than_the_eye_takes_in() -> None:
    count = defaultdict(list)
    for path in MODULES:
        if path.name != "__init__.py":
            count[name(path.parent)].append(path.name)
    crowded = {folder: len(files) for folder, files in count.items() if len(files) > MOST_MODULES}
    assert not crowded, f"more than {MOST_MODULES} modules: {crowded}; which of them form a room?"


def test_a_class_has_a_name_of_its_own() -> None:
    where = defaultdict(list)
    for cls, path in classes():
        where[cls].append(path)
    shared = {cls: paths for cls, paths in where.items() if len(paths) > 1 and not cls.startswith("_")}
    assert not shared, f"one name for several things: {shared}"


@pytest.mark.parametrize("path", [p for p in MODULES if p.name != "__init__.py"], ids=name)
def test_a_module_is_called_by_a_noun(path: Path) -> None:
    words = set(path.stem.split("_")) | set(path.parent.name.split("_"))
    assert not words & RIDDLES, f"{name(path)}: what does it hold?"


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_a_module_can_be_read_in_one_sitting(path: Path) -> None:
    lines = len(path.read_text(encoding="utf-8").splitlines())
    assert lines <= 320, f"{path} has {lines} lines: is there a missing noun?"
