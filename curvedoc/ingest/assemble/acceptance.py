"""Whether what was met on a walk is a training: a counter beside numbers is none yet, nor is a program's complaint."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from curvedoc.core.run import Run
from curvedoc.ingest.assemble.groups import Piece
from curvedoc.ingest.naming.word_set import word_set
from curvedoc.ingest.table.inference.structure import FEWEST, behaves

#: Formats that anything may be written in; every other one is a logger's own.
_TABLES = word_set("csv jsonl headless column-json")
#: What a text says that tells why a training came to nothing; warnings and errors are in the log of any program.
_FATAL = word_set("CRITICAL TRACEBACK")
#: A request in the log of a server, and in that of a client, who names the host before.
_REQUEST = r"\b(?:GET|POST|PUT|DELETE|HEAD|OPTIONS) /"
_ASKED = r'https?://\S+ "[A-Z]+ /'
_REQUESTS = 5
#: Roles that a table of anything may have: they say nothing of learning.
_BESIDE = word_set("epoch tokens samples batch_size step_time data_time memory cpu gpu_utilization throughput")


def _serves(messages: pl.DataFrame) -> bool:
    """Whether a program answers requests again and again: what fails there is a request."""
    text = messages["text"]
    return int((text.str.contains(_REQUEST) & ~text.str.contains(_ASKED)).sum()) >= _REQUESTS


def is_idle(run: Run, pieces: Sequence[Piece]) -> bool:
    """Whether a run that was met on a walk shows no learning: out of tables or text alone, without a role that says so,
    and without a curve whose neighbors are alike. A text that tells a fatal error is one that failed early."""
    if not pieces or any(p.log.format not in _TABLES and not p.log.is_text for p in pieces):
        return False
    if any(m.role not in _BESIDE and m.trust != "guess" for m in run.roles):
        return False
    said = [p for p in pieces if p.log.is_text]
    if said and (run.roles or any(_FATAL & set(p.log.messages["level"].to_list()) for p in said)):
        return not run.roles and any(_serves(p.log.messages) for p in said)
    curves = [s for name in run.metrics() if (s := run.metric(name)) is not None and len(s) >= FEWEST]
    return not any(behaves(s.value) for s in curves)
