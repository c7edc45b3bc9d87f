"""Log files of every format in, one polars frame per run out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from curvedoc.ingest.find.plan import Bundle as Bundle
    from curvedoc.ingest.find.plan import Plan as Plan
    from curvedoc.ingest.find.plan import plan as plan
    from curvedoc.ingest.naming.signals import Signals as Signals
    from curvedoc.ingest.naming.signals import load_signals as load_signals
    from curvedoc.ingest.read import Harvest as Harvest
    from curvedoc.ingest.read import read_bundles as read_bundles
    from curvedoc.ingest.read import read_each as read_each
    from curvedoc.ingest.read import read_run as read_run
    from curvedoc.ingest.read import read_runs as read_runs
    from curvedoc.ingest.read import shards as shards

#: Public name -> the module that has it.
_PLACES = {
    **dict.fromkeys(("Bundle", "Plan", "plan"), "find.plan"),
    **dict.fromkeys(("Harvest", "read_bundles", "read_each", "read_run", "read_runs", "shards"), "read"),
    **dict.fromkeys(("Signals", "load_signals"), "naming.signals"),
}


def __getattr__(name: str) -> Any:
    """The public names on first use: what only asks where a cache lies needs no reader."""
    import importlib

    if name not in _PLACES:
        raise AttributeError(f"module 'curvedoc.ingest' has no attribute '{name}'")
    return getattr(importlib.import_module(f"curvedoc.ingest.{_PLACES[name]}"), name)
