"""Raw metrics -> roles: what a name says, checked against its values, the best metric of each role first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from curvedoc.core.frozen import dataclass
from curvedoc.core.run import ABSOLUTE_ERROR, RoleMatch, Scalar
from curvedoc.core.series import Floats
from curvedoc.ingest.naming.chosen import check_chosen as check_chosen
from curvedoc.ingest.naming.chosen import resolved
from curvedoc.ingest.naming.comparable_name import plain
from curvedoc.ingest.naming.metric_name import Reading, read_name, split_and_rest
from curvedoc.ingest.naming.signals import FRACTION, NEGATED, Signals, shares
from curvedoc.ingest.naming.split_words import has_scope
from curvedoc.ingest.naming.values import curve_shape
from curvedoc.ingest.naming.values.evidence import by_evidence
from curvedoc.ingest.naming.values.graded_tasks import of_graded_tasks
from curvedoc.ingest.naming.values.misnomers import (
    doubted,
    of_play,
    of_tasks,
    of_the_critic,
    of_the_evaluation,
    without_errors,
    without_times,
    without_waits,
)
from curvedoc.ingest.naming.values.objective import counterparts, first_of_terms, terms, totals
from curvedoc.ingest.naming.values.population import of_a_population
from curvedoc.ingest.naming.values.rivals import in_a_game, of_domains, steered, without_lost_games
from curvedoc.ingest.naming.values.signs import maximized, negated, of_likeness
from curvedoc.ingest.naming.values.stand_ins import promoted, tested_once
from curvedoc.ingest.naming.values.unsaid_split import graded_by_evaluation
from curvedoc.ingest.naming.values.vague_names import (
    by_letter,
    lettered,
    lone_layers,
    of_an_evaluation,
    of_two_splits,
    vague_readings,
)
from curvedoc.ingest.naming.word_set import word_set

#: Share of finite values that must lie in a role's range: one glitch does not make a metric something else.
_IN_RANGE = 0.9
#: Families of what says how good answers are.
_GRADES = word_set("accuracy metric")
#: Fewer values than this cannot be told from a counter.
_COUNTER_POINTS = 5
#: A clock that begins anew falls below this share of what it showed, and does so at fewer than that share of its rows.
_ANEW, _SELDOM = 0.5, 0.05
#: A metric with this share of the points of the most logged of its role counts as logged as often; one that covers
#: less than this share of the steps of the widest is one of a part of the run.
_DENSE = 0.5
#: A validation set whose loss is this many times farther from that of training than another's is of another task.
_ANOTHER = 3.0
#: Roles in which each label is a thing of its own, told in the order logged (the order of the layers).
_LAYERED = word_set(
    """layer_grad_norm layer_weight_norm layer_update_norm layer_update_ratio zero_fraction saturation_fraction
    gpu_utilization memory"""
)
#: A role of the test split stands in for validation where there is none.
_TEST = {
    "test_loss": "val_loss",
    "test_accuracy": "val_accuracy",
    "test_perplexity": "val_perplexity",
    "test_metric": "val_metric",
}


@dataclass(frozen=True, slots=True, eq=False)
class Facts:
    """What the values of one metric look like."""

    metric: str
    points: int
    finite: Floats
    cover: float = 1.0  # share of the run's steps from its first value to its last
    growing: bool = False  # never falls but where it begins anew, and mostly rises
    counter: bool = False  # growing integers


def facts(metric: str, value: Floats, cover: float = 1.0) -> Facts:
    """The facts of one metric from its values in file order; non-finite ones count as points and say nothing else."""
    finite = value[np.isfinite(value)]
    growing = False
    if len(finite) >= _COUNTER_POINTS:
        # compared, not subtracted: values of either sign near the largest float would overflow
        before, after = finite[:-1], finite[1:]
        fell = after < before
        # the clock of a run that was taken up again begins anew
        seldom = bool(np.count_nonzero(fell) / len(fell) < _SELDOM)
        anew = seldom and bool((after[fell] < _ANEW * before[fell]).all())
        growing = anew and bool(np.count_nonzero(after > before) > 0.5 * len(fell))
    return Facts(metric, len(value), finite, cover, growing, growing and bool((finite == np.floor(finite)).all()))


def assign(
    metrics: Sequence[Facts],
    table: Signals,
    chosen: Mapping[str, str] | None = None,
    settings: Mapping[str, Scalar] | None = None,
) -> tuple[RoleMatch, ...]:
    """The roles of a run's metrics, by role in the order of signals.yaml and within one best first.

    Best is: no part and no other data set; raw before averaged; logged as often as any; the earlier name in
    signals.yaml; more points; one that says its split. `chosen` (role -> metric, as set by the user) comes before all
    of it, where the run has the metric. What no name tells is told by evidence of the values; settings: what the
    configuration states.
    """
    full = of_two_splits([f.metric for f in metrics])
    if not full:
        return _assigned(metrics, table, chosen or {}, settings or {})
    named = [replace(f, metric=full.get(f.metric, f.metric)) for f in metrics]
    known = {role: full.get(name, name) for role, name in resolved(chosen or {}, [f.metric for f in metrics]).items()}
    back = {n.metric: f.metric for n, f in zip(named, metrics, strict=True)}
    return tuple(replace(m, metric=back[m.metric]) for m in _assigned(named, table, known, settings or {}))


def _assigned(
    metrics: Sequence[Facts], table: Signals, chosen: Mapping[str, str], settings: Mapping[str, Scalar]
) -> tuple[RoleMatch, ...]:
    """The roles of metrics whose names say their split."""
    found = [(f, r) for f in metrics if (r := read_name(f.metric, table)) is not None and _plausible(f, r)]
    found = of_likeness(found, table)
    found = of_play(without_lost_games(found, metrics), metrics, table)
    found += of_domains(metrics, found, table)
    found = of_the_critic(by_letter(without_waits(without_times(found, metrics)), table), table)
    found += [(f, r) for f, r in terms(metrics, found, table) if _plausible(f, r)]
    have = {r.role for _, r in found}
    barred = {f.name for f in table.families if have & set(f.unless)}
    found = [(f, r) for f, r in found if r.family not in barred]
    found = of_graded_tasks(metrics, of_a_population(metrics, found, table), table)
    guessed = [*negated(metrics, found, table), *vague_readings(metrics, found, table)]
    guessed += lettered(metrics, [*found, *guessed], table)
    unnamed = [(f, r) for f, r in guessed if _plausible(f, r)]
    found = _parts_alike(steered(in_a_game([*found, *unnamed], table), table), table)
    found = first_of_terms(totals(metrics, found, table), table)
    found += counterparts(metrics, found, table)
    found = maximized(promoted(lone_layers(found), table), table)
    found += [(f, r) for f, r in by_evidence(metrics, found, table, settings) if _plausible(f, r)]
    found = of_an_evaluation(graded_by_evaluation(found, metrics, table), table)
    found = doubted(_test_for_validation(without_errors(of_tasks(of_the_evaluation(found, table), table), table)))
    chosen = resolved(chosen, [f.metric for f in metrics])
    taken = set(chosen.values())
    by_role: dict[str, list[tuple[Facts, Reading]]] = {}
    for f, r in found:
        if f.metric not in taken:
            by_role.setdefault(r.role, []).append((f, r))
    out: list[RoleMatch] = []
    for role in dict.fromkeys((*_all_roles(table), *chosen)):
        if role in chosen:
            out.append(RoleMatch(role, chosen[role], "", "set by --signal"))
        if role in by_role:
            home = _at_home(role, by_role[role], out, {f.metric: f for f in metrics})
            out.extend(_ranked(role, by_role[role], role in chosen, table, out, home))
    parts = shares(table)
    return tuple(replace(m, unit=FRACTION) if m.role in parts else m for m in out)


@lru_cache(maxsize=4)
def _all_roles(table: Signals) -> tuple[str, ...]:
    return table.roles()


def _plausible(f: Facts, r: Reading) -> bool:
    if (f.counter and r.bounds.never == "counter") or (f.growing and r.bounds.never == "growing"):
        return False
    if r.bounds.never == "level" and len(f.finite) and bool((f.finite == f.finite[0]).all()):
        return float(f.finite[0]) in (r.bounds.low, r.bounds.high)
    inside = (f.finite >= r.bounds.low) & (f.finite <= r.bounds.high)
    return bool(np.count_nonzero(inside) >= _IN_RANGE * len(f.finite))


def _parts_alike(found: list[tuple[Facts, Reading]], table: Signals) -> list[tuple[Facts, Reading]]:
    """Validation losses of a label that training logs beside its whole loss, as parts of the objective too.

    val_loss_bc alone may be another data set; where loss_bc and loss are trained on and val_loss is logged as well,
    it is a term of the sum, which may rise while the sum falls.
    """
    for family in table.families:
        if "train" not in family.parts_as:
            continue
        own = [r for _, r in found if r.family == family.name]
        trained = {r.label for r in own if r.role == family.parts_as["train"] and r.label}
        if not trained or not any(r.role == family.roles.get("train") and not r.label for r in own):
            continue
        for split, role in family.parts_as.items():
            whole = family.roles.get(split)
            if split == "train" or not any(r.role == whole and not r.label for r in own):
                continue
            found = [
                (f, replace(r, role=role, part=True))
                if r.family == family.name and r.role == whole and r.label in trained
                else (f, r)
                for f, r in found
            ]
    return found


def _test_for_validation(found: list[tuple[Facts, Reading]]) -> list[tuple[Facts, Reading]]:
    have = {r.role for _, r in found}
    once = tested_once(found)
    return [
        (f, r if f.metric in once or _TEST.get(r.role, r.role) in have else replace(r, role=_TEST[r.role]))
        for f, r in found
    ]


def _at_home(
    role: str, group: Sequence[tuple[Facts, Reading]], known: Sequence[RoleMatch], metrics: Mapping[str, Facts]
) -> frozenset[str]:
    """The labels of the sets that hold what is trained on, of validation sets that all have a label.

    Of losses the one whose level is nearest to that of training, and those at most _ANOTHER times as far; of accuracies
    that of the preferred loss. What was learned before the run and is graded beside it costs far less.
    """
    labels = frozenset(r.label for _, r in group)
    if len(labels) < 2 or "" in labels:
        return frozenset()
    if role == "val_accuracy":
        return labels & {m.label for m in [m for m in known if m.role == "val_loss"][:1]}
    main = next((metrics[m.metric] for m in known if m.role == "loss" and m.metric in metrics), None)
    level = _level(main) if main is not None else 0.0
    if role != "val_loss" or not level > 0.0:
        return frozenset()
    far = {r.label: abs(float(np.log(_level(f) / level))) for f, r in group if _level(f) > 0.0}
    if not far:
        return frozenset()
    return frozenset(k for k, d in far.items() if d <= min(far.values()) + np.log(_ANOTHER))


def _level(f: Facts) -> float:
    return float(np.median(f.finite)) if len(f.finite) else 0.0


def _goes_on(f: Facts, group: Sequence[tuple[Facts, Reading]]) -> bool:
    """Whether a name is that of another of the group with more behind it ("output-xent" beside "output")."""
    return any(f.metric.startswith((f"{g.metric}-", f"{g.metric}_")) for g, _ in group)


def _ranked(
    role: str,
    group: list[tuple[Facts, Reading]],
    led: bool,
    table: Signals,
    known: Sequence[RoleMatch],
    home: frozenset[str],
) -> list[RoleMatch]:
    if len(group) == 1 and not led and role not in _LAYERED and group[0][1].label != ABSOLUTE_ERROR:
        ((f, r),) = group  # as of most roles: nothing to be told from
        return [RoleMatch(role, f.metric, "", r.why, r.trust, NEGATED if r.turned else "")]
    # a validation loss is the one that is called like the loss of training
    main = next((m for m in known if m.role == "loss"), None)
    trained = split_and_rest(main.metric, table)[1] if main is not None else None
    same = [f for f, _ in group if role == "val_loss" and split_and_rest(f.metric, table)[1] == trained]
    # of tasks that are learned at once, what is judged is the grade of the one whose loss is
    of_task = main.label if main is not None else ""
    most, widest = max(f.points for f, _ in group), max(f.cover for f, _ in group)
    whole = max((f.cover for f, _ in group if f.points >= curve_shape.FEWEST), default=0.0)
    order = {f.metric: i for i, (f, _) in enumerate(group)}

    def rank(fr: tuple[Facts, Reading]) -> tuple[object, ...]:
        f, r = fr
        if role in _LAYERED:
            return (order[f.metric],)
        # a loss of batches tells of training; of an evaluation the mean is what it found
        words = plain(f.metric).split("_")
        mean = r.split != "train" and (f.metric.startswith("epoch ") or words[-1] == "epoch" or "mean" in words)
        raw = -1 if mean else r.average
        sparse = not mean and (f.points < _DENSE * most or f.cover < _DENSE * widest)
        return (
            r.part, r.family in _GRADES and r.trust == "guess",
            r.family in _GRADES and bool(of_task) and r.label != of_task,
            bool(r.label) and r.family != "metric" and f not in same, f not in same, r.label not in home,
            sparse, f.cover < _DENSE * whole, raw, r.order, _goes_on(f, group), -f.points, not has_scope(f.metric),
            order[f.metric],
        )  # fmt: skip

    out: list[RoleMatch] = []
    labels: set[str] = {""} if led else set()
    for f, r in sorted(group, key=rank):
        label = "" if not out and f in same and not (main is not None and main.label) else r.label
        if label in labels:
            # the mean of a curve that is here in full; of single episodes only the last may be left
            if r.average and r.family != "reward":
                continue
            label = f.metric
        labels.add(label)
        out.append(RoleMatch(role, f.metric, label, r.why, r.trust, NEGATED if r.turned else ""))
    if len(out) == 1 and role not in _LAYERED and out[0].label != ABSOLUTE_ERROR:
        out = [replace(out[0], label="")]
    return out
