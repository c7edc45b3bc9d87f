"""ARCHITECTURE.md shows the floors as the code has them. `python tests/house/test_architecture.py` draws them again."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "ARCHITECTURE.md"
MARK = "<!-- floors: drawn by tests/house/test_architecture.py -->\n```\n"


def drawn() -> str:
    """The floors from the top down: each package with its rooms, each loose module."""
    sys.path.insert(0, str(Path(__file__).parent))
    from test_floors import FLOORS

    lines = []
    for level, names in reversed(list(enumerate(FLOORS))):
        for name in names:
            place = ROOT / "curvedoc" / name
            if name.startswith("__"):
                continue
            if not place.is_dir():
                lines.append(f"{level:3}  {name}.py")
                continue
            rooms = sorted(p.name for p in place.iterdir() if (p / "__init__.py").exists())
            modules = sum(1 for p in place.glob("*.py") if p.name != "__init__.py")
            inside = ", ".join([*rooms, *([f"{modules} modules"] if modules else [])])
            lines.append(f"{level:3}  {name}/{' ' * max(1, 11 - len(name))}{inside}")
    return "\n".join(lines)


def test_the_page_shows_the_floors_as_they_are() -> None:
    text = PAGE.read_text(encoding="utf-8")
    shown = text.split(MARK)[1].split("\n```")[0]
    assert shown == drawn(), "python tests/house/test_architecture.py draws them again"


def test_every_place_that_the_page_names_is_there() -> None:
    import re

    for name in re.findall(
        r"`((?:rules|core|ingest|diagnose|report|triage|stats|serialize)/[\w/.]*)`", PAGE.read_text("utf-8")
    ):
        assert (ROOT / name).exists() or (ROOT / "curvedoc" / name).exists(), name


if __name__ == "__main__":
    head, rest = PAGE.read_text(encoding="utf-8").split(MARK)
    PAGE.write_text(head + MARK + drawn() + "\n```" + rest.split("\n```", 1)[1], encoding="utf-8")
