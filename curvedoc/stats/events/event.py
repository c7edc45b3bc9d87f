"""Event and Events: what a detector found in one series (a jump, a spike, a dip), and how to ask about it."""

from __future__ import annotations

from collections.abc import Iterable

from curvedoc.core.frozen import dataclass

# Rows that must have been seen after the start of an event before "it did not come back" means anything.
SETTLED_ROWS = 10


@dataclass(frozen=True, slots=True)
class CurveEvent:
    """One departure of a series from its level.

    step:      step at which it began
    end:       step at which the level before was reached again; the last step if it never was
    size:      signed, in units of the value: largest departure of a spike, change of level of a jump
    z:         size in standard deviations of what chance does to it, >= 0
    before:    level just before
    after:     level just after a jump; level after the return (or at the end) of a spike
    rows:      rows from the start to the return, or to the end of the series
    recovered: came back to the level before
    row:       row of `step` in the series it was found in, non-finite rows counted
    """

    step: float
    end: float
    size: float
    z: float
    before: float
    after: float
    rows: int
    recovered: bool
    row: int


@dataclass(frozen=True, slots=True)
class CurveEvents:
    """Events of one series in order of step; `rows` is the number of finite rows that were searched."""

    items: tuple[CurveEvent, ...]
    rows: int


NO_EVENTS = CurveEvents((), 0)


def _only(events: CurveEvents, items: Iterable[CurveEvent]) -> CurveEvents:
    return CurveEvents(tuple(items), events.rows)


def step_of(event: CurveEvent) -> float:
    """Step at which the event began."""
    return event.step


def end_of(event: CurveEvent) -> float:
    """Step at which the level before the event was reached again, else the last step."""
    return event.end


def size_of(event: CurveEvent) -> float:
    """Signed size of the event in units of the value."""
    return event.size


def score_of(event: CurveEvent) -> float:
    """Size of the event in standard deviations of chance, never negative."""
    return event.z


def before_of(event: CurveEvent) -> float:
    """Level just before the event."""
    return event.before


def after_of(event: CurveEvent) -> float:
    """Level after the event."""
    return event.after


def rows_of(event: CurveEvent) -> float:
    """Rows from the start of the event to its end."""
    return float(event.rows)


def enduring(event: CurveEvent, z: float, size: float) -> CurveEvent | None:
    """The event, where its score and its size reach these and it did not come back; None otherwise.

    >>> step = CurveEvent(40.0, 99.0, 2.0, 9.0, 1.0, 3.0, 60, False, 40)
    >>> enduring(step, 8.0, 1.5) is step, enduring(step, 8.0, 2.5)
    (True, None)
    """
    return event if event.z >= z and abs(event.size) >= size and not event.recovered else None


def recovered(event: CurveEvent) -> bool:
    """The series came back to the level before the event."""
    return event.recovered


def count(events: CurveEvents) -> float:
    """Number of events.

    >>> count(CurveEvents((), 100))
    0.0
    """
    return float(len(events.items))


def rate(events: CurveEvents) -> float | None:
    """Events per searched row; None where no row was searched."""
    return len(events.items) / events.rows if events.rows else None


def largest(events: CurveEvents) -> CurveEvent | None:
    """The event of the largest absolute size, the earlier one of two equal; None if there is none."""
    return max(events.items, key=lambda e: abs(e.size), default=None)


def strongest(events: CurveEvents) -> CurveEvent | None:
    """The event of the highest score, the earlier one of two equal; None if there is none."""
    return max(events.items, key=lambda e: e.z, default=None)


def first_event(events: CurveEvents) -> CurveEvent | None:
    """The earliest event; None if there is none."""
    return events.items[0] if events.items else None


def last_event(events: CurveEvents) -> CurveEvent | None:
    """The latest event; None if there is none."""
    return events.items[-1] if events.items else None


def recovered_events(events: CurveEvents) -> CurveEvents:
    """The events after which the series came back."""
    return _only(events, (e for e in events.items if e.recovered))


def unrecovered(events: CurveEvents) -> CurveEvents:
    """The events after which the series did not come back though it had at least ten rows to do so."""
    return _only(events, (e for e in events.items if not e.recovered and e.rows >= SETTLED_ROWS))


def share_recovered(events: CurveEvents) -> float | None:
    """Share of the judged events that recovered; None without one. Events of the last ten rows are not judged."""
    back = len(recovered_events(events).items)
    judged = back + len(unrecovered(events).items)
    return back / judged if judged else None


def events_between(events: CurveEvents, a: float, b: float) -> CurveEvents:
    """The events that began at a step from a (included) to b (included)."""
    return _only(events, (e for e in events.items if a <= e.step <= b))


def rises(events: CurveEvents) -> CurveEvents:
    """The events upward."""
    return _only(events, (e for e in events.items if e.size > 0))


def drops(events: CurveEvents) -> CurveEvents:
    """The events downward."""
    return _only(events, (e for e in events.items if e.size < 0))


def held(events: CurveEvents, rows: float) -> CurveEvents:
    """The events whose series had not come back after `rows` rows."""
    return _only(events, (e for e in events.items if e.rows >= rows))
