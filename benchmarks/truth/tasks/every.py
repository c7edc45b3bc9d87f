"""Every task, and which of them nobody looks at."""

from __future__ import annotations

import hashlib

from benchmarks.truth.problem import Task
from benchmarks.truth.tasks import classes, games, language, pictures, quantities, relations

EVERY: tuple[Task, ...] = (
    *classes.TASKS,
    *quantities.TASKS,
    *pictures.TASKS,
    *language.TASKS,
    *relations.TASKS,
    *games.TASKS,
)
#: The share of tasks that are laid aside.
ASIDE = 0.4


def _aside(names: list[str]) -> frozenset[str]:
    ordered = sorted(names, key=lambda n: hashlib.sha256(n.encode()).hexdigest())
    return frozenset(ordered[: round(ASIDE * len(names))])


#: The tasks that nobody looks at: the first in the order of the hashes of their names.
LAID_ASIDE = _aside([t.name for t in EVERY])
