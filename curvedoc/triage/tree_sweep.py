"""Paths -> Diagnosis of all runs below: what an earlier call told where nothing changed, else `bundle_sweep`.

The way of an unchanged tree leads past every library that reads or judges a log: their imports would take longer.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from curvedoc.core.version import __version__
from curvedoc.options import Options
from curvedoc.triage.request import Sweep, SweepOptions
from curvedoc.triage.store.tree_key import NO_TREE, TreeKey

if TYPE_CHECKING:  # what keeps and compares is imported where something is kept
    from curvedoc.triage.store.outcomes import Store
    from curvedoc.triage.store.whole_tree import TreeRecord

#: Folders with files from which on there will be workers, to be made ready before the runs are known.
CROWDED = 40


def sweep(paths: Sequence[Path], options: Options, how: SweepOptions | None = None) -> Sweep:
    """Every run below the paths, diagnosed.

    On Ctrl-C what is finished comes back, marked as interrupted. Raises UsageError, RuleErrors as `rulebook`.
    """
    how = how or SweepOptions()
    tree, known = NO_TREE, False
    if how.store is not None:
        from curvedoc.triage.store.whole_tree import recall, recorded

        how.store.prune()
        tree = _key(paths, options, how)
        kept = _unchanged(recall(how.store.folder, tree), how.store, how.full) if tree.mark else None
        if kept is not None:
            return kept
        known = bool(tree.name) and recorded(how.store.folder, tree)  # then most of its runs need no worker
    many = False
    if how.slim and how.engine is None and how.jobs > 1 and not known:
        from curvedoc.triage.run.fork_server import crowded, import_polars_late, warm_up

        many = crowded(paths, CROWDED) and warm_up()  # it imports while this process does
        if many:
            import_polars_late()
    from curvedoc.triage.bundle_sweep import sweep_bundles

    return sweep_bundles(paths, options, how, tree, many=many)


def _key(paths: Sequence[Path], options: Options, how: SweepOptions) -> TreeKey:
    """The key of a call; what a link leads to is no part of the tree whose state is known."""
    from curvedoc.triage.store.outcomes import code_mark
    from curvedoc.triage.store.whole_tree import tree_key

    if not how.slim or how.since is not None or options.follow_links:
        return NO_TREE
    return tree_key(paths, options, (__version__, code_mark(), how.limits.seconds, how.limits.memory))


def _unchanged(tree: TreeRecord | None, store: Store, full: bool) -> Sweep | None:
    """The same again for a tree in which nothing changed; None where a curve that is to be shown is no longer kept."""
    from curvedoc.triage.full_curves import full_keys, with_full_curves

    if tree is None or (full and not all(store.has(key) for key in full_keys(tree).values())):
        return None
    told = with_full_curves(tree, store) if full else tree.diagnosis
    return Sweep(told, tree.total, tree.total, tree.total)
