"""The subjects of a rule: the run, its layers, data sets and ranks, or the members of a group of repeats."""

from __future__ import annotations

from collections.abc import Sequence

from curvedoc.core.run import Run
from curvedoc.core.series import Series
from curvedoc.diagnose.judge.company import Ranks, some, usual
from curvedoc.diagnose.judge.inputs import MAX_LAYERS, Bench
from curvedoc.diagnose.judge.names import WHOLE, Subject
from curvedoc.rulebook.rule import Need, Rule


def _labeled(bench: Bench, rule: Rule) -> list[Subject]:
    """One subject per layer or data set of the roles that vary (a label of several such roles is one subject)."""
    run = bench.run
    roles = dict.fromkeys(n.target for n in rule.program.needs if n.member == "each")
    found = [(m.label or m.metric, m.metric) for role in roles for m in run.matches(role)[:MAX_LAYERS]]
    labels = dict.fromkeys(label for label, metric in found if run.metric(metric) is not None)
    if not labels:
        return []

    by_label: dict[str, dict[str, list[str]]] = {}
    for role in dict.fromkeys(n.target for n in rule.program.needs):
        for m in run.matches(role):
            by_label.setdefault(role, {}).setdefault(m.label or m.metric, []).append(m.metric)

    def subject(label: str) -> Subject:
        def of(role: str) -> list[str]:
            return by_label.get(role, {}).get(label, [])

        def pick(bench: Bench, need: Need) -> Series | None:
            match need.member:
                case "each" | "same":
                    same = of(need.target)
                    return run.metric(same[0]) if same else None
                case "others":
                    same = of(need.target)
                    own = run.metric(same[0]) if same else None
                    rest = [run.metric(m.metric) for m in some(run.matches(need.target)) if m.metric not in same]
                    return None if own is None else usual([s for s in rest if s is not None], own)
            return bench.pick(need)

        return Subject(label, {rule.over: label}, pick)

    return [subject(label) for label in labels]


def _ranks(bench: Bench) -> list[Subject]:
    ranks = Ranks(bench.run)
    if len(ranks.labels) < 2:
        return []

    def subject(rank: int) -> Subject:
        def pick(_: Bench, need: Need) -> Series | None:
            return ranks.others(need.target, rank) if need.member == "others" else ranks.series(need.target, rank)

        return Subject(f"rank {rank}", {"rank": str(rank)}, pick)

    return [subject(rank) for rank in ranks.labels]


def _siblings(bench: Bench, group: Sequence[Run]) -> list[Subject]:
    run = bench.run
    others = [r for r in group if r is not run]
    if not others:
        return []

    def pick(bench: Bench, need: Need) -> Series | None:
        own = bench.pick(need)
        if need.member != "others" or own is None:
            return own
        rest = [r.series(need.target) for r in others]
        return usual([s for s in rest if s is not None], own)

    return [Subject(run.name, {"siblings": ", ".join(r.name for r in others)[:300]}, pick)]


def subjects(bench: Bench, rule: Rule, group: Sequence[Run] = ()) -> list[Subject]:
    """What the rule is evaluated for in this run; empty when there is no such member."""
    match rule.over:
        case "layer" | "metric":
            return _labeled(bench, rule)
        case "rank":
            return _ranks(bench)
        case "siblings":
            return _siblings(bench, group)
    return [WHOLE]
