"""Log files of every format in, one polars frame per run out."""

from __future__ import annotations

from curvedoc.ingest.discover import Bundle, Plan, plan
from curvedoc.ingest.reading import Harvest, read_bundles, read_each, read_run, read_runs, shards
from curvedoc.ingest.signals import Signals, load_signals

__all__ = [
    "Bundle", "Harvest", "Plan", "Signals", "load_signals", "plan", "read_bundles", "read_each", "read_run",
    "read_runs", "shards",
]  # fmt: skip
