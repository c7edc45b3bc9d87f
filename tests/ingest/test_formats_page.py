"""docs/formats.md: what is read, and how it was tried. `python tests/ingest/test_formats_page.py` writes it."""

# ruff: noqa: E501  a row of a table stands on one line
from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "helpers"))

import curvedoc
from curvedoc.core.run import ASSEMBLED
from curvedoc.ingest.registry import READERS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "formats.md"
TESTS = Path(__file__).resolve().parent

#: Reader -> how it was tried (by made-up files; the test that does it).
TRIED = {
    "tensorboard": ("written byte by byte in every encoding, beside a slow reader; every kind of damage", "test_read_tensorboard.py"),
    "wandb": ("records laid out as the writer lays them out; torn and damaged ones", "test_read_wandb_log.py"),
    "wandb-dir": ("folders laid out as wandb does", "test_read_wandb_log.py"),
    "mlflow": ("stores laid out as MLflow does", "test_read_mlflow.py"),
    "mlflow-db": ("databases laid out as MLflow does", "test_read_mlflow.py"),
    "aim": ("a store laid out as Aim does; one of Aim 3.29 itself read", "test_read_aim.py"),
    "trackio": ("databases laid out as trackio does", "test_read_mlflow.py"),
    "numpy": ("arrays saved by numpy itself, whole and torn", "test_read_numpy.py"),
    "hf-state": ("re-enacted, with NaN literals, and torn", "test_read_json.py"),
    "catboost": ("re-enacted, whole and torn", "test_nulls.py"),
    "wandb-export": ("one run exported each way, re-enacted", "test_read_wandb_export.py"),
    "column-json": ("re-enacted histories; columns of unknown names", "test_spellings.py"),
    "json-epochs": ("series of files, made up, whole and damaged", "test_read_numbered_json.py"),
    "scalar-json": ("downloads of a scalar, whole and damaged", "test_read_scalars.py"),
    "lists": ("lists as Python, numpy and torch print them, whole and torn", "test_read_number_lists.py"),
    "jsonl": ("records of common trainers, re-enacted, and of any key: one run in more than 60 spellings", "test_spellings.py"),
    "swanlab": ("records laid out as the writer lays them out; a file of SwanLab 0.10 itself read", "test_tracker_offline.py"),
    "tracker-json": ("messages as comet_ml 3, neptune 1.14 and clearml 2 write them, of which files were read", "test_tracker_offline.py"),
    "xml": ("attributes, elements and both, whole and torn", "test_read_xml.py"),
    "yaml": ("lists, documents, flow and columns, long and damaged", "test_read_yaml.py"),
    "tables": ("tables in ten languages of documents, and sets of plotted data, made up", "test_read_grids.py"),
    "numbered-keys": ("keys, sections and objects numbered in many ways, made up", "test_read_keyed.py"),
    "json-tables": ("frames, tables and charts as libraries write them, made up", "test_read_keyed.py"),
    "csv": ("tables of common loggers, re-enacted, and of any header or none: one run in more than 60 spellings", "test_spellings.py"),
    "headless": ("made up, whole and damaged", "test_read_headless.py"),
    "sacred": ("folders laid out as sacred does", "../diagnose/test_endings.py"),
    "notebook": ("cells with streams, tables and tracebacks, made up", "test_read_notebook.py"),
    "text": ("lines of common trainers, re-enacted", "test_read_text.py"),
}  # fmt: skip

HEAD = """# What is read

Written by `python tests/ingest/test_formats_page.py`; a test holds it to the readers.

Content decides, not the name: the patterns are what such files are usually called. Compressed files (.gz, .zst) are
read as they are; an archive (.zip, .tar, .tar.gz) is read as a folder, up to 1 GB of it, and one met in a tree where it holds logs and has at most 64 MB. What looks like a log and is not read is told, with the reason (`curvedoc doctor PATH`).

| Format | Usual names | What it is | How it was tried |
|---|---|---|---|
"""

TAIL = """
## Tables of unknown names

A file of records or rows needs no known names. The step (whole, hardly going back, in steps of few sizes), the clock,
the column that names metrics, the one that holds their values and the one that says the split are told by their
values, from at most 2,000 rows of the head, the middle and the tail. A table is taken for a training where its rows
have an order and a curve behaves over it (neighbors are alike, more than those of the shuffled column); a file that is
given by name is held to less than one met on a walk. Rows that are samples are no training: predictions, data with an
id, confusion matrices, tables of runs (W&B, MLflow) and of trials (Optuna); `curvedoc diff TABLE` compares the rows of those.

Roles are told by name (`rules/signals.yaml`), else by evidence that agrees. `curvedoc doctor` says for each role what
it was known by and how sure that is: `sure` by a name that says so, `likely` by a weak name or a reckoning that the
values bear out, `guess` by the values alone. A run whose loss is a guess is judged, but never failed and never healthy.

What is guessed wrong is said: `--map step=it,loss=nll,lr=eta` on every command, or a table `[map]` in curvedoc.toml;
`step`, `time`, `name`, `value` and `split` are columns, every other word is a role. A name may be written short (`eta`
for `train/eta`).

## Curves for other tools

`curvedoc.read(path)` gives a list of runs; `run.points` is a polars frame with one row a value:

"""

END = """
`curvedoc export PATH --parquet F | --csv F | --jsonl F | --tensorboard FOLDER` writes them, with the run and the role
of each metric. Another package adds a format by an entry point of the group `curvedoc.readers`: an object with NAME,
FILES, ABOUT, claims(path, head) and read(paths), as `curvedoc/ingest/contract.py` says.
"""


def page() -> str:
    rows = []
    for r in READERS:
        how, where = TRIED[r.NAME]
        files = ", ".join(f"`{f}`" for f in r.FILES)
        rows.append(f"| {r.NAME} | {files} | {r.ABOUT} | {how} (`{where}`) |")
    columns = [
        line.strip() for line in (curvedoc.read.__doc__ or "").splitlines() if line.strip().split(":")[0] in ASSEMBLED
    ]
    listed = [f"- `{line.split(':')[0]}`:{line.split(':', 1)[1]}" for line in columns]
    return HEAD + "\n".join(rows) + "\n" + TAIL + "\n".join(listed) + "\n" + END


def test_every_reader_says_how_it_was_tried_and_by_a_test_that_is_there() -> None:
    assert {r.NAME for r in READERS} == set(TRIED)
    assert all((TESTS / where).exists() for _, where in TRIED.values())


def test_the_page_is_the_one_that_the_readers_make() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), f"python {Path(__file__).relative_to(PAGE.parents[1])} writes it"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
