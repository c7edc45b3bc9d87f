"""Curves in numpy arrays are read, whole or torn; pickles are never loaded and data are left alone."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curvedoc.core.run import Run
from curvedoc.ingest import read_runs
from curvedoc.ingest.contract import Log
from curvedoc.ingest.stores import npy, numpy_log
from curvedoc.rulebook.location import signals_file

T = np.arange(100)
LOSS = 2 * np.exp(-T / 30) + 0.3
VAL = LOSS[4::5] + 0.2


def npz(packed: bool = False, **arrays: Any) -> bytes:
    out = io.BytesIO()
    (np.savez_compressed if packed else np.savez)(out, **arrays)
    return out.getvalue()


def one(array: Any, pickled: bool = False) -> bytes:
    out = io.BytesIO()
    np.save(out, array, allow_pickle=pickled)
    return out.getvalue()


def read(folder: Path, data: bytes, name: str = "history.npz") -> Log:
    path = folder / name
    path.write_bytes(data)
    (log,) = numpy_log.read([path])
    return log


def curves(log: Log) -> dict[str, list[tuple[int, float]]]:
    rows = log.points.select("metric", "step", "value").iter_rows()
    out: dict[str, list[tuple[int, float]]] = {}
    for metric, step, value in rows:
        out.setdefault(metric, []).append((step, value))
    return out


def only(folder: Path, **files: bytes) -> Run:
    for name, data in files.items():
        (folder / name.replace("__", ".")).write_bytes(data)
    (run,) = read_runs([folder], signals_file=signals_file()).runs
    return run


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("kind", ["<f8", "<f4", ">f4", "<f2"])
def test_arrays_of_one_length_are_curves_over_epochs(tmp_path: Path, packed: bool, kind: str) -> None:
    log = read(tmp_path, npz(packed, loss=LOSS.astype(kind), val_loss=LOSS.astype(kind) + 1, seed=np.array(3)))
    assert log.axis == "epoch" and log.config == {"seed": 3}
    assert curves(log) == {
        "loss": list(zip(range(100), LOSS.astype(kind).astype(float), strict=True)),
        "val_loss": list(zip(range(100), (LOSS.astype(kind) + 1).astype(float), strict=True)),
    }


def test_each_curve_takes_the_counter_of_its_length(tmp_path: Path) -> None:
    log = read(tmp_path, npz(step=T * 10, train_loss=LOSS, eval_steps=T[4::5] * 10, val_loss=VAL))
    assert log.axis == "step"
    assert [s for s, _ in curves(log)["train_loss"]] == list(range(0, 1000, 10))
    assert [s for s, _ in curves(log)["val_loss"]] == list(range(40, 1000, 50))
    assert set(curves(log)) == {"train_loss", "val_loss"}


def test_files_called_by_their_metric_are_one_run_and_lie_along_each_other(tmp_path: Path) -> None:
    run = only(tmp_path, train_loss__npy=one(LOSS), val_loss__npy=one(VAL))
    assert {b.metric: b.step.tolist() for b in run.blocks} == {
        "train_loss": list(range(100)),
        "val_loss": list(range(4, 100, 5)),
    }
    assert {m.role: m.metric for m in run.roles} == {"loss": "train_loss", "val_loss": "val_loss"}


def test_evaluations_of_stable_baselines_are_means_over_episodes(tmp_path: Path) -> None:
    results = np.outer(T, np.ones(5)) + np.arange(5)
    run = only(tmp_path, evaluations__npz=npz(timesteps=T * 1000, results=results, ep_lengths=np.full((100, 5), 200)))
    series = run.series("val_reward")
    assert run.axis == "step" and series is not None
    assert series.step.tolist() == list(range(0, 100_000, 1000))
    assert series.value == pytest.approx(T + 2.0)


@pytest.mark.parametrize("name", ["history.npy", "loss_history.npy"])
def test_pickled_objects_are_not_loaded_and_it_is_told(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(one(np.array({"loss": [1.0, 0.5]}), pickled=True))
    found = read_runs([tmp_path], signals_file=signals_file())
    assert not found.runs
    assert "pickled objects" in found.unreadable[0].reason


def test_what_an_archive_holds_beside_a_pickle_is_read(tmp_path: Path) -> None:
    log = read(tmp_path, npz(history=np.array({"loss": [1]}), loss=LOSS))
    assert set(curves(log)) == {"loss"}
    assert [n.kind for n in log.notes if "pickled" in n.text] == ["not-a-log"]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("train.npz", npz(loss=LOSS)),
        ("accuracy_data.npz", npz(x_train=np.zeros((50, 3)), y_train=np.zeros(50))),
        ("loss_landscape.npy", one(np.zeros((30, 30)))),
        ("loss.npy", one(np.array(0.5))),
        ("metrics.npz", npz(mu=np.zeros(64), sigma=np.zeros((64, 64)))),
        ("embeddings.npy", one(LOSS)),
        ("accuracy.npy", one(T)),
        ("loss_weights.npy", one(LOSS)),
        ("val_acc_per_class.npy", one(LOSS)),
    ],
)
def test_arrays_that_are_no_curves_are_left_alone(tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / name).write_bytes(data)
    found = read_runs([tmp_path], signals_file=signals_file())
    assert not found.runs and not found.unreadable


@settings(max_examples=60, deadline=None)
@given(end=st.integers(0, 2500), packed=st.booleans())
def test_a_torn_archive_gives_the_beginning_of_its_curves(end: int, packed: bool) -> None:
    data = npz(packed, loss=LOSS, val_loss=LOSS + 1)[:end]
    got = [(name, array[0]) for name, body, _ in npy.members(data) if (array := npy.array(body))[0] is not None]
    for name, values in got:
        assert values is not None
        whole = LOSS if name == "loss" else LOSS + 1
        assert values.tolist() == whole[: len(values)].tolist()


@settings(max_examples=60, deadline=None)
@given(at=st.integers(0, 1800), put=st.binary(min_size=1, max_size=40), packed=st.booleans())
def test_no_damage_makes_reading_fail(
    tmp_path_factory: pytest.TempPathFactory, at: int, put: bytes, packed: bool
) -> None:
    data = bytearray(npz(packed, loss=LOSS, val_loss=LOSS + 1))
    data[at : at + len(put)] = put
    log = read(tmp_path_factory.mktemp("n"), bytes(data))
    assert log.height or log.notes


@pytest.mark.parametrize("shape", ["(99999999999999,)", "(-5,)", "(10**9, 10**9)", "(2, 3, 4)", "(0,)"])
def test_a_header_that_promises_too_much_costs_nothing(tmp_path: Path, shape: str) -> None:
    head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    log = read(tmp_path, b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head + bytes(80), "loss.npy")
    assert log.height <= 10 and log.notes


def test_an_archive_that_unpacks_to_gigabytes_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npy, "MAX_ARRAY", 1 << 16)
    monkeypatch.setattr(npy, "MAX_UNPACKED", 1 << 18)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
        for i in range(20):
            z.writestr(f"loss{i}.npy", one(np.zeros(100_000)))
    bodies = [len(body) for _, body, _ in npy.members(out.getvalue())]
    assert len(bodies) == 20 and sum(bodies) == 1 << 18
