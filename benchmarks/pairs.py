"""Triage beside an earlier state: `python benchmarks/pairs.py OLD NEW [PAIRS]`, Pythons that each have one installed.

Both judge the same made trees by turns, the first of a pair by turns as well. Told is old over new by the processor
time of all processes, with its 95 % interval over the logarithms of the pairs: below 1 the new state is slower.
"""

from __future__ import annotations

import math
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from tree_writers import tree
from watching import adopt, processor, reap

#: Kind, runs, metrics, points.
TREES = (("events", 100, 10, 2000), ("jsonl", 400, 3, 100))
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


def main() -> None:
    pythons, pairs = sys.argv[1:3], int(sys.argv[3]) if len(sys.argv) > 3 else 9
    adopt()
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        for shape in TREES:
            root = tree(base / shape[0], *shape)
            ratios = []
            for i in range(-1, pairs):  # the first fills the caches of both
                took = {n: seconds(pythons[n], root, base / f"cache{n}") for n in ((0, 1) if i % 2 else (1, 0))}
                ratios += [took[0] / took[1]] * (i >= 0)
            logs = [math.log(r) for r in ratios]
            off = T.get(pairs - 1, 1.96) * statistics.stdev(logs) / math.sqrt(pairs)
            middle = statistics.mean(logs)
            low, high = math.exp(middle - off), math.exp(middle + off)
            print(f"{shape[1]} runs of {shape[0]}: {math.exp(middle):.3f} [{low:.3f}, {high:.3f}] over {pairs} pairs")


if __name__ == "__main__":
    main()
