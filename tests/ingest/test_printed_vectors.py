"""Vectors as consoles print them are curves, and nothing else of a console is."""

from __future__ import annotations

import math
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curvedoc.core.run import Run
from curvedoc.ingest import read_runs
from curvedoc.ingest.bytes.printed_vectors import as_lists
from curvedoc.rulebook.load import signals_file

pytestmark = pytest.mark.fast


def losses(n: int, seed: int = 0) -> list[str]:
    r = Random(seed)
    return [f"{0.2 + 2.1 * math.exp(-5 * i / n) + r.gauss(0, 0.01):.5f}" for i in range(n)]


def read(place: Path, text: str, name: str = "session.txt") -> list[Run]:
    (place / name).write_text(text)
    return list(read_runs([place], signals_file=signals_file()).runs)


def r_rows(values: list[str], width: int = 6) -> str:
    return "".join(f" [{i + 1}] {' '.join(values[i : i + width])}\n" for i in range(0, len(values), width))


def column(values: list[str]) -> str:
    return "".join(f"   {v}\n" for v in values)


def wrapped(values: list[str]) -> str:
    rows = (", ".join(values[i : i + 5]) for i in range(0, len(values), 5))
    return ",\n       ".join(rows)


A, B = losses(40), losses(40, 1)


@pytest.mark.parametrize(
    "text",
    [
        f"> fit$loss\n{r_rows(A)}> fit$val_loss\n{r_rows(B)}>\n",
        f"> print(history$metrics$loss)\n{r_rows(A, 8)}> print(history$metrics$val_loss)\n{r_rows(B, 8)}",
        f"$loss\n{r_rows(A)}\n$val_loss\n{r_rows(B)}\n",
        f"train_loss =\n\n{column(A)}\nval_loss =\n\n{column(B)}\n",
        f"train_loss =\n\n  Columns 1 through 20\n\n  {'  '.join(A[:20])}\n\n  Columns 21 through 40\n\n"
        f"  {'  '.join(A[20:])}\n\nval_loss =\n\n  {'  '.join(B)}\n",
        f"julia> train_losses\n40-element Vector{{Float64}}:\n{column(A)}\njulia> val_losses\n"
        f"40-element Vector{{Float64}}:\n{column(B)}\n",
        f"history of training loss\narray([{wrapped(A)}])\nhistory of validation loss\narray([{wrapped(B)}])\n",
        f">>> train_losses\n[{', '.join(A)}]\n>>> val_losses\n[{', '.join(B)}]\n",
        f"training loss\n[{' '.join(A)}]\nvalidation loss\n[{' '.join(B)}]\n",
        f"train_loss <- c({', '.join(A)})\nval_loss <- c({', '.join(B)})\n",
        f"trainLoss = {{{', '.join(A)}}};\nvalLoss = {{{', '.join(B)}}};\n",
        f"Training loss by epoch: {' '.join(A)}\nValidation loss by epoch: {' '.join(B)}\n",
        f"train loss: {' -> '.join(A)}\nval loss: {' -> '.join(B)}\n",
        "".join(f"{i:<5}{v}\n" for i, v in enumerate(A))
        + "Name: loss, dtype: float64\n"
        + "".join(f"{i:<5}{v}\n" for i, v in enumerate(B))
        + "Name: val_loss, Length: 40, dtype: float64\n",
    ],
)
def test_a_vector_that_a_console_printed_is_a_curve(tmp_path: Path, text: str) -> None:
    (run,) = read(tmp_path, text)
    for role, values in (("loss", A), ("val_loss", B)):
        found = run.series(role)
        assert found is not None and [f"{v:.5f}" for v in found.value.tolist()] == values


def test_the_cost_of_a_course_is_a_loss(tmp_path: Path) -> None:
    (run,) = read(tmp_path, f"J_history =\n\n{column(A)}\n")
    assert run.matches("loss")


@pytest.mark.parametrize(
    "text",
    [
        f"weights =\n\n{column(A)}\n",
        f"> summary(x)\n{r_rows(A)}",
        f"theta =\n\n{column(A[:3])}\nx = 3\ny =\n\n   1 2 3\n   4 5 6\n",
        f"prices = {{{', '.join(A)}}};\nint main() {{ return 0; }}\n",
        "".join(f"{i:<5}{v}\n" for i, v in enumerate(A)) + "Name: price, dtype: float64\n",
    ],
)
def test_vectors_of_other_things_are_no_training(tmp_path: Path, text: str) -> None:
    assert read(tmp_path, text) == []


@given(st.text(alphabet="a =[]()1.2,\n{}->:Name dtype", max_size=300))
def test_other_text_keeps_its_words(text: str) -> None:
    assert [c for c in as_lists(text) if c == "N"] == [c for c in text if c == "N"] or "Name: " in text


def test_a_row_of_numbers_with_endless_blanks_takes_no_time(tmp_path: Path) -> None:
    text = f"{'0.1 ' * 5}{' ' * 50_000}\n[1] 2"
    assert as_lists(text)
