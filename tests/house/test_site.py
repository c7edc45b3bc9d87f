"""The site, its questions, and what a package page needs."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pytest
import yaml

import curvedoc
from curvedoc.core.version import __version__

ROOT = Path(__file__).resolve().parents[2]
QUESTIONS = sorted((ROOT / "docs" / "questions").glob("*.md"))
LOGS = Path(__file__).parent / "questions"


@pytest.mark.skipif(find_spec("mkdocs") is None or find_spec("material") is None, reason="mkdocs-material is absent")
def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")], cwd=ROOT,
        text=True, capture_output=True, timeout=300, check=False,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT), "https_proxy": "http://127.0.0.1:9"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    gallery = (tmp_path / "site" / "gallery" / "index.html").read_text("utf-8")
    samples = [p.name for p in (ROOT / "sample_logs").iterdir() if p.is_dir()]
    assert all(name in gallery for name in samples) and gallery.count("<img") > len(samples) / 2
    assert "curvedoc" in (tmp_path / "site" / "index.html").read_text("utf-8")
    questions = (tmp_path / "site" / "questions" / "index.html").read_text("utf-8")
    assert all(path.stem in questions for path in QUESTIONS)


@pytest.mark.parametrize("page", QUESTIONS, ids=lambda p: p.stem)
def test_the_log_of_a_question_gives_the_answer_of_its_page(page: Path) -> None:
    text = page.read_text("utf-8")
    log = LOGS / f"{page.stem}.log"
    (run,) = curvedoc.analyze(log).runs
    (wanted,) = re.findall(r"\.\./reference/symptoms/([\w-]+)\.md", text)
    assert wanted in [f.symptom for f in run.findings[:2]], run.headline
    shown = re.findall(r"^```text\n(.*?)^```", text, re.MULTILINE | re.DOTALL)[0].splitlines()
    lines = log.read_text("utf-8").splitlines()
    assert all(line in lines for line in shown if line != "...")


def test_every_question_has_its_log_and_the_other_way_round() -> None:
    assert {p.stem for p in QUESTIONS} == {p.stem for p in LOGS.glob("*.log")} and len(QUESTIONS) >= 8


def test_the_version_stands_in_one_place() -> None:
    assert 'dynamic = ["version", "readme"]' in (ROOT / "pyproject.toml").read_text("utf-8")
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))["version"] == __version__


@pytest.fixture(scope="module")
def hook() -> ModuleType:
    pytest.importorskip("hatchling")
    spec = importlib.util.spec_from_file_location("package_readme", ROOT / "package_readme.py")
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_links_and_pictures_of_the_package_page_are_whole(hook: ModuleType) -> None:
    page = hook.package_page((ROOT / "README.md").read_text("utf-8"))
    links = re.findall(r"\]\(([^)\s]+)\)", page)
    assert links and all(link.startswith(("https://", "#")) for link in links)
    for link in links:
        for place in (hook.PLACE, hook.PICTURES):
            if link.startswith(place):
                assert (ROOT / link.removeprefix(place)).exists(), link


def test_every_feature_names_what_shows_it_and_that_is_there() -> None:
    text = (ROOT / "docs" / "features.md").read_text("utf-8")
    rows = re.findall(r"^\| (\d+) \|([^|]*)\|([^|]*)\|([^|]*)\|(.*)\|$", text, re.MULTILINE)
    assert [int(r[0]) for r in rows] == list(range(1, 77))
    for number, name, goal, has, shown in rows:
        assert goal.strip() in "012" and has.strip() in ("yes", "partly", "no"), name
        links = re.findall(r"\]\(\.\./([^)]+)\)", shown)
        assert links or has.strip() == "no", (number, name)
        assert all((ROOT / link).exists() for link in links), links
    for word in ("yes", "partly", "no"):
        assert re.search(rf"\b{sum(r[3].strip() == word for r in rows)} {word}", text), word
