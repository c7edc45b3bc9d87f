"""Small files of made-up trainings, written into a folder and read back."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random

from curvedoc.core.run import Run
from curvedoc.ingest import read_runs
from curvedoc.rulebook.load import signals_file

N = 20
EPOCHS = list(range(1, N + 1))


def falling(seed: int, top: float = 2.4) -> list[float]:
    """A loss of 20 epochs that falls as a healthy one."""
    r = Random(seed)
    return [round(0.4 + (top - 0.4) * math.exp(-i / 5) + r.uniform(0, 0.02), 4) for i in range(N)]


def rising(seed: int) -> list[float]:
    """An accuracy of 20 epochs."""
    r = Random(seed)
    return [round(0.9 - 0.8 * math.exp(-i / 5) + r.uniform(-0.01, 0.01), 4) for i in range(N)]


LOSS, VAL, ACC = falling(1), falling(2, 2.6), rising(3)
ROWS = list(zip(EPOCHS, LOSS, VAL, ACC, strict=True))


def runs(place: Path, files: Mapping[str, str]) -> list[Run]:
    """The runs of a folder of these files."""
    for name, text in files.items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return list(read_runs([place], signals_file=signals_file()).runs)


def values(run: Run, role: str) -> list[float]:
    """The values of the first metric of a role, none where there is none."""
    match = next(iter(run.matches(role)), None)
    series = run.metric(match.metric) if match is not None else None
    return [] if series is None else series.value.tolist()


def table(names: Sequence[str], *columns: Sequence[object], sep: str = ",") -> str:
    """A table of columns below their names."""
    return "".join(sep.join(map(str, row)) + "\n" for row in (names, *zip(*columns, strict=True)))
