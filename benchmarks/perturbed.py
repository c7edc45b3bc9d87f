"""How judgments hold when a labeled run is logged a little differently.

    python benchmarks/perturbed.py LABELS

Each run is judged as it is and as if every second or third point had been kept, the end or the opening were missing,
its noise were larger by half, or a channel had not been logged. What happened is the same, so the fault named, the
cause put first and the verdict of healthy runs should be as well: what falls between the first line and the others
hangs on thresholds that the run only just passes. LABELS: a labels.jsonl beside its runs, or their folder. Runs of a
group are left out, since they are judged together. A run that loses its channel may lose what tells its fault.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from curvedoc.core.block import Block, part
from curvedoc.core.diagnosis import RunDiagnosis
from curvedoc.core.run import Run
from curvedoc.diagnose.many import diagnose_all
from curvedoc.evaluate.labels import Label, read_labels
from curvedoc.options import Options, rulebook
from curvedoc.pipeline import runs_below

#: Curves of fewer points are not thinned: what is left would be another kind of log.
FEWEST_THINNED = 60
#: Curves of fewer points have no noise to enlarge.
FEWEST_NOISY = 12

Change = Callable[[Run], Run]


def _with(run: Run, blocks: Iterable[Block]) -> Run:
    """The run with other points, without what was worked out for its own."""
    return replace(run, data=tuple(blocks))


def _names(run: Run, *roles: str) -> frozenset[str]:
    return frozenset(m.metric for m in run.roles if m.role in roles)


def thinned(every: int, first: int, run: Run) -> Run:
    """Every so-manieth point of each long curve."""
    return _with(
        run,
        (b if len(b) < FEWEST_THINNED else part(b, b.rank, np.arange(first, len(b), every)) for b in run.blocks),
    )


def between(low: float, high: float, run: Run) -> Run:
    """The points whose steps lie within shares of the last step."""
    last = max((int(b.step.max()) for b in run.blocks if len(b)), default=0)
    rows = ((b, np.flatnonzero((b.step >= low * last) & (b.step <= high * last))) for b in run.blocks)
    return _with(run, (part(b, b.rank, kept) for b, kept in rows))


def noisier(seed: int, run: Run) -> Run:
    """Losses and gradient norms with half the scatter of their neighbors on top, none of them moved below zero."""
    random = np.random.default_rng((seed, sum(map(ord, run.name))))
    wanted = _names(run, "loss", "val_loss", "grad_norm")

    def shaken(b: Block) -> Block:
        finite = b.value[np.isfinite(b.value)]
        if b.metric not in wanted or len(finite) < FEWEST_NOISY:
            return b
        scatter = 0.5 * float(np.median(np.abs(np.diff(finite))))
        moved = b.value + np.where(np.isfinite(b.value), random.normal(size=len(b)) * scatter, 0.0)
        return replace(b, value=np.where(moved * b.value > 0, moved, b.value))

    return _with(run, map(shaken, run.blocks))


def without(*roles: str) -> Change:
    """The run as if these had not been logged."""

    def change(run: Run) -> Run:
        gone = _names(run, *roles)
        kept = _with(run, (b for b in run.blocks if b.metric not in gone))
        return replace(kept, roles=tuple(m for m in run.roles if m.metric not in gone))

    return change


CHANGES: Mapping[str, Change] = {
    "as it is": lambda run: run,
    "every 2nd point": partial(thinned, 2, 1),
    "every 3rd point": partial(thinned, 3, 2),
    "without the last tenth": partial(between, 0.0, 0.9),
    "without the first fiftieth": partial(between, 0.02, 1.0),
    "noisier": partial(noisier, 1),
    "noisier, other draw": partial(noisier, 2),
    "no rate": without("lr"),
    "no gradient norm": without("grad_norm", "layer_grad_norm"),
    "no accuracy": without("accuracy", "val_accuracy"),
    "no configuration": lambda run: replace(run, config={}, settings={}),
}


def row(name: str, done: Iterable[tuple[Label, RunDiagnosis]]) -> str:
    """One line: faults named and causes put first in percent, healthy runs alarmed."""
    named, first, alarmed = [], [], []
    for label, told in done:
        found = {f.symptom for f in told.findings}
        if label.benign:
            odd = {f.symptom for f in told.findings if f.kind == "pathology"}
            alarmed.append(bool(odd - {*label.accept_symptoms, *label.also_fine}))
        elif label.manifested and label.accept_symptoms:
            named.append(bool(found & set(label.accept_symptoms)))
            if label.accept_causes:
                first.append(bool(told.causes) and told.causes[0].cause in label.accept_causes)
    share = [f"{100 * sum(x) / max(1, len(x)):5.1f} % of {len(x)}" for x in (named, first)]
    return f"{name:28} named {share[0]}   cause first {share[1]}   alarmed {sum(alarmed)} of {len(alarmed)}"


def main(labels: Path) -> None:
    """Print the table."""
    root, rows = read_labels(labels)
    by_key = {r.key: r for r in rows if r.group is None}
    runs = [r for r in runs_below([root], Options()).runs if r.name in by_key]
    book = rulebook(Options())
    for name, change in CHANGES.items():
        told = diagnose_all([change(r) for r in runs], book, siblings=False).runs
        print(row(name, ((by_key[t.run], t) for t in told)), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
