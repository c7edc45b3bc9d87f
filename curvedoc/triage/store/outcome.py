"""What one bundle of files gave, as bytes and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any

from curvedoc.core.diagnosis import RunDiagnosis, Unreadable
from curvedoc.core.frozen import dataclass
from curvedoc.core.source import Scalar

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
    made: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)  # its bytes, see encode

    def __reduce__(self) -> tuple[Any, ...]:
        # what was encoded for the store goes to another process as the same bytes: pickling takes three times as long
        if "bytes" in self.made:
            return decode, (self.made["bytes"],)
        return Outcome, (self.runs, self.unreadable, self.metrics, self.outlines)


def encode(outcome: Outcome) -> tuple[bytes, ...]:
    """The outcome as bytes: one part for all, then those of each run. Kept on the outcome."""
    found: tuple[bytes, ...] | None = outcome.made.get("bytes")
    if found is None:
        from curvedoc.triage.store.codec import dump, encode_run  # one that goes nowhere is not encoded

        told = {
            "unreadable": outcome.unreadable,
            "metrics": outcome.metrics,
            "outlines": [[o.settings, o.end] for o in outcome.outlines],
        }
        found = (dump(told), *(part for r in outcome.runs for part in encode_run(r)))
        outcome.made["bytes"] = found
    return found


def decode(parts: Sequence[bytes]) -> Outcome:
    """The outcome that these bytes spell. Raises one of `BAD_BYTES` where they spell none."""
    from curvedoc.diagnose.siblings.outline import Outline
    from curvedoc.serialize.fast_json import maker
    from curvedoc.triage.store.codec import PARTS_EACH, decode_run, load

    told = load(parts[0])
    runs = tuple(decode_run(parts[i : i + PARTS_EACH]) for i in range(1, len(parts), PARTS_EACH))
    outlines = tuple(
        Outline(r.run, r.config, maker(Mapping[str, Scalar])(settings), maker(float | None)(end))
        for r, (settings, end) in zip(runs, told["outlines"], strict=True)
    )
    unreadable = maker(tuple[Unreadable, ...])(told["unreadable"])
    return Outcome(runs, unreadable, maker(tuple[str, ...])(told["metrics"]), outlines)
