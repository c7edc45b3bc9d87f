"""The vocabulary of curve statistics. Knows numpy and Series, nothing of runs, files or rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from curvedoc.stats.basic import BASIC

#: Every function that a rule may call.
VOCABULARY: tuple[Callable[..., Any], ...] = (*BASIC,)
