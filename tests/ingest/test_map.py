"""What the user says of metrics and columns goes over every guess."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from corpus import SIGNALS
from spellings import LOSS, LR, NORM

import curvedoc
from curvedoc.cli.settings.call_options import signals_of
from curvedoc.core.errors import NothingToAnalyse, UsageError
from curvedoc.core.run import Run
from curvedoc.ingest import read_runs
from curvedoc.ingest.naming.chosen import meant
from curvedoc.options import Options


def read(path: Path, said: str) -> Run:
    return read_runs([path], signals=signals_of([said]), signals_file=SIGNALS).runs[0]


def rows(path: Path, **keys: list[float]) -> Path:
    path.write_text(
        "".join(json.dumps(dict(zip(keys, r, strict=True))) + "\n" for r in zip(*keys.values(), strict=True))
    )
    return path


def test_pairs_stand_in_one_option_or_in_several() -> None:
    assert signals_of(["step=it,loss=nll", "lr=eta"]) == {"step": "it", "loss": "nll", "lr": "eta"}
    assert signals_of(["loss=a, b"]) == {"loss": "a, b"}


def test_a_column_is_taken_for_the_step_and_metrics_for_their_roles(tmp_path: Path) -> None:
    path = rows(
        tmp_path / "m.jsonl", q=[7 * i for i in range(300)], p=[float(i // 2) for i in range(300)], w=LOSS, v=LR
    )
    run = read(path, "step=p,loss=w,lr=v")
    assert [(m.role, m.metric, m.why) for m in run.roles if m.role in ("loss", "lr")] == [
        ("loss", "w", "set by --signal"), ("lr", "v", "set by --signal"),
    ]  # fmt: skip
    assert int(run.points["step"].max()) == 149  # type: ignore[arg-type]


def test_a_csv_is_told_its_columns_too(tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    path.write_text("a,b,step\n" + "".join(f"{2 * i},{v},{i}\n" for i, v in enumerate(LOSS)))
    assert int(read(path, "step=a,loss=b").points["step"].max()) == 598  # type: ignore[arg-type]


def test_a_long_table_is_told_which_column_names_and_which_holds(tmp_path: Path) -> None:
    lines = [
        {"u": n, "host": "h", "x": x, "y": 3.0 + i} for i in range(300) for n, x in (("c", LOSS[i]), ("d", NORM[i]))
    ]
    path = tmp_path / "m.jsonl"
    path.write_text("".join(json.dumps(r) + "\n" for r in lines))
    run = read(path, "name=u,value=x,loss=c")
    assert run.series("loss") is not None
    assert [b.value[0] for b in run.blocks if b.metric == "c"] == [LOSS[0]]


def test_a_name_is_accepted_as_the_user_writes_it(tmp_path: Path) -> None:
    path = rows(tmp_path / "m.jsonl", **{"step": [float(i) for i in range(300)], "train/eta": LR, "train/Nll": LOSS})
    run = read(path, "lr=eta,loss=nll")
    assert {m.role: m.metric for m in run.roles} == {"loss": "train/Nll", "lr": "train/eta"}
    assert meant("loss", ["a/loss", "b/loss"]) is None


def test_a_name_that_nobody_logged_and_one_that_several_end_in_are_refused(tmp_path: Path) -> None:
    path = rows(tmp_path / "m.jsonl", **{"step": [float(i) for i in range(300)], "a/q": LR, "b/q": LOSS})
    with pytest.raises(UsageError) as refused:
        read(path, "loss=q")
    assert "'a/q' or 'b/q'" in str(refused.value.hint)
    with pytest.raises(UsageError):
        read(path, "steps=a/q")


def test_a_table_that_no_reader_takes_is_read_as_it_is_told_and_the_dead_end_says_how(tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    path.write_text("image,q,w\n" + "".join(f"img_{i}.png,{3 * i},{v:.4f}\n" for i, v in enumerate(LOSS[:60])))
    with pytest.raises(NothingToAnalyse) as refused:
        curvedoc.analyze(path)
    assert '--map "step=q,loss=w"' in str(refused.value)
    run = read(path, "step=q,loss=w")
    assert run.series("loss").step.tolist() == [3 * i for i in range(60)]  # type: ignore[union-attr]
    (told,) = curvedoc.analyze(path, Options(signals={"step": "q", "loss": "w"})).runs
    assert told.run == "answers.csv"
    other = tmp_path / "notes.json"
    other.write_text("".join(json.dumps({"id": f"p{i}", "q": i, "w": v}) + "\n" for i, v in enumerate(LOSS[:60])))
    assert read(other, "step=q,loss=w").series("loss") is not None
    prose = tmp_path / "prose.txt"
    prose.write_text("It was, as they say, a day.\nLater, it rained, 3 times.\n")
    assert not read_runs([prose], signals=signals_of(["step=q"]), signals_file=SIGNALS).runs
