"""Shards worked on in this very process, and which are better not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from curvedoc.core.diagnosis import Unreadable
from curvedoc.triage.run.shard import Shard, Task, WorkContext, work
from curvedoc.triage.run.time_limit import TooLate, alarm
from curvedoc.triage.store.outcome import Outcome

#: Less than that takes no time worth a limit.
FEW_BYTES = 20 << 20
_PACKED = (".gz", ".zst")


def needs_worker(tasks: Sequence[Task]) -> bool:
    """Whether tasks may take time or memory: they are large, or packed so that nobody knows how large."""
    members = (m for t in tasks for m in t.bundle.members)
    return sum(t.bundle.bytes for t in tasks) >= FEW_BYTES or any(m.path.suffix in _PACKED for m in members)


def work_here(shard: Shard, context: WorkContext, seconds: float) -> Iterator[tuple[int, Outcome]]:
    """The outcomes of a shard, worked on in this process; a run that takes longer than it may is told."""
    left = {t.index: t for t in shard.tasks}
    steps = work(shard, context)
    try:
        while True:
            with alarm(seconds):
                step = next(steps, None)
            if step is None:
                return
            task, outcome = step
            if outcome is not None:
                del left[task.index]
                yield task.index, outcome
    except TooLate as e:
        if len(shard.tasks) == 1:
            yield shard.tasks[0].index, Outcome((), (Unreadable(shard.tasks[0].bundle.name, str(e)),))
        elif not shard.together:  # nobody knows which it was: each by itself
            for task in left.values():
                yield from work_here(Shard((task,)), context, seconds)
