"""What a training left: every logged row and evaluation, all channels, whatever is written to the log later."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Row = dict[str, float]


@dataclass
class History:
    """One training. rows: one a logging interval (`step` among the keys); evaluations: one a validation.

    events: what happened at a step that a log would show as text or as a jump of its counter.
    """

    rows: list[Row] = field(default_factory=list)
    evaluations: list[Row] = field(default_factory=list)
    layers: list[str] = field(default_factory=list)
    classes: int = 0
    onset: int | None = None

    def column(self, name: str, *, evaluated: bool = False) -> list[float]:
        """The values of a channel in order, rows without it left out."""
        return [r[name] for r in (self.evaluations if evaluated else self.rows) if name in r]

    def packed(self) -> dict[str, Any]:
        """Plain data, to be kept."""
        return {
            "rows": self.rows,
            "evaluations": self.evaluations,
            "layers": self.layers,
            "classes": self.classes,
            "onset": self.onset,
        }


def unpacked(data: dict[str, Any]) -> History:
    """The history that `packed` gave."""
    return History(data["rows"], data["evaluations"], data["layers"], data["classes"], data["onset"])
