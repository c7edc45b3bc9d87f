"""The curves behind a finding that speaks of members of a run: its layers, its ranks, the parts of its loss."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from curvedoc.core.diagnosis import Curve, Finding
from curvedoc.core.run import Run
from curvedoc.diagnose.thinning import thin
from curvedoc.rulebook.rule import Rule
from curvedoc.stats.basic.medians import median_of

#: Layers that are drawn, evenly chosen of more: thinner rows cannot be told apart.
MOST_LAYERS = 40
MOST_RANKS = 8
MOST_PARTS = 4
#: Buckets of a member's curve: its picture is small.
BUCKETS_LAYER, BUCKETS_RANK, BUCKETS_PART = 60, 200, 120
#: A second loss nearer to the first one than this is a copy of it and no part.
COPY = 0.1


def member_curves(run: Run, findings: Sequence[Finding], rules: dict[str, Rule]) -> tuple[Curve, ...]:
    """One curve for each layer, rank and part of the loss that the findings of a run rest on."""
    faults = [f for f in findings if f.kind == "pathology"]
    read = dict.fromkeys(n.target for f in faults if f.symptom in rules for n in rules[f.symptom].program.needs)
    layered = [role for role in read if role.startswith("layer_") and run.matches(role)]
    told = dict.fromkeys(m for f in faults if "rank" in f.scope for m in _metrics(f))
    parts = _parts(run) if "loss" in read else ()
    return (*_layers(run, layered), *_ranks(run, told), *parts)


def _metrics(finding: Finding) -> Iterable[str]:
    for name in (finding.metric, *(m.metric for e in finding.evidence for m in e.marks)):
        if name:
            yield name


def _layers(run: Run, roles: Iterable[str]) -> Iterable[Curve]:
    for role in roles:
        found = [(m.label or m.metric, s) for m in run.matches(role) if (s := run.metric(m.metric)) is not None]
        if len(found) > MOST_LAYERS:
            found = [found[i] for i in np.linspace(0, len(found) - 1, MOST_LAYERS).astype(int).tolist()]
        yield from (thin(s, role, label, BUCKETS_LAYER) for label, s in found if len(s))


def _ranks(run: Run, metrics: Iterable[str]) -> Iterable[Curve]:
    ranks = run.ranks()
    if len(ranks) < 2:
        return
    roles = {m.metric: m.role for m in run.roles}
    for metric in metrics:
        for rank in ranks[:MOST_RANKS]:
            series = run.metric(metric, rank)
            if series is not None and len(series):
                yield thin(series, f"rank_{roles.get(metric, metric)}", f"rank {rank}", BUCKETS_RANK)


def _parts(run: Run) -> tuple[Curve, ...]:
    """Further losses of the run that are no copies of the main one."""
    main = run.series("loss")
    known = [main] if main is not None else []
    out = []
    for match in run.matches("loss"):
        series = run.metric(match.metric)
        if series is None or not len(series.finite()) or not known or series is main:
            continue
        level = median_of(series.finite().value)
        levels = [median_of(k.finite().value) for k in known if len(k.finite())]
        if all(abs(level - other) > COPY * max(abs(level), abs(other)) for other in levels):
            known.append(series)
            out.append(thin(series, "loss_part", match.metric, BUCKETS_PART))
    return tuple(out[:MOST_PARTS])
