"""Pairs that compete: losses of networks that play against each other and of what learns from rewards, which show no
progress, games won and lost, two domains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TypeVar

import numpy as np

from curvedoc.core.series import Floats
from curvedoc.ingest.naming.comparable_name import words_of
from curvedoc.ingest.naming.metric_name import Reading, split_and_rest
from curvedoc.ingest.naming.signals import Signals, plain
from curvedoc.ingest.naming.values import curve_shape
from curvedoc.ingest.naming.values.metric_values import MetricValues

#: Terms of an objective that have a role of their own in training.
TERMS_TOO = frozenset(("kl", "entropy"))
#: What else is counted of games, each in several words; the two domains of an adaptation, and what is graded in both.
_GAMES = (("win", "wins", "won"), ("draw", "draws", "tie", "ties"))
_DOMAINS = {"source": "target", "src": "tgt"}
_ANSWERS = frozenset(("accuracy", "metric"))
#: What a column without a heading is called.
NAMELESS = "column_"
#: The first values of a curve, and what is measured alike elsewhere, within a factor.
_FIRST, _SAME_ERROR = 3, 1.5
#: What a generator is trained for besides, as it is called where a rival is.
_TERMS = frozenset(("cycle", "cyc", "idt", "identity", "pixel", "pix", "gan"))
#: Two columns of one error go up and down together, by the correlation of ranks, or neither moves by more than a part.
_TOGETHER, _RESTS = 0.5, 0.1
#: Curves called by the words for two players have so many values.
_TOLD = 2


F = TypeVar("F", bound=MetricValues)


def in_a_game(found: list[tuple[F, Reading]], table: Signals) -> list[tuple[F, Reading]]:
    """Losses of networks that play against each other, as what they are: no measure of progress.

    Once a rival's loss is logged (a discriminator's), the losses of the players and a whole that may hold them all. A
    rival of one letter counts beside another player, or where it is the only part: loss_d alone may be a depth.
    """
    for family in table.families:
        if not family.game_as:
            continue
        trained = (family.roles.get("train"), family.parts_as.get("train"))
        own = [(f, r) for f, r in found if r.family == family.name and r.role in trained]
        # what never moves beside a curve is a setting that is called like a loss
        longest = max((f.points for f, _ in own), default=0)
        if longest >= curve_shape.FEWEST:
            own = [(f, r) for f, r in own if 2 * f.points > longest or len(np.unique(f.finite)) > 1]
        said = [set(r.label.lower().split("_")) & family.players for _, r in own]
        players = set().union(*said)
        plain = players & family.rivals
        alone = len([r for _, r in own if r.label]) == 1
        if not (any(len(w) > 1 for w in plain) or (plain and (len(players) > 1 or alone))):
            continue
        game = {f.metric for (f, r), names in zip(own, said, strict=True) if names or not r.label}
        found = [(f, replace(r, role=family.game_as, part=False) if f.metric in game else r) for f, r in found]
    return found


def steered(found: list[tuple[F, Reading]], table: Signals) -> list[tuple[F, Reading]]:
    """The training losses of what learns from rewards, as what they are: surrogates that show no progress.

    A reward that is told once or twice beside a longer loss, or all at one step, is a result (the return of a strategy
    that was fitted, of each stock that it trades)."""
    longest = max((f.points for f, r in found if r.family == "loss"), default=0)
    have = {r.role for f, r in found if f.points > 1 and f.cover > 0.0 and f.points >= min(longest, curve_shape.FEWEST)}
    for family in table.families:
        if not have & family.steered_by or have & family.steered_unless:
            continue
        found = [
            (f, replace(r, role=family.game_as)) if r.role == family.roles.get("train") and not r.part else (f, r)
            for f, r in found
        ]
    return found


def rivals_of(free: Sequence[F], found: Sequence[tuple[F, Reading]], table: Signals) -> list[tuple[F, Reading]]:
    """The losses of two networks that play against each other and are logged by the players' names alone."""
    out = []
    for family in table.families:
        if not family.game_as:
            continue
        known = [(f, r) for f, r in found if r.role == family.game_as]
        if known:  # "[G loss: 9.8, adv: 0.98, cycle: 0.59]"
            terms = _terms(free, known, table, curve_shape.FEWEST)
            out += [
                (f, r) for f, r in terms if _TERMS.union(family.parts).issuperset(split_and_rest(f.metric, table)[1])
            ]
            continue
        players = [(f, p) for f in free for p in [plain(f.metric).split("_")[0]] if p in family.players]
        if {p for _, p in players} & family.rivals and {p for _, p in players} - family.rivals:
            # words say it of a run of two rows too, letters do not
            few = _TOLD if all(len(p) > 1 for _, p in players) else curve_shape.FEWEST
            why = "called by a player of a game of two networks"
            out += [
                (f, Reading(family.game_as, "train", f.metric, why, family.bounds, family.name, trust="likely"))
                for f, _ in players
                if not f.growing and len(f.finite) >= few
            ]
            out += _terms(free, out, table, few)
    return out


def _terms(free: Sequence[F], rivals: Sequence[tuple[F, Reading]], table: Signals, few: int) -> list[tuple[F, Reading]]:
    """What is logged as often as the losses of players known by their names alone, one kind for each of them or for
    the whole ("cycle_A", "idt_B"): terms of these losses."""
    family = table.family("loss")
    if not rivals or family is None or "train" not in family.parts_as:
        return []
    role, points = family.parts_as["train"], {f.points for f, _ in rivals}
    known = {f.metric for f, _ in rivals}
    why = "logged with each of the losses of a game of two networks"
    return [
        (f, Reading(role, "train", f.metric, why, family.bounds, family.name, part=True, trust="likely"))
        for f in free
        if f.metric not in known
        and f.points in points
        and len(f.finite) >= few
        and not f.growing
        and bool((f.finite >= 0.0).all())
        and bool((f.finite != np.floor(f.finite)).any())
        and not curve_shape.is_smooth(f.finite)
    ]


def without_lost_games(found: Sequence[tuple[F, Reading]], metrics: Sequence[F]) -> list[tuple[F, Reading]]:
    """The readings without a "loss" that stands beside the games won and drawn, of which it counts those lost."""
    words = words_of(tuple(f.metric for f in metrics))
    if any(words.isdisjoint(same) for same in _GAMES):
        return list(found)
    names = {plain(f.metric) for f in metrics}

    def counts(name: str) -> bool:
        words = name.split("_")
        others = [{"_".join([*words[:-1], w]) for w in same} & names for same in _GAMES]
        return words[-1] in ("loss", "losses") and all(others)

    return [(f, r) for f, r in found if r.family != "loss" or not counts(plain(f.metric))]


def of_domains(metrics: Sequence[F], found: Sequence[tuple[F, Reading]], table: Signals) -> list[tuple[F, Reading]]:
    """The readings of answers in the domain that a model is adapted to ("target acc" beside "source acc"): no label of
    it is shown in training."""
    if words_of(tuple(f.metric for f in metrics)).isdisjoint(_DOMAINS):
        return []
    family = {f.name: f for f in table.families}
    named = {tuple(plain(f.metric).split("_")): f for f in metrics}
    known = {f.metric for f, _ in found}
    out = []
    for f, r in found:
        words = plain(f.metric).split("_")
        own = next((w for w in words if w in _DOMAINS), "")
        other = named.get(tuple(_DOMAINS[w] if w == own else w for w in words)) if own else None
        role = family[r.family].roles.get("test") if r.family in _ANSWERS and r.split == "train" else None
        if other is not None and other.metric not in known and role is not None:
            out.append((other, replace(r, role=role, split="test", why="the same in the domain that it is adapted to")))
    return out


def as_evaluated(free: Sequence[F], found: Sequence[tuple[F, Reading]]) -> list[F]:
    """Of columns without a name the one that begins at the level of the only error that other samples are graded by:
    the same error in training, whether it falls or not; or the first two, side by side, that begin at one level and go
    together: an error in training and the same one on other samples."""
    columns = [f for f in free if plain(f.metric).startswith(NAMELESS)]
    named = ((f, r) for f, r in found if len(f.finite) and not plain(f.metric).startswith(NAMELESS))
    graded = [f for f, r in named if r.family == "metric" and r.split != "train"]
    if len(graded) != 1:
        return next(([a, b] for a, b in pairwise(columns) if are_twins(a.finite, b.finite)), [])
    level = float(graded[0].finite[0])
    near = [
        f
        for f in columns
        if len(f.finite) >= len(graded[0].finite)
        and level > 1.0 and 1 / _SAME_ERROR <= float(np.median(f.finite[:_FIRST])) / level <= _SAME_ERROR
    ]  # fmt: skip
    return near if len(near) == 1 else []


def are_twins(a: Floats, b: Floats) -> bool:
    """Whether positive values of two columns begin at one level and move together, or both rest; no counts, no shares
    that rise, no schedules."""
    if len(a) != len(b) or len(a) < curve_shape.FEWEST or min(a.min(), b.min()) <= 0.0:
        return False
    for v in (a, b):
        if bool((v == np.floor(v)).all()) or curve_shape.is_small_rate(v) or curve_shape.rises_as_a_share(v):
            return False
    first = float(np.median(a[:_FIRST])) / float(np.median(b[:_FIRST]))
    if not 1 / _SAME_ERROR <= first <= _SAME_ERROR or bool((a == b).all()):
        return False
    if all(float(np.ptp(v)) <= _RESTS * float(np.median(v)) for v in (a, b)):
        return True
    half = max(curve_shape.FEWEST, len(a) // 2)  # what is overfitted parts later
    return any(curve_shape.agreement(x, y) > _TOGETHER for x, y in ((a, b), (a[:half], b[:half])))


def pairs_of(free: Sequence[F], table: Signals) -> list[tuple[F, F]]:
    """What is logged under one name of training and of validation."""
    by_name: dict[tuple[str, ...], dict[str, F]] = {}
    for f in free:
        split, rest = split_and_rest(f.metric, table)
        if rest and len(f.finite) >= curve_shape.FEWEST:
            by_name.setdefault(tuple(rest), {})[split] = f
    seen = [
        (s["train"], s[other]) for s in by_name.values() for other in ("val", "test") if s.keys() >= {"train", other}
    ]
    return [(a, b) for a, b in seen if not (a.growing and b.growing)]  # as time and what was done do
