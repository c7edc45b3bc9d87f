"""Speed of the JSON lines and CSV readers beside the usual ways: `python benchmarks/read_text.py [megabytes] [rounds]`.

curvedoc reads from a path to the finished run (`read_runs`: claiming, steps, restarts, roles, copies); the others only
collect the numbers. Every reader runs in a process of its own, round after round in turn; a figure is the processor
time (user and system) of that round, a ratio compares the two of one round. Every value that was written must come
back: the count and the sum over all of them are checked, of NaN the count. pandas takes part where it is installed.
"""

from __future__ import annotations

import csv
import json
import math
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random

KEYS = ("train/loss", "grad_norm", "lr", "train/accuracy", "weight_norm", "gpu_mem_gb", "tokens_per_s", "step_time",
        "loss_scale")  # fmt: skip
EVAL = ("val/loss", "val/accuracy", "val/perplexity")
FILES = 1000


@dataclass(slots=True)
class Seen:
    """What a reader found in the curves: how many values, how many of them NaN, and the sum of the others."""

    values: int = 0
    nans: int = 0
    total: float = 0.0

    def agrees(self, other: Seen) -> bool:
        """Whether both saw the same numbers (sums in another order differ in their last digits)."""
        near = math.isclose(self.total, other.total, rel_tol=1e-9)
        return near and (self.values, self.nans) == (other.values, other.nans)

    def add(self, number: float) -> None:
        """One more value."""
        self.values += 1
        if math.isnan(number):
            self.nans += 1
        else:
            self.total += number


def row(r: Random, step: int, nan: float = 0.0) -> dict[str, float]:
    """A record of nine metrics."""
    return {k: float("nan") if nan and r.random() < nan else r.random() * 3 for k in KEYS} | {"step": step}


def flat(r: Random) -> Iterator[dict[str, float]]:
    """Records of ten keys."""
    yield from (row(r, i) for i in range(sys.maxsize))


def with_nan(r: Random) -> Iterator[dict[str, float]]:
    """The same, one value in ten thousand a bare NaN."""
    yield from (row(r, i, 1e-4) for i in range(sys.maxsize))


def with_eval(r: Random) -> Iterator[dict[str, float]]:
    """The same, an evaluation with keys of its own after every tenth record."""
    for i in range(sys.maxsize):
        yield row(r, i)
        if i % 10 == 9:
            yield {k: r.random() for k in EVAL} | {"step": i}


def any_keys(r: Random) -> Iterator[dict[str, float]]:
    """Each record with its own choice of five to ten out of thirty keys, in any order."""
    names = [f"layer_{i}/{k}" for i in range(5) for k in ("loss", "grad_norm", "weight_norm", "ratio", "max", "min")]
    for i in range(sys.maxsize):
        yield {"step": i} | {k: r.random() for k in r.sample(names, r.randint(5, 10))}


SHAPES: dict[str, Callable[[Random], Iterator[dict[str, float]]]] = {
    "jsonl": flat, "jsonl, NaN 1e-4": with_nan, "jsonl, eval rows": with_eval, "jsonl, keys by line": any_keys,
}  # fmt: skip


def write(case: str, path: Path, size: float) -> Seen:
    """A file of about `size` bytes (or a tree of small files that size together), and what is in it."""
    r, seen = Random(0), Seen()
    if case == "jsonl, 1,000 files":
        for i in range(FILES):
            sub = path / f"run_{i:04d}"
            sub.mkdir(parents=True)
            _lines(sub / "metrics.jsonl", flat(r), size / FILES, seen)
    elif case == "csv":
        with path.open("w") as f:
            at = f.write(",".join((*KEYS, "step")) + "\n")
            for record in flat(r):
                at += f.write(",".join(map(repr, record.values())) + "\n")
                _see(record, seen)
                if at >= size:
                    break
    else:
        _lines(path, SHAPES[case](r), size, seen)
    return seen


def _lines(path: Path, records: Iterator[dict[str, float]], size: float, seen: Seen) -> None:
    at = 0
    with path.open("w") as f:
        for record in records:
            at += f.write(json.dumps(record) + "\n")
            _see(record, seen)
            if at >= size:
                break


def _see(record: dict[str, float], seen: Seen) -> None:
    for k, v in record.items():
        if k != "step":
            seen.add(v)


def ours(path: Path) -> Callable[[], Seen]:
    """curvedoc, end to end."""
    from curvedoc.ingest import read_runs
    from curvedoc.rulebook.load import signals_file

    value = [r.points["value"] for r in read_runs([path], signals_file=signals_file()).runs]
    nans = [int(v.is_nan().sum()) for v in value]
    return lambda: Seen(sum(map(len, value)), sum(nans), sum(float(v.fill_nan(0.0).sum()) for v in value))


def loop(path: Path) -> Callable[[], Seen]:
    """json.loads line by line, or csv.DictReader."""
    curves: dict[tuple[Path, str], list[float]] = defaultdict(list)
    for file in sorted(path.rglob("*.jsonl")) if path.is_dir() else [path]:
        with file.open() as f:
            if file.suffix == ".csv":
                for cells in csv.DictReader(f):
                    for k, c in cells.items():
                        curves[file, k].append(float(c))
            else:
                for line in f:
                    for k, v in json.loads(line).items():
                        if isinstance(v, (int, float)):
                            curves[file, k].append(v)
    return lambda: _counted(v for (_, k), values in curves.items() if k != "step" for v in values)


def pandas(path: Path) -> Callable[[], Seen]:
    """pandas.read_json(lines=True) or read_csv."""
    import pandas as pd  # type: ignore[import-not-found,import-untyped,unused-ignore]

    files = sorted(path.rglob("*.jsonl")) if path.is_dir() else [path]
    frames = [pd.read_csv(f) if f.suffix == ".csv" else pd.read_json(f, lines=True) for f in files]
    return lambda: _counted(
        v for f in frames for k in f.columns if k != "step" for v in f[k].tolist() if not math.isnan(v)
    )


def _counted(values: Iterator[float]) -> Seen:
    seen = Seen()
    for v in values:
        seen.add(v)
    return seen


READERS: dict[str, Callable[[Path], Callable[[], Seen]]] = {"curvedoc": ours, "loop": loop, "pandas": pandas}
CASES = (*SHAPES, "jsonl, 1,000 files", "csv")


def one(name: str, path: Path, warm: Path) -> None:
    """Read once in this process, whose imports and tables a small file warmed, and print what that took."""
    READERS[name](warm)
    start, wall = time.process_time(), time.perf_counter()
    found = READERS[name](path)
    took, wall = time.process_time() - start, time.perf_counter() - wall
    print(json.dumps({"seconds": took, "wall": wall, "seen": asdict(found())}))


def measure(name: str, path: Path, warm: Path) -> dict[str, float]:
    """One reader's round; processor and wall seconds, and the values it found as `Seen`."""
    done = subprocess.run(
        [sys.executable, __file__, "--one", name, str(path), str(warm)], check=True, capture_output=True, text=True
    )
    got: dict[str, float] = json.loads(done.stdout)
    return got


def main(size: float, rounds: int) -> None:
    """All cases, and one line for each reader of each."""
    names = [n for n in READERS if n != "pandas" or _has_pandas()]
    for case in CASES:
        with tempfile.TemporaryDirectory() as folder:
            suffix = {"jsonl, 1,000 files": "", "csv": ".csv"}.get(case, ".jsonl")
            path, warm = Path(folder) / f"log{suffix}", Path(folder) / f"warm{suffix or '.jsonl'}"
            told = write(case, path, size / 10 if not suffix else size)
            write("csv" if case == "csv" else "jsonl", warm, 2e4)
            got = [{n: measure(n, path, warm) for n in names} for _ in range(rounds)]
        print(f"{case}: {told.values:,} values")
        for n in names:
            seen = Seen(**got[0][n]["seen"])  # type: ignore[arg-type]
            whole = seen.agrees(told) or (n == "pandas" and seen.values == told.values - told.nans)
            if n == "curvedoc" and not whole:
                raise SystemExit(f"{case}: curvedoc found {seen} of {told}")
            cpu = sorted(g["loop"]["seconds"] / g[n]["seconds"] for g in got)
            wall = statistics.median(g["loop"]["wall"] / g[n]["wall"] for g in got)
            print(
                f"  {n:9s} {statistics.median(g[n]['seconds'] for g in got):7.2f} s  {statistics.median(cpu):5.2f} x"
                f" the loop ({cpu[0]:.2f} to {cpu[-1]:.2f}; wall {wall:.2f})"
                + ("" if whole else f"  DIFFERS: {seen.values:,} values")
            )


def _has_pandas() -> bool:
    import importlib.util

    return importlib.util.find_spec("pandas") is not None


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        one(sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4]))
    else:
        main(float(sys.argv[1]) * 1e6 if len(sys.argv) > 1 else 50e6, int(sys.argv[2]) if len(sys.argv) > 2 else 5)
