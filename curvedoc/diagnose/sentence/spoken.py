"""What the message that ended a run says, as texts for sentences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from curvedoc.core.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Spoken:
    """Texts of the last message.

    place: `said.at` (" at train.py:39", "" where no traceback names a place), `said.place`, `said.code` and what else
    code and error show whatever they are about (`said.old`, `said.wanted` ...);
    named: what the message itself names (`said.path`, `said.key` ...), for the cause that it speaks of.
    """

    place: Mapping[str, str]
    cause: str | None = None
    named: Mapping[str, str] = field(default_factory=dict)

    def of(self, cause: str) -> Mapping[str, str]:
        """What it names, where it speaks of this cause."""
        return self.named if cause == self.cause else {}


SILENT = Spoken({"said.at": ""})
