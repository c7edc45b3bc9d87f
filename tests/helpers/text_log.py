"""A text log written and read back, for tests of what its lines are to each other."""

from __future__ import annotations

import math
from pathlib import Path
from random import Random

from curvedoc.core.run import Run
from curvedoc.ingest import read_runs
from curvedoc.rulebook.load import signals_file


def read(place: Path, text: str, name: str = "train.log") -> list[Run]:
    """The runs of one log."""
    (place / name).write_text(text)
    return list(read_runs([place / name], signals_file=signals_file()).runs)


def curve(run: Run, metric: str) -> list[tuple[int | None, float]]:
    """Steps and values of a metric."""
    frame = run.points.filter(run.points["metric"] == metric)
    return list(frame.select("step", "value").iter_rows())


def losses(n: int, seed: int = 0, top: float = 2.3) -> list[float]:
    """A loss that falls as a healthy one."""
    r = Random(seed)
    return [round(0.2 + (top - 0.2) * math.exp(-4 * i / n) + r.gauss(0, 0.01), 4) for i in range(n)]
