"""Tables with a row for each run, as W&B, MLflow and Optuna export them: settings, state and results of every run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from curvedoc.core.frozen import dataclass
from curvedoc.core.late_regex import late_regex
from curvedoc.core.run import Scalar
from curvedoc.ingest.bytes.file import read_text
from curvedoc.ingest.csv.as_records import as_records
from curvedoc.ingest.csv.header_lines import tidied
from curvedoc.ingest.csv.sections import sections
from curvedoc.ingest.naming.log_words import is_outcome
from curvedoc.ingest.naming.word_set import word_set
from curvedoc.ingest.table.columns import RecordTable
from curvedoc.ingest.table.inference.samples import RUN_COLUMNS, SETTINGS, of_runs, why_samples
from curvedoc.ingest.table.keys import COUNTERS
from curvedoc.ingest.table.values import number

#: How the trackers call a run that went wrong, and one that is not over.
_WRONG = word_set("fail failed failure crashed crash killed error errored oom preempted")
_OPEN = word_set("running pending waiting queued scheduled created")
_STATE = word_set("state status")
_NAMES = ("name", "run_name", "tags.mlflow.runname", "run_id", "trial_id", "number", "trial", "id")
_METRIC = ("metrics.", "metrics/", "metrics_", "values_", "summary.", "summary/")
#: Columns that are neither chosen nor measured.
_ASIDE = late_regex(r"_.*|.*(?:runtime|duration|timestamp|_time|created|updated)|system_attrs_.*|tags\..*")


@dataclass(frozen=True, slots=True)
class TableRun:
    """A row of the table. wrong: whether its state says that it went wrong."""

    name: str
    config: Mapping[str, Scalar]
    wrong: bool


@dataclass(frozen=True, slots=True)
class RunsTable:
    """A table of runs that are over, in the order of the file.

    results: name of a result -> its value for each run, NaN where it is no number and -inf where there is none
    left_out: runs that are not over
    """

    runs: tuple[TableRun, ...]
    results: Mapping[str, NDArray[np.float64]]
    left_out: int


def is_runs_table(path: Path) -> bool:
    """Whether a file is a table with a row for each run."""
    return path.is_file() and path.suffix.lower() in (".csv", ".tsv") and _table(path) is not None


def read_runs_table(path: Path, names_setting: Callable[[str], bool]) -> RunsTable | None:
    """The runs of a table; None for another file.

    names_setting: whether a column's name is that of a setting, which W&B writes beside results without a mark
    """
    rows = _table(path)
    if rows is None:
        return None
    columns = _columns(rows)
    marked = [k for k in columns if _low(k).startswith(SETTINGS)]
    chosen = marked or [k for k in columns if _is_setting(k, columns[k], names_setting)]
    measured = [k for k in columns if k not in chosen and _is_result(k, bool(marked)) and _numbers(columns[k])]
    state = next((columns[k] for k in columns if _low(k) in _STATE), [None] * rows.rows)
    words = [str(cell or "").strip().lower().removeprefix("trialstate.") for cell in state]
    over = [i for i, word in enumerate(words) if word not in _OPEN]
    names = next((columns[k] for low in _NAMES for k in columns if _low(k) == low), [])
    runs = tuple(
        TableRun(
            _spelled(names[i]) if i < len(names) and names[i] is not None else f"row {i + 1}",
            {_bare(k): v for k in chosen if (v := columns[k][i]) is not None},
            words[i] in _WRONG,
        )
        for i in over
    )
    results = {_bare(k): np.array([_value(columns[k][i]) for i in over]) for k in measured}
    return RunsTable(runs, results, rows.rows - len(over))


def _table(path: Path) -> RecordTable | None:
    data, _ = read_text(path)
    found, _ = sections(tidied(data).decode("utf-8", "replace"))
    if len(found) != 1 or not of_runs(found[0].names):
        return None
    rows = as_records(found[0])
    return rows if why_samples(rows).startswith("a table of runs") else None


def _columns(rows: RecordTable) -> dict[str, list[Scalar | None]]:
    out: dict[str, list[Scalar | None]] = {}
    for key, column in rows.numbers.items():
        cells: list[Scalar | None] = [None] * rows.rows
        for i, v in zip(column.at.tolist(), column.value.tolist(), strict=True):
            cells[i] = v
        out[key] = cells
    for key, texts in rows.texts.items():
        cells = [None] * rows.rows
        for i, text in zip(texts.at.tolist(), texts.text, strict=True):
            cells[i] = text
        out[key] = cells
    return out


def _is_setting(key: str, cells: Sequence[Scalar | None], names_setting: Callable[[str], bool]) -> bool:
    """Whether a column without a mark is a setting: called like one, or no result and of a few values."""
    low = _low(key)
    if low in RUN_COLUMNS or low in COUNTERS or _ASIDE.fullmatch(low):
        return False
    few = 1 < len({str(v) for v in cells if v is not None}) <= max(2, len(cells) // 2)
    if is_outcome(key):  # max_grad_norm and loss_function, not the loss
        return few and names_setting(key)
    return few or names_setting(key)


def _is_result(key: str, marked: bool) -> bool:
    low = _low(key)
    return low.startswith(_METRIC) or low == "value" or (not marked and is_outcome(key))


def _numbers(cells: Sequence[Scalar | None]) -> bool:
    """Whether a column holds numbers, be it beside words for what is none."""
    return 2 * int(np.isfinite([_value(v) for v in cells]).sum()) >= sum(v is not None for v in cells) > 0


def _value(cell: Scalar | None) -> float:
    if cell is None:
        return -np.inf
    found = number(cell) if isinstance(cell, str) else float(cell)
    return float("nan") if found is None or not np.isfinite(found) else found


def _bare(key: str) -> str:
    """The name without the mark of the exporter."""
    return next((key[len(mark) :] for mark in (*SETTINGS, *_METRIC) if _low(key).startswith(mark)), key)


def _spelled(cell: Scalar | None) -> str:
    return f"{cell:.0f}" if isinstance(cell, float) and cell.is_integer() else str(cell)


def _low(key: str) -> str:
    return key.strip().lower().replace(" ", "_").replace("-", "_")
