"""Without heavy packages that few need (docs/dependencies.md) nearly all works; what does not names its package."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

#: These, and what only they bring.
LEFT_OUT = (
    "altair",
    "narwhals",
    "jsonschema",
    "vl_convert",
    "scipy",
    "tensorboard",
    "grpc",
    "google",
    "werkzeug",
    "markdown",
    "PIL",
)
WITHOUT = f"""
import sys

class LeftOut:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {LEFT_OUT!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, LeftOut())
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("small")
    for name, factor in (("a", 0.99), ("b", 1.05)):
        (folder / "runs" / name).mkdir(parents=True)
        rows = ({"step": i, "loss": 2.3 * factor**i, "lr": 1e-3} for i in range(90))
        (folder / "runs" / name / "m.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    return folder


def without(code: str, place: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", WITHOUT + code]
    return subprocess.run(command, cwd=place, capture_output=True, text=True, timeout=120, check=False)


def call(place: Path, *given: str) -> subprocess.CompletedProcess[str]:
    return without(f"sys.argv = ['curvedoc', *{given!r}]\nfrom curvedoc.cli import main\nmain()", place)


@pytest.mark.parametrize(
    "given",
    [
        ("analyze", "runs", "--html", "a.html", "--json", "a.json", "--markdown", "a.md", "--embed", "e.html"),
        ("triage", "runs", "--no-cache", "--html", "t.html", "--csv", "t.csv", "--parquet", "t.parquet"),
        ("diff", "runs/a", "runs/b", "--html", "d.html"),
        ("export", "runs", "--tensorboard", "events"),
        ("explain", "overfitting"),
    ],
    ids=lambda given: given[0],
)  # fmt: skip
def test_what_nearly_everybody_asks_for_works(place: Path, given: tuple[str, ...]) -> None:
    done = call(place, *given)
    assert done.returncode == 0, done.stderr


def test_plain_scalars_of_event_files_are_read(place: Path) -> None:
    assert call(place, "export", "runs/a", "--tensorboard", "one").returncode == 0
    done = call(place, "analyze", "one", "--format", "brief")
    assert done.returncode == 0 and json.loads(done.stdout)["verdict"] == "healthy", done.stderr


def test_what_does_not_work_names_its_package(place: Path) -> None:
    done = call(place, "analyze", "runs", "--assets", "figures")
    assert done.returncode == 2 and "pip install pillow" in done.stderr and not (place / "figures").exists()
    done = without("import curvedoc\ncurvedoc.analyze('runs/a').chart()", place)
    assert "a chart needs altair, which is not installed; pip install altair" in done.stderr
    done = without("from curvedoc.evaluate.rates import Rate\nRate(1, 2).interval", place)
    assert "pip install scipy" in done.stderr
