"""What the tool says of every labeled run: each judged on its own, the members of a group together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from curvedoc.core.diagnosis import RunDiagnosis
from curvedoc.core.errors import NothingToAnalyse
from curvedoc.core.run import Run
from curvedoc.diagnose.many import diagnose_all
from curvedoc.evaluate.labels import Label, Unit
from curvedoc.pipeline import Options, rulebook, runs_below


@dataclass(frozen=True, slots=True)
class UnitPrediction:
    """What was said of a unit.

    symptoms: (id, strength, first step), clearest first; causes: (id, probability), likeliest first
    noted: symptoms that are faults by their rule, and were seen to have done no harm in this unit
    early: whether a run was said to have ended early
    """

    symptoms: tuple[tuple[str, float, int | None], ...] = ()
    causes: tuple[tuple[str, float], ...] = ()
    runs: int = 0  # diagnoses behind it; 0: the run was not found
    noted: frozenset[str] = frozenset()
    early: bool = False


Runs = tuple[Run, ...]


def read_labeled(root: Path, options: Options) -> Runs:
    """Every run below the labeled directory. Raises NothingToAnalyse where there is none."""
    harvest = runs_below([root], options)
    if not harvest.runs:
        raise NothingToAnalyse("no training run beside the labels", str(root))
    return tuple(harvest.runs)


def label_key(run: str, directories: frozenset[str]) -> str | None:
    """The key of the label that a run belongs to: the nearest labeled directory at or above it; None without one.

    >>> label_key("a/b/version_0", frozenset({"a/b"})), label_key("a/all.csv::r1", frozenset({"a"}))
    ('a/b', 'a::r1')
    """
    path, sign, inner = run.strip("/").removesuffix("/.").partition("::")
    while path and path not in directories:
        path = path.rpartition("/")[0]
    return path + sign + inner if path else None


def united(parts: Iterable[RunDiagnosis]) -> UnitPrediction:
    """What several diagnoses say together: every symptom, each cause at its highest probability."""
    symptoms: list[tuple[str, float, int | None]] = []
    causes: dict[str, float] = {}
    faults, notes, early = set[str](), set[str](), False
    count = 0
    for part in parts:
        count += 1
        early |= part.verdict == "ended-early"
        for f in part.findings:
            (faults if f.kind == "pathology" else notes).add(f.symptom)
        symptoms += [(f.symptom, f.strength, f.first_step) for f in part.findings]
        for cause in part.causes:
            causes[cause.cause] = max(causes.get(cause.cause, 0.0), cause.probability)
    symptoms.sort(key=lambda s: -s[1])
    ranked = tuple(sorted(causes.items(), key=lambda c: -c[1]))
    return UnitPrediction(tuple(symptoms), ranked, count, frozenset(notes - faults), early)


def predict(
    units: Sequence[Unit],
    labels: Sequence[Label],
    runs: Runs,
    options: Options,
    progress: Callable[[str, int, int], None] | None = None,
) -> Mapping[str, UnitPrediction]:
    """Unit name -> what was said of it. Units whose runs were not found have an empty `Said`.

    Labeled runs come from unrelated trainings that may share a configuration, so siblings are compared only inside
    a group, whatever the options say.
    """
    book = rulebook(options)
    directories = frozenset(label.run for label in labels)
    keyed: dict[str, list[Run]] = {}
    for run in runs:
        key = label_key(run.name, directories)
        if key is None and run.sources:
            # a run that is alone in a tree is named by a directory above the one that holds it
            key = label_key(run.sources[0].path, directories)
        if key is not None:
            keyed.setdefault(key, []).append(run)
    said = {}
    for i, unit in enumerate(units):
        # a label without a sub-run stands for all runs of its directory
        own = [run for key in unit.members for run in keyed.get(key, ())]
        diagnosis = diagnose_all(own, book, siblings=len(unit.members) > 1)
        said[unit.name] = united(diagnosis.runs)
        if progress is not None:
            progress("diagnose", i + 1, len(units))
    return said


def at(options: Options, sensitivity: float) -> Options:
    """The options with another sensitivity."""
    return replace(options, sensitivity=sensitivity)
