"""The setting, or the pair of settings, that parts the runs of one group from all runs outside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

from curvedoc.core.diagnosis import Contrast, Group
from curvedoc.core.frozen import dataclass
from curvedoc.diagnose.siblings.families import SiblingFamily, families
from curvedoc.diagnose.siblings.fisher import corrected, p_values
from curvedoc.diagnose.siblings.outline import Sibling
from curvedoc.diagnose.siblings.splits import splits_of

SIGNIFICANT = 0.05
#: Settings that are tried in pairs: the best ones by themselves.
PAIRED = 10
#: Groups that are compared, the largest.
MOST_GROUPS = 16
#: A pair says more than one setting where so much more of what it holds is of the group.
GAIN = 0.15

Masks = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class _Side:
    """One side of a split: some values of a key, in words, and the runs that have them."""

    key: str
    words: str
    other: str
    inside: Masks


def group_contrasts(runs: Sequence[Sibling], groups: Sequence[Group]) -> Mapping[str, tuple[Contrast, ...]]:
    """For each group of several runs what parts it from its siblings, the surest first; a group without is left out.

    Each group is compared with all runs outside it, healthy or not: a sweep in which every setting fails in a way of
    its own has no setting that parts failed from healthy runs. Corrected for all splits and for all groups tried.
    """
    out: dict[str, tuple[Contrast, ...]] = {}
    able = families(runs)
    largest = sorted((g for g in groups if len(g.runs) > 1), key=lambda g: -len(g.runs))[:MOST_GROUPS]
    members = {g.name: frozenset(g.runs) for g in largest}
    tried = [(g, f, np.array([r.name in members[g.name] for r in f.runs])) for f in able for g in largest]
    tried = [row for row in tried if 1 < row[2].sum() < len(row[2])]
    for group, family, inside in tried:
        found = _of_group(family, inside, len(tried))
        if found:
            out[group.name] = (*out.get(group.name, ()), *found)
    return {name: tuple(sorted(found, key=lambda c: (c.p_value, c.key))) for name, found in out.items()}


def _of_group(family: SiblingFamily, inside: Masks, groups: int) -> list[Contrast]:
    sides = _sides(family)
    if not sides:
        return []
    masks = np.array([s.inside for s in sides])
    p = np.minimum(1.0, corrected(masks, inside) * groups)
    order = sorted(range(len(sides)), key=lambda i: (p[i], -_purity(masks[i], inside)))
    # a side that holds less of the group than the rest does says the same from behind
    order = [i for i in order if _purity(masks[i], inside) > _purity(~masks[i], inside)]
    best: dict[str, Contrast] = {}
    for i in order:
        if p[i] < SIGNIFICANT:
            best.setdefault(sides[i].key, _told(sides[i], inside, float(p[i])))
    pair = _pair([sides[i] for i in order[:PAIRED]], inside, groups, max(1, len(sides)))
    single = max((_purity(masks[i], inside) for i in order if p[i] < SIGNIFICANT), default=0.0)
    if pair is not None and _purity(pair[0].inside, inside) >= single + GAIN:
        return [_told(pair[0], inside, pair[1]), *best.values()]
    return list(best.values())


def _sides(family: SiblingFamily) -> list[_Side]:
    out = []
    for key in family.keys:
        for split in splits_of(key):
            inside = np.array(split.inside)
            if 0 < inside.sum() < len(inside):
                a, b = split.words
                out += [_Side(key.name, a, b, inside), _Side(key.name, b, a, ~inside)]
    return out


def _pair(sides: Sequence[_Side], inside: Masks, groups: int, all_sides: int) -> tuple[_Side, float] | None:
    """The two sides of different keys that together hold the group best, where that is no chance."""
    tests = groups * all_sides * all_sides
    best: tuple[float, float, _Side] | None = None
    for a, b in combinations(sides, 2):
        both = a.inside & b.inside
        if a.key == b.key or not 0 < both.sum() < len(both):
            continue
        here = int(both.sum())
        p = float(p_values(here, len(inside), int(inside.sum()))[int((both & inside).sum())]) * tests
        rank = (-_purity(both, inside), p)
        if p < SIGNIFICANT and (best is None or rank < best[:2]):
            best = (*rank, _Side(f"{a.key}, {b.key}", f"{a.words} and {b.words}", "anything else", both))
    return None if best is None else (best[2], min(1.0, best[1]))


def _purity(side: Masks, inside: Masks) -> float:
    """How well a side is the group: the harmonic mean of the shares that each has of the other."""
    both = float((side & inside).sum())
    return 2 * both / float(side.sum() + inside.sum())


def _told(side: _Side, inside: Masks, p: float) -> Contrast:
    here, there = side.inside, ~side.inside
    counts = (int((here & inside).sum()), int(here.sum())), (int((there & inside).sum()), int(there.sum()))
    (failed, of), (others, of_others) = counts
    noun = "run" if of == 1 else "runs"
    text = f"{failed} of {of} {noun} with {side.words} went this way, {others} of {of_others} with {side.other} did"
    return Contrast(side.key, text, p, *counts)
