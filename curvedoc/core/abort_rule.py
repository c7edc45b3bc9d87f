"""AbortRule: a rule that would have stopped a failed run, and what that saves."""

from __future__ import annotations

from curvedoc.core.frozen import dataclass


@dataclass(frozen=True, slots=True)
class AbortRule:
    """A rule that would have stopped a failed run.

    kind: grad-norm (over `factor` times its median of `window` values), loss (over `factor` times its best for `window`
    values) or non-finite
    """

    kind: str
    factor: float
    window: int
    step: int  # at which it would have stopped
    steps_saved: int = 0
    hours_saved: float | None = None
