"""The fact `ending`: how a run ended, and how that is known. Unknown stays unknown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import polars as pl

from curvedoc.core.frozen import dataclass
from curvedoc.core.run import Run
from curvedoc.core.source import Source
from curvedoc.diagnose.ending.course import Course, closing, seconds_apart
from curvedoc.diagnose.ending.said import FEW, Said, rows_after
from curvedoc.diagnose.ending.status import status
from curvedoc.diagnose.ending.words import EndingWord

#: Endings of a run that did not get where it was going.
EARLY: frozenset[str] = frozenset(
    ("by-hand", "time-limit", "preempted", "killed", "hardware", "disk", "crash", "cut-off")
)
#: A run that was not written to for so many of its own logging intervals, while others were, has stopped.
QUIET_INTERVALS = 10
#: A text that says "finished" may be followed by a last evaluation: rows, as a share of the run's.
LAST_EVALUATION = 0.1
#: What the outside says of the reason outranks what it did: a signal, and errors of those who received it.
_REASONS = ("time-limit", "preempted", "hardware", "disk")
#: Messages of which the reason stands elsewhere, if anywhere.
_CONSEQUENCES = ("peer-lost", "tracker", "collective-timeout", "loader-worker")
_TORN = ("truncated", "zero-tail")
_TRACEBACK = "TRACEBACK"


@dataclass(frozen=True, slots=True)
class Ending:
    """value: None where nothing tells. known_by: "message", "exit status", "plan", "torn record", "file times"."""

    value: EndingWord | None
    trust: Literal["sure", "guess"] = "sure"
    known_by: str = ""
    because: str = ""
    step: int | None = None
    message: Said | None = None

    @property
    def early(self) -> bool:
        """Whether the run is known to have ended before its time."""
        return self.value in EARLY


UNKNOWN = Ending(None)


def ending(run: Run, told: Sequence[Said], course: Course | None, alive: bool = False) -> Ending:
    """How the run ended: by what was said last, by what a store says, by a torn record, by the plan and file times.

    alive: someone is watching the files grow, so that nothing is concluded from where they end.
    """
    complete = course is not None and course.complete
    state = _state(run)
    spoken = _spoken(run, told, course)
    if spoken is not None and spoken.value == "crash" and (complete or (state and state.value == "finished")):
        spoken = None  # the exception came when the training was over, or was none of its
    if spoken is not None:
        return spoken
    if state is not None:
        return state
    if complete and course is not None:
        return Ending("finished", "sure" if course.share >= 1.0 else "guess", "plan", f"{course.words} is logged")
    closed = closing(run)
    if closed is not None:
        return Ending("finished", "sure", "plan", closed)
    torn = _torn(run.sources)
    if torn is not None and not alive:
        return Ending("cut-off", "sure", "torn record", torn)
    return _by_plan(run, course, alive)


def _spoken(run: Run, told: Sequence[Said], course: Course | None) -> Ending | None:
    """By the messages after which nothing went on."""
    loss = run.series("loss") or run.series("val_loss")
    rows = 0 if loss is None else len(loss)
    ends = [s for s in told if s.ending != "note" and (s.last or _is_done(s, rows))]
    if not ends:
        return _unnamed(run)
    done = next((i for i, s in enumerate(ends) if s.ending in ("finished", "early-stopping")), None)
    before = [s for s in ends[:done] if s.ending != "crash"] if done is not None else list(ends)
    short = course is not None and course.length and not course.complete
    if done is not None and not before and not (short and _died_first(ends[:done])):
        chosen = next((s for s in ends[: done + 2] if s.ending == "early-stopping"), ends[done])
        return _told(chosen)
    first = before or list(ends)
    crash = next((s for s in ends if s.ending == "crash" and s.group.id not in _CONSEQUENCES), None)
    reason = next((s for s in first if s.ending in _REASONS), None)
    plain = first[0]
    if crash is not None and crash.row <= plain.row and (reason is None or crash.row < reason.row):
        return _told(crash)
    if reason is not None:
        return _told(reason)
    if plain.ending == "killed":  # of several, the one that names who killed
        return _told(next((s for s in first if s.group.id == "oom-killer"), plain))
    return _told(plain if plain.group.id not in _CONSEQUENCES or crash is None else crash)


def _is_done(s: Said, rows: int) -> bool:
    return s.ending in ("finished", "early-stopping") and s.after is not None and s.after <= LAST_EVALUATION * rows


def _died_first(before: Sequence[Said]) -> bool:
    return any(s.ending == "crash" and s.frame is not None for s in before)


def _told(s: Said) -> Ending:
    value: EndingWord = "crash" if s.ending == "note" else s.ending
    return Ending(value, "sure", "message", f"the log says: {s.line}", s.step, s)


def _unnamed(run: Run) -> Ending | None:
    """A traceback that the catalog does not know, after which nothing went on."""
    if not len(run.messages):
        return None
    blocks = run.messages.filter(pl.col("level") == _TRACEBACK)
    if not len(blocks):
        return None
    after = rows_after(run, blocks)
    last = [i for i, n in enumerate(after) if n is None or n <= FEW]
    if not last:
        return None
    row = blocks.row(last[0], named=True)
    lines = [line for line in str(row["text"]).splitlines() if line.strip()] or [""]
    return Ending("crash", "sure", "message", f"the log says: {lines[-1].strip()[:200]}", row["step"])


def _state(run: Run) -> Ending | None:
    """By what a store says."""
    found = status(run.config)
    return None if found is None else Ending(found[0], "sure", "exit status", found[1])


def _torn(sources: Sequence[Source]) -> str | None:
    """What says that the last file of some kind ends inside a record; None where a later one of that kind is whole."""
    last: dict[str, Source] = {s.format: s for s in sources if s.points}
    for s in last.values():
        note = next((n for n in s.notes if n.kind in _TORN), None)
        if note is not None:
            return f"{s.path}: {note.text}"
    return None


def _by_plan(run: Run, course: Course | None, alive: bool) -> Ending:
    """By a length that was not reached: stopped without a word, or still under way."""
    if course is None or not course.length:
        return UNKNOWN
    loss = run.series("loss") or run.series("val_loss")
    apart = None if loss is None else seconds_apart(loss)
    if not alive and apart is not None and run.quiet >= max(1.0, QUIET_INTERVALS * apart):
        why = f"{course.words} is logged, and nothing was written for {_span(run.quiet)} while other files were"
        return Ending("cut-off", "guess", "file times", why)
    return Ending("running", "guess", "plan", f"{course.words} is logged, and nothing says that the run stopped")


def _span(seconds: float) -> str:
    for size, unit in ((86400.0, "day"), (3600.0, "hour"), (60.0, "minute")):
        if seconds >= 2 * size:
            return f"at least {seconds // size:.0f} {unit}s"
    return f"at least {seconds:.0f} seconds"
