"""Log files of every format in, one polars frame per run out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from curvedoc.ingest.discover import Bundle as Bundle
    from curvedoc.ingest.discover import Plan as Plan
    from curvedoc.ingest.discover import plan as plan
    from curvedoc.ingest.reading import Harvest as Harvest
    from curvedoc.ingest.reading import read_bundles as read_bundles
    from curvedoc.ingest.reading import read_each as read_each
    from curvedoc.ingest.reading import read_run as read_run
    from curvedoc.ingest.reading import read_runs as read_runs
    from curvedoc.ingest.reading import shards as shards
    from curvedoc.ingest.signals import Signals as Signals
    from curvedoc.ingest.signals import load_signals as load_signals

#: Public name -> the module that has it.
_PLACES = {
    **dict.fromkeys(("Bundle", "Plan", "plan"), "discover"),
    **dict.fromkeys(("Harvest", "read_bundles", "read_each", "read_run", "read_runs", "shards"), "reading"),
    **dict.fromkeys(("Signals", "load_signals"), "signals"),
}


def __getattr__(name: str) -> Any:
    """The public names on first use: what only asks where a cache lies needs no reader."""
    import importlib

    if name not in _PLACES:
        raise AttributeError(f"module 'curvedoc.ingest' has no attribute '{name}'")
    return getattr(importlib.import_module(f"curvedoc.ingest.{_PLACES[name]}"), name)
