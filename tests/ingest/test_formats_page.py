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

#: Reader -> how it was tried (written by the real library, or re-enacted), and the tests that do it.
TRIED = {
    "tensorboard": ("files of torch, tensorboardX, accelerate, Lightning, Stable-Baselines3 and Keras; every byte flipped", "test_read_tensorboard.py"),
    "wandb": ("offline runs of wandb 0.31, and re-enacted ones of 2021; torn and damaged ones", "test_read_wandb_log.py"),
    "wandb-dir": ("folders as wandb lays them out, re-enacted", "test_read_wandb_log.py"),
    "mlflow": ("a file store of mlflow 3.17", "test_read_mlflow.py"),
    "mlflow-db": ("a database of mlflow 3.17", "test_read_mlflow.py"),
    "trackio": ("a database as trackio writes it, re-enacted", "test_read_mlflow.py"),
    "numpy": ("arrays and histories saved by numpy", "test_read_numpy.py"),
    "hf-state": ("states of transformers, with NaN literals and torn ones", "test_read_json.py"),
    "catboost": ("re-enacted, whole and torn", "test_nulls.py"),
    "wandb-export": ("CSV, JSON and parquet of the interface and of run.history(), re-enacted", "test_read_wandb_export.py"),
    "column-json": ("histories of Keras and evals_result of XGBoost; columns of any name", "test_spellings.py"),
    "jsonl": ("the record writers of fifteen trainers, re-enacted; records of any key in 62 spellings", "test_spellings.py"),
    "csv": ("Lightning, Keras and others, re-enacted; tables of any header, or none, in 62 spellings", "test_spellings.py"),
    "headless": ("rows of a counter and a value, re-enacted", "test_read_headless.py"),
    "text": ("the lines of some forty trainers, re-enacted", "test_read_text.py"),
}  # fmt: skip

HEAD = """# What is read

Written by `python tests/ingest/test_formats_page.py`; a test holds it to the readers.

Content decides, not the name: the patterns are what such files are usually called. Compressed files (.gz, .zst) are
read as they are. What looks like a log and is not read is told, with the reason (`curvedoc doctor PATH`).

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
id, confusion matrices, tables of runs (W&B, MLflow) and of trials (Optuna).

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
