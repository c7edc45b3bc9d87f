"""Many runs at once: shards of bundles over worker processes, what each gave kept for the next call."""

from __future__ import annotations

from curvedoc.triage.request import Sweep, SweepOptions
from curvedoc.triage.run.limits import Limits
from curvedoc.triage.tree_sweep import sweep

__all__ = ["Limits", "Sweep", "SweepOptions", "sweep"]
