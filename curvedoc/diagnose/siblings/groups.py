"""Runs that failed the same way: by symptom and cause, then by the order of events and the shape of the curve."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from curvedoc.core.diagnosis import Group, RunDiagnosis
from curvedoc.core.frozen import dataclass
from curvedoc.diagnose.sentence.ties import ASSERTED
from curvedoc.diagnose.siblings.shape import distance, shape

VERDICT_ORDER = ("failed", "warning", "ended-early", "inconclusive", "healthy")
#: Below it a cause does not tell failures of one symptom apart, and the order in which channels moved does.
_POSSIBLE = 0.3
#: From here on one cause outweighs which of its symptoms came first.
_SURE = 0.8
#: Curves nearer than this may be of one failure; within one kind they seldom lie further apart (`shape.distance`).
NEAR = 0.35
#: Curves further apart than this show different failures: half of the way to a curve that left its range.
FAR = 0.5
#: Channels whose order counts; later ones follow from them.
_CHANNELS = 2


@dataclass(frozen=True, slots=True)
class _Draft:
    """A group in the making. signature: symptom and cause; middle: the mean shape of its runs."""

    signature: tuple[str, str]
    runs: tuple[RunDiagnosis, ...]
    middle: npt.NDArray[np.float64] | None

    @property
    def chance(self) -> float:
        """The probability of the cause in the middle run."""
        return float(np.median([r.causes[0].probability if r.causes else 0.0 for r in self.runs]))


def groups(runs: Iterable[RunDiagnosis]) -> tuple[Group, ...]:
    """Failed and warned runs in groups of one failure: those of several failed runs first, the largest ahead.

    A signature is the first failure and the leading cause. Where that cause is hardly possible, runs whose channels
    moved in another order part, and where it may not be asserted, those whose curves have clearly another shape.
    Groups of one very likely cause join where their symptoms overlap and their curves have one shape.
    """
    by: dict[tuple[object, ...], list[RunDiagnosis]] = {}
    for run in runs:
        faults = own(run)
        if faults:
            cause = run.causes[0] if run.causes else None
            moved = () if cause is not None and cause.probability >= _POSSIBLE else _order(run)
            by.setdefault((faults[0], cause.cause if cause else "", moved), []).append(run)
    drafts = [d for (symptom, cause, _), members in by.items() for d in _split((str(symptom), str(cause)), members)]
    joined = _join(drafts)
    # what is no group of several comes last, so that the letters that are shown have no gaps
    joined.sort(
        key=lambda d: (
            len(d.runs) == 1, VERDICT_ORDER.index(d.runs[0].verdict), -len(d.runs), d.signature, d.runs[0].run,
        )
    )  # fmt: skip
    made = []
    for i, draft in enumerate(joined):
        clearest = max(draft.runs, key=lambda r: (r.causes[0].probability if r.causes else 0.0, r.run))
        made.append(Group(letters(i), draft.signature, tuple(r.run for r in draft.runs), clearest.run))
    return tuple(made)


def own(run: RunDiagnosis) -> list[str]:
    """The symptoms that nothing else in the run explains, the first failure first."""
    return [f.symptom for f in run.findings if f.kind == "pathology" and f.explained_by is None]


def _order(run: RunDiagnosis) -> tuple[str, ...]:
    return tuple(dict.fromkeys(e.channel for e in run.timeline))[:_CHANNELS]


def _split(signature: tuple[str, str], members: Sequence[RunDiagnosis]) -> list[_Draft]:
    """One draft, or several where the cause does not decide: each run goes to the nearest middle, or begins another."""
    whole = _Draft(signature, tuple(members), None)
    # a cause that a headline asserts says by itself that runs failed alike; below that their curves may deny it
    if len(members) == 1 or whole.chance >= ASSERTED:
        return [whole]
    parts: list[tuple[list[RunDiagnosis], npt.NDArray[np.float64]]] = []
    bare = []
    for run in sorted(members, key=lambda r: r.run):
        its = shape(run)
        if its is None:
            bare.append(run)
            continue
        far = [distance(its, first) for _, first in parts]
        if far and min(far) <= FAR:
            parts[int(np.argmin(far))][0].append(run)
        else:
            parts.append(([run], its))
    if len(parts) <= 1:
        return [whole]
    largest = max(range(len(parts)), key=lambda i: len(parts[i][0]))
    parts[largest][0].extend(bare)  # without a curve nothing speaks against the usual kind
    place = {r.run: i for i, r in enumerate(members)}
    return [_Draft(signature, tuple(sorted(p, key=lambda r: place[r.run])), None) for p, _ in parts]


def _join(drafts: Sequence[_Draft]) -> list[_Draft]:
    """Drafts of one very likely cause joined where symptoms overlap and shapes are near, the nearest first."""
    out = [d for d in drafts if not d.signature[1] or d.chance < _SURE]
    rest: dict[str, list[_Draft]] = {}
    for d in drafts:
        if d.signature[1] and d.chance >= _SURE:
            rest.setdefault(d.signature[1], []).append(d)
    for several in rest.values():
        out += several if len(several) == 1 else _nearest_first([replace(d, middle=_middle(d.runs)) for d in several])
    return out


def _nearest_first(drafts: list[_Draft]) -> list[_Draft]:
    while True:
        pairs = [
            (distance(a.middle, b.middle), i, j)
            for i, a in enumerate(drafts)
            for j, b in enumerate(drafts[:i])
            if a.middle is not None and b.middle is not None and _overlap(a, b)
        ]
        best = min(pairs, default=None)
        if best is None or best[0] > NEAR:
            return drafts
        a, b = drafts[best[1]], drafts[best[2]]
        runs = (*a.runs, *b.runs)
        signature = max(a, b, key=lambda d: (len(d.runs), d.signature)).signature
        drafts = [d for d in drafts if d is not a and d is not b]
        drafts.append(_Draft(signature, tuple(sorted(runs, key=lambda r: r.run)), _middle(runs)))


def _middle(runs: Sequence[RunDiagnosis]) -> npt.NDArray[np.float64] | None:
    found = [s for r in runs if (s := shape(r)) is not None]
    return np.mean(found, axis=0) if found else None


def _overlap(a: _Draft, b: _Draft) -> bool:
    """Whether the first failure of one is among the symptoms of the other's runs, and both ended alike."""
    if a.runs[0].verdict != b.runs[0].verdict:
        return False
    ours, theirs = (frozenset(f.symptom for r in d.runs for f in r.findings if f.kind == "pathology") for d in (a, b))
    return a.signature[0] in theirs or b.signature[0] in ours


def letters(i: int) -> str:
    """A, B ... Z, AA, AB ..."""
    text = ""
    i += 1
    while i:
        i, rest = divmod(i - 1, 26)
        text = chr(ord("A") + rest) + text
    return text
