"""Rows of a counter and values, or of values alone, without a header, in a file called by its metric
("train_loss.txt": 10 2.31), or as a log, by what its values do ("test_log.txt": 2.31,11.5)."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from curvedoc.core.late_regex import late_regex
from curvedoc.core.notes import coalesce
from curvedoc.core.run import Note
from curvedoc.ingest.bytes.compression import unpacked_name
from curvedoc.ingest.bytes.file import decode, decoded_head, read_text
from curvedoc.ingest.contract import Log
from curvedoc.ingest.csv.loss_terms import term_curves, term_names
from curvedoc.ingest.naming.split_words import UNSEEN_SPLIT
from curvedoc.ingest.naming.values import curve_shape
from curvedoc.ingest.naming.word_set import word_set
from curvedoc.ingest.table.curve import LogCurve, points_of

NAME = "headless"
FILES: tuple[str, ...] = (
    "*loss*.txt",
    "*loss*.csv",
    "*acc*.txt",
    "*acc*.dat",
    "*reward*.txt",
    "*reward*.csv",
    "*fitness*.csv",
)
ABOUT = "rows of a counter and a value, or of values alone, without a header, in a file called by its metric"

#: Fewer rows may be one for each class or fold, whatever the file is called.
MIN_ROWS = 20
#: A counter, and the values of a few splits or tasks; what has more columns is a matrix.
MAX_COLUMNS = 12
_SUFFIXES = (".csv", ".tsv", ".txt", ".dat", ".log", ".out", "")
_MEASURES = frozenset(
    ("loss", "losses", "cost", "acc", "accs", "accuracy", "accuracies", "ppl", "perplexity")
) | frozenset(("reward", "rewards", "returns", "fitness"))
#: Of these there may be one an episode.
_PAID = frozenset(("reward", "rewards", "returns"))
#: What else the name may hold: "accuracy per class" and "loss weights" are no curves.
_OTHER = frozenset(
    word_set(
        """train training trn tr val valid validation test eval dev log logs history hist curve curves epoch epochs step
        steps iter iters iteration iterations batch values per mean avg total all data full raw out output"""
    )
) | {""}
#: Of what is called so, the rows are moments.
_LOGS = word_set("log logs history hist curve curves epoch epochs iter iters iteration iterations")
#: Of these there is one value each.
_APART = word_set(
    """class classes fold folds category categories label labels weight weights matrix subject sample samples table
    tables result results summary comparison by vs rank ranks model models"""
)
_GAP = r"[ \t]*[,;][ \t]*|[ \t]+"
#: Two counters, of which the second begins anew with the first ("epoch 0, batch 3: 0.7").
_PLACED = late_regex(
    r"^epoch[ \t:=_#]*-?\d+[ \t,;|/]{1,3}(?:step|iter(?:ation)?|batch)[ \t:=_#]*-?\d+[ \t,;:=_|-]{1,3}"
    r"(?=[-+]?(?:\d|\.\d|nan|inf))", re.IGNORECASE,
)  # fmt: skip
#: A counter that is called so in each row, or parted by another mark ("epoch1 0.25", "1_1.85", "12: 0.7").
_CALLED = late_regex(
    r"^(?:(?:epoch|step|iter(?:ation)?|batch|episode)[ \t:=_#]*)?(-?\d+)(?:[_:=][ \t]*|[ \t]+|[ \t]*[,;][ \t]*)"
    r"(?=[-+]?(?:\d|\.\d|nan|inf))", re.IGNORECASE,
)  # fmt: skip
#: Most intervals of a counter are of so few sizes: those of a sorted column of measurements are of many.
_REGULAR, _SIZES = 0.9, 3
_RISING = 0.5
#: "# val 100 0.83"
_EVALUATED = late_regex(rf"#+ ?(?:{UNSEEN_SPLIT})\b[^\d\n]{{0,20}}\d+[ ,:]", re.IGNORECASE)
#: One column of numbers as numpy.savetxt writes them; of a loss, or what is called a history, a few tell.
_SAVED = late_regex(r"-?\d\.\d{18}e[+-]\d\d")
_FEW_SAVED, _OF_TIME = 6, word_set("loss losses cost history")
#: A level has moved where its medians lie so many of their own errors apart.
_APART_BY = 4.0
#: What a population has a best of, beside which its mean is written.
_BEST = frozenset(("fitness",))

Floats = NDArray[np.float64]


def claims(path: Path, head: bytes) -> bool:
    """A name that says one metric, over rows of numbers whose first column counts."""
    name = unpacked_name(path.name.lower())
    stem = Path(name).stem
    as_log = _is_called_log(stem)
    if Path(name).suffix not in _SUFFIXES or not (as_log or _is_called_so(stem)) or b"\x00" in head[:100]:
        return False
    text = _unnumbered(decoded_head(head))
    rows = text.split("\n")[: 2 * MIN_ROWS]
    if any(map(_EVALUATED.match, rows[1:])):  # a log that counts its evaluations in comments
        return False
    saved = [r.strip() for r in rows if r.strip()]
    few = _OF_TIME.isdisjoint(re.split(r"[^a-z]+", name)) and len(saved) < MIN_ROWS
    if term_names(rows) or (not few and len(saved) >= _FEW_SAVED and all(map(_SAVED.fullmatch, saved[:-1]))):
        return True
    first = next((r for r in rows if r.strip() and not r.lstrip().startswith("#")), "")
    if not first or not _plain(first.strip()).lstrip("-")[:1].isdigit():
        return False
    table = _table(rows[:-1] if len(head) >= 1 << 16 else rows)
    paid = not _PAID.isdisjoint(re.split(r"[^a-z]+", name))
    if table is None or not (_counts(table) or (paid and _ends_episodes(table))):
        return False
    if as_log:
        return _by_values(table) != []
    if table.shape[1] == len(_cells(first)) and table[0, 0] == float(_cells(first)[0]):
        return True
    # how the values go shows over more of them
    whole = _table(text[: text.rfind("\n") + 1].split("\n"))
    table = table if whole is None else whole
    # a first column that only rises is the axis of something else (the rates of a range test); a best value may well
    axis = (
        not _BEST & set(re.split(r"[^a-z]+", name)) and table.shape[1] > 2 and bool((np.diff(table[:, 1]) >= 0.0).all())
    )
    return not axis and all(_moves(column) for column in table[:, 1:].T)


def read(paths: Sequence[Path]) -> list[Log]:
    """One log per file; the first column of values is called as the file is, another one by its place."""
    return [_read(path) for path in paths]


def _read(path: Path) -> Log:
    data, notes = read_text(path)
    text, more = decode(data)
    told = [*notes, *more]
    text = _unnumbered(text)
    lines = text.split("\n")
    if term_names(lines[: 2 * MIN_ROWS]):
        return Log(path, NAME, data=points_of(term_curves(lines)), notes=coalesce(told), bytes=len(data))
    if not text.endswith("\n") and len(lines) > MIN_ROWS:
        lines.pop()
        told.append(Note("truncated", "the last line has no end; it was left out"))
    table = _table(lines, told)
    if table is None or not len(table):
        told.append(Note("not-a-log", "no rows of numbers"))
        return Log(path, NAME, notes=coalesce(told), bytes=len(data))
    names = _comment(lines, table.shape[1])
    if not names:
        alone = table.shape[1] > len(_cells(next(r for r in lines if r.strip() and not r.lstrip().startswith("#"))))
        said = "the values stand alone; each row counts as one" if alone else "the first was taken for the step"
        told.append(Note("no-header", f"no header names the columns; {said}"))
        stem = Path(unpacked_name(path.name)).stem
        names = ["", stem, *(f"column {i + 1}" for i in range(2, table.shape[1]))]
        if _is_called_log(stem.lower()):
            names = _by_values(table) or names
        if _BEST & set(re.split(r"[^a-z]+", stem.lower())) and _is_best(table):
            names[1:3] = [f"best {stem}", f"mean {stem}"]
    curves = [LogCurve.plain(names[i], table[:, 0], table[:, i]) for i in range(1, table.shape[1])]
    return Log(path, NAME, data=points_of(curves), notes=coalesce(told), bytes=len(data))


def _unnumbered(text: str) -> str:
    """The text without the header that pandas writes over columns without a name (",0,1,2"): the first is the row's."""
    head, _, rest = text.partition("\n")
    places = head.strip().split(",")
    return rest if len(places) > 1 and places == ["", *map(str, range(len(places) - 1))] else text


def _is_called_so(stem: str) -> bool:
    parts = [w for p in re.split(r"[^a-z]+", stem) for w in _apart(p)]
    if sum(p in _MEASURES for p in parts) != 1:
        return False
    if all(p in _MEASURES or p in _OTHER for p in parts):
        return True
    # "actor_loss", "loss_actor": whose it is
    said = [p for p in parts if p]
    return bool({said[0], said[-1]} & _MEASURES) and _APART.isdisjoint(parts)


def _is_called_log(stem: str) -> bool:
    """Whether a name says that a file is a log, perhaps of one split, and nothing else."""
    parts = [p for p in re.split(r"[^a-z]+", stem) if p]
    return not _LOGS.isdisjoint(parts) and all(p in _OTHER for p in parts)


def _by_values(table: Floats) -> list[str]:
    """The names of the columns of a log by what they do: the loss that falls and the accuracy that rises as a share, of
    which there is one each; none where there is no such loss."""
    of = {"loss": curve_shape.comes_down, "accuracy": curve_shape.gains}
    names = ["", *(f"column {i + 1}" for i in range(1, table.shape[1]))]
    for name, does in of.items():
        mine = [i for i in range(1, table.shape[1]) if does(table[:, i][np.isfinite(table[:, i])])]
        if name == "loss" and len(mine) != 1:
            return []
        if len(mine) == 1:
            names[mine[0]] = name
    return names


def _apart(word: str) -> tuple[str, ...]:
    """The words of "trainloss" and "iterloss", others as they are."""
    end = next((m for m in sorted(_MEASURES, key=len, reverse=True) if word.endswith(m)), "")
    start = word[: len(word) - len(end)]
    return (start, end) if end and start in _OTHER else (word,)


def _comment(lines: Sequence[str], width: int) -> list[str]:
    """The names in the last comment ahead of the rows, none where it is not one word for each column."""
    ahead = list(itertools.takewhile(lambda r: not r.strip() or r.lstrip().startswith("#"), lines[:100]))
    names = re.split(_GAP, ahead[-1].strip("# \t\r")) if ahead else []
    good = len(set(names)) == width and all(re.fullmatch(r"[A-Za-z_][\w./-]{0,60}", n) for n in names)
    return names if good else []


def _table(lines: Sequence[str], told: list[Note] | None = None) -> Floats | None:
    """Rows of a counter and a few numbers, None where there is none; rows that are none are left out and told, or all
    where not. Values without a counter are counted by their rows."""
    rows = pl.Series("row", [_plain(r.strip(" \t\r").rstrip(",;")) for r in lines], dtype=pl.String)
    rows = rows.filter((rows != "") & ~rows.str.starts_with("#"))
    cells = rows.str.replace_all(_GAP, "\t").str.split("\t")
    if not len(cells):
        return None
    width = int(cells.list.len().mode().min() or 0)  # type: ignore[arg-type]
    if not 1 <= width <= MAX_COLUMNS:
        return None
    numbers = cells.filter(cells.list.len() == width).list.eval(pl.element().cast(pl.Float64, strict=False))
    whole = numbers.filter(~numbers.list.eval(pl.element().is_null()).list.any())
    bad = len(rows) - len(whole)
    if bad and told is None:
        return None
    if bad and told is not None:
        told.append(Note("damaged", "lines that are no rows of numbers were left out", count=bad))
    if not len(whole):
        return None
    table: Floats = whole.explode().to_numpy().reshape(-1, width)
    if width > 1 and len(table) > 1 and bool((table[:, 0] == table[0, 0]).all()):  # it says the same of every row
        table, width = table[:, 1:], width - 1
    first = table[:, 0]  # a best score may be whole as well
    counted = width > 1 and bool((first == np.floor(first)).mean() > _REGULAR and _rises(first))
    if not counted and width > 1 and _counts(np.roll(table, 1, axis=1)):  # the counter stands behind the values
        return np.roll(table, 1, axis=1)
    return table if counted else np.column_stack([np.arange(len(table), dtype=np.float64), table])


def _plain(row: str) -> str:
    """The row with its counter as a column of its own, without the word before it; of two counters, with none."""
    placed = _PLACED.match(row)
    said = None if placed else _CALLED.match(row)
    row = row[placed.end() :] if placed else row
    return f"{said[1]}\t{row[said.end() :]}" if said else row


def _cells(row: str) -> list[str]:
    return re.split(_GAP, _plain(row.strip(" \t\r").rstrip(",;")))


def _is_best(table: Floats) -> bool:
    """Whether the first values are nowhere less than the ones beside them, as the best of many is."""
    return table.shape[1] > 2 and bool((table[:, 1] >= table[:, 2]).all())


def _rises(count: Floats) -> bool:
    """Whether a first column goes on from most rows to the next."""
    return len(count) < 2 or float((np.diff(count) > 0).mean()) > _RISING


def _moves(value: Floats) -> bool:
    """Whether values without a counter are those of a training: their level moves by more than it is uncertain, or the
    first two lie beyond all of the later half."""
    finite = value[np.isfinite(value)]
    if len(finite) < MIN_ROWS:
        return False
    first, later = finite[:2], finite[len(finite) // 2 :]
    if first.min() > later.max() or first.max() < later.min():
        return True
    third = len(finite) // 3
    far = abs(float(np.median(finite[:third])) - float(np.median(finite[-third:])))
    error = float(np.median(np.abs(np.diff(finite)))) / math.sqrt(third)
    return far > _APART_BY * error


def _ends_episodes(table: Floats) -> bool:
    """Whether a first column counts the steps at which episodes ended, each of another length."""
    count = table[:, 0]
    rises = bool((np.diff(count) > 0).all()) and bool((count == np.floor(count)).all()) and count[0] >= 0.0
    return table.shape[1] == 2 and len(table) >= MIN_ROWS and rises


def _counts(table: Floats) -> bool:
    """Whether the first column counts from the start at a steady pace, and the others measure."""
    count, values = table[:, 0], table[:, 1:]
    if len(table) < MIN_ROWS or not np.isfinite(count).all() or (count != np.floor(count)).any():
        return False
    paces = np.diff(count)
    sizes, often = np.unique(paces, return_counts=True)
    usual = sizes[np.argsort(-often)][:_SIZES]
    steady = bool((paces > 0).all()) and float(np.isin(paces, usual).mean()) >= _REGULAR
    starts = count[0] in (0.0, 1.0, *usual.tolist())
    return bool(steady and starts and (values[np.isfinite(values)] != np.floor(values[np.isfinite(values)])).any())
