"""A shard of bundles -> what each gave: the one function that every way of running calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from typing import TYPE_CHECKING

import polars as pl

from curvedoc.core.diagnosis import RunDiagnosis, Unreadable
from curvedoc.core.frozen import dataclass
from curvedoc.core.run import Run
from curvedoc.diagnose.many import repeats
from curvedoc.diagnose.siblings.outline import Outline, outline
from curvedoc.ingest import Bundle, Harvest, Signals
from curvedoc.options import Options
from curvedoc.rulebook.rule import Rulebook
from curvedoc.triage.store.outcome import Outcome
from curvedoc.triage.store.slim import slim

if TYPE_CHECKING:
    from curvedoc.triage.store.outcomes import Store


@dataclass(frozen=True, slots=True)
class Task:
    """One bundle to diagnose: its place in the plan and the key under which its outcome is kept ("" for not at all)."""

    index: int
    bundle: Bundle
    key: str = ""


@dataclass(frozen=True, slots=True)
class Shard:
    """Tasks that are read together. together: their runs are repeats of one configuration, to be compared."""

    tasks: tuple[Task, ...]
    together: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class WorkContext:
    """What it takes to diagnose: small enough to hand to a worker, and much faster so than compiling the rules again.

    store: where outcomes are kept; slim: whether they come back with one small curve each
    """

    options: Options
    book: Rulebook = field(repr=False)
    table: Signals = field(repr=False)
    store: Store | None = None
    slim: bool = False


def work(shard: Shard, context: WorkContext) -> Iterator[tuple[Task, Outcome | None]]:
    """(task, None) before each task is diagnosed and (task, outcome) after it, in order.

    A run that cannot be diagnosed costs that run and is told in `unreadable`.
    """
    from curvedoc.ingest import read_each  # what hands shards out does not read

    harvests = read_each([t.bundle for t in shard.tasks], context.table, context.options.signals)
    related: Mapping[str, tuple[Run, ...]] | None = None
    if shard.together:
        group = list(harvests)
        related = repeats([r for h in group for r in h.runs])
        harvests = iter(group)
    for task in shard.tasks:
        yield task, None
        harvest = next(harvests)
        outcome = _judge(harvest, context, _among(harvest, context) if related is None else related)
        if context.slim:
            whole, outcome = outcome, replace(outcome, runs=tuple(slim(r) for r in outcome.runs))
            if context.store is not None and task.key:
                context.store.put(task.key, outcome, [r.curves for r in whole.runs])
        yield task, outcome


def _among(harvest: Harvest, context: WorkContext) -> Mapping[str, tuple[Run, ...]]:
    """The repeats inside one bundle."""
    return repeats(harvest.runs) if context.options.siblings else {}


def _judge(harvest: Harvest, context: WorkContext, related: Mapping[str, tuple[Run, ...]]) -> Outcome:
    from curvedoc.diagnose.run import diagnose

    done: list[RunDiagnosis] = []
    outlines: list[Outline] = []
    lost = list(harvest.unreadable)
    for run in harvest.runs:
        try:
            done.append(diagnose(run, context.book, related.get(run.name, ()), alive=context.options.alive))
            outlines.append(replace(outline(run), config=done[-1].config))  # one copy of it in both
        except MemoryError:
            lost.append(Unreadable(run.name, "its diagnosis ran out of memory"))
        except (Exception, pl.exceptions.PanicException) as e:  # one run's fault must not cost the others, and is told
            lost.append(Unreadable(run.name, f"its diagnosis failed: {e!r}"[:500]))
    names: set[str] = set()
    if context.options.signals:
        names = {m for r in harvest.runs for m in r.metrics()}
    return Outcome(tuple(done), tuple(lost), tuple(sorted(names)), tuple(outlines))
