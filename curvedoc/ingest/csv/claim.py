"""Whether the head of a file is a table of metrics: by the names of its columns, else by their values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path

import numpy as np

from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.bytes.file import clean_head, decoded_head, pointer
from curvedoc.ingest.csv.as_records import as_records
from curvedoc.ingest.csv.axis import axis_of
from curvedoc.ingest.csv.header_lines import tidied
from curvedoc.ingest.csv.lost_head import headed, is_row
from curvedoc.ingest.csv.monitor import is_monitor
from curvedoc.ingest.csv.sections import is_header, sections, separator_of, split_line
from curvedoc.ingest.naming.log_words import is_outcome, is_usual
from curvedoc.ingest.naming.split_words import scope_of
from curvedoc.ingest.table.columns import RecordTable
from curvedoc.ingest.table.inference.proof import is_log
from curvedoc.ingest.table.inference.samples import counted, of_runs, of_things, why_samples
from curvedoc.ingest.table.inference.structure import FEWEST, behaves, counts, is_clock, marches
from curvedoc.ingest.table.values import moment, number, split_of

#: So much of a head, in bytes and lines, says whether the rest is worth a look; and no fewer rows.
_LOOK, _LINES, _FEW = 1 << 14, 42, 8
#: What is paid.
_PAY = late_regex(r"(?i)reward|(?:^|[^a-z])returns?(?:[^a-z]|$)")
#: What counts what is paid for.
_PLAYED = late_regex(r"(?i)^(?:games?|match|rounds?|rollouts?|trials?|plays?|runs?)(?:[ _]?(?:no|nr|num|number|id))?$")
#: A cell that names its number: "| eval @ 100 | loss 0.5 |".
_SAID = late_regex(r"(?i)(?:^|[|,;\t]) *(?:[a-z]+[ _])?(?:loss|acc|accuracy) ?[:= ] ?[0-9.]+ *(?:[|,;\t]|$)")
#: So many lines tell the separator, and whether the names stand over rows of as many cells.
_FIRST = 6
#: Rows of several losses and nothing else.
_SEVERAL = 3
#: So many rewards are those of episodes.
_EPISODES = 20
SUFFIXES = (".csv", ".tsv")
OTHER_SUFFIXES = (".log", ".txt", "")
PACKED = late_regex(r"(?:\.(?:gz|zst|zstd|\d{1,3}))+$")
NAME_COLUMNS = ("metric_name", "metricname", "name", "tag", "metric", "key", "attribute_path", "attribute_name")
VALUE_COLUMNS = (
    "value",
    "metricvalue",
    "metric_value",
    "float_value",
    "val",
    "wert",
    "valeur",
    "valor",
    "valore",
    "значение",
    "值",
)


def claims(path: Path, head: bytes) -> bool:
    """A header that names a counter or a metric over rows of as many cells; not the exports of W&B."""
    suffix = Path(PACKED.sub("", path.name.lower())).suffix
    if suffix not in SUFFIXES + OTHER_SUFFIXES or b"\x00" in head[:1] or pointer(head) is not None:
        return False
    text = decoded_head(tidied(head))
    lines = list(islice((r for r in text.split("\n", 60)[:60] if r.strip() and not r.startswith("#")), _FIRST))
    if not lines:
        return suffix in SUFFIXES
    sep = separator_of(lines)
    names = split_line(lines[0], sep)
    if is_monitor(head):
        return len(lines) > 1
    if not is_header(names) or _is_of_wandb(names):
        return False
    told = any(is_usual(n) for n in names) or is_long(names) or _both_sides(names)
    if not (told or axis_of(tuple(names)).known()):
        return False
    if suffix not in SUFFIXES and not _is_table(names, [split_line(r, sep) for r in lines[1:6]]):
        return False
    listed = of_runs(names) or of_things(names)
    if (listed or not (counted(names) or is_long(names) or _both_sides(names))) and (
        why := _why_samples(head)
    ) is not None:
        return why == "" and suffix in SUFFIXES
    return True


def _both_sides(names: list[str]) -> bool:
    """Whether outcomes of training and of validation stand side by side, as in no table of samples."""
    scopes = {scope_of(n) or "" for n in names if is_outcome(n)} | {split_of(n) or "" for n in names}
    return "train" in scopes and len(scopes - {""}) > 1


def _is_table(names: list[str], rows: list[list[str]]) -> bool:
    """Whether names stand over rows of as many cells: asked before all rows are looked at, as of every text log."""
    if names[-1] == "" and all(r[-1] == "" for r in rows):  # every line ends in a tab
        names, rows = names[:-1], [r[:-1] for r in rows]
    wide = len(names) > 1 and all(re.fullmatch(r"[\w./@()=% :-]{1,80}", n) for n in names)
    return wide and bool(rows) and all(len(r) == len(names) and not is_header(r) for r in rows[:-1] or rows)


def guesses(path: Path, head: bytes, named: bool) -> bool:
    """Whether a table of unknown columns is a log by its values. named: the file was given by name."""
    suffix = Path(PACKED.sub("", path.name.lower())).suffix
    # damage may have put zeros into the header alone
    binary = all(b"\x00" in part for part in (head[:1000], head[len(head) // 2 :][:1000]))
    if suffix not in SUFFIXES + OTHER_SUFFIXES or binary or pointer(head) is not None:
        return False
    clean = clean_head(head)
    whole = clean[: clean.rfind(b"\n") + 1]
    look, _ = headed(tidied(whole[:_LOOK]))
    lines = look.decode("utf-8", "replace").split("\n", _LINES)[:_LINES]
    sep = separator_of(lines[:1])
    names = split_line(lines[0], sep)
    if len(names) < 2 or not (is_header(names) or is_row(names)) or _is_of_wandb(names):
        return False
    if any(_SAID.search(line) for line in lines[1:]):  # rows of a log beside lines that name their numbers
        return False
    if not named and not _could_be([split_line(line, sep) for line in lines[1:-1]], len(names)):
        return False
    found, _ = sections(headed(tidied(whole))[0].decode("utf-8", "replace"))
    return len(found) == 1 and is_log(as_records(found[0]), named)


def _could_be(rows: list[list[str]], width: int) -> bool:
    """Whether a few rows have what orders a log, which most tables in a tree have not: a column that counts or tells
    the time, and none of texts that are all different."""
    rows = [r for r in rows if len(r) == width]
    if len(rows) < _FEW:
        return False
    ordered = False
    for cells in zip(*rows, strict=True):
        values = [number(c.replace(",", ".")) for c in cells]
        known = np.array([v for v in values if v is not None])
        if not len(known) and len(set(cells)) == len(cells) and moment(cells[0]) is None:
            return False
        whole = len(known) == len(cells)
        ordered |= whole and (counts(known) or is_clock(known))
        # a counter that stands still is seen further down; names of metrics come by turns
        ordered |= (
            len(known) == len(cells) and bool((known == np.floor(known)).all()) and len(set(cells)) <= len(cells) // 2
        )
        ordered |= not len(known) and (moment(cells[0]) is not None or 1 < len(set(cells)) <= len(cells) // 3)
    return ordered


@lru_cache(maxsize=4)  # several readers ask it of the same head
def _why_samples(head: bytes) -> str | None:
    """Why the rows of a table are no moments of a training, "" where nothing says so; None for what is no one table."""
    clean = clean_head(head)
    found, _ = sections(tidied(clean[: clean.rfind(b"\n") + 1]).decode("utf-8", "replace"))
    if len(found) != 1:
        return None
    rows = as_records(found[0])
    order = counted([*rows.numbers, *rows.texts]) or _goes_on(rows) or is_log(rows, named=False)
    return why_samples(rows) or ("" if order else "rows without an order")


def _goes_on(rows: RecordTable) -> bool:
    """Whether rows of nothing but numbers follow one another, by what they measure."""
    if rows.texts:
        return False
    # three outcomes are what a training prints, noisy as they may be
    measured = [n for n in rows.numbers if is_outcome(n)]
    if len(measured) > 2:
        return True
    # and nothing but losses, or one outcome alone: several, or one that goes on from row to row
    alone = len(rows.numbers) == 1
    losses = [c.value for n, c in rows.numbers.items() if "loss" in n.lower() or (alone and n in measured)]
    if alone and measured and _PAY.search(measured[0]):  # one of each episode, which scatter as they will
        return len(rows.numbers[measured[0]].value) >= _EPISODES
    few = FEWEST if len(losses) < 2 else _SEVERAL
    only = losses and len(losses) == len(rows.numbers) and all(len(v) >= few for v in losses)
    if only and (len(losses) > 1 or behaves(losses[0])):
        return True
    # or what scatters from row to row beside a number that goes on by the same: a noisy training, or one that is lost
    told = len(measured) > 1 or any("loss" in n.lower() for n in measured)
    told = told or (any(map(_PAY.search, measured)) and any(map(_PLAYED.search, rows.numbers)))
    return told and any(
        marches(c.value) for n, c in rows.numbers.items() if n not in measured and len(c.at) == rows.rows
    )


def _is_of_wandb(names: list[str]) -> bool:
    """Exports of W&B: the history's `_step`, or the interface's columns "run - metric"."""
    if any(n in ("_step", "_runtime", "_timestamp") or n.endswith(("__MIN", "__MAX")) for n in names):
        return True
    return 2 * sum(" - " in n for n in names) > len(names)


def column_names(names: Sequence[str]) -> list[str]:
    """Names of columns as those of long tables are known: "metric.name" is "metric_name"."""
    return [n.strip().lower().replace(".", "_") for n in names]


def is_long(names: Sequence[str]) -> bool:
    """Whether a header is that of one value a row: a name, or a step, beside a value."""
    low = column_names(names)
    melted = "variable" in low and axis_of(tuple(names)).known()  # as pandas calls what it melts
    known = melted or any(n in low for n in NAME_COLUMNS) or any(n in low for n in ("step", "wall time"))
    return known and any(n in low for n in VALUE_COLUMNS)
