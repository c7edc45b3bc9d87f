"""What one bundle of files gave."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from curvedoc.core.diagnosis import RunDiagnosis, Unreadable

if TYPE_CHECKING:
    from curvedoc.diagnose.siblings.outline import Outline


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one bundle gave.

    metrics: every name it logged, only where the user chose signals by name
    """

    runs: tuple[RunDiagnosis, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()
    metrics: tuple[str, ...] = ()
    outlines: tuple[Outline, ...] = ()  # of the runs, in their order
    made: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)  # its bytes, see codec

    def __reduce__(self) -> tuple[Any, ...]:
        # what was encoded for the store goes to another process as the same bytes: pickling takes three times as long
        if "bytes" in self.made:
            from curvedoc.triage.store.codec import decode

            return decode, (self.made["bytes"],)
        return Outcome, (self.runs, self.unreadable, self.metrics, self.outlines)
