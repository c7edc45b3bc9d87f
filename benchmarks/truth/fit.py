"""Fit the odds of the ranking to the table, cross-validated by task and by logger.

    python -m benchmarks.truth.fit TABLE [--lines 30] [--curve]

A penalized conditional likelihood: of every run whose accepted causes are named, the share that they have of all.
Penalties pull towards today's values. Printed: accuracy of the first cause as it stands and out of fold, what is fitted
with its interval (a bootstrap over tasks), and, with --curve, the accuracy over the number of tasks. Needs torch.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from benchmarks.truth.ranking import Book, Row, Runs, empty

#: A penalty from which a kind of number is left as it is.
OFF = 1e5
#: Penalties (precisions) of the deviations; chosen by cross-validation from a few.
CHOICES = (
    {"grades": 4.0, "causes": 1e6, "links": 1e6, "lines": 1e6},
    {"grades": 4.0, "causes": 4.0, "links": 1e6, "lines": 1e6},
    {"grades": 4.0, "causes": 4.0, "links": 8.0, "lines": 1e6},
    {"grades": 4.0, "causes": 4.0, "links": 8.0, "lines": 8.0},
    {"grades": 4.0, "causes": 12.0, "links": 24.0, "lines": 24.0},
    {"grades": 4.0, "causes": 40.0, "links": 80.0, "lines": 80.0},
)
FOLDS = 5


def usable(row: Row) -> bool:
    """A fault that shows and was seen, with causes to be right about.

    Where nothing but notices was told, the ranking is of what explains a notice, and healthy runs would have to speak.
    """
    faulty = any(f["kind"] == "pathology" for f in row["findings"])
    return bool(row["manifested"] and not row["benign"] and row["accept_causes"] and faulty)


def read(path: Path, *parts: str) -> list[Row]:
    """The usable rows of these parts."""
    with gzip.open(path, "rt") as file:
        found = [json.loads(line) for line in file]
    return [r for r in found if r["part"] in parts and usable(r)]


def start(book: Book) -> dict[str, torch.Tensor]:
    """Today's values: no deviation."""
    return {k: torch.zeros(n, dtype=torch.float64, requires_grad=True) for k, n in book.size().items()}


def fit(runs: Runs, book: Book, penalty: dict[str, float], steps: int = 40) -> dict[str, torch.Tensor]:
    """The deviations of least penalized surprise. Sought in units of their penalties, in which the search is round."""
    unit = {k: v**-0.5 for k, v in penalty.items() if v < OFF}
    z = {k: v for k, v in start(book).items() if k in unit}
    fixed = {k: v.detach() for k, v in start(book).items() if k not in unit}
    search = torch.optim.LBFGS(z.values(), max_iter=steps, history_size=10, line_search_fn="strong_wolfe")

    def closure() -> torch.Tensor:
        search.zero_grad()
        p = fixed | {k: v * unit[k] for k, v in z.items()}
        cost = runs.surprise(runs.scores(p)).sum() + sum(0.5 * (v**2).sum() for v in z.values())
        cost.backward()
        return cost

    search.step(closure)
    return fixed | {k: v.detach() * unit[k] for k, v in z.items()}


def right(runs: Runs, p: dict[str, torch.Tensor]) -> list[bool]:
    """Of each run, whether its first cause is accepted."""
    with torch.no_grad():
        first = runs.first(runs.scores(p))
    return [i in first and first[i][2] for i in range(len(runs.rows))]


def fold(name: str) -> int:
    """The fold of a task or a logger."""
    return int(hashlib.sha256(name.encode()).hexdigest()[:8], 16) % FOLDS


def out_of_fold(rows: Sequence[Row], key: str, penalty: dict[str, float]) -> list[bool]:
    """Right or wrong of each run, judged by what was fitted to other tasks (or loggers)."""
    out: dict[str, bool] = {}
    names = sorted({r[key] for r in rows}, key=lambda n: hashlib.sha256(n.encode()).hexdigest())
    number = {n: i % FOLDS for i, n in enumerate(names)}
    for f in range(FOLDS):
        book = empty()
        train = Runs([r for r in rows if number[r[key]] != f], book)
        test = Runs([r for r in rows if number[r[key]] == f], book)
        p = fit(train, book, penalty)
        out |= dict(zip((r["run"] for r in test.rows), right(test, p), strict=True))
    return [out[r["run"]] for r in rows]


def share(x: Sequence[bool]) -> str:
    """A share with its count."""
    return f"{100 * sum(x) / max(1, len(x)):.1f} % of {len(x)}"


def main() -> None:
    """Fit, judge, print."""
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("table", type=Path)
    a.add_argument("--curve", action="store_true")
    a.add_argument("--penalty", type=int, default=-1, help="the number of a choice; -1: the best out of fold")
    a.add_argument("--out", type=Path)
    o = a.parse_args()
    torch.set_num_threads(1)
    rows = read(o.table, "look")
    others = {p: read(o.table, p) for p in ("aside", "corpus", "corpus-torch")}
    book = empty()
    everything = Runs(rows, book)
    zero = {k: v.detach() for k, v in start(book).items()}
    print("as it stands:", share(right(everything, zero)))
    results: list[tuple[int, int]] = []
    for n, penalty in enumerate(CHOICES):
        by_task, by_logger = out_of_fold(rows, "task", penalty), out_of_fold(rows, "logger", penalty)
        print(f"choice {n} {penalty}: by task {share(by_task)}, by logger {share(by_logger)}", flush=True)
        results.append((sum(by_task), n))
    best = o.penalty if o.penalty >= 0 else max(results)[1]
    for name, more in others.items():
        if more:
            shared = empty()
            train, test = Runs(rows, shared), Runs(more, shared)
            p = fit(train, shared, CHOICES[best])
            now = right(test, {k: v.detach() for k, v in start(shared).items()})
            print(f"{name}: as it stands {share(now)}, fitted on look {share(right(test, p))}")
    p = fit(everything, book, CHOICES[best])
    if o.curve:
        curve(rows, CHOICES[best])
    if o.out:
        o.out.write_text(json.dumps(intervals(rows, book, p, CHOICES[best]), indent=1))


def curve(rows: Sequence[Row], penalty: dict[str, float]) -> None:
    """Accuracy on tasks left out, over the number of tasks that were fitted to."""
    tasks = sorted({r["task"] for r in rows})
    for n in (2, 4, 8, 12, 16, 20, len(tasks) - 4):
        found: list[bool] = []
        for seed in range(4):
            order = tasks[:]
            random.Random(seed).shuffle(order)
            book = empty()
            train = Runs([r for r in rows if r["task"] in order[4 : 4 + n]], book)
            test = Runs([r for r in rows if r["task"] in order[:4]], book)
            found += right(test, fit(train, book, penalty))
        print(f"{n} tasks: {share(found)}", flush=True)


def intervals(rows: Sequence[Row], book: Book, p: dict[str, torch.Tensor], penalty: dict[str, float]) -> dict[str, Any]:
    """Every deviation with its range over 12 draws of tasks."""
    tasks = sorted({r["task"] for r in rows})
    draws = []
    for seed in range(12):
        rng = random.Random(seed)
        picked = [rng.choice(tasks) for _ in tasks]
        drawn = [r for t in picked for r in rows if r["task"] == t]
        draws.append(fit(Runs(drawn, book), book, penalty, 25))
        for k, n in book.size().items():  # names that are met in every draw, since all rows are
            assert len(draws[-1][k]) == n
    out: dict[str, Any] = {}
    for kind in ("grades", "causes", "links", "lines"):
        names = getattr(book, kind)
        for name, i in names.items():
            seen = sorted(float(d[kind][i]) for d in draws)
            out[f"{kind} {' '.join(name)}"] = [round(v, 3) for v in (float(p[kind][i]), seen[1], seen[-2])]
    return out


if __name__ == "__main__":
    main()
