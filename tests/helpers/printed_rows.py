"""A made training by epochs, for logs that print it in many ways, and what is read of it."""

from __future__ import annotations

from pathlib import Path

import curvedoc
from curvedoc.core.run import Run

#: Epochs.
N = 30


def loss(i: int) -> float:
    return round(2.0 * 0.88**i + 0.31 + 0.003 * (i % 3), 4)


def val(i: int) -> float:
    return round(loss(i) + 0.11 + 0.001 * i, 4)


def acc(i: int) -> float:
    return round(0.95 - 0.8 * 0.9**i, 3)


def last(run: Run, role: str) -> tuple[int, float, int, int]:
    """How many values the curve of a role has, the last one, its first step and its last."""
    series = run.series(role)
    assert series is not None, role
    return len(series), round(float(series.value[-1]), 4), int(series.step[0]), int(series.step[-1])


def comma(value: float) -> str:
    return str(value).replace(".", ",")


def printed(form: str) -> str:
    """The training with each epoch as the form says: its counters, its values, those before and with decimal commas."""
    return "".join(
        form.format(
            i=i, s=10 * i, N=N, S=10 * N, left=N - i, h=8 + i // 6, m=10 * i % 60, l=loss(i), v=val(i), a=acc(i),
            A=round(100 * acc(i), 1), B=round(100 * acc(i) - 1, 1), before=loss(i - 1), was=round(100 * acc(i - 1), 1),
            r=round(-100 + 9 * i + i % 4, 2), g=round(0.9**i, 5), rest=round(loss(i) - 0.1, 4), lc=comma(loss(i)),
            vc=comma(val(i)), ac=comma(acc(i)),
        ) + "\n"
        for i in range(1, N + 1)
    )  # fmt: skip


def read_printed(folder: Path, form: str) -> Run:
    """The one run that is read of it."""
    (folder / "out.txt").write_text(printed(form))
    (run,) = curvedoc.read(folder / "out.txt")
    return run
