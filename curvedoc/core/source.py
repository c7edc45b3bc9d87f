"""What a run was read from and what was remarked on the way: the part of a run that a diagnosis keeps as it is.

Apart from `model` so that a saved diagnosis can be read without the libraries that hold frames and arrays.
"""

from __future__ import annotations

from typing import Literal

from curvedoc.core.frozen import dataclass
from curvedoc.core.notes import Note as Note

Scalar = bool | int | float | str
#: How sure a role is: by a name that says so, by a weak name or a reckoning that the values bear out, by values alone.
Sureness = Literal["sure", "likely", "guess"]


@dataclass(frozen=True, slots=True)
class Source:
    """One file that was read into a run."""

    path: str  # relative to what the user pointed at
    format: str  # the reader's NAME
    points: int
    bytes: int
    notes: tuple[Note, ...] = ()
