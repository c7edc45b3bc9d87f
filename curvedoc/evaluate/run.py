"""The whole evaluation: labels, runs, outcomes and figures, at one or several sensitivities."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from curvedoc.evaluate.holdout import HeldOut, held_out
from curvedoc.evaluate.judge import UnitResult, judge
from curvedoc.evaluate.labels import read_labels, units
from curvedoc.evaluate.predict import at, predict, read_labeled
from curvedoc.evaluate.totals import (
    FamilyRow,
    PartRow,
    SymptomRow,
    Totals,
    families,
    parts,
    symptoms,
    totals,
)
from curvedoc.pipeline import Options, rulebook


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What `curvedoc evaluate` found.

    sensitivities: (setting, figures), the plain one not among them unless asked
    held_out:      what the probabilities would be with constants fitted on other tasks
    """

    version: str
    rules_digest: str
    outcomes: tuple[UnitResult, ...]
    totals: Totals
    symptoms: tuple[SymptomRow, ...]
    families: tuple[FamilyRow, ...]
    parts: tuple[tuple[str, tuple[PartRow, ...]], ...]
    sensitivities: tuple[tuple[float, Totals], ...]
    without_rule: tuple[str, ...]  # symptoms that labels accept and no rule detects
    held_out: tuple[HeldOut, ...] = ()


def evaluate(
    labels_path: Path,
    options: Options,
    split_by: Sequence[str] = (),
    sensitivities: Sequence[float] = (),
    progress: Callable[[str, int, int], None] | None = None,
) -> Evaluation:
    """The figures of the tool over labeled runs. The logs are read once, judged once per sensitivity.

    Raises UsageError for labels that cannot be used, NothingToAnalyse where no run lies beside them.
    """
    from curvedoc.core.version import __version__

    root, labels = read_labels(labels_path)
    together = units(labels)
    runs = read_labeled(root, options)

    def outcomes(with_: Options) -> tuple[UnitResult, ...]:
        said = predict(together, labels, runs, with_, progress)
        return tuple(judge(unit, said[unit.name], kinds) for unit in together)

    book = rulebook(options)
    kinds = {rule.id: rule.kind for rule in book.rules}
    plain = outcomes(options)
    moved = []
    for s in sorted(set(sensitivities)):
        moved.append((s, totals(plain if s == options.sensitivity else outcomes(at(options, s)))))
    accepted = {s for label in labels for s in label.accept_symptoms}
    return Evaluation(
        version=__version__,
        rules_digest=book.digest,
        outcomes=plain,
        totals=totals(plain),
        symptoms=symptoms(plain, kinds),
        families=families(plain),
        parts=tuple((by, parts(plain, by)) for by in split_by),
        sensitivities=tuple(moved),
        without_rule=tuple(sorted(accepted - set(kinds))),
        held_out=held_out(plain),
    )
