"""Many runs at once: shards of bundles over worker processes, what each gave kept for the next call."""

from __future__ import annotations

from curvedoc.triage.pool import Limits
from curvedoc.triage.sweeping import Sweep, sweep

__all__ = ["Limits", "Sweep", "sweep"]
