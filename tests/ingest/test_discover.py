"""Which files form which run."""

import gzip
import json
import os
import time
from collections.abc import Mapping
from pathlib import Path

import pytest
from corpus import SIGNALS

from curvedoc.core.errors import UsageError
from curvedoc.ingest import Harvest, plan, read_runs
from curvedoc.ingest.find.plan import _outermost

ROWS = 12


def jsonl(path: Path, shift: float = 0.0, first: int = 0, names: Mapping[str, float] | None = None) -> Path:
    """A log of `ROWS` records, one every 10 steps."""
    path.parent.mkdir(parents=True, exist_ok=True)
    names = names or {"loss": 2.0}
    rows = [{"step": first + 10 * i, **{k: v + shift - 0.1 * i for k, v in names.items()}} for i in range(ROWS)]
    path.write_text("".join(json.dumps(r) + "\n" for r in rows))
    return path


def names(*paths: Path) -> list[str]:
    return [r.name for r in harvest(*paths).runs]


def harvest(*paths: Path) -> Harvest:
    return read_runs(list(paths), signals_file=SIGNALS)


def test_a_folder_with_a_log_in_it_is_the_run_dot(tmp_path: Path) -> None:
    jsonl(tmp_path / "metrics.jsonl")
    assert names(tmp_path) == ["."]


def test_a_file_is_a_run_by_its_own_name(tmp_path: Path) -> None:
    assert names(jsonl(tmp_path / "metrics.jsonl")) == ["metrics.jsonl"]


def test_a_run_is_named_by_the_outermost_folder_that_holds_nothing_else(tmp_path: Path) -> None:
    jsonl(tmp_path / "a" / "wandb" / "deep" / "m.jsonl")
    jsonl(tmp_path / "b" / "version_0" / "m.jsonl")
    jsonl(tmp_path / "b" / "version_1" / "m.jsonl", 1.0)
    assert names(tmp_path) == ["a", "b/version_0", "b/version_1"]


def test_several_paths_are_named_from_their_common_parent(tmp_path: Path) -> None:
    jsonl(tmp_path / "x" / "a" / "m.jsonl")
    jsonl(tmp_path / "x" / "b" / "m.jsonl", 1.0)
    assert names(tmp_path / "x" / "a", tmp_path / "x" / "b") == ["a", "b"]
    assert names(tmp_path / "x" / "a", tmp_path / "x") == ["a", "b"], "a path inside another is not read twice"


def test_thousands_of_paths_cost_what_the_tree_that_holds_them_costs(tmp_path: Path) -> None:
    paths = [tmp_path / f"r{n}" for n in range(3_000)]
    for path in paths:
        path.mkdir()
    inside, begun = paths[7] / "deep", time.process_time()
    inside.mkdir()
    assert _outermost([*paths, inside, *paths]) == paths
    assert time.process_time() - begun < 5.0, "each is not held against every other"


def test_a_pattern_stands_for_what_it_matches(tmp_path: Path) -> None:
    for n in ("r1", "r2", "other"):
        jsonl(tmp_path / n / "m.jsonl", len(n))
    assert names(tmp_path / "r*") == ["r1", "r2"]


def test_a_missing_path_is_refused_with_the_nearest_name(tmp_path: Path) -> None:
    jsonl(tmp_path / "runs" / "m.jsonl")
    with pytest.raises(UsageError, match=r"did you mean .*runs"):
        plan([tmp_path / "rnus"])


def test_train_and_validation_folders_fold_into_their_parent(tmp_path: Path) -> None:
    jsonl(tmp_path / "a" / "train" / "m.jsonl")
    jsonl(tmp_path / "a" / "validation" / "m.jsonl", 1.0)
    (run,) = harvest(tmp_path).runs
    assert {m.role: m.metric for m in run.roles} == {"loss": "train/loss", "val_loss": "val/loss"}


def test_an_experiment_called_test_among_others_is_a_run(tmp_path: Path) -> None:
    for n, shift in (("exp1", 0.0), ("exp2", 1.0), ("test", 2.0)):
        jsonl(tmp_path / n / "m.jsonl", shift)
    assert names(tmp_path) == ["exp1", "exp2", "test"]


def test_files_named_after_splits_are_one_run(tmp_path: Path) -> None:
    jsonl(tmp_path / "train.jsonl")
    jsonl(tmp_path / "val.jsonl", 1.0)
    (run,) = harvest(tmp_path).runs
    assert run.series("loss") is not None and run.series("val_loss") is not None


def test_unrelated_logs_in_one_folder_are_runs_of_their_own(tmp_path: Path) -> None:
    jsonl(tmp_path / "d" / "exp1.jsonl")
    jsonl(tmp_path / "d" / "exp2.jsonl", 1.0)
    (tmp_path / "d" / "exp1.yaml").write_text("lr: 0.1\n")
    (tmp_path / "d" / "config.yaml").write_text("seed: 3\n")
    runs = harvest(tmp_path).runs
    assert [r.name for r in runs] == ["d/exp1.jsonl", "d/exp2.jsonl"] or [r.name for r in runs] == [
        "exp1.jsonl", "exp2.jsonl",
    ]  # fmt: skip
    assert all(r.settings["seed"] == 3 for r in runs)


@pytest.mark.parametrize(
    "files",
    [
        ("metrics_rank0.jsonl", "metrics_rank1.jsonl"),
        ("rank_0/m.jsonl", "rank_1/m.jsonl"),
        ("out-0.jsonl", "out-1.jsonl"),
    ],
)
def test_per_rank_logs_are_ranks_of_one_run(tmp_path: Path, files: tuple[str, str]) -> None:
    jsonl(tmp_path / files[0])
    jsonl(tmp_path / files[1], 0.05)
    (run,) = harvest(tmp_path).runs
    assert run.ranks() == (0, 1)
    assert len(run.points) == 2 * ROWS


def test_numbered_experiments_are_not_ranks(tmp_path: Path) -> None:
    jsonl(tmp_path / "exp-0.jsonl")
    jsonl(tmp_path / "exp-1.jsonl", 1.0)
    assert names(tmp_path) == ["exp-0.jsonl", "exp-1.jsonl"]


def test_a_log_resumed_in_a_new_file_is_one_run(tmp_path: Path) -> None:
    jsonl(tmp_path / "part1.jsonl")
    jsonl(tmp_path / "part2.jsonl", 0.5, first=80)
    (run,) = harvest(tmp_path).runs
    assert run.points["segment"].max() == 1
    assert [n.kind for n in run.notes] == ["step-rewind"]


def test_a_rotated_log_is_read_in_order(tmp_path: Path) -> None:
    jsonl(tmp_path / "m.jsonl.1")
    jsonl(tmp_path / "m.jsonl", first=10 * ROWS)
    (run,) = harvest(tmp_path).runs
    loss = run.series("loss")
    assert loss is not None and len(loss) == 2 * ROWS


def test_one_file_reached_twice_is_read_once(tmp_path: Path) -> None:
    path = jsonl(tmp_path / "a" / "m.jsonl")
    (tmp_path / "b").mkdir()
    os.link(path, tmp_path / "b" / "m.jsonl")
    (tmp_path / "latest-run").symlink_to(tmp_path / "a")
    (tmp_path / "loop").symlink_to(tmp_path)
    assert names(tmp_path) == ["."]


def test_the_configuration_of_the_outer_folder_belongs_to_the_only_run_in_it(tmp_path: Path) -> None:
    jsonl(tmp_path / "a" / "logs" / "m.jsonl")
    (tmp_path / "a" / "config.json").write_text('{"lr": 0.1, "seed": 1}')
    (tmp_path / "a" / "logs" / "hparams.yaml").write_text("seed: 2\n")
    jsonl(tmp_path / "b" / "m.jsonl", 1.0)
    a, b = harvest(tmp_path).runs
    assert a.settings["lr"] == 0.1 and a.settings["seed"] == 2
    assert not b.settings


def test_pipes_broken_links_and_forbidden_files_are_told_and_not_opened(tmp_path: Path) -> None:
    jsonl(tmp_path / "m.jsonl")
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "gone.jsonl").symlink_to(tmp_path / "nowhere")
    (tmp_path / "events.out.tfevents.1").mkdir()
    found = harvest(tmp_path)
    assert [r.name for r in found.runs] == ["."]
    assert {u.path: u.reason for u in found.unreadable} == {
        "gone.jsonl": "a broken link",
        "pipe.jsonl": "not a regular file (a pipe, socket or device)",
    }


def test_a_log_of_no_known_format_is_told(tmp_path: Path) -> None:
    jsonl(tmp_path / "a" / "m.jsonl")
    (tmp_path / "a" / "events.out.tfevents.1.host").write_text("version https://git-lfs.github.com/spec/v1\n")
    (tmp_path / "a" / "b.wandb").write_bytes(b"\x00\x01\x02 nothing known")
    told = {u.path for u in harvest(tmp_path).unreadable}
    assert "a/b.wandb" in told


def test_weights_code_and_virtual_environments_are_not_opened(tmp_path: Path) -> None:
    jsonl(tmp_path / "m.jsonl")
    for name in ("model.safetensors", "train.py", "README.md", ".git/x.jsonl", "venv/x.jsonl"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text('{"step": 1, "loss": 2}\n')
    found = harvest(tmp_path)
    assert [r.name for r in found.runs] == ["."] and not found.unreadable and not found.ignored
    assert len(found.runs[0].sources) == 1


def test_a_table_that_is_no_log_is_no_run(tmp_path: Path) -> None:
    (tmp_path / "data.jsonl").write_text('{"text": "a", "id": 7}\n{"text": "b", "id": 3}\n')
    found = harvest(tmp_path)
    assert not found.runs
    assert not found.unreadable


def test_a_very_deep_tree_is_walked(tmp_path: Path) -> None:
    deep = tmp_path
    for _ in range(300):
        deep = deep / "d"
    jsonl(deep / "m.jsonl")
    assert names(tmp_path) == ["."]


def state(path: Path, last: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [{"step": i, "epoch": i / 10, "loss": 2 - 0.01 * i} for i in range(1, last + 1)]
    path.write_text(json.dumps({"global_step": last, "log_history": rows}))


def test_the_newest_checkpoint_stands_in_for_a_missing_trainer_state(tmp_path: Path) -> None:
    state(tmp_path / "checkpoint-9" / "trainer_state.json", 9)
    state(tmp_path / "checkpoint-20" / "trainer_state.json", 20)
    found = harvest(tmp_path)
    assert [(r.name, [s.path for s in r.sources]) for r in found.runs] == [(".", ["checkpoint-20/trainer_state.json"])]
    assert [u.path for u in found.ignored] == ["checkpoint-9/trainer_state.json"]
    state(tmp_path / "trainer_state.json", 25)
    (run,) = harvest(tmp_path).runs
    assert [s.path for s in run.sources] == ["trainer_state.json"]


def test_a_copy_of_a_log_adds_nothing_and_is_told(tmp_path: Path) -> None:
    path = jsonl(tmp_path / "metrics.jsonl")
    (tmp_path / "metrics_backup.jsonl").write_text(path.read_text()[:200].rsplit("\n", 1)[0] + "\n")
    (run,) = harvest(tmp_path).runs
    assert len(run.points) == ROWS and [n.kind for n in run.notes] == ["duplicate-file"]


def test_the_hydra_folder_configures_the_run_beside_it(tmp_path: Path) -> None:
    for i in range(2):
        jsonl(tmp_path / str(i) / "m.jsonl", float(i))
        (tmp_path / str(i) / ".hydra").mkdir()
        (tmp_path / str(i) / ".hydra" / "config.yaml").write_text(f"optimizer:\n  lr: 0.{i + 1}\n")
    assert [r.settings["lr"] for r in harvest(tmp_path).runs] == [0.1, 0.2]


def test_parts_of_one_wandb_run_id_are_one_run_in_order_of_time(tmp_path: Path) -> None:
    for day, first in ((2, 80), (1, 0)):
        jsonl(tmp_path / "wandb" / f"run-2024010{day}_100000-same" / "files" / "wandb-history.jsonl", 0.1 * day, first)
    jsonl(tmp_path / "wandb" / "run-20240103_100000-other" / "files" / "wandb-history.jsonl", 3.0)
    one, other = harvest(tmp_path).runs
    assert one.points["segment"].max() == 1 and other.points["segment"].max() == 0
    loss = one.series("loss")
    assert loss is not None and loss.step.max() == 80 + 10 * (ROWS - 1)


def test_restarts_of_torchrun_are_segments_and_its_folders_ranks(tmp_path: Path) -> None:
    for attempt in range(2):
        for rank in range(2):
            jsonl(tmp_path / "job" / f"attempt_{attempt}" / str(rank) / "stdout.jsonl", rank / 10, 60 * attempt)
    (run,) = harvest(tmp_path).runs
    assert run.ranks() == (0, 1) and run.points["segment"].max() == 1


def test_lightning_versions_are_runs_with_their_own_parameters(tmp_path: Path) -> None:
    for v in range(2):
        folder = tmp_path / "exp" / "lightning_logs" / f"version_{v}"
        jsonl(folder / "metrics.jsonl", float(v))
        (folder / "hparams.yaml").write_text(f"lr: 0.{v + 1}\n")
    runs = harvest(tmp_path).runs
    assert [(r.name, r.settings["lr"]) for r in runs] == [
        ("exp/lightning_logs/version_0", 0.1),
        ("exp/lightning_logs/version_1", 0.2),
    ]


def test_a_name_that_is_no_utf8_is_made_writable(tmp_path: Path) -> None:
    jsonl(tmp_path / os.fsdecode(b"run-\xff\n\xf0\x9f\x94\xa5") / "m.jsonl")
    jsonl(tmp_path / "b" / "m.jsonl", 1.0)
    for run in harvest(tmp_path).runs:
        run.name.encode()
        run.sources[0].path.encode()


def test_a_consoles_copy_of_a_log_is_no_restart(tmp_path: Path) -> None:
    lines = [f"step {10 * i} loss {2 - 0.1 * i:.3f}\n" for i in range(ROWS)]
    (tmp_path / "train.log").write_text("".join(lines))
    extra = [line.strip() + f" lr {0.1 + i:.1f}\n" if i % 2 else line for i, line in enumerate(lines)]
    (tmp_path / "stdout.log").write_text("".join(extra))
    (run,) = harvest(tmp_path).runs
    assert not run.points["superseded"].any()
    loss = run.series("loss")
    assert loss is not None and len(loss) == ROWS and run.series("lr") is not None


@pytest.mark.parametrize("name", ["metrics.jsonl.gz", "metrics.json.gz"])
def test_a_compressed_log_is_found(tmp_path: Path, name: str) -> None:
    path = jsonl(tmp_path / "m.jsonl")
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / name).write_bytes(gzip.compress(path.read_bytes()))
    assert names(tmp_path / "a") == ["."]


@pytest.mark.parametrize("name", ["train.log", "nohup.out", "log.txt", "slurm-12.out", "stdout", "train.log.gz"])
def test_text_logs_are_found_by_their_content(tmp_path: Path, name: str) -> None:
    text = "".join(f"step {10 * i} loss {2 - 0.1 * i:.3f}\n" for i in range(ROWS))
    (tmp_path / name).write_bytes(gzip.compress(text.encode()) if name.endswith("gz") else text.encode())
    (run,) = harvest(tmp_path).runs
    assert run.has_text and run.series("loss") is not None


def test_a_record_longer_than_the_head_is_still_a_record(tmp_path: Path) -> None:
    layers = {f"grad_norm/model.layers.{i}.self_attn.q_proj.weight": 1.0 for i in range(2000)}
    jsonl(tmp_path / "m.jsonl", names={"loss": 2.0, **layers})
    (run,) = harvest(tmp_path).runs
    assert run.series("loss") is not None and len(run.matches("layer_grad_norm")) == 2000


def test_stores_of_other_tools_are_told_once_each(tmp_path: Path) -> None:
    (tmp_path / "mlflow.db").write_bytes(b"SQLite format 3\x00")
    (tmp_path / ".aim").mkdir()
    jsonl(tmp_path / "m.jsonl")
    found = harvest(tmp_path)
    assert {u.path for u in found.unreadable} == {"mlflow.db", ".aim"}
    assert [r.name for r in found.runs] == ["."]
