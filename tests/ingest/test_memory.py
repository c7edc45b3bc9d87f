"""What is handed over in memory is read as a file of the same content is."""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import curvedoc
from curvedoc.core.errors import NothingToAnalyse, UsageError

STEPS = range(200)


def loss(i: int) -> float:
    return float("nan") if i >= 150 else 2.3 * (1 + i / 10) ** -0.4 + 0.001 * ((i * 7919) % 13)


def records() -> list[dict[str, float]]:
    return [{"step": i, "loss": loss(i), "lr": 0.1} for i in STEPS]


def columns() -> dict[str, list[float]]:
    return {"step": list(STEPS), "loss": [loss(i) for i in STEPS], "lr": [0.1] * len(STEPS)}


class Tensor:
    """What torch hands over: a number behind `tolist`."""

    def __init__(self, value: float) -> None:
        self.value = value

    def tolist(self) -> float:
        return self.value


FORMS: dict[str, Callable[[], object]] = {
    "records": records,
    "an iterator of records": lambda: iter(records()),
    "records of numpy and tensors": lambda: [
        {"step": np.int64(r["step"]), "loss": Tensor(r["loss"]), "lr": np.float32(r["lr"])} for r in records()
    ],
    "columns": columns,
    "columns of arrays": lambda: {k: np.array(v) for k, v in columns().items()},
    "a frame": lambda: pl.DataFrame(columns()),
    "a lazy frame": lambda: pl.LazyFrame(columns()),
    "a long frame": lambda: pl.DataFrame(
        {
            "step": [i for i in STEPS for _ in "ab"],
            "metric": ["loss", "lr"] * len(STEPS),
            "value": [v for i in STEPS for v in (loss(i), 0.1)],
        }
    ),
    "lines": lambda: (f"step {i} loss {loss(i):.5f} lr 0.1\n" for i in STEPS),
    "lines without ends": lambda: (f"step {i} loss {loss(i):.5f} lr 0.1" for i in STEPS),
    "an open file of JSON": lambda: io.BytesIO("".join(json.dumps(r) + "\n" for r in records()).encode()),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_judged_alike(form: str) -> None:
    found = curvedoc.analyze(FORMS[form]())
    (run,) = found.runs
    assert run.verdict == "failed" and run.findings[0].first_step == 150, (run.verdict, run.headline)
    assert run.signals[0].metric == "loss" and run.signals[0].points == len(STEPS)


def test_a_pandas_frame_is_read_with_its_index() -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    plain = columns()
    frame = pandas.DataFrame({k: plain[k] for k in ("loss", "lr")}, index=pandas.Index(plain["step"], name="step"))
    for table in (frame, frame.reset_index(), frame.rename_axis(None)):
        (run,) = curvedoc.analyze(table).runs
        assert run.findings[0].first_step == 150 and run.axis == "step"


def test_the_lists_of_a_history_may_differ_in_length() -> None:
    (run,) = curvedoc.read({"loss": [3.0, 2.0, 1.5, 1.2], "val_loss": [2.5, 1.9], "lr": [0.1] * 4})
    val = run.metric("val_loss")
    assert val is not None and val.value.tolist() == [2.5, 1.9]


def test_a_name_is_kept_and_cannot_leave_the_folder() -> None:
    (run,) = curvedoc.analyze(records(), name="../../etc/x").runs
    assert run.run == "etc_x.jsonl"


def test_what_is_no_log_is_refused_with_what_would_be_one() -> None:
    for data in (3, [1.0, 2.0], None, object()):
        with pytest.raises(UsageError, match="dict of lists"):
            curvedoc.analyze(data)
    with pytest.raises(UsageError, match="no line"):
        curvedoc.analyze(iter(()))
    with pytest.raises(NothingToAnalyse):
        curvedoc.analyze(iter(["hello", "world"]))


def test_the_file_is_gone_afterwards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    curvedoc.analyze(records())
    assert not list(tmp_path.iterdir())


def test_an_iterator_that_breaks_is_told_as_it_broke() -> None:
    def broken() -> Iterator[str]:
        yield "step 1 loss 2"
        raise RuntimeError("the socket closed")

    with pytest.raises(RuntimeError, match="socket closed"):
        curvedoc.analyze(broken())


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.binary(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.dictionaries(st.text(max_size=6) | st.integers(), VALUES, max_size=4), min_size=1, max_size=5))
def test_no_records_crash_the_door(rows: list[dict[object, object]]) -> None:
    with contextlib.suppress(NothingToAnalyse):
        curvedoc.read(rows)


@pytest.mark.parametrize("command", [["analyze", "-", "--format", "json"], ["doctor", "-"], ["export", "-"]])
def test_standard_input_is_a_path(command: list[str]) -> None:
    text = "".join(json.dumps(r) + "\n" for r in records())
    done = subprocess.run(
        [sys.executable, "-m", "curvedoc", *command], input=text.encode(), capture_output=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert b"stdin" in done.stdout and b"curvedoc-" not in done.stdout
