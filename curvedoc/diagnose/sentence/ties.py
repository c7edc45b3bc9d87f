"""Causes that the log hardly tells apart."""

from __future__ import annotations

from collections.abc import Sequence

from curvedoc.core.diagnosis import RankedCause

#: Below this the headline names the symptom only: it may not assert a cause.
ASSERTED = 0.6
#: Two causes tie where the second has at least this much of the first's probability, and both matter.
TIED, WORTH = 0.6, 0.15


def tied(causes: Sequence[RankedCause]) -> tuple[RankedCause, ...]:
    """The two leading causes where the log hardly tells them apart; else nothing."""
    if len(causes) < 2 or causes[0].probability >= ASSERTED:
        return ()
    first, second = causes[:2]
    if second.probability < max(WORTH, TIED * first.probability) or not set(first.findings) & set(second.findings):
        return ()
    return (first, second)
