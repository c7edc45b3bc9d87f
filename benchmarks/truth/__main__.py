"""Train the truth and write its logs and labels.

    python -m benchmarks.truth FOLDER [--minutes 50] [--runs 2000] [--seed 0]

FOLDER/look and FOLDER/aside get a folder a run and labels.jsonl each; FOLDER/raw keeps the histories, so that a run
that is there is not trained anew and logs can be written again (--rewrite) without training. Needs torch.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
import random
import shutil
import time
from pathlib import Path

import torch

from benchmarks.truth.effect import effects, learned
from benchmarks.truth.faults.fault import Fault
from benchmarks.truth.faults.model import Overflow
from benchmarks.truth.history import History, unpacked
from benchmarks.truth.labels import label
from benchmarks.truth.logs.loggers import write
from benchmarks.truth.logs.written import choose, written
from benchmarks.truth.marks import marks
from benchmarks.truth.plan import Planned, name, plan
from benchmarks.truth.problem import Task
from benchmarks.truth.setup import Setup
from benchmarks.truth.tasks.every import LAID_ASIDE
from benchmarks.truth.training import train


class Store:
    """Histories on disk, trained where they are missing."""

    def __init__(self, folder: Path, may_train: bool) -> None:
        self.folder, self.may_train = folder, may_train
        folder.mkdir(parents=True, exist_ok=True)

    def get(self, task: Task, s: Setup, fault: Fault) -> History | None:
        """The history of a training."""
        path = self.folder / f"{name(task.name, s, type(fault).__name__, fault.level, fault.at)}.json.gz"
        if path.exists():
            return unpacked(json.loads(gzip.decompress(path.read_bytes())))
        if not self.may_train:
            return None
        h = train(task, s, fault)
        part = path.with_suffix(".part")
        part.write_bytes(gzip.compress(json.dumps(h.packed()).encode(), 3))
        part.rename(path)
        return h


def scaled(h: History, fault: Fault, s: Setup) -> History:
    """The history with a column of the loss scale."""
    for row in h.rows:
        row["loss_scale"] = fault.scale(int(row["step"]), s) if isinstance(fault, Overflow) else 65536.0
    return h


def row_of(p: Planned, store: Store, folder: Path) -> dict[str, object] | None:
    """Train and write one run; its label, or None where its healthy twin does not learn."""
    h, t = store.get(p.task, p.setup, p.fault), store.get(p.task, p.twin, Fault())
    if h is None or t is None:
        return None
    scaled(h, p.fault, p.setup), scaled(t, Fault(), p.twin)
    rng = random.Random(p.id)
    choice = choose(rng, p.task, p.fault.id)
    log = written(h, p.setup, p.fault.told(p.setup), choice)
    twin = written(t, p.twin, {}, choice)
    if not learned(written(t, p.twin, {}, choose(random.Random(0), p.task, "none")), p.task.progress):
        return None
    if p.fault.id == "fp16-overflow":
        log.config |= {"precision": "fp16"} if log.config else {}
    seen = effects(log, twin, p.task.progress) | marks(p.fault.id, log, twin, p.setup, h.classes)
    if "hidden" in seen:
        seen -= {"broken", "worse"}
    write(folder / p.id, choice.logger, log, rng)
    onset = int(p.fault.at * p.setup.steps) if p.fault.id in AT else 0 if p.fault.id != "none" else None
    return {
        "run": p.id, "group": None, **label(p.fault.id, p.fault.level, log, seen, p.setup.steps - 1, onset),
        "task": p.task.name, "task_family": p.task.family, "arch": p.setup.optimizer, "logger": choice.logger,
        "logging_interval": choice.every, "channels": sorted(choice.channels),
    }  # fmt: skip


#: Faults that strike at one moment.
AT = {"lr-restart", "numerical-instability", "masked-nan", "fp16-overflow", "bad-batch", "data-change", "restarted-run"}


def main() -> None:
    """Go through the plan until time or number are used up."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--minutes", type=float, default=50.0)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--seed", type=int, nargs="+", default=[0])
    parser.add_argument(
        "--shard", type=int, nargs=2, default=(0, 1), help="number and count of processes that share the plan"
    )
    parser.add_argument("--rewrite", action="store_true", help="write all logs anew from the histories, train nothing")
    a = parser.parse_args()
    torch.set_num_threads(1)
    where = a.folder / "rewritten" if a.rewrite else a.folder
    parts = {name: where / name for name in ("look", "aside")}
    store = Store(a.folder / "raw", may_train=not a.rewrite)
    labels: dict[str, list[str]] = {}
    known = set[str]()
    for part, folder in parts.items():
        if a.rewrite:
            shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / "labels.jsonl"
        labels[part] = path.read_text().splitlines() if path.exists() else []
        known |= {json.loads(row)["run"] for row in labels[part]}
    failed: list[str] = []
    end = time.monotonic() + 60 * a.minutes
    for p in itertools.chain(*(itertools.islice(plan(n), a.runs) for n in a.seed)):
        if time.monotonic() > end:
            break
        if p.id in known or p.task_turn % a.shard[1] != a.shard[0]:
            continue
        part = parts["aside" if p.task.name in LAID_ASIDE else "look"]
        shutil.rmtree(part / p.id, ignore_errors=True)
        try:
            row = row_of(p, store, part)
        except Exception as error:  # one run that cannot be trained must not end the night's work
            failed.append(f"{p.id} {p.task.name} {type(p.fault).__name__} {p.fault.level}: {repr(error)[:200]}")
            print(failed[-1], flush=True)
            shutil.rmtree(part / p.id, ignore_errors=True)
            continue
        if row is not None:
            with (part / "labels.jsonl").open("a") as file:
                file.write(json.dumps(row) + "\n")
        elif not a.rewrite:
            print(f"{p.id} {p.task.name} {p.fault.id} {p.twin}: the healthy twin does not learn", flush=True)
    for part in parts if a.rewrite else ():
        shutil.rmtree(a.folder / part, ignore_errors=True)
        (where / part).rename(a.folder / part)
    if failed:
        raise SystemExit(f"{len(failed)} runs could not be trained")


if __name__ == "__main__":
    main()
