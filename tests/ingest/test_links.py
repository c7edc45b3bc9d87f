"""A folder of logs brings nothing of its reader's own files into a report: links that lead out are not followed."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from curvedoc.cli.app import app
from curvedoc.ingest import Harvest, read_runs
from curvedoc.rulebook.location import signals_file

SECRET = "-----BEGIN OPENSSH PRIVATE KEY-----"
ROWS = "".join(json.dumps({"step": i, "loss": 2.3 * 0.98**i}) + "\n" for i in range(40))


def read(path: Path, follow_links: bool = False) -> Harvest:
    return read_runs([path], signals_file=signals_file(), follow_links=follow_links)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """What belongs to the reader: a key, and a log of another project."""
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / "id_rsa").write_text(f"lr: {SECRET}\n")
    (folder / "other.jsonl").write_text(ROWS)
    return folder


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    folder = tmp_path / "runs"
    folder.mkdir()
    (folder / "metrics.jsonl").write_text(ROWS)
    return folder


def everything(harvest: Harvest) -> str:
    told = [(run.config, run.settings, run.messages.rows(), run.metrics()) for run in harvest.runs]
    return repr((told, harvest.unreadable, harvest.ignored))


@pytest.mark.parametrize("name", ["config.yaml", "train.log", "args.json"])
def test_a_linked_file_out_of_the_tree_is_counted_and_not_read(home: Path, runs: Path, name: str) -> None:
    (runs / name).symlink_to(home / "id_rsa")
    found = read(runs)
    assert len(found.runs) == 1 and SECRET not in everything(found)
    assert [u.reason for u in found.unreadable] == [
        "a link that leads out of it was not followed (--follow-links does)"
    ]


@pytest.mark.parametrize("pattern", ["*/train.log", "**/*.log", "r*/*"])
def test_a_pattern_brings_in_no_link_that_leads_out(
    home: Path, runs: Path, pattern: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (runs / "r1").mkdir()
    (runs / "r1" / "train.log").symlink_to(home / "other.jsonl")
    (runs / "r2").mkdir()
    (runs / "r2" / "train.log").write_text(ROWS)
    found = read(runs / pattern)
    assert len(found.runs) == 1 and "not followed" in found.unreadable[0].reason
    assert len(read(runs / pattern, follow_links=True).runs) == 2
    monkeypatch.chdir(runs)
    assert len(read(Path(pattern)).runs) == 1
    (runs / "r2" / "train.log").unlink()
    assert read(runs / pattern).runs == () and "--follow-links" in read(runs / pattern).unreadable[0].reason


def test_a_link_that_may_not_be_read_leads_out(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # as those below /proc of another user's process
    (runs / "r1").mkdir()
    (runs / "r1" / "train.log").symlink_to("r0.log")
    (runs / "r2").mkdir()
    (runs / "r2" / "train.log").write_text(ROWS)
    real = os.path.realpath

    def refused(path: str | Path, **given: bool) -> str:
        if str(path).endswith("r1/train.log"):
            raise PermissionError(13, "Permission denied", str(path))
        return str(real(path, **given))

    monkeypatch.setattr(os.path, "realpath", refused)
    for asked in (runs, runs / "*/train.log"):
        found = read(asked)
        folders = {Path(s.path).parent.name for run in found.runs for s in run.sources}
        assert "r1" not in folders and len(found.runs) == len(folders)
        assert "not followed" in found.unreadable[0].reason


def test_a_link_within_the_tree_is_followed(runs: Path) -> None:
    (runs / "a").mkdir()
    (runs / "settings").mkdir()
    (runs / "metrics.jsonl").rename(runs / "a" / "metrics.jsonl")
    (runs / "settings" / "base.json").write_text('{"lr": 0.1}')
    (runs / "a" / "config.json").symlink_to(runs / "settings" / "base.json")
    found = read(runs)
    assert found.unreadable == () and found.runs[0].config["lr"] == 0.1


def test_the_path_itself_may_be_a_link(tmp_path: Path, runs: Path) -> None:
    (tmp_path / "latest").symlink_to(runs)
    (tmp_path / "latest.jsonl").symlink_to(runs / "metrics.jsonl")
    assert len(read(tmp_path / "latest").runs) == len(read(tmp_path / "latest.jsonl").runs) == 1


def test_links_are_followed_when_asked_for(home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "picked"
    folder.mkdir()
    (folder / "one.jsonl").symlink_to(home / "other.jsonl")
    (folder / "all").symlink_to(home)
    assert read(folder).runs == ()
    assert len(read(folder, follow_links=True).runs) == 1  # the same file twice is read once


def test_folders_that_link_to_each_other_come_to_an_end(runs: Path) -> None:
    (runs / "again").symlink_to(runs)
    (runs / "up").symlink_to(runs.parent)
    assert len(read(runs, follow_links=True).runs) == 1


def test_what_beside_a_file_leads_out_is_no_configuration_of_it(home: Path, runs: Path) -> None:
    (runs / "config.yaml").symlink_to(home / "id_rsa")
    assert SECRET not in everything(read(runs / "metrics.jsonl"))


@pytest.mark.parametrize("place", ["params/lr", "params", "tags/note", "metrics/loss"])
def test_a_store_of_mlflow_reaches_no_further_than_its_run(home: Path, tmp_path: Path, place: str) -> None:
    run = tmp_path / "mlruns" / "0" / "0123456789abcdef0123456789abcdef"
    for kind in ("metrics", "params", "tags", "artifacts"):
        (run / kind).mkdir(parents=True)
    (run / "meta.yaml").write_text("run_id: 0123456789abcdef0123456789abcdef\nstatus: 3\nlifecycle_stage: active\n")
    (run / "metrics" / "val").write_text("".join(f"17000000000{i:02d} {0.9**i} {i}\n" for i in range(30)))
    if (run / place).is_dir():
        (run / place).rmdir()
        (run / place).symlink_to(home)
    else:
        (run / place).symlink_to(home / "id_rsa")
    found = read(tmp_path / "mlruns")
    assert len(found.runs) == 1 and SECRET not in everything(found)


def test_the_error_names_the_option_where_nothing_else_was_found(home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "picked"
    folder.mkdir()
    (folder / "one.jsonl").symlink_to(home / "other.jsonl")
    done = CliRunner().invoke(app, ["analyze", str(folder), "--no-html"])
    assert done.exit_code == 4 and "--follow-links" in done.output
    done = CliRunner().invoke(app, ["analyze", str(folder), "--no-html", "--follow-links"])
    assert done.exit_code == 0, done.output
