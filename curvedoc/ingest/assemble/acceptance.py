"""Whether what was read is a training: a counter beside numbers is none yet, nor is a program's complaint, nor are the
times of a test or the trials of a search, even in a file that is given by name."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import polars as pl

from curvedoc.core.run import Run
from curvedoc.core.series import Floats
from curvedoc.ingest.assemble.groups import Piece
from curvedoc.ingest.naming.log_words import is_outcome
from curvedoc.ingest.naming.metric_name import split_and_rest
from curvedoc.ingest.naming.signals import Signals
from curvedoc.ingest.naming.split_words import scope_of
from curvedoc.ingest.naming.word_set import word_set
from curvedoc.ingest.table.inference.structure import FEWEST, behaves

#: Formats that anything may be written in; every other one is a logger's own.
_TABLES = word_set("csv jsonl headless column-json")
#: What a text says that tells why a training came to nothing; warnings and errors are in the log of any program.
_FATAL = word_set("CRITICAL TRACEBACK")
#: Words of a program that trains; where an error is the last that it says, it failed before it logged a number.
_TRAINS = r"(?i)\b(?:epochs?|training|trainer|iterations?)\b"
#: A request in the log of a server, and in that of a client, who names the host before.
_REQUEST = r"\b(?:GET|POST|PUT|DELETE|HEAD|OPTIONS) /"
_ASKED = r'https?://\S+ "[A-Z]+ /'
_REQUESTS = 5
#: Roles that a table of anything may have: they say nothing of learning.
_BESIDE = word_set("epoch tokens samples batch_size step_time data_time memory cpu gpu_utilization throughput")
#: What a search tries beside the learning rate, by the last word of the name.
_TRIED = word_set("lr rate decay wd dropout momentum gamma alpha hidden units layers size l1 l2 c")
#: A rate above this is a speed.
_FAST = 10.0
#: Rows that count epochs, at least so many, so far apart at most, and of fewer than so many.
_EPOCHS, _APART, _TOO_MANY = 3, 10, 100_000
#: Trials, at least so many; a setting jumps by so much, and so often that no schedule does.
_TRIALS, _JUMP, _OFTEN = 5, 3.0, 1 / 3


def why_no_training(run: Run, pieces: Sequence[Piece]) -> str:
    """Why the curves of a log are no training's whatever names it, "" where nothing says so."""
    names = run.metrics()
    if not names or not all(p.log.is_text for p in pieces):
        return ""
    last = [p.log.messages["level"][-1] for p in pieces if len(p.log.messages)]
    if _FATAL & set(last):  # a program that failed is worth an answer whatever it did
        return ""
    tested = not run.roles and all(scope_of(n.replace("_", " ")) not in ("", "train") for n in names)
    if tested and run.axis == "row":  # nothing counts: passes of a training would be
        return "what it measures is of a test alone, and no quality: no training"
    own = [n for n in names if not scope_of(n.replace("_", " "))]  # "val l2" is measured
    losses = {m.metric for m in run.roles if m.role in ("loss", "grad_norm")}
    if not any(is_outcome(n) for n in names if n not in losses):  # an l2 that is all that comes out is measured too
        own = [n for n in own if n not in losses]
    settings = [n for n in own if re.split(r"[\W_]+", n.lower())[-1] in _TRIED]
    tried = [n for n in settings if (s := run.metric(n)) is not None and _jumps(s.value) and not _is_speed(n, s.value)]
    if not tried:
        return ""
    told = [s.value for n in names if is_outcome(n) and (s := run.metric(n)) is not None]
    # settings that are printed more often than anything is measured are said again, not tried
    tried = [n for n in tried if not told or len(run.metric(n) or ()) <= max(map(len, told))]
    if not tried:
        return ""
    alone = all(m.role == "lr" for m in run.roles)
    if (told or alone) and not any(len(v) >= FEWEST and behaves(v) for v in told):
        return f"each row tries another {tried[0]}, as the trials of a search do: no training"
    return ""


def _is_speed(name: str, value: Floats) -> bool:
    """Whether a rate is one of samples a second: no learning, dropout or decay rate is so large."""
    return name.lower().endswith("rate") and float(np.median(value)) > _FAST


def _jumps(value: Floats) -> bool:
    """Whether a setting is another one from row to row, up and down: a schedule goes one way for many rows."""
    if len(value) < _TRIALS or not bool((value > 0).all()):
        return False
    move = np.diff(np.log(value))
    turns = float((move[1:] * move[:-1] < 0).mean())
    return turns >= _OFTEN and float(np.ptp(np.log(value))) >= np.log(_JUMP)


def _serves(messages: pl.DataFrame) -> bool:
    """Whether a program answers requests again and again: what fails there is a request."""
    text = messages["text"]
    return int((text.str.contains(_REQUEST) & ~text.str.contains(_ASKED)).sum()) >= _REQUESTS


def _fails(messages: pl.DataFrame) -> bool:
    """Whether a text tells a fatal error, or counts or speaks of training and ends in an error."""
    level = messages["level"].to_list()
    if _FATAL & set(level) or not level or level[-1] != "ERROR":
        return bool(_FATAL & set(level))
    return messages["step"][-1] is not None or bool(messages["text"].str.contains(_TRAINS).any())


def is_idle(run: Run, pieces: Sequence[Piece], table: Signals) -> bool:
    """Whether a run that was met on a walk shows no learning: out of tables or text alone, without a role that says so,
    without epochs or two sets of samples that a table measures alike, and without a curve whose neighbors are alike.
    A text that tells a fatal error is one that failed early."""
    if not pieces or any(p.log.format not in _TABLES and not p.log.is_text for p in pieces):
        return False
    if any(m.role not in _BESIDE and m.trust != "guess" for m in run.roles):
        return False
    said = [p for p in pieces if p.log.is_text]
    if said and (run.roles or any(_fails(p.log.messages) for p in said)):
        return not run.roles and any(_serves(p.log.messages) for p in said)
    if _counts_epochs(run) or _measures_twice(run, table):
        return False
    curves = [s for name in run.metrics() if (s := run.metric(name)) is not None and len(s) >= FEWEST]
    return not any(behaves(s.value) for s in curves)


def _counts_epochs(run: Run) -> bool:
    """Whether the rows are epochs one after the other: the seconds since 1970 are called an epoch too."""
    if run.axis != "epoch":
        return False
    steps = np.unique(np.concatenate([block.step for block in run.blocks])) if run.blocks else np.zeros(0)
    return len(steps) >= _EPOCHS and float(np.median(np.diff(steps))) <= _APART and float(steps[-1]) < _TOO_MANY


def _measures_twice(run: Run, table: Signals) -> bool:
    """Whether one quantity is measured on the samples of training and on others along a counter, whatever it is."""
    if run.axis == "row":
        return False
    parts: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for name in run.metrics():
        split, rest = split_and_rest(name, table)
        parts[rest].add(split)
    return any(rest and "train" in splits and len(splits) > 1 for rest, splits in parts.items())
