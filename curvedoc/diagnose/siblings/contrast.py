"""Configuration keys that part the failed siblings from the others, and what that says of causes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from curvedoc.core.diagnosis import Contrast, Evidence, RunDiagnosis, Verdict
from curvedoc.core.frozen import dataclass
from curvedoc.core.numbers import spelled
from curvedoc.core.run import Note
from curvedoc.diagnose.siblings.families import Key, SiblingFamily, families
from curvedoc.diagnose.siblings.fisher import corrected
from curvedoc.diagnose.siblings.outline import Sibling, final_loss
from curvedoc.diagnose.siblings.splits import KeySplit, Side, number, splits_of

SIGNIFICANT = 0.05
#: The most that a contrast multiplies the odds of a cause by.
MOST_ODDS = 20.0
#: Robust standard deviations above the siblings from which a final loss is worth a note.
FAR = 6.0
#: The spread of siblings is taken as at least this share of their level: five equal runs prove no precision.
LEAST_SPREAD = 0.05
_MAD = 1.4826

#: (canonical key, side that fails) -> causes that this is evidence for.
CAUSES: Mapping[tuple[str, Side], tuple[str, ...]] = {
    ("lr", "high"): ("lr-too-high",),
    ("lr", "low"): ("lr-too-low", "lr-zero"),
    ("batch_size", "low"): ("batch-too-small",),
    ("batch_size", "high"): ("batch-too-large-for-memory",),
    ("seq_len", "high"): ("batch-too-large-for-memory",),
    ("max_grad_norm", "high"): ("missing-clipping",),
    ("max_grad_norm", "absent"): ("missing-clipping",),
    ("max_grad_norm", "low"): ("clip-too-tight",),
    ("weight_decay", "low"): ("missing-weight-decay", "insufficient-regularization"),
    ("weight_decay", "absent"): ("missing-weight-decay", "insufficient-regularization"),
    ("weight_decay", "high"): ("over-regularization",),
    ("dropout", "low"): ("insufficient-regularization",),
    ("dropout", "absent"): ("insufficient-regularization",),
    ("dropout", "high"): ("over-regularization",),
    ("warmup_steps", "low"): ("no-warmup",),
    ("warmup_steps", "absent"): ("no-warmup",),
    ("warmup_ratio", "low"): ("no-warmup",),
    ("warmup_ratio", "absent"): ("no-warmup",),
    ("warmup_epochs", "low"): ("no-warmup",),
    ("warmup_epochs", "absent"): ("no-warmup",),
    ("adam_eps", "low"): ("numerical-instability",),
    ("precision", "value"): ("fp16-overflow", "numerical-instability"),
}


@dataclass(frozen=True, slots=True)
class Parting:
    """A contrast with what a report need not know: which runs it speaks of and which side fails."""

    contrast: Contrast
    side: Side
    failing: frozenset[str]  # names of the runs on the failing side


def _outcome(verdicts: Sequence[Verdict]) -> tuple[str, tuple[Verdict, ...]] | None:
    """What counts as failing: the failed where some failed, else the warned; None where there is nothing to part."""
    for word, bad in (("failed", ("failed",)), ("raised a warning", ("failed", "warning"))):
        hits = sum(v in bad for v in verdicts)
        if 0 < hits < len(verdicts):
            return word, bad  # type: ignore[return-value]
    return None


def _sentence(split: KeySplit, first: bool, counts: tuple[int, int, int, int], word: str) -> str:
    failed, of, others, of_others = counts
    own, other = split.words if first else split.words[::-1]
    noun = "run" if of == 1 else "runs"
    return f"{failed} of {of} {noun} with {own} {word}, {others} of {of_others} with {other} did"


def _partings(family: SiblingFamily, verdicts: Mapping[str, Verdict], tested: int) -> list[Parting]:
    chosen = [i for i, r in enumerate(family.runs) if verdicts.get(r.name) not in (None, "inconclusive", "ended-early")]
    outcome = _outcome([verdicts[family.runs[i].name] for i in chosen])
    if outcome is None:
        return []
    word, bad = outcome
    names = [family.runs[i].name for i in chosen]
    failed = np.array([verdicts[n] in bad for n in names], dtype=np.bool_)
    keys = [Key(key.name, tuple(key.values[i] for i in chosen), key.canonical) for key in family.keys]
    return parted(keys, names, failed, word, tested)


def parted(
    keys: Sequence[Key], names: Sequence[str], failed: NDArray[np.bool_], word: str, tested: int = 1
) -> list[Parting]:
    """For each key that parts the failed runs from the others the split that does so best.

    word: what the failed did; tested: the families among which this is one
    """
    splits = [s for key in keys for s in splits_of(key) if 0 < sum(s.inside) < len(names)]
    if not splits:
        return []
    masks = np.array([s.inside for s in splits], dtype=np.bool_)
    p = np.minimum(1.0, corrected(masks, failed) * tested)
    best: dict[str, Parting] = {}
    # among splits of one p, the one that parts failures from successes more cleanly stands for its key
    gap = np.array([abs(failed[m].mean() - failed[~m].mean()) for m in masks])
    for i in np.lexsort((-gap, p)):
        if p[i] >= SIGNIFICANT or splits[i].key.name in best:
            continue
        inside = masks[i]
        first = bool(failed[inside].mean() >= failed[~inside].mean())
        here = inside if first else ~inside
        counts = (int(failed[here].sum()), int(here.sum()), int(failed[~here].sum()), int((~here).sum()))
        text = _sentence(splits[i], first, counts, word)
        made = Contrast(splits[i].key.name, text, float(p[i]), counts[:2], counts[2:])
        failing = frozenset(n for n, on in zip(names, here, strict=True) if on)
        best[splits[i].key.name] = Parting(made, splits[i].sides[0 if first else 1], failing)
    return list(best.values())


def partings(runs: Sequence[Sibling], done: Sequence[RunDiagnosis]) -> tuple[Parting, ...]:
    """Every key of a family of siblings that parts failed from healthy runs, the surest first.

    Significant at `SIGNIFICANT` after correction for all splits of all keys and for the number of families tried.
    """
    verdicts = {d.run: d.verdict for d in done}
    able = families(runs)
    tested = max(1, sum(_outcome([verdicts.get(r.name, "healthy") for r in f.runs]) is not None for f in able))
    found = [p for family in able for p in _partings(family, verdicts, tested)]
    return tuple(sorted(found, key=lambda p: (p.contrast.p_value, p.contrast.key, p.contrast.text)))


def odds(p_value: float) -> float:
    """The factor on a cause's odds: the most that a p-value can speak for an effect, at most `MOST_ODDS`.

    1 for p of 1/e and more. Source: Sellke, Bayarri, Berger (2001), Calibration of p values for testing precise null
    hypotheses: the bound -1 / (e p ln p) on the Bayes factor.

    >>> round(odds(0.05), 2), odds(1e-9), odds(0.9)
    (2.46, 20.0, 1.0)
    """
    if p_value >= 1 / math.e:
        return 1.0
    return min(MOST_ODDS, -1.0 / (math.e * max(p_value, 1e-12) * math.log(max(p_value, 1e-12))))


def sibling_evidence(run: str, found: Sequence[Parting]) -> Mapping[str, tuple[float, Evidence]]:
    """cause -> (factor on its odds, the sentence), for a run on the failing side of a contrast."""
    out: dict[str, tuple[float, Evidence]] = {}
    for parting in found:
        c = parting.contrast
        if run not in parting.failing:
            continue
        for cause in CAUSES.get((c.key, parting.side), ()):
            if cause not in out:
                out[cause] = (
                    odds(c.p_value),
                    Evidence(f"Among its siblings, {c.text} (p = {spelled(c.p_value, '.2g')})."),
                )
    return out


def worse_than_siblings(runs: Sequence[Sibling], done: Sequence[RunDiagnosis]) -> Mapping[str, Note]:
    """A note for every run called healthy whose loss ends far above that of its healthy siblings.

    Compared within a family, by the distance to the median in robust standard deviations; the other siblings must be
    `FEWEST_RUNS` - 1 or more.
    """
    verdicts = {d.run: d.verdict for d in done}
    notes = {}
    for family in families(runs):
        ends = {
            r.name: e for r in family.runs if verdicts.get(r.name) == "healthy" and (e := final_loss(r)) is not None
        }
        for name, end in ends.items():
            others = np.array([e for n, e in ends.items() if n != name])
            if len(others) < 4:
                continue
            middle = float(np.median(others))
            spread = max(_MAD * float(np.median(np.abs(others - middle))), LEAST_SPREAD * abs(middle))
            if spread > 0 and (end - middle) / spread > FAR:
                text = (
                    f"The loss ends at {number(end)}, the siblings' at {number(middle)} (median of {len(others)}), "
                    "although nothing in its own curves is wrong: compare its data and labels with theirs."
                )
                notes[name] = Note("worse-than-siblings", text)
    return notes
