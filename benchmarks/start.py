"""What a start costs, and what is installed for it: `python benchmarks/start.py [ROUNDS]`, then `--installed`.

Processor seconds of whole processes, interleaved, each beside `import polars` of the same round, so that a busy machine
does not decide; the first round fills the caches and is not counted. `--installed` lists what an installation brings:
packages, megabytes, and the processor seconds that importing each direct dependency takes.
"""

from __future__ import annotations

import json
import math
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path

LOG, PAGE = "run.jsonl", "page.html"
CALLS = {
    "import polars": ["-c", "import polars"],
    "import curvedoc": ["-c", "import curvedoc"],
    "--version": ["-m", "curvedoc", "--version"],
    "analyze(path)": ["-c", f"import curvedoc; curvedoc.analyze('{LOG}')"],
    "analyze --no-html": ["-m", "curvedoc", "analyze", LOG, "--no-html", "-q"],
    "analyze, 50,000 points": ["-m", "curvedoc", "analyze", "long.jsonl", "--no-html", "-q"],
    "analyze --html": ["-m", "curvedoc", "analyze", LOG, "--html", PAGE, "--force", "-q"],
}
#: Modules by the name of their package, where the two differ.
_MODULES = {"pyyaml": "yaml", "pillow": "PIL"}


def processor_seconds(arguments: list[str], place: Path) -> float:
    """User and system time of one Python process."""
    own = str(Path(__file__).resolve().parent.parent)
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    environment = {**kept, "PYTHONPATH": own, "PYTHONPYCACHEPREFIX": str(place / "code"), "CURVEDOC_CACHE": str(place)}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], cwd=place, env=environment, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def write_logs(place: Path) -> None:
    """Two healthy runs, of 200 and of 50,000 steps."""
    for name, steps in ((LOG, 200), ("long.jsonl", 50_000)):
        rows = (
            {"step": i, "loss": 0.1 + 2.3 * math.exp(-4 * i / steps) + 0.01 * math.sin(i * i)} for i in range(steps)
        )
        (place / name).write_text("".join(json.dumps(row) + "\n" for row in rows))


def starts(rounds: int) -> None:
    """The table of starts."""
    with tempfile.TemporaryDirectory() as folder:
        write_logs(Path(folder))
        found = [{n: processor_seconds(a, Path(folder)) for n, a in CALLS.items()} for _ in range(rounds + 1)][1:]
    print("| call | seconds | times `import polars` |\n|---|---|---|")
    for name in CALLS:
        beside = statistics.median(row[name] / row["import polars"] for row in found)
        print(f"| {name} | {min(row[name] for row in found):.2f} | {beside:.1f} |")


def needed(name: str, seen: dict[str, float]) -> dict[str, float]:
    """A package and all that it needs without extras, each with its megabytes."""
    key = re.sub(r"[-_.]+", "-", name).lower()
    if key in seen:
        return seen
    try:
        package = metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return seen
    paths = {Path(str(f.locate())) for f in package.files or ()}
    seen[key] = sum(p.stat().st_size for p in paths if p.is_file()) / 1e6
    for line in package.requires or ():
        if "extra ==" not in line:
            needed(re.split(r"[^A-Za-z0-9._-]", line, maxsplit=1)[0], seen)
    return seen


def installed() -> None:
    """The table of packages: direct dependencies, with what only they bring."""
    own = metadata.distribution("curvedoc")
    direct = [re.split(r"[^A-Za-z0-9._-]", r, maxsplit=1)[0] for r in own.requires or () if "extra ==" not in r]
    every = needed("curvedoc", {})
    print(f"{len(every)} packages, {sum(every.values()):.0f} MB\n\n| package | MB | with its own | import, seconds |")
    print("|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        bare = min(processor_seconds(["-c", ""], Path(folder)) for _ in range(3))
        for name in direct:
            module = _MODULES.get(name, name)
            took = min(processor_seconds(["-c", f"import {module}"], Path(folder)) for _ in range(3)) - bare
            print(f"| {name} | {every[name]:.1f} | {sum(needed(name, {}).values()):.1f} | {max(0.0, took):.2f} |")


if __name__ == "__main__":
    if sys.argv[1:] == ["--installed"]:
        installed()
    else:
        starts(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
