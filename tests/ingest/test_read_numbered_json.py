"""One JSON file an epoch: a series is one run, whatever of it is damaged; files of single runs are no series."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from folder_of_files import falling, runs, values

from curvedoc.core.run import Run
from curvedoc.ingest import read_runs
from curvedoc.rulebook.location import signals_file

N = 14


def series(folder: Path, called: str = "metrics_epoch_{}.json", **more: object) -> None:
    folder.mkdir(exist_ok=True)
    for i in range(N):
        row = {"training_loss": 2 / (1 + i), "validation_loss": 2.1 / (1 + i), "training_duration": f"0:0{i}", **more}
        (folder / called.format(i)).write_text(json.dumps(row, indent=2))


def only(folder: Path) -> Run:
    (run,) = read_runs([folder], signals_file=signals_file()).runs
    return run


@pytest.mark.parametrize("called", ["metrics_epoch_{}.json", "epoch-{}.json", "eval_step{}.json", "round_{}.json"])
def test_a_series_is_one_run_and_nothing_of_it_is_left_out(tmp_path: Path, called: str) -> None:
    series(tmp_path, called)
    harvest = read_runs([tmp_path], signals_file=signals_file())
    loss = harvest.runs[0].series("loss")
    assert len(harvest.runs) == 1 and not harvest.ignored
    assert loss is not None
    assert list(loss.step) == list(range(N)) and loss.value[1] == 1.0


def test_the_counter_of_the_records_is_believed_before_the_number_of_the_file(tmp_path: Path) -> None:
    for i in range(N):
        (tmp_path / f"metrics_epoch_{i}.json").write_text(json.dumps({"epoch": 10 + i, "training_loss": 2 / (1 + i)}))
    loss = only(tmp_path).series("loss")
    assert loss is not None and loss.step[0] == 10


def test_torn_files_cost_their_own_rows_and_are_told(tmp_path: Path) -> None:
    series(tmp_path)
    for i in (0, 5):
        path = tmp_path / f"metrics_epoch_{i}.json"
        path.write_text(path.read_text()[:20])
    run = only(tmp_path)
    loss = run.series("loss")
    assert loss is not None and list(loss.step) == [i for i in range(N) if i not in (0, 5)]
    assert any(note.kind == "damaged" for source in run.sources for note in source.notes)


def test_a_link_in_the_series_is_not_followed(tmp_path: Path) -> None:
    series(tmp_path / "run")
    key = tmp_path / "key.json"
    key.write_text(json.dumps({"training_loss": 77.0}))
    (tmp_path / "run" / "metrics_epoch_99.json").symlink_to(key)
    loss = only(tmp_path / "run").series("loss")
    assert loss is not None and max(loss.value) == 2.0


@pytest.mark.parametrize("called", ["seed_{}.json", "fold{}.json", "run-{}.json", "results_{}.json"])
def test_results_of_several_runs_are_no_series(tmp_path: Path, called: str) -> None:
    series(tmp_path, called)
    assert read_runs([tmp_path], signals_file=signals_file()).runs == ()


def test_two_files_are_no_series(tmp_path: Path) -> None:
    series(tmp_path)
    for i in range(2, N):
        (tmp_path / f"metrics_epoch_{i}.json").unlink()
    assert read_runs([tmp_path], signals_file=signals_file()).runs == ()


@pytest.mark.parametrize("seed", range(12))
def test_any_damage_leaves_what_is_whole(tmp_path: Path, seed: int) -> None:
    r = random.Random(seed)
    series(tmp_path)
    for _ in range(4):
        path = tmp_path / f"metrics_epoch_{r.randrange(N)}.json"
        data = bytearray(path.read_bytes())
        data[r.randrange(len(data))] = r.randrange(256)
        path.write_bytes(bytes(data[: r.randrange(1, len(data) + 1)]))
    harvest = read_runs([tmp_path], signals_file=signals_file())
    assert [u for u in harvest.unreadable if "reader failed" in u.reason] == []
    loss = harvest.runs[0].series("loss")
    assert loss is not None and len(loss) >= N - 4


@pytest.mark.parametrize(
    "name, form",
    [
        ("metrics_epoch{}.txt", "loss: {}\nval_loss: {}\n"),
        ("epoch_{}.yaml", "loss: {}\nval_loss: {}\n"),
        ("epoch_{}.csv", "metric,value\nloss,{}\nval_loss,{}\n"),
        ("step{}.csv", "loss,val_loss,lr\n{},{},0.1\n"),
    ],
)
def test_a_file_an_epoch_of_other_kinds(tmp_path: Path, name: str, form: str) -> None:
    files = {name.format(i): form.format(a, b) for i, (a, b) in enumerate(zip(falling(1), falling(2), strict=True))}
    (run,) = runs(tmp_path, files)
    assert (values(run, "loss"), values(run, "val_loss")) == (falling(1), falling(2))


def test_texts_with_numbers_in_their_names_are_no_series(tmp_path: Path) -> None:
    assert runs(tmp_path, {f"notes_epoch{i}.txt": f"loss went down\nby {i}.5\n" for i in range(9)}) == []
