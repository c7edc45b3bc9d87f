"""What is shipped works: the wheel, without any development tool, reads its own rules and analyzes a sample."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
#: Packages that only development installs.
TOOLS = ("pytest", "hypothesis", "mypy", "ruff", "hatchling", "moto", "tensorboardX", "xdist")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-t", "sdist", "-d", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return folder


def test_the_wheel_works_without_development_tools(built: Path, tmp_path: Path) -> None:
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(tmp_path / "site")
    sample = ROOT / "sample_logs" / "diverged"
    program = (
        "import sys\n"
        f"sys.path[:] = [{str(tmp_path / 'site')!r}, *(p for p in sys.path if p not in ({str(ROOT)!r}, ''))]\n"
        f"sys.modules.update(dict.fromkeys({TOOLS!r}))\n"
        "from curvedoc.cli import main\n"
        "import curvedoc\n"
        f"assert curvedoc.__file__.startswith({str(tmp_path)!r}), curvedoc.__file__\n"
        f"sys.argv = ['curvedoc', 'analyze', {str(sample)!r}, '--html', 'out.html', '--json', 'out.json']\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert '"verdict":"failed"' in (tmp_path / "out.json").read_text() and (tmp_path / "out.html").stat().st_size > 1e5


def test_the_source_distribution_holds_rules_documents_and_tests(built: Path) -> None:
    (source,) = built.glob("*.tar.gz")
    with tarfile.open(source) as packed:
        names = {name.split("/", 1)[1] for name in packed.getnames() if "/" in name}
    for wanted in (
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "CITATION.cff",
        "docs/rules.md",
        "docs/report.png",
        "mkdocs.yml",
        "rules/signals.yaml",
        "tests/conftest.py",
    ):
        assert wanted in names
