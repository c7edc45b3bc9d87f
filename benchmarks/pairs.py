"""Triage and reading beside an earlier state: `python benchmarks/pairs.py OLD NEW [PAIRS [triage|reading]]`.

OLD and NEW are Pythons that each have one installed. Both take the same made trees by turns, the first of a pair by
turns as well. Told is old over new by the processor time of all processes, with its 95 % interval over the logarithms
of the pairs: below 1 the new state is slower. Reading alone is that from paths to runs, in a process that has read
another such tree before, with the median over the largest memory of each process.
"""

from __future__ import annotations

import math
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tree_writers import WRITERS, tree
from watching import adopt, processor, reap

#: Kind, runs, metrics, points.
TREES = (("events", 100, 10, 2000), ("jsonl", 400, 3, 100))
#: The same that are only read: many runs, and a large one.
READ = tuple((kind, *size) for kind in WRITERS for size in ((100, 3, 100), (1, 10, 40_000)))
#: Reads two trees, and prints what the second took: processor seconds, megabytes of the process.
READING = """
import resource, sys, time
from pathlib import Path
from curvedoc.ingest import load_signals, plan, read_bundles, shards
from curvedoc.rulebook.load import signals_file
table = load_signals(signals_file())
for root in sys.argv[1:]:
    start = time.process_time()
    rows = sum(r.points.height for s in shards(plan([Path(root)]).bundles) for r in read_bundles(s, table).runs)
print(time.process_time() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, rows)
"""
#: Student's t for 95 %, by degrees of freedom; beyond them the normal one.
T = {2: 4.30, 3: 3.18, 4: 2.78, 5: 2.57, 6: 2.45, 7: 2.36, 8: 2.31, 9: 2.26, 11: 2.20, 14: 2.14}


def seconds(python: str, root: Path, cache: Path) -> float:
    """Processor seconds of one triage that has no outcome to take up."""
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONDONTWRITEBYTECODE", "PYTHONPATH")}
    before = processor()
    command = [python, "-m", "curvedoc", "triage", str(root), "--no-cache"]
    environment["CURVEDOC_CACHE"] = str(cache)
    # elsewhere than in a checkout, which Python would take for both
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment, cwd=root.parent)
    reap()
    return processor() - before


def reading(python: str, root: Path, cache: Path) -> tuple[float, float, int]:
    """Processor seconds of reading a tree, the megabytes of its process, and the points that were read."""
    command = [python, "-c", READING, str(root.parent / f"{root.name}-first"), str(root)]
    environment = {**os.environ, "CURVEDOC_CACHE": str(cache)}
    got = subprocess.run(command, check=True, capture_output=True, text=True, env=environment, cwd=root.parent)
    took, peak, rows = got.stdout.split()
    return float(took), float(peak), int(rows)


def ratio(old: Sequence[float], new: Sequence[float]) -> str:
    """Old over new with its interval."""
    logs = [math.log(a / b) for a, b in zip(old, new, strict=True)]
    off = T.get(len(logs) - 1, 1.96) * statistics.stdev(logs) / math.sqrt(len(logs))
    low, middle, high = (math.exp(statistics.mean(logs) + x) for x in (-off, 0.0, off))
    return f"{middle:.3f} [{low:.3f}, {high:.3f}] over {len(logs)} pairs"


def main() -> None:
    pythons, pairs = sys.argv[1:3], int(sys.argv[3]) if len(sys.argv) > 3 else 9
    wanted = sys.argv[4:] or ["triage", "reading"]
    adopt()
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)

        def by_turns(root: Path, measure: Callable[[str, Path, Path], Any]) -> list[list[Any]]:
            """What each pair of rounds took, old and new."""
            found = []
            for i in range(-1, pairs):  # the first fills the caches of both
                took = {n: measure(pythons[n], root, base / f"cache{n}") for n in ((0, 1) if i % 2 else (1, 0))}
                found += [[took[0], took[1]]] * (i >= 0)
            return found

        for shape in TREES if "triage" in wanted else ():
            took = by_turns(tree(base / shape[0], *shape), seconds)
            print(f"triage, {shape[1]} runs of {shape[0]}: {ratio(*zip(*took, strict=True))}")
        for kind, runs, metrics, points in READ if "reading" in wanted else ():
            root = base / f"{kind}-{runs}"
            tree(root.with_name(f"{root.name}-first"), kind, 1, metrics, 100)
            took = by_turns(tree(root, kind, runs, metrics, points), reading)
            (old, peak_old, rows), (new, peak_new, same) = (zip(*side, strict=True) for side in zip(*took, strict=True))
            if rows != same:
                raise SystemExit(f"{kind}: {rows[0]} and {same[0]} points")
            memory = f"{statistics.median(peak_old):.0f} and {statistics.median(peak_new):.0f} MB"
            print(f"reading, {runs} x {metrics} x {points:,} points of {kind}: {ratio(old, new)}, {memory}")


if __name__ == "__main__":
    main()
