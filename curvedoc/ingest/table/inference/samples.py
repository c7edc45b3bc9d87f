"""Tables whose rows are things, not moments of a training: predictions, data, results of many runs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from curvedoc.ingest.naming.log_words import is_outcome
from curvedoc.ingest.naming.word_set import word_set
from curvedoc.ingest.table.columns import RecordColumn, RecordTable, Texts
from curvedoc.ingest.table.inference.structure import sampled
from curvedoc.ingest.table.keys import COUNTERS
from curvedoc.ingest.table.values import moment

#: Columns of tables with a row for each run (W&B, MLflow, Optuna, Ray), of which such a table has several.
RUN_COLUMNS = word_set(
    """name state status run_id run_name run_uuid experiment_id experiment_name user owner created created_at start_time
    end_time duration runtime sweep tags notes number datetime_start datetime_complete trial trial_id trial_name
    lifecycle_stage artifact_uri source_name source_type hostname logdir"""
)
_ENOUGH_RUN_COLUMNS = 3
#: Beginnings of the columns that hold a run's settings.
SETTINGS = ("params_", "params.", "params/", "config/", "config.", "user_attrs_", "hparams/", "hyperparameters/")
#: What numbers the runs of a search.
_TRIALS = word_set("trial trial_id trial_number trial_num run run_id run_number seed experiment experiment_id")
#: A text that no two rows share names what the row is about.
_UNIQUE, _FEWEST = 0.9, 5
#: Names of columns that number or name things.
_THINGS = word_set(
    """id idx uid uuid sample sample_id image image_id img filename file file_name path filepath url text sentence
    prompt question answer response instruction input output label labels target y_true y_pred true pred prediction
    predictions predicted predicted_label true_label gt ground_truth class class_name category fold subject patient
    patient_id player team country city customer user_id product item model method algorithm dataset benchmark
    architecture variant"""
)
#: Counters of training that count other things elsewhere.
_WEAK = word_set("round episode episodes samples batch batches update updates it generation tokens timestep")
_EPISODES = word_set("episode episodes")
#: A grid has so many points, and its settings are among so many columns.
_COMBINED, _COLUMNS = 6, 8
_CLOCK = frozenset("0123456789:.- TZ+days,h m s")


def why_samples(table: RecordTable) -> str:
    """What the rows of a table are, where they are no moments of one training; "" where nothing says so."""
    keys = [*table.numbers, *table.texts]
    if of_runs(keys) and (any(_unique(t, table.rows) for t in table.texts.values()) or _settings_vary(table)):
        return "a table of runs or trials, with a row for each"
    settings = {k for k, c in table.numbers.items() if _is_setting(c)}
    if counted([k for k in keys if k not in settings]):
        return ""
    if any(_low(k) in _TRIALS and _numbers_rows(c, table.rows) for k, c in table.numbers.items()):
        return "a table of runs or trials, with a row for each"
    telling = [k for k, t in table.texts.items() if _unique(t, table.rows)]
    if telling:
        return f"rows that are samples: no two have one '{telling[0]}'"
    # what every row says, the model that is trained, tells none of them apart
    things = [k for k, c in table.numbers.items() if _low(k) in _THINGS and len(np.unique(c.value)) > 1]
    things += [k for k, t in table.texts.items() if _low(k) in _THINGS - {"id"} and len(set(t.text)) > 1]
    if things:
        return f"rows that are samples, told by '{things[0]}'"
    if _is_grid(table):
        return "a grid of settings, with a row for each"
    return "a matrix, with a column for each row" if _is_matrix(table) else ""


def _is_grid(table: RecordTable) -> bool:
    """Whether two or three columns go through each combination of a few values once, of which one at least has values
    that are unevenly spaced: counters that run within each other are even."""
    whole = {k: c.value for k, c in table.numbers.items() if len(c.at) == table.rows and not is_outcome(k)}
    several = {k: u for k, v in whole.items() if 2 <= len(u := np.unique(v)) < table.rows}
    for some in (two_or_three for n in (2, 3) for two_or_three in combinations(list(several)[:_COLUMNS], n)):
        if int(np.prod([len(several[k]) for k in some])) != table.rows or table.rows < _COMBINED:
            continue
        uneven = any(len(np.unique(np.round(np.diff(several[k]), 9))) > 1 for k in some)
        if uneven and len(np.unique(np.stack([whole[k] for k in some]), axis=1).T) == table.rows:
            return True
    return False


def _settings_vary(table: RecordTable) -> bool:
    """Whether a column of settings takes several values, as no single run's does."""
    at = (c for k, c in table.numbers.items() if _low(k).startswith(SETTINGS))
    return any(len(np.unique(c.value[np.isfinite(c.value)])) > 2 for c in at)


def _is_setting(column: RecordColumn) -> bool:
    """Whether a column that may be called like a counter hardly goes on: the epochs that each of several runs took."""
    then, now = column.value[:-1], column.value[1:]  # compared, not subtracted: they may be infinite
    rises, falls = int((now > then).sum()), int((now < then).sum())
    return len(now) >= _FEWEST and (rises == 0 or rises < 2 * falls)


def _numbers_rows(column: RecordColumn, rows: int) -> bool:
    """Whether a column has another number in each row."""
    return rows >= _FEWEST and len(column.at) == rows == len(np.unique(column.value))


def of_runs(names: Sequence[str]) -> bool:
    """Whether a header is that of a table with a row for each run: W&B's and MLflow's, Optuna's and Ray's."""
    low = [_low(n) for n in names]
    known = sum(n in RUN_COLUMNS for n in low) + any(n.startswith(SETTINGS) for n in low)
    return known >= _ENOUGH_RUN_COLUMNS


def of_things(names: Sequence[str]) -> bool:
    """Whether a column is called like what rows of results are about."""
    return not _THINGS.isdisjoint(map(_low, names))


def _low(key: str) -> str:
    return key.strip().lower().replace(" ", "_").replace("-", "_")


def counted(names: Sequence[str]) -> bool:
    """Whether a column is called like a step or an epoch, or counts episodes beside a reward: a log may well say beside
    them which file it wrote."""
    low = {_low(n).rsplit("/", 1)[-1] for n in names}
    weak = _WEAK - _EPISODES if any("reward" in n for n in low) else _WEAK
    return bool((COUNTERS & low) - weak)


def _unique(texts: Texts, rows: int) -> bool:
    """Whether a column of texts, no dates or durations, has another one in nearly every row."""
    n = len(texts.at)
    if n < _FEWEST or n < _UNIQUE * rows:
        return False
    some = [texts.text[i] for i in sampled(n)]
    if all(moment(t) is not None or set(t) <= _CLOCK for t in some[:_FEWEST]):
        return False
    return len(set(some)) >= _UNIQUE * len(some)


def _is_matrix(table: RecordTable) -> bool:
    """Whether the table is a square of whole numbers: a confusion matrix."""
    wide = [c.value for c in table.numbers.values() if len(c.at) == table.rows]
    if not 2 < table.rows <= 2_000 or not table.rows <= len(wide) <= table.rows + 1:
        return False
    cells: NDArray[np.float64] = np.stack(wide)
    return bool((cells == np.floor(cells)).all()) and bool((cells >= 0).all())
