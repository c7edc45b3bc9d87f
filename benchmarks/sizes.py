"""Memory and time of huge logs: `python benchmarks/sizes.py [--gigabytes 10] [--write docs/sizes.md] [KIND ...]`.
`--runs 20000` measures triage of so many runs too, all its processes together.

Each log holds one spike in the middle and a last value of its own. A process of its own analyses it; told are the most
memory it held, the time, and whether spike and last value were seen. More than 1.5 GB, or one that was missed, fails.
What a call does not measure stays on the page as it was, so that each may have its hour. `--runs N` alone: no KIND but
`none`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tree_writers import event_blocks, tree
from watching import Watch

MOST_MEGABYTES = 1_536
MOST_MEGABYTES_OF_RUNS = 1_024
SPIKE, LAST = 77.125, 0.0625
BLOCK = 500_000
#: What a record of an event file takes on the mean.
BYTES_OF_POINT = 47.7
DIGITS = 12
#: How a line of each kind looks; the places of step and loss are overwritten block by block.
LINES = {
    "jsonl": '{"step": @@@@@@@@@@@@, "loss": ########, "lr": 0.001, "grad_norm": 1.25}\n',
    "csv": "@@@@@@@@@@@@,########,0.001,1.25\n",
    "text": "2026-01-01 00:00:00 INFO step @@@@@@@@@@@@ loss ######## lr 1.00e-03 grad_norm 1.25\n",
    "bar": "train:  50%|#####     | @@@@@@@@@@@@/999999999999 [10:00<10:00, 99.00it/s, loss=########]\r",
}
HEADS = {"csv": "step,loss,lr,grad_norm\n"}
SUFFIXES = {"jsonl": "jsonl", "csv": "csv", "text": "log", "bar": "log"}
KINDS = (*LINES, "events")
Bytes = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Size:
    """What one log took: gigabytes, points logged of the loss, MB of memory, seconds; which of both marks was seen."""

    kind: str
    gigabytes: float
    points: int
    megabytes: float
    seconds: float
    spike: bool
    last: bool

    @property
    def held(self) -> bool:
        return self.megabytes <= MOST_MEGABYTES and self.spike and self.last


def losses(first: int, rows: int, total: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """The loss of a block of rows."""
    at = np.arange(first, first + rows) / total
    value = 2.3 * np.exp(-4 * at) + 0.3 + 0.01 * rng.standard_normal(rows)
    if first <= total // 2 < first + rows:
        value[total // 2 - first] = SPIKE
    if first + rows >= total:
        value[-1] = LAST
    return np.asarray(value)


def digits(values: NDArray[np.int64], width: int, fill: bytes) -> Bytes:
    """Numbers as text of one width, what leads filled."""
    out = np.empty((len(values), width), dtype=np.uint8)
    rest = values.copy()
    for k in range(width - 1, -1, -1):
        out[:, k] = np.where((rest > 0) | (k == width - 1), 48 + rest % 10, fill[0])
        rest //= 10
    return out


def blocks_of_lines(line: str, rows: int) -> Iterator[bytes]:
    """All lines of a log, block by block."""
    rng = np.random.default_rng(0)
    pattern = np.frombuffer(line.encode(), dtype=np.uint8)
    step, loss = line.index("@" * DIGITS), line.index("#" * 8)
    for first in range(0, rows, BLOCK):
        count = min(BLOCK, rows - first)
        block = np.tile(pattern, (count, 1))
        block[:, step : step + DIGITS] = digits(np.arange(first, first + count), DIGITS, b" ")
        scaled = np.round(losses(first, count, rows, rng) * 1e4).astype(np.int64)
        block[:, loss : loss + 3] = digits(scaled // 10_000, 3, b" ")
        block[:, loss + 3] = ord(".")
        block[:, loss + 4 : loss + 8] = digits(scaled % 10_000, 4, b"0")
        yield block.tobytes()


def blocks_of_events(rows: int) -> Iterator[bytes]:
    """An event file with four tags, block by block."""
    rng = np.random.default_rng(0)

    def table(first: int, count: int) -> dict[str, NDArray[np.float64]]:
        same = np.full(count, 1.25)
        return {"train/loss": losses(first, count, rows, rng), "lr": same, "grad_norm": same, "memory": same}

    return event_blocks(rows, BLOCK, table)


def write(path: Path, kind: str, size: float) -> int:
    """Write a log of about `size` bytes; how many points of the loss it holds."""
    if kind == "events":
        rows = int(size / 4 / BYTES_OF_POINT)
        made: Iterable[bytes] = blocks_of_events(rows)
    else:
        rows = int(size / len(LINES[kind]))
        made = blocks_of_lines(LINES[kind], rows)
    with path.open("wb") as file:
        file.write(HEADS.get(kind, "").encode())
        for block in made:
            file.write(block)
    return rows


def measure(kind: str, folder: Path, size: float) -> Size:
    """Write a log, analyse it in a process of its own, remove it."""
    name = "events.out.tfevents.1700000000.host.1.0" if kind == "events" else f"log.{SUFFIXES[kind]}"
    log, told = folder / name, folder / "told.json"
    rows = write(log, kind, size)
    command = [sys.executable, "-m", "curvedoc", "analyze", str(log), "--no-html", "--json", str(told), "--force"]
    begun = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, _, used = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begun
    run = json.loads(told.read_text())["runs"][0] if told.exists() else {"curves": []}
    known = [v for c in run["curves"] if "loss" in c["metric"] for v in values_of(c) if v is not None]
    actual = log.stat().st_size
    log.unlink()
    told.unlink(missing_ok=True)
    return Size(
        kind,
        actual / 1e9,
        rows,
        used.ru_maxrss / 1024,
        seconds,
        any(abs(v - SPIKE) < 1e-3 for v in known),
        bool(known) and any(abs(v - LAST) < 1e-3 for v in known),
    )


@dataclass(frozen=True, slots=True)
class Tree:
    """What triage of many runs took."""

    runs: int
    told: int
    megabytes: float
    seconds: float

    @property
    def held(self) -> bool:
        return self.megabytes <= MOST_MEGABYTES_OF_RUNS and self.told == self.runs


def measure_runs(runs: int, folder: Path) -> Tree:
    """Triage a tree of runs of 60 rows, its page and JSON written."""
    root, told = folder / "tree", folder / "told.jsonl"
    tree(root, "jsonl", runs, 4, 60)
    command = [sys.executable, "-m", "curvedoc", "triage", str(root), "--no-cache", "--format", "jsonl"]
    begun, watch = time.perf_counter(), Watch()
    with told.open("wb") as out:
        subprocess.run(
            [*command, "--html", str(folder / "page.html")], stdout=out, stderr=subprocess.DEVNULL, check=False
        )
    most = watch.stop()
    with told.open("rb") as lines_told:
        count = sum(b'"run"' in line for line in lines_told)
    return Tree(runs, count, most, time.perf_counter() - begun)


def values_of(curve: dict[str, object]) -> list[float | None]:
    """Every number that a drawn curve holds."""
    found: list[float | None] = []
    for value in curve.values():
        if isinstance(value, list):
            found += [v for v in value if isinstance(v, (int, float))]
    return found


def lines(rows: list[Size], trees: list[Tree], before: str = "") -> Iterator[str]:
    """The page. before: as it stood; what was not measured this time is told as it was."""
    new = {r.kind for r in rows}
    told = [line for line in before.splitlines() if line.startswith("| ") and line.split()[1] in {*KINDS} - new]
    points = [line for line in before.splitlines() if line.startswith("The event file") and "events" not in new]
    runs = [line for line in before.splitlines() if line.startswith("Triage of") and not trees]
    yield "# Logs of gigabytes\n"
    yield "Written by `python benchmarks/sizes.py --write docs/sizes.md`; do not edit. Asked: at most 1.5 GB of memory,"
    yield "and one spike in the middle and the last value are both seen.\n"
    yield "| log | GB | points of each metric | most memory, MB | seconds | spike seen | last value seen |"
    yield "|---|---:|---:|---:|---:|---|---|"
    yield from told
    for r in rows:
        seen = " | ".join("yes" if mark else "no" for mark in (r.spike, r.last))
        yield f"| {r.kind} | {r.gigabytes:.1f} | {r.points:,} | {r.megabytes:,.0f} | {r.seconds:.0f} | {seen} |"
    yield from (
        f"\nThe event file holds four curves, {4 * r.points:,} points together." for r in rows if r.kind == "events"
    )
    for line in (*points, *runs):
        yield f"\n{line}"
    for one in trees:
        yield (
            f"\nTriage of {one.runs:,} runs with its page: {one.told:,} told, all processes together at most "
            f"{one.megabytes:,.0f} MB (asked: {MOST_MEGABYTES_OF_RUNS:,}), {one.seconds:,.0f} s."
        )
    yield "\nEach was measured by itself, at low priority on two busy cores; memory does not depend on that."


def main() -> int:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("kinds", nargs="*", metavar="KIND", default=[])
    ask.add_argument("--gigabytes", type=float, default=10.0)
    ask.add_argument("--runs", type=int, default=0)
    ask.add_argument("--write", type=Path)
    args = ask.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for kind in [k for k in args.kinds or KINDS if k != "none"]:
            rows.append(measure(kind, Path(folder), args.gigabytes * 1e9))
            print(rows[-1], flush=True)
        trees = [measure_runs(args.runs, Path(folder))] if args.runs else []
    print(*trees)
    if args.write:
        before = args.write.read_text() if args.write.exists() else ""
        args.write.write_text("\n".join(lines(rows, trees, before)) + "\n")
    return not all(r.held for r in (*rows, *trees))


if __name__ == "__main__":
    sys.exit(main())
