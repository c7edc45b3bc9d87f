"""The recorder writes what reports need, and nothing that is handed to it stops a training."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import curvedoc
from curvedoc.record import Recorder
from curvedoc.record.origin import git_revision


def rows(place: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (place / "curvedoc.jsonl").read_text("utf-8").splitlines()]


def test_records_are_there_before_it_is_closed(tmp_path: Path) -> None:
    rec = Recorder(tmp_path, {"lr": 0.1})
    rec.log(1, loss=np.float32(2.5), grad_norm=float("nan"), flag=np.int64(3))
    first, second = rows(tmp_path)
    assert first["config"]["lr"] == 0.1 and first["config"]["python"]  # type: ignore[index]
    assert second["loss"] == 2.5 and second["flag"] == 3 and second["step"] == 1
    rec.close()
    rec.log(2, loss=1.0)
    assert len(rows(tmp_path)) == 2


def test_the_wait_for_data_is_recorded(tmp_path: Path) -> None:
    with Recorder(tmp_path) as rec:
        for step, _ in enumerate(rec.timed(range(3))):
            rec.log(step, loss=1.0)
    assert all(float(str(r["data_time"])) >= 0 for r in rows(tmp_path) if "loss" in r)


def test_a_second_start_goes_on_in_the_same_file(tmp_path: Path) -> None:
    for first in (0, 50):
        with Recorder(tmp_path) as rec:
            for i in range(first, first + 50):
                rec.log(i, loss=2.3 * (1 + i / 10) ** -0.4)
    (run,) = curvedoc.analyze(tmp_path).runs
    assert run.verdict == "healthy" and run.signals[0].points == 100


def test_what_cannot_be_written_is_warned_of_and_costs_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.warns(UserWarning, match="records no more"):
        rec = Recorder(tmp_path / "file" / "below")
    rec.log(1, loss=2.0)
    rec.close()


@pytest.mark.parametrize("packed", [False, True])
def test_the_revision_is_read_without_git(packed: bool, tmp_path: Path) -> None:
    git, commit = tmp_path / ".git", "0123456789" * 4
    (git / "refs" / "heads").mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    place = git / "packed-refs" if packed else git / "refs" / "heads" / "main"
    place.write_text(f"{commit} refs/heads/main\n" if packed else f"{commit}\n", encoding="utf-8")
    (tmp_path / "a" / "b").mkdir(parents=True)
    assert git_revision(tmp_path / "a" / "b") == commit
    (git / "HEAD").write_text(commit, encoding="utf-8")
    assert git_revision(tmp_path) == commit
    (git / "HEAD").unlink()
    assert git_revision(tmp_path) == ""


ANY = st.none() | st.floats() | st.text(max_size=4) | st.binary(max_size=4) | st.lists(st.integers(), max_size=2)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(values=st.dictionaries(st.text(max_size=5), ANY, max_size=4), step=st.integers())
def test_no_value_stops_a_training(values: dict[str, object], step: int, tmp_path: Path) -> None:
    with Recorder(tmp_path) as rec:
        rec.log(step, **values)
    assert rows(tmp_path)


class _Tangled(dict):  # type: ignore[type-arg]
    pass


def test_a_value_that_holds_itself_is_written_as_text(tmp_path: Path) -> None:
    value = _Tangled()
    value["me"] = value
    with Recorder(tmp_path) as rec:
        rec.log(1, loss=2.0, odd=value)
    assert rows(tmp_path)[1]["loss"] == 2.0


def test_a_torch_model_tells_rate_norms_and_zeros(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    x, y = torch.randn(256, 8), torch.randint(0, 2, (256,))
    with Recorder(tmp_path, layers_every=10) as rec:
        rec.attach(model, optimizer)
        for i in range(60):
            loss = torch.nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            rec.log(i, loss=loss)
            optimizer.step()
    found = rows(tmp_path)
    assert found[0]["config"]["torch_version"] == torch.__version__ and found[0]["config"]["seed"] == 0  # type: ignore[index]
    deep = [r for r in found if "zero_fraction/1" in r]
    assert [r["step"] for r in deep] == [0, 10, 20, 30, 40, 50]
    assert 0 < float(str(deep[0]["zero_fraction/1"])) < 1 and "memory_rss_gb" in found[1]
    total = sum(float(str(deep[0][f"grad_norm/{n}"])) ** 2 for n, _ in model.named_parameters()) ** 0.5
    assert float(str(deep[0]["grad_norm"])) == pytest.approx(total, rel=1e-5)
    (run,) = curvedoc.analyze(tmp_path).runs
    assert {"loss", "lr", "grad_norm", "layer_grad_norm", "layer_weight_norm", "zero_fraction", "memory"} <= {
        s.role for s in run.signals
    }
    assert not model[1]._forward_hooks
