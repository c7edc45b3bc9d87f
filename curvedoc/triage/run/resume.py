"""Paths -> Diagnosis of all runs below: what an earlier call told where nothing changed, else `sweeping`.

The way of an unchanged tree leads past every library that reads or judges a log: their imports would take longer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from curvedoc import __version__
from curvedoc.core.diagnosis import Diagnosis
from curvedoc.options import Options
from curvedoc.report.html.levels import LEVELS
from curvedoc.report.summary import worst_first
from curvedoc.triage.run.limits import Limits
from curvedoc.triage.store.outcomes import Store, code_mark
from curvedoc.triage.store.whole_tree import TreeRecord, names, recall, recorded

if TYPE_CHECKING:
    from curvedoc.triage.engines.choice import Engine

#: Folders with files from which on there will be workers, to be made ready before the runs are known.
CROWDED = 40

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Sweep:
    """A finished or interrupted triage. done, total: bundles; kept: how many of them came from the store."""

    diagnosis: Diagnosis
    done: int
    total: int
    kept: int = 0
    interrupted: bool = False


def sweep(
    paths: Sequence[Path],
    options: Options,
    *,
    jobs: int = 1,
    store: Store | None = None,
    slim: bool = True,
    limits: Limits | None = None,
    since: float | None = None,
    progress: Progress | None = None,
    engine: Engine | None = None,
) -> Sweep:
    """Every run below the paths, diagnosed.

    store: where outcomes are kept for the next call; None keeps nothing beyond this one
    slim:  runs come back with one small curve each, those that a report shows in full with all of theirs; False keeps
           every curve, and the memory that takes
    since: only runs of which a file changed at or after this time (seconds since the epoch)
    engine: who works on the shards instead of the local pool of `jobs` processes

    On Ctrl-C what is finished comes back, marked as interrupted. Raises UsageError, RuleErrors as `rulebook`.
    """
    limits = limits or Limits()
    if store is not None:
        store.prune()
    name, mark = "", ""
    if slim and store is not None and since is None:
        name, mark = names(paths, options, (__version__, code_mark(), limits.seconds, limits.memory))
        if mark and (kept := _unchanged(recall(store.folder, name, mark), store)) is not None:
            return kept
    known = store is not None and name and recorded(store.folder, name)  # then most of its runs need no worker
    crowd = False
    if slim and engine is None and jobs > 1 and not known:
        from curvedoc.triage.run.fork_server import crowded, warm_up

        crowd = crowded(paths, CROWDED) and warm_up()  # it imports while this process does
    from curvedoc.triage.run.sweep import afresh

    return afresh(
        paths, options, limits, jobs=jobs, store=store, slim=slim, since=since, progress=progress, engine=engine,
        name=name, mark=mark, crowd=crowd,
    )  # fmt: skip


def _unchanged(tree: TreeRecord | None, store: Store) -> Sweep | None:
    """The same again for a tree in which nothing changed; None where a curve that is to be shown is no longer kept."""
    if tree is None or not all(store.has(key) for key in _shown(tree).values()):
        return None
    return Sweep(drawn(tree, store), tree.total, tree.total, tree.total)


def _shown(tree: TreeRecord) -> dict[str, str]:
    """Run -> key of its outcome, for those that a report shows in full."""
    keys = dict(zip((r.run for r in tree.diagnosis.runs), tree.keys, strict=True))
    return {r.run: keys[r.run] for r in worst_first(tree.diagnosis)[: LEVELS[0].sections]}


def drawn(tree: TreeRecord, store: Store) -> Diagnosis:
    """The diagnosis with the curves of those runs that a report shows in full."""
    keys = _shown(tree)
    d = tree.diagnosis
    return replace(d, runs=tuple(store.whole(keys[r.run], r) if r.run in keys else r for r in d.runs))
