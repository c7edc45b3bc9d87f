"""Paths -> Diagnosis of all runs below, bundle by bundle over a pool, with what earlier calls found of each."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from curvedoc.core.version import __version__
from curvedoc.diagnose.many import conclude
from curvedoc.ingest import Bundle, load_signals, plan
from curvedoc.ingest.naming.roles import check_chosen
from curvedoc.options import Options, rulebook
from curvedoc.rulebook.location import signals_file
from curvedoc.triage.request import Sweep, SweepOptions
from curvedoc.triage.run.fork_server import warm_up
from curvedoc.triage.run.in_process import needs_worker, work_here
from curvedoc.triage.run.pool import NoWorkers, Pool, run_pool
from curvedoc.triage.run.repeats import repeated
from curvedoc.triage.run.shard import Shard, Task, WorkContext
from curvedoc.triage.store.outcome import Outcome
from curvedoc.triage.store.slim import Shared
from curvedoc.triage.store.tree_key import NO_TREE, TreeKey

if TYPE_CHECKING:  # what keeps outcomes is imported where they are kept
    from curvedoc.triage.store.outcomes import Store

#: Fewer runs that are not `heavy` are done before workers (a second and a half each) have started.
FEW_RUNS = 40
#: A shard is read at once: its size bounds the memory of a worker, its count the work lost when one is killed.
SHARD_BYTES = 32 << 20
SHARD_RUNS = 100
#: Of what is left to do a shard takes so many-th a worker, so that none waits long for the last one.
SHARDS_EACH = 4
#: Bundles that are read together whatever is left: by itself, each costs more.
SHARD_LEAST = 4
#: Runs of which what they have in common is held once; of fewer it weighs less than it costs to find.
MANY = 2_000


def sweep_bundles(
    paths: Sequence[Path], options: Options, how: SweepOptions, tree: TreeKey = NO_TREE, *, many: bool = False
) -> Sweep:
    """`tree_sweep.sweep` of a tree in which something changed.

    tree: the key under which it is kept; many: there will be enough to do for all workers
    """
    book = rulebook(options)
    with ExitStack() as stack:
        store = how.store if how.slim else None
        if how.slim and how.full and store is None:
            from curvedoc.triage.store.outcomes import Store

            store = Store(Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="curvedoc-"))), lasting=False)
        context = WorkContext(options, book, load_signals(signals_file()), store, how.slim)
        pool = Pool(context, how.limits)
        stack.callback(pool.stop)
        if many:
            pool.start(how.jobs)  # they get ready while this process looks for runs
        mapped = bool(options.signals)
        found = plan(paths, progress=how.progress, follow_links=options.follow_links, mapped=mapped)
        pool.wait()
        bundles = [b for b in found.bundles if how.since is None or _changed(b) >= how.since]
        if how.slim and how.engine is None and how.jobs > 1 and len(bundles) >= FEW_RUNS:
            warm_up()
        call = _SweepState(bundles, context, how, pool)
        call.run()
        outcomes = [call.outcomes[i] for i in sorted(call.outcomes)]
        if options.signals and not call.interrupted:
            chosen = sorted({m for o in outcomes for m in o.metrics})
            check_chosen(options.signals, chosen, context.table)
        lost = (*found.unreadable, *(u for o in outcomes for u in o.unreadable))
        runs = [r for o in outcomes for r in o.runs]
        outlines = [o for outcome in outcomes for o in outcome.outlines]
        beside = options.baseline_run
        d = conclude(outlines, runs, book.digest, siblings=options.siblings, unreadable=lost, baseline=beside)
        if store is not None:
            from curvedoc.triage.full_curves import with_full_curves
            from curvedoc.triage.store.whole_tree import TreeRecord, record

            where = {r.run: call.keys[i] for i, o in call.outcomes.items() for r in o.runs}
            kept = TreeRecord(d, tuple(where[r.run] for r in d.runs), len(bundles))
            if tree.mark and not call.interrupted and not call.lost_worker:
                record(store.folder, tree, kept)
            if how.full:
                store.look()
                d = with_full_curves(kept, store)
    return Sweep(d, len(outcomes), len(bundles), call.kept, call.interrupted)


class _SweepState:
    """The state of one sweep: what is known so far, by the bundle's place in the plan."""

    def __init__(self, bundles: Sequence[Bundle], context: WorkContext, how: SweepOptions, pool: Pool) -> None:
        self.context, self.how, self.pool = context, how, pool
        self.outcomes: dict[int, Outcome] = {}
        self.kept = 0
        self.interrupted = False
        self.lost_worker = False  # a run that may be read next time: what this call says of the tree is not to be kept
        self._share = Shared()
        self.tasks = [Task(i, b) for i, b in enumerate(bundles)]
        if context.store is not None:
            from curvedoc.triage.store.outcomes import key

            mark = _mark(context)
            self.tasks = [replace(t, key=key(t.bundle, mark)) for t in self.tasks]
        self.keys = {t.index: t.key for t in self.tasks}

    def run(self) -> None:
        try:
            todo = [t for t in self.tasks if not self._known(t, t.key)]
            self.kept = len(self.tasks) - len(todo)
            if todo:
                self._work(batches(todo, self.how.jobs if self.how.engine is None else self.how.engine.jobs))
            if self.context.options.siblings and any(r.over == "siblings" for r in self.context.book.rules):
                self._compare()
        except KeyboardInterrupt:
            self.interrupted = True

    def _known(self, task: Task, key: str) -> bool:
        """Take an outcome from the store, also the failure of an earlier call with the same limits."""
        store = self.context.store
        if store is None or not store.lasting:
            return False
        kept = store.load(key)
        if kept is None:
            return False
        self._take(task.index, kept)
        return True

    def _take(self, index: int, outcome: Outcome) -> None:
        many = len(self.tasks) >= MANY
        self.outcomes[index] = replace(outcome, runs=tuple(map(self._share, outcome.runs))) if many else outcome

    def _work(self, shards: Sequence[Shard]) -> None:
        tasks = {t.index: t for s in shards for t in s.tasks}
        for done, (index, outcome) in enumerate(self._outcomes(shards), 1):
            store = self.context.store
            task = tasks[index]
            if (
                store is not None
                and store.lasting
                and outcome.unreadable
                and not outcome.runs
                and not _kept(store, task.key)
            ):
                self.lost_worker = True  # it did not live to keep what it found
            self._take(index, outcome)
            if self.how.progress is not None:
                self.how.progress("triage", done, len(tasks))

    def _outcomes(self, shards: Sequence[Shard]) -> Iterator[tuple[int, Outcome]]:
        if self.how.engine is not None:
            yield from self.how.engine.run(shards, self.context, self.how.limits)
            return
        tasks = [t for s in shards for t in s.tasks]
        if len(tasks) >= FEW_RUNS or needs_worker(tasks):
            began = False
            try:
                for pair in run_pool(shards, self.context, max(1, self.how.jobs), self.how.limits, self.pool):
                    began = True
                    yield pair
                return
            except NoWorkers:
                if began:
                    raise
        for shard in shards:
            yield from work_here(shard, self.context, self.how.limits.seconds)

    def _compare(self) -> None:
        """Judge repeats of one configuration again, each beside the others."""
        shards = []
        for members in repeated(self.outcomes):
            for batch in batches([self.tasks[i] for i in members], 1):
                if len(batch.tasks) > 1:
                    marks = " ".join(t.key for t in batch.tasks)
                    shards.append(Shard(tuple(replace(t, key=_joint(t.key, marks)) for t in batch.tasks), True))
        self.keys.update({t.index: t.key for s in shards for t in s.tasks})
        self._work([s for s in shards if not all(self._known(t, t.key) for t in s.tasks)])


def _kept(store: Store, key: str) -> bool:
    store.look()
    return store.has(key)


def batches(tasks: Sequence[Task], jobs: int) -> list[Shard]:
    """Tasks in shards of at most 32 MB or 100 bundles, smaller where little is left to share among the workers."""
    parts = max(1, jobs * SHARDS_EACH if jobs > 1 else 1)
    left, least = sum(t.bundle.bytes for t in tasks), min(SHARD_LEAST, len(tasks) // parts + 1)
    out: list[Shard] = []
    batch: list[Task] = []
    held, size, count = 0, left // parts + 1, len(tasks) // parts + 1
    for i, task in enumerate(tasks):
        grown, n = held + task.bundle.bytes, len(batch)
        full = grown > SHARD_BYTES or n >= SHARD_RUNS
        if batch and (full or (n >= least and (grown > size or n >= count))):
            out.append(Shard(tuple(batch)))
            left -= held
            # the last ones are small: no worker is to end long before another
            size, count = left // parts + 1, (len(tasks) - i) // parts + 1
            batch, held = [], 0
        batch.append(task)
        held += task.bundle.bytes
    return [*out, Shard(tuple(batch))] if batch else out


def _joint(key: str, marks: str) -> str:
    return hashlib.sha256(f"{key} among {marks}".encode()).hexdigest() if key else ""


def _mark(context: WorkContext) -> str:
    """All that makes outcomes of the same files differ: program, rules, roles and options."""
    from curvedoc.triage.store.outcomes import code_mark

    row = [
        __version__, code_mark(), context.book.digest, sorted(r.id for r in context.book.rules),
        sorted(context.options.signals.items()),
        hashlib.sha256(signals_file().read_bytes()).hexdigest(),
    ]  # fmt: skip
    return hashlib.sha256(json.dumps(row).encode("utf-8", "surrogatepass")).hexdigest()


def _changed(bundle: Bundle) -> float:
    """When the newest file of a bundle changed."""
    times = [0.0]
    for member in bundle.members:
        try:
            times.append(member.path.stat().st_mtime)
        except OSError:
            continue  # gone since it was listed: reading it will tell
    return max(times)
