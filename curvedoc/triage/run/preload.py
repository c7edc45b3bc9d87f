"""What the process that workers are forked from imports, with the garbage collector at rest: all of it stays.

Imported by that process alone, which runs nothing afterwards. Its workers set the collector as they need it.
"""

from __future__ import annotations

import gc
import pickle
import sys
from types import TracebackType

gc.disable()

# what a worker works with, and what that imports only when it is first used
import numpy.ma  # noqa: E402, F401

import curvedoc.diagnose.run  # noqa: E402
import curvedoc.ingest.read  # noqa: E402
import curvedoc.rulebook.load  # noqa: E402
import curvedoc.stats.vocabulary  # noqa: E402
import curvedoc.triage.run.worker  # noqa: E402
import curvedoc.triage.store.outcomes  # noqa: E402, F401

gc.freeze()


def _told(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Errors as Python tells them, but for a task of which only a part arrived: who handed it over was interrupted."""
    if not (issubclass(kind, EOFError) or (issubclass(kind, pickle.UnpicklingError) and "truncated" in str(error))):
        sys.__excepthook__(kind, error, trace)


# what a worker's own code raises is told by multiprocessing; this is for what comes before its code runs
sys.excepthook = _told
