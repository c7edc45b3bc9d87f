"""Whether what was read from tables is a training: a counter beside numbers is none yet."""

from __future__ import annotations

from collections.abc import Sequence

from curvedoc.core.run import Run
from curvedoc.ingest.assemble.groups import Piece
from curvedoc.ingest.naming.word_set import word_set
from curvedoc.ingest.table.inference.structure import FEWEST, behaves

#: Formats that anything may be written in; every other one is a logger's own.
_TABLES = word_set("csv jsonl headless column-json")
#: Roles that a table of anything may have: they say nothing of learning.
_BESIDE = word_set("epoch tokens samples batch_size step_time data_time memory cpu gpu_utilization throughput")


def is_idle(run: Run, pieces: Sequence[Piece]) -> bool:
    """Whether a run that was met on a walk shows no learning: out of tables alone, without a role that says so, and
    without a curve whose neighbors are alike."""
    if not pieces or any(p.log.format not in _TABLES for p in pieces):
        return False
    if any(m.role not in _BESIDE and m.trust != "guess" for m in run.roles):
        return False
    curves = [s for name in run.metrics() if (s := run.metric(name)) is not None and len(s) >= FEWEST]
    return not any(behaves(s.value) for s in curves)
