"""What lies where no log was found, and what is told to do about it."""

from __future__ import annotations

from pathlib import Path

import pytest

import curvedoc
from curvedoc.core.errors import NothingToAnalyse
from curvedoc.ingest.find.contents import absent, contents


@pytest.mark.parametrize(
    ("names", "holds", "then"),
    [
        ((), "an empty folder", "give the log"),
        (("a.pt", "b.safetensors"), "2 model files (a.pt, b.safetensors)", "a checkpoint holds no curve"),
        (("config.yaml",), "1 settings file (config.yaml)", "settings hold no curve"),
        (("train.py", "README.md"), "1 document (README.md), 1 code file (train.py)", "tee train.log"),
        (("curve.png",), "1 picture (curve.png)", "a picture of a curve cannot be read"),
        (("train.py", "data.xyz"), "1 code file (train.py), 1 other file (data.xyz)", "give the log"),
    ],
)
def test_a_folder_without_a_log_is_told_by_what_it_holds(
    tmp_path: Path, names: tuple[str, ...], holds: str, then: str
) -> None:
    for name in names:
        (tmp_path / name).write_bytes(b"x")
    told = contents([tmp_path])
    assert told[0] == holds and told[1].startswith(then) | (then in told[1])
    with pytest.raises(NothingToAnalyse) as error:
        curvedoc.analyze(tmp_path)
    assert holds in str(error.value) and "curvedoc doctor" in str(error.value)


def test_a_path_that_is_not_there_is_told_by_what_is(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "lr3").mkdir()
    assert absent(tmp_path / "rnus")[1] == f"did you mean {tmp_path / 'runs'}?"
    assert absent(tmp_path / "runs" / "zzzz" / "q")[1] == f"{tmp_path / 'runs'} exists and holds lr3"


def test_a_tree_of_data_is_not_walked_to_its_end(tmp_path: Path) -> None:
    for i in range(3):
        folder = tmp_path / str(i)
        folder.mkdir()
        for j in range(1000):
            (folder / f"{j}.jpg").touch()
    assert contents([tmp_path])[0].startswith("at least 2,000 pictures")
