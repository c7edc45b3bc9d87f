"""The runs of a tree that a report shows in full, with the curves that the store keeps of them."""

from __future__ import annotations

from dataclasses import replace

from curvedoc.core.diagnosis import Diagnosis
from curvedoc.report.html.levels import LEVELS
from curvedoc.report.summary import worst_first
from curvedoc.triage.store.outcomes import Store
from curvedoc.triage.store.whole_tree import TreeRecord


def full_keys(tree: TreeRecord) -> dict[str, str]:
    """Run -> key of its outcome, for those that a report shows in full."""
    keys = dict(zip((r.run for r in tree.diagnosis.runs), tree.keys, strict=True))
    return {r.run: keys[r.run] for r in worst_first(tree.diagnosis)[: LEVELS[0].sections]}


def with_full_curves(tree: TreeRecord, store: Store) -> Diagnosis:
    """The diagnosis with the curves of those runs that a report shows in full."""
    keys = full_keys(tree)
    d = tree.diagnosis
    return replace(d, runs=tuple(store.whole(keys[r.run], r) if r.run in keys else r for r in d.runs))
