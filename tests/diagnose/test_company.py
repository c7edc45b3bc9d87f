"""What the other ranks do: their middle, the rank in hand left out, however many there are."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

import curvedoc
from curvedoc.core.run import Run
from curvedoc.diagnose.judge.company import MOST_OTHERS, Ranks


def run_of(folder: Path, losses: list[list[float]]) -> Run:
    """A run with one curve a rank."""
    for rank, curve in enumerate(losses):
        rows = ({"rank": rank, "step": i, "loss": v} for i, v in enumerate(curve))
        (folder / f"rank_{rank}.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    (made,) = curvedoc.read(folder)
    return made


def test_the_rank_in_hand_is_not_its_own_company(tmp_path: Path) -> None:
    ranks = Ranks(run_of(tmp_path, [[float(r)] * 12 for r in (1, 2, 3, 100)]))
    others = ranks.others("loss", 3)
    assert others is not None and others.value.tolist() == [2.0] * 12
    first = ranks.others("loss", 0)
    assert first is not None and first.value.tolist() == [3.0] * 12


def test_of_many_ranks_some_drawn_evenly_say_what_is_usual(tmp_path: Path) -> None:
    levels = [2.0 + 0.001 * r for r in range(3 * MOST_OTHERS)]
    ranks = Ranks(run_of(tmp_path, [[v] * 12 for v in levels]))
    others = ranks.others("loss", 7)
    assert others is not None and np.abs(others.value - np.median(levels)).max() < 0.005


def test_a_rank_that_stopped_is_held_to_what_the_others_went_on_to_log(tmp_path: Path) -> None:
    ranks = Ranks(run_of(tmp_path, [[1.0] * 12, [2.0] * 30, [3.0] * 30, [4.0] * 30]))
    others = ranks.others("loss", 0)
    assert others is not None and len(others) == 30 and set(others.value) == {3.0}
