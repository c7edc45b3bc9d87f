"""What a run was read from and what was remarked on the way: the part of a run that a diagnosis keeps as it is.

Apart from `model` so that a saved diagnosis can be read without the libraries that hold frames and arrays.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Scalar = bool | int | float | str
#: How sure a role is: by a name that says so, by a weak name or a reckoning that the values bear out, by values alone.
Sureness = Literal["sure", "likely", "guess"]


@dataclass(frozen=True, slots=True)
class Note:
    """One remark of ingest, coalesced: one per cause and file, with its first place and its count."""

    kind: str  # kebab-case: "truncated", "bad-checksum", "garbage-lines", "step-from-epoch", "looks-sampled" ...
    text: str
    line: int | None = None
    offset: int | None = None
    count: int = 1


@dataclass(frozen=True, slots=True)
class Source:
    """One file that was read into a run."""

    path: str  # relative to what the user pointed at
    format: str  # the reader's NAME
    points: int
    bytes: int
    notes: tuple[Note, ...] = ()
