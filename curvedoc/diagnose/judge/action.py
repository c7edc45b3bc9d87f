"""The one thing to do first about a run: an action on it, which tests its likeliest cause."""

from __future__ import annotations

from collections.abc import Sequence

from curvedoc.core.diagnosis import Check, NextAction, RankedCause
from curvedoc.diagnose.judge.verdict import CHECK_COST

_OPEN = ("open", "unanswerable")


def next_action(causes: Sequence[RankedCause]) -> NextAction | None:
    """What the first cause asks to do in this run; else the cheapest way to answer one of its open questions; else its
    fix. None without a cause.
    """
    if not causes:
        return None
    cause = causes[0]
    if cause.action:
        return NextAction(_sentence(cause.action), code=cause.action_code, tests=cause.cause)
    check = min((c for c in cause.checks if c.answer in _OPEN and c.how), key=_cost, default=None)
    text = check.how if check is not None else cause.fix[0] if cause.fix else ""
    return NextAction(_sentence(text), tests=cause.cause) if text else None


def _cost(check: Check) -> float:
    return CHECK_COST[check.cost]


def _sentence(text: str) -> str:
    text = text[:1].upper() + text[1:] if text.split(" ", 1)[0].isalpha() else text
    return text if text.endswith((".", "!", "?", "…")) else text + "."
