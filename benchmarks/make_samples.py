"""Train the sample runs again: python benchmarks/make_samples.py sample_logs [NAME ...]

Needs PyTorch, TensorBoard and PyYAML. Runs take about a minute on two cores. Writes each run's logs, and `about` and
`made_by` of its expect.yaml; what the run must give (the rest of expect.yaml) is written by
`python tests/rules/test_sample_logs.py --rewrite`.
"""

from __future__ import annotations

import platform
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import make_samples_crashes as crashes
import make_samples_faults as faults
import make_samples_healthy as healthy
import numpy as np
import torch
import yaml

#: folder -> (what trains and writes it, seed of the initial weights)
RUNS: dict[str, tuple[Callable[[Path], str], int]] = {
    "bad-batch": (faults.bad_batch, 11),
    "converged-flat": (healthy.converged, 2),
    "cosine-schedule": (healthy.scheduled, 8),
    "detached-graph": (faults.detached_graph, 9),
    "diverged": (faults.diverged, 7),
    "double-softmax": (faults.double_softmax, 15),
    "killed": (crashes.killed, 18),
    "nan-after-blowup": (faults.nan_rate_too_high, 6),
    "out-of-memory": (crashes.memory, 17),
    "overfitting": (faults.overfitting, 10),
    "scheduler-not-stepped": (faults.schedule_never_stepped, 14),
    "shape-error": (crashes.shape, 16),
    "small-batches": (healthy.small_batches, 5),
    "three-loggers": (healthy.three_loggers, 4),
    "two-ranks": (healthy.two_ranks, 31),
    "vanishing-gradients": (faults.vanishing, 13),
}


def made(folder: Path, name: str) -> None:
    """Train one run into its folder."""
    write, seed = RUNS[name]
    kept = folder / "expect.yaml"
    known = yaml.safe_load(kept.read_text()) if kept.exists() else {}
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    torch.manual_seed(seed)
    about = write(folder)
    known["about"] = about
    known["made_by"] = {
        "command": f"python benchmarks/make_samples.py sample_logs {name}",
        "python": platform.python_version(),
        "torch": torch.__version__.split("+")[0],
        "numpy": np.__version__,
        "seed": seed,
    }
    first = {k: known.pop(k) for k in ("about", "made_by")}
    kept.write_text(yaml.safe_dump({**first, **known}, sort_keys=False, allow_unicode=True, width=110))


def main(arguments: list[str]) -> None:
    """Make the runs named, or all."""
    torch.set_num_threads(1)
    root, names = Path(arguments[0]), arguments[1:] or sorted(RUNS)
    for name in names:
        made(root / name, name)
        size = sum(p.stat().st_size for p in (root / name).rglob("*") if p.is_file())
        print(f"{name:24} {size / 1000:8.1f} kB", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
