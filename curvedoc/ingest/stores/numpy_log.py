"""Curves saved as numpy arrays: an .npz of one array a metric, an .npy called by its metric, SB3's evaluations."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from curvedoc.core.late_regex import late_regex
from curvedoc.core.notes import coalesce
from curvedoc.core.run import Note
from curvedoc.ingest.bytes.file import read_bytes
from curvedoc.ingest.contract import Log
from curvedoc.ingest.json.columns import aligned
from curvedoc.ingest.naming.log_words import is_usual, spaced
from curvedoc.ingest.naming.split_words import SCOPES
from curvedoc.ingest.stores.npy import PICKLED, ZIP, array, header, members
from curvedoc.ingest.table.curve import LogCurve, points_of
from curvedoc.ingest.table.keys import EPOCH_KEYS, STEP_KEYS

NAME = "numpy"
FILES: tuple[str, ...] = ("*loss*.npy", "*history*.npz", "*metrics*.npz", "evaluations.npz")
ABOUT = "curves as numpy arrays: .npz of one array a metric, .npy called by its metric, Stable-Baselines' evaluations"

#: More than that are data.
MAX_BYTES = 256 << 20
_MIN_POINTS = 2
_NAMES = late_regex(rb"PK\x03\x04.{22}(.)\x00..([\w./ -]{1,200})\.npy", re.DOTALL)
_STEPS, _EPOCHS = frozenset(map(spaced, STEP_KEYS)), frozenset(map(spaced, EPOCH_KEYS))
#: What makes an array called by a loss no curve of it: weights of classes, a landscape, a loss for each sample.
_NO_CURVE = late_regex(
    r"(?:^|_)(?:weights?|class(?:es)?|landscape|surface|matrix|mask|samples?|fold|folds|grid|vs)(?:_|$)"
)
#: Stable-Baselines3's EvalCallback: a row an evaluation, a column an episode.
_EVALUATIONS = {"results": "eval/mean_reward", "ep_lengths": "eval/mean_ep_length", "successes": "eval/success_rate"}

Arrays = Mapping[str, NDArray[np.float64]]


def claims(path: Path, head: bytes) -> bool:
    """An array of numbers in a row in a file called by a metric, or an archive that begins with such arrays."""
    if head.startswith(ZIP):
        names = {m[2].decode("latin-1") for m in _NAMES.finditer(head)}
        return any(map(is_usual, names)) or {"timesteps", "results"} <= names
    of = header(head)
    if of is None or not is_usual(_metric(path)) or _NO_CURVE.search(_metric(path).lower()):
        return of is not None and of.dtype is None and of.shape == () and "hist" in path.stem.lower()
    return of.dtype is None or (of.dtype.kind == "f" and len(of.shape) == 1 and of.shape[0] >= _MIN_POINTS)


def read(paths: Sequence[Path]) -> list[Log]:
    """One log a file; arrays in files of one folder that name no step are laid along each other."""
    files = [_load(path) for path in paths]
    beside: dict[Path, Arrays] = {}
    for f in files:
        if not f.archive:
            beside[f.path.parent] = {**beside.get(f.path.parent, {}), **f.arrays}
    return [_log(f, f.arrays if f.archive else beside[f.path.parent]) for f in files]


@dataclass(frozen=True, slots=True)
class _ArrayFile:
    """The arrays of one file. torn: some are not whole."""

    path: Path
    arrays: Arrays
    notes: tuple[Note, ...]
    size: int
    archive: bool
    torn: bool


def _load(path: Path) -> _ArrayFile:
    data, notes = read_bytes(path, MAX_BYTES, text=False)
    told = list(notes)
    archive = data.startswith(ZIP)
    arrays: dict[str, NDArray[np.float64]] = {}
    for name, body, damage in members(data) if archive else iter([(_metric(path), data, "")]):
        found, why = array(body)
        if found is not None:
            arrays.setdefault(name, found)
        if damage or (why and (found is not None or not archive or why == PICKLED)):
            told.append(Note("not-a-log" if why == PICKLED else "damaged", f"{name}: {damage or why}"))
    return _ArrayFile(path, arrays, tuple(told), len(data), archive, any(n.kind == "damaged" for n in told))


def _log(file: _ArrayFile, beside: Arrays) -> Log:
    curves, axis, more = _curves(beside, file.torn)
    curves = [c for c in curves if file.archive or c.metric in file.arrays]
    config = {k: float(v[0]) for k, v in file.arrays.items() if v.shape == (1,)}
    if not curves and not file.notes:
        more = (Note("not-a-log", "no array in it is a curve"),)
    notes = coalesce([*file.notes, *more])
    return Log(file.path, NAME, points_of(curves), config=config, notes=notes, bytes=file.size, axis=axis)


def _metric(path: Path) -> str:
    return path.name.split(".np", 1)[0]


def _curves(arrays: Arrays, torn: bool) -> tuple[list[LogCurve], str, tuple[Note, ...]]:
    """The curves among the arrays, on one axis: the counter of the same length where there is one, else positions."""
    rows = {k: v for k, v in arrays.items() if v.ndim == 1 and len(v) >= _MIN_POINTS}
    if "timesteps" in rows and "results" in arrays:
        rows |= {
            to: arrays[k].reshape(len(arrays[k]), -1).mean(axis=1) for k, to in _EVALUATIONS.items() if k in arrays
        }
        rows = {k: v for k, v in rows.items() if k not in _EVALUATIONS}
    counters = {k: v for k, v in rows.items() if _counts(k, v)}
    steps = {k: v for k, v in counters.items() if _last_word(k) in _STEPS}
    sizes = {len(v) for k, v in rows.items() if is_usual(k)}
    out, kinds = [], set()
    for name, value in rows.items():
        if name in counters or len(value) not in sizes:
            continue
        counter = _counter(name, len(value), steps or counters)
        step = np.arange(len(value), dtype=np.float64) if counter is None else counters[counter]
        kinds.add("row" if counter is None else "step" if counter in steps else "epoch")
        out.append(LogCurve.plain(name, step, value))
    if kinds == {"row"}:
        return (out, "row", ()) if torn else aligned(out, boosting=False)
    return out, "epoch" if kinds == {"epoch"} else "step", ()


def _last_word(name: str) -> str:
    """The name without what stands for a split: "val_steps" counts steps."""
    return " ".join(w for w in spaced(name).replace("/", " ").split() if w not in SCOPES)


def _counts(name: str, value: NDArray[np.float64]) -> bool:
    whole = bool(np.isfinite(value).all()) and bool((value == np.floor(value)).all())
    return _last_word(name) in _STEPS | _EPOCHS and whole and bool((np.diff(value) >= 0).all())


def _counter(name: str, size: int, counters: Arrays) -> str | None:
    """The counter of as many values, one of the same split before others."""
    split = {SCOPES[w] for w in spaced(name).replace("/", " ").split() if w in SCOPES}
    fits = [k for k, v in counters.items() if len(v) == size]
    own = [k for k in fits if {SCOPES[w] for w in spaced(k).replace("/", " ").split() if w in SCOPES} == split]
    return next(iter(own or fits), None)
