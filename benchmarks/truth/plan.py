"""The seeded list of runs: passes over the tasks, each with a variant of its settings, its twin and some faults."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

from benchmarks.truth.faults import data, model, rate
from benchmarks.truth.faults.fault import Fault
from benchmarks.truth.problem import Task
from benchmarks.truth.setup import Setup
from benchmarks.truth.tasks.every import EVERY

FAULTS: tuple[type[Fault], ...] = (*rate.FAULTS, *model.FAULTS, *data.FAULTS)
FAULTS_A_PASS = 9


@dataclass(frozen=True)
class Planned:
    """One run that is to be trained."""

    id: str
    task: Task
    setup: Setup  # under the fault
    twin: Setup
    fault: Fault
    task_turn: int  # counts the pairs of task and pass, so that processes can share the plan


def name(*of: object) -> str:
    """A name that hints at nothing."""
    return "run-" + hashlib.sha256("/".join(map(str, of)).encode()).hexdigest()[:8]


def varied(task: Task, rng: random.Random, seed: int) -> Setup:
    """Healthy settings of a task: another optimizer, schedule, batch, length."""
    s = task.base
    kind = rng.choice(["adam", "adam", "adamw", "adamw", "rmsprop"] + ["sgd"] * 3 * (task.sgd > 0))
    lr = task.sgd if kind == "sgd" else s.lr * (0.5 if kind == "rmsprop" else 1.0)
    length = rng.choice((0.4, 0.55, 0.55, 0.9))
    s = replace(
        s,
        seed=seed,
        optimizer=kind,
        lr=float(f"{lr * rng.choice((0.6, 1.0, 1.0, 1.5)):.3g}"),
        schedule=rng.choice(("constant", "constant", "cosine", "linear", "step")),
        warmup=rng.choice((0.0, 0.0, 0.05)),
        steps=int(s.steps * length),
        batch=max(16, int(s.batch * rng.choice((0.5, 1, 1, 1.5)))) if "data" in task.traits else s.batch,
        weight_decay={"adamw": 0.01, "sgd": 1e-4}.get(kind, 0.0),
        evaluations=rng.choice((10, 20, 40)),
        clip=rng.choice((0.0, 0.0, 1.0 if kind != "sgd" else 5.0)),
    )
    if "modes" in task.traits:
        s = replace(s, dropout=rng.choice((0.0, 0.1, 0.2)))
    if "norm" in task.traits:
        s = replace(s, norm=rng.random() < 0.25, activation=rng.choice(("relu", "relu", "relu", "gelu", "tanh")))
    return s


def plan(seed: int = 0) -> Iterator[Planned]:
    """The runs, pass after pass without end."""
    turn = count = 0
    while True:
        tasks = list(EVERY)
        random.Random(f"{seed}/{turn}").shuffle(tasks)
        for task in tasks:
            count += 1
            rng = random.Random(f"{seed}/{turn}/{task.name}")
            s = varied(task, rng, rng.randrange(10**6))
            yield Planned(name(seed, turn, task.name, "none"), task, s, s, Fault(), count)
            kinds = [k for k in FAULTS if k().fits(task, s)]
            rng.shuffle(kinds)
            for kind in kinds[:FAULTS_A_PASS]:
                fault = kind(rng.choice(kind.levels), round(rng.uniform(0.2, 0.8), 3))
                twin = fault.twin(s, task)
                yield Planned(name(seed, turn, task.name, kind.__name__), task, fault.setup(twin), twin, fault, count)
        turn += 1
