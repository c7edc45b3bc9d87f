"""The words for how a run ended."""

from __future__ import annotations

from typing import Literal

EndingWord = Literal[
    "finished", "early-stopping", "by-hand", "time-limit", "preempted", "killed", "hardware", "disk", "crash",
    "cut-off", "running",
]  # fmt: skip
