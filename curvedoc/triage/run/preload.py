"""What the process that workers are forked from imports, with the garbage collector at rest: all of it stays.

Imported by that process alone, which runs nothing afterwards. Its workers set the collector as they need it.
"""

from __future__ import annotations

import gc

gc.disable()

# what a worker works with, and what that imports only when it is first used
import numpy.ma  # noqa: E402, F401

import curvedoc.diagnose.run  # noqa: E402
import curvedoc.ingest.read  # noqa: E402
import curvedoc.rulebook.load  # noqa: E402
import curvedoc.stats.vocabulary  # noqa: E402
import curvedoc.triage.run.worker  # noqa: E402, F401

gc.freeze()
