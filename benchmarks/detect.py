"""Processor time of reading, judging and the command line: `python benchmarks/detect.py [quick]`.

Figures are processor time (user and system), the best of a few, so that a busy machine changes them little; ratios
hold between machines. "loop" is a plain loop over json.loads that ends in the same long frame. "quick" leaves the
curves of a million steps out.
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from curvedoc.core.run import Run
from curvedoc.diagnose.judge.detect import detect
from curvedoc.diagnose.judge.inputs import Bench
from curvedoc.ingest import read_runs
from curvedoc.ingest.json import records as json_records
from curvedoc.rulebook.load import load, signals_file

FIVE = ("train/loss", "grad_norm", "lr", "train/accuracy", "weight_norm")
TEN = (*FIVE, "gpu_memory_gb", "samples_per_second", "step_time", "loss_scale", "epoch")
RECORDS = 200_000
#: Runs that are judged: metrics and steps.
SIZES = ((TEN, 10_000), (FIVE, 1_000_000))


def curve(name: str, n: int, r: np.random.Generator) -> np.ndarray:
    """One metric of a healthy run of n steps."""
    i = np.arange(n)
    fall = np.exp(-i / (n / 5))
    made: dict[str, Callable[[], np.ndarray]] = {
        "train/loss": lambda: 2.3 * fall + 0.3 + r.normal(size=n) * 0.05,
        "grad_norm": lambda: 1.0 + np.abs(r.normal(size=n)) * 0.2,
        "lr": lambda: 5e-4 * (1.0 + np.cos(np.pi * i / n)),
        "train/accuracy": lambda: 1.0 - 0.9 * fall + r.normal(size=n) * 0.01,
        "weight_norm": lambda: 10.0 + 2.0 * i / n,
        "gpu_memory_gb": lambda: 8.0 + r.normal(size=n) * 0.01,
        "samples_per_second": lambda: 100.0 + r.normal(size=n),
        "step_time": lambda: 0.1 + r.random(n) * 0.01,
        "loss_scale": lambda: np.full(n, 65536.0),
        "epoch": lambda: (i // max(n // 20, 1)).astype(np.float64),
    }
    return made[name]()


def write(
    path: Path, names: Sequence[str], n: int, change: Callable[[int, dict[str, float]], None] | None = None
) -> None:
    """A log of n flat records; `change` may alter each."""
    r = np.random.default_rng(0)
    columns = [curve(name, n, r).tolist() for name in names]
    with path.open("w") as f:
        for i, row in enumerate(zip(*columns, strict=True)):
            record = {"step": i, **dict(zip(names, row, strict=True))}
            if change is not None:
                change(i, record)
            f.write(json.dumps(record) + "\n")


def loop(path: Path) -> pl.DataFrame:
    """The long frame of a log by the plainest means."""
    metric: list[str] = []
    step: list[int] = []
    value: list[float] = []
    with path.open() as f:
        for line in f:
            record = json.loads(line)
            for key, cell in record.items():
                if key != "step":
                    metric.append(key)
                    step.append(record["step"])
                    value.append(cell)
    return pl.DataFrame({"metric": metric, "step": step, "value": value})


def spent(work: Callable[[], object], times: int = 3) -> float:
    """Processor seconds of the quickest of a few calls."""
    best = float("inf")
    for _ in range(times):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def child(*arguments: str) -> tuple[float, float]:
    """User and system seconds of a curvedoc command in a process of its own, the quickest of three."""
    found = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-m", "curvedoc", *arguments], stdout=subprocess.DEVNULL, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        found.append((after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime))
    return min(found, key=sum)


def reading(folder: Path) -> Iterator[str]:
    """Reading JSON lines, against the loop."""

    def rare_nan(i: int, record: dict[str, float]) -> None:
        if i % 10_000 == 77:
            record["grad_norm"] = float("nan")

    def varying(i: int, record: dict[str, float]) -> None:
        if i % 2:
            del record["weight_norm"]
        if i % 3 == 0:
            record["val_loss"] = 0.5

    for label, change in (("flat", None), ("NaN in 1 of 10,000", rare_nan), ("keys that vary", varying)):
        path = folder / "log.jsonl"
        write(path, FIVE, RECORDS, change)
        own, plain = spent(lambda p=path: json_records.read([p])), spent(lambda p=path: loop(p))
        yield f"{label:20} {own:6.3f} s, loop {plain:6.3f} s: {plain / own:.1f} times as fast"


def judging(folder: Path, names: Sequence[str], n: int, times: int = 3) -> list[tuple[float, float]]:
    """Processor seconds of reading one run of n steps, and of judging it by all rules, so many times."""
    path = folder / "run.jsonl"
    write(path, names, n)
    runs: list[Run] = []

    def read() -> None:
        runs[:] = read_runs([path], signals={}, signals_file=signals_file()).runs

    book = load()
    out = []
    for _ in range(times):
        read_time = spent(read, 1)
        run = runs[0]
        for match in run.roles:
            run.metric(match.metric)
        bench = Bench(run)
        judge_time = spent(lambda b=bench: [detect(rule, b, strict=True) for rule in book.rules], 1)
        out.append((read_time, judge_time))
    return out


def judging_table(folder: Path, times: int) -> list[str]:
    """Judging beside reading, as a table for docs/performance.md (see triage.py)."""
    out = [
        f"### One run read, and judged by all {len(load().rules)} rules (processor time)", "",
        "| | read | judged | of reading | least ... most |", "| --- | ---: | ---: | ---: | ---: |",
    ]  # fmt: skip
    for names, n in SIZES:
        took = judging(folder, names, n, times)
        ratios = sorted(judged / read for read, judged in took)
        read, judged = (statistics.median(t[i] for t in took) for i in (0, 1))
        out.append(
            f"| JSON lines, {len(names)} metrics x {n:,} steps | {read:.3f} | {judged:.3f} | "
            f"{statistics.median(ratios):.2f} x | {ratios[0]:.2f} ... {ratios[-1]:.2f} |"
        )
    return [*out, ""]


def main() -> None:
    """Print every figure."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print(f"reading {RECORDS:,} records of 5 metrics")
        for line in reading(folder):
            print(f"  {line}")
        print("judging one run")
        for names, n in SIZES[: 1 if "quick" in sys.argv else None]:
            read, judged = (min(times) for times in zip(*judging(folder, names, n), strict=True))
            print(f"  {n:>9,} x {len(names):<2} read {read:6.3f} s, judged {judged:6.3f} s: {judged / read:.2f} of it")
        write(folder / "one.jsonl", FIVE, 10_000)
        print("commands, user and system time")
        page, one = str(folder / "page.html"), str(folder / "one.jsonl")
        for arguments in (
            ("--version",),
            ("--help",),
            ("analyze", one, "--no-html"),
            ("analyze", one, "--html", page, "--force"),
        ):
            shown = " ".join(Path(a).name for a in arguments)
            user, system = child(*arguments)
            print(f"  curvedoc {shown:40} {user:.2f} + {system:.2f} s")


if __name__ == "__main__":
    main()
