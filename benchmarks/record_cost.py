"""What a record costs the training: `python benchmarks/record_cost.py`, in microseconds and beside json.dumps of it."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from curvedoc.record import Recorder
from curvedoc.session import Session

RECORDS, ROUNDS = 2_000, 7


def microseconds(act: Callable[[int], object]) -> float:
    """The best of several rounds: what else runs on the machine only ever adds."""
    best = float("inf")
    for turn in range(ROUNDS):
        begun = time.perf_counter()
        for i in range(RECORDS):
            act(turn * RECORDS + i)
        best = min(best, time.perf_counter() - begun)
    return 1e6 * best / RECORDS


def measured(place: Path) -> dict[str, float]:
    """Microseconds a record: json.dumps alone, the recorder, the watched session."""

    def dumped(i: int) -> str:
        return json.dumps({"step": i, "time": 1.7e9, "loss": 2.3 / (i + 1), "lr": 0.1})

    with Recorder(place / "plain") as plain, Session(place / "watched", every=1e9) as watched:
        return {
            "json.dumps": microseconds(dumped),
            "Recorder.log": microseconds(lambda i: plain.log(i, loss=2.3 / (i + 1), lr=0.1)),
            "Session.log": microseconds(lambda i: watched.log(i, loss=2.3 / (i + 1), lr=0.1)),
        }  # fmt: skip


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        found = measured(Path(folder))
    for name, cost in found.items():
        print(f"{name:14} {cost:6.2f} us  {cost / found['json.dumps']:5.1f} times json.dumps")
