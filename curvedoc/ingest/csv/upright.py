"""Tables that lie on their side: a row for each metric and a column for each epoch, or a row for each training whose
cells are its curves, set upright."""

from __future__ import annotations

import csv
import io
from itertools import pairwise, zip_longest

import numpy as np

from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.naming.log_words import MORE_EPOCHS, MORE_STEPS, is_loss, is_outcome
from curvedoc.ingest.naming.split_words import scope_of
from curvedoc.ingest.naming.values.curve_shape import comes_down, gains
from curvedoc.ingest.table.inference.run_columns import is_naming
from curvedoc.ingest.table.keys import COUNTERS
from curvedoc.ingest.table.values import number, split_of

#: So many rows at most name a metric each, and so many columns at least are epochs.
_ROWS, _COLUMNS = 40, 10
#: Enough of a file to see that it has too many rows.
_LOOK = 1 << 16
_COUNTERS = frozenset(("epoch", "step", "iteration", "iter", "round", "episode", "e", *MORE_EPOCHS, *MORE_STEPS))
_SEPARATORS = (",", ";", "\t")
#: "epoch 3", "Epoch_3", "3"
_COUNTED = late_regex(r"([^\W\d_]*)[ _-]?(\d{1,9})")
#: A cell that is a list of numbers, of which so many are a curve; so many rows of them at most.
_LIST = late_regex(rb"[;,\t\n]\"? ?[\[(] ?[-+]?[0-9.][-+0-9.eE]*[, ]+(?:[-+]?[0-9.][-+0-9.eE]*[, ]+){5}")
_CURVE, _TRAININGS = 8, 1_000


def upright(data: bytes) -> bytes:
    """The text of a table on its side with a column for each metric; any other text as it is."""
    if _LIST.search(data, 0, _LOOK):
        return _unlisted(data)
    if data.count(b"\n", 0, _LOOK) > _ROWS:
        return data
    sep = max(_SEPARATORS, key=lambda s: data.count(s.encode(), 0, _LOOK))
    if data.count(sep.encode(), 0, _LOOK) < _COLUMNS:
        return data
    lines = [r.strip(" \r") for r in data.decode("utf-8", "replace").split("\n")]
    rows = [[c.strip() for c in r.split(sep)] for r in lines if r]
    width = len(rows[0])
    if width <= max(_COLUMNS, len(rows)) or any(len(r) != width for r in rows):
        return data
    counter, count = _counter(rows[0])
    rows = rows[1:] if count else rows
    names = [r[0] for r in rows]
    measured = all(number(n) is None and n for n in names) and len(set(names)) == len(names)
    splits = {split_of(n) for n in names}
    told = len(splits - {None}) > 1
    if not measured or not (told or any(map(is_outcome, names))):
        return data
    point = "," if sep == "," else "."  # a comma that parts no cells is that of a number
    if not all(number(c.replace(",", point)) is not None for r in rows for c in r[1:] if c):
        return data
    columns = [r[1:] for r in rows]
    losses = [n for n in names if "loss" in n.lower()]
    both = told or len({scope_of(n) for n in losses} - {""}) > 1
    if not counter and (not (losses or told) or (width <= 2 * _COLUMNS and not (both and count))):
        return data  # a column may be one of a few classes
    if counter:
        names, columns = [counter, *names], [count, *columns]
    return "\n".join(sep.join(r) for r in (names, *zip(*columns, strict=True))).encode() + b"\n"


def _unlisted(data: bytes) -> bytes:
    """The text of a table whose cells hold curves with a row for each of their values; any other text as it is."""
    text = data.decode("utf-8", "replace")
    head = text[: text.find("\n")]
    sep = max(_SEPARATORS, key=head.count)
    try:
        names, *rows = [r for r in csv.reader(io.StringIO(text), delimiter=sep) if r]
    except (csv.Error, ValueError):
        return data
    if not 0 < len(rows) <= _TRAININGS or any(n.strip().lower() in COUNTERS for n in names):
        return data  # with a counter they are the values of one moment
    lists = [i for i, n in enumerate(names) if all(i < len(r) and r[i].strip()[:1] in ("[", "(") for r in rows)]
    measured = [i for i in lists if is_loss(names[i])]
    if not measured or 2 * sum(_learns(row[measured[0]]) for row in rows) < len(rows):
        return data
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\n").writerow
    write([*([] if any(map(is_naming, names)) or len(rows) < 2 else ["run"]), "epoch", *names])
    for k, row in enumerate(rows):
        curves = [_values(row[i]) for i in lists]
        ahead = [str(k)] if len(rows) > 1 and not any(map(is_naming, names)) else []
        for at, values in enumerate(zip_longest(*curves, fillvalue="")):
            of = dict(zip(lists, values, strict=True))
            write([*ahead, str(at), *(of.get(i, cell) for i, cell in enumerate(row))])
    return out.getvalue().encode()


def _values(cell: str) -> list[str]:
    return cell.strip("[]() ").replace(",", " ").split()


def _learns(cell: str) -> bool:
    """Whether a list of values is a curve that goes somewhere: the accuracies of classes go nowhere."""
    found = np.array([v for c in _values(cell) if (v := number(c)) is not None])
    return len(found) >= _CURVE and (comes_down(found) or gains(found))


def _counter(row: list[str]) -> tuple[str, list[str]]:
    """(name, "" where nothing says what it counts; values) of a first row that counts, ("", []) for any other."""
    found = [_COUNTED.fullmatch(c) for c in row[1:]]
    said = {m[1].lower() for m in found if m is not None}
    if not all(found) or len(said) != 1:
        return "", []
    values = [m[2] for m in found if m is not None]
    if any(int(a) >= int(b) for a, b in pairwise(values)):
        return "", []
    name = next((w for w in (row[0].lower(), *said) if w in _COUNTERS), "")
    return name, values
