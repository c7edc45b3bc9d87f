"""Which runs are repeats of each other."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from curvedoc.core.run import ASSEMBLED, RoleMatch, Run, Scalar, empty_messages
from curvedoc.diagnose.many import repeats


def _run(name: str, config: Mapping[str, Scalar], loss: str = "loss") -> Run:
    points = pl.DataFrame(schema=dict(ASSEMBLED))
    return Run(name, points, empty_messages(), (RoleMatch("loss", loss),), config, config, ())


def test_what_names_a_run_or_tells_its_outcome_is_no_setting() -> None:
    a = _run("a", {"lr": 0.1, "seed": 1, "wandb.run_id": "x1", "output_dir": "runs/1", "trainer.best_metric": 0.31})
    b = _run("b", {"lr": 0.1, "seed": 1, "wandb.run_id": "x2", "output_dir": "runs/2", "trainer.best_metric": 0.35})
    assert {k: [r.name for r in v] for k, v in repeats([a, b]).items()} == {"a": ["a", "b"], "b": ["a", "b"]}


def test_another_seed_or_setting_is_no_repeat() -> None:
    runs = [_run("a", {"lr": 0.1, "seed": 1}), _run("b", {"lr": 0.1, "seed": 2}), _run("c", {"lr": 0.2, "seed": 1})]
    assert repeats(runs) == {}


def test_settings_that_only_resemble_names_and_places_still_count() -> None:
    for key in ("model_name", "optimizer.name", "dataset_path", "time_steps", "version", "group_size"):
        assert not repeats([_run("a", {"seed": 1, key: "x"}), _run("b", {"seed": 1, key: "y"})]), key


def test_runs_that_log_their_loss_under_other_names_are_of_other_code() -> None:
    assert repeats([_run("a", {"seed": 1}), _run("b", {"seed": 1}, "train/loss")]) == {}


def test_runs_without_a_configuration_stand_alone() -> None:
    assert repeats([_run("a", {}), _run("b", {}), _run("c", {"run_name": "x"}), _run("d", {"run_name": "y"})]) == {}
