"""One run in more than sixty spellings: the same curves and roles without a word of configuration."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from corpus import SIGNALS
from spellings import EXPECTED, SPELLINGS, VALUES

from curvedoc.core.run import Run
from curvedoc.ingest import read_runs

#: What is not read in full yet: a table without any name has a norm that nothing but its scatter tells.
KNOWN = {"csv: no header": {"grad_norm"}}


def read(path: Path) -> Run:
    found = read_runs([path], signals_file=SIGNALS).runs
    assert len(found) == 1
    return found[0]


def wrong(run: Run, role: str) -> str:
    """What is wrong with a role of the run, "" where nothing is."""
    match = next(iter(run.matches(role)), None)
    series = None if match is None else run.metric(match.metric)
    if match is None or series is None:
        return "not found"
    n, first, last = EXPECTED[role]
    if (len(series), int(series.step[0]), int(series.step[-1])) != (n, first, last):
        return f"{match.metric} has {len(series)} values at {series.step[0]} to {series.step[-1]}"
    return "" if np.array_equal(series.value, np.array(VALUES[role]())) else f"{match.metric} has other values"


@pytest.mark.parametrize("title", SPELLINGS)
def test_a_spelling_gives_the_same_curves_and_roles(title: str, tmp_path: Path) -> None:
    name, text = SPELLINGS[title]
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    for place in (path, tmp_path):  # given by name, and met on a walk
        run = read(place)
        found = {role: wrong(run, role) for role in EXPECTED}
        assert {role for role, what in found.items() if what} == KNOWN.get(title, set()), found
        mistaken = [m for m in run.roles if m.trust == "sure" and m.role in found and found[m.role]]
        assert not mistaken


def test_at_least_60_spellings_are_tried_and_57_of_60_are_right() -> None:
    assert len(SPELLINGS) >= 60
    assert len(KNOWN) <= 3


def test_known_words_without_any_counter_are_read_on_a_walk_where_two_curves_behave(tmp_path: Path) -> None:
    loss, norm = VALUES["loss"](), VALUES["grad_norm"]()
    rows = "".join(
        f"{v},{2 * v + 0.01 * g},{int(7 * g) + 30 * i}\n" for i, (v, g) in enumerate(zip(loss, norm, strict=True))
    )
    (tmp_path / "progress.csv").write_text("policy loss,loss,num episodes\n" + rows)
    run = read(tmp_path)
    assert {m.metric for m in run.roles} >= {"loss", "policy loss"}
