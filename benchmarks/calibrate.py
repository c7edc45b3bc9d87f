"""Fit the exponent and the map of diagnose/rank.py to labeled runs, cross-validated over tasks.

    python benchmarks/calibrate.py LABELS [--write]

Every labeled run is diagnosed once and its stories are kept; exponent and map are then fitted on all tasks but one and
judged on that one, in turn. The fit is to every cause that is named, so that a second cause's probability holds as well
as the first's. Printed: how the probabilities hold before and after, and the constants over all tasks, to be put into
rank.py. The exponent changes the order of causes little, the map not at all. --write puts slope and shift there, for
the exponent that stands in it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from curvedoc.core.run import Run
from curvedoc.diagnose.judge import rank
from curvedoc.diagnose.judge.detect import detect
from curvedoc.diagnose.judge.fold import fold
from curvedoc.diagnose.judge.inputs import Bench
from curvedoc.diagnose.judge.rank import Story, calibrate, scores, stories, weigh
from curvedoc.evaluate.holdout import fit_map, surprise
from curvedoc.evaluate.labels import read_labels, units
from curvedoc.evaluate.predict import label_key, read_labeled
from curvedoc.evaluate.rates import calibration_error, reliability
from curvedoc.pipeline import Options, rulebook

EXPONENTS = (0.85, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0)


@dataclass(frozen=True)
class Case:
    """One labeled run: its stories and what would be right."""

    task: str
    told: tuple[Story, ...]
    right: frozenset[str]

    def stated(self, sharpness: float) -> list[tuple[float, bool]]:
        """(score, whether it is accepted) of every cause, the first cause first."""
        score = scores(self.told, sharpness)
        ranked = sorted(score, key=lambda c: (-round(score[c], 6), c))
        return [(score[c], c in self.right) for c in ranked]


@dataclass(frozen=True)
class Fit:
    """The constants of rank.py."""

    sharpness: float
    slope: float
    shift: float


def collect(path: Path) -> list[Case]:
    """The cases whose label accepts causes and for which some cause was named."""
    root, labels = read_labels(path)
    book = rulebook(Options())
    rules = {r.id: r for r in book.rules}
    directories = frozenset(label.run for label in labels)
    runs: dict[str, list[Run]] = {}
    for run in read_labeled(root, Options()):
        runs.setdefault(label_key(run.name, directories) or "", []).append(run)
    out = []
    for unit in units(labels):
        label = unit.label
        own = [r for key in unit.members for r in runs.get(key, ())]
        if not label.accept_causes or not (label.manifested or label.benign) or not own:
            continue
        bench = Bench(own[0])
        judged = [detect(rule, bench, own if len(unit.members) > 1 else (), False) for rule in book.rules]
        findings = fold([j.finding for j in judged if j.finding is not None], rules)
        factors = {c: w.factor for c, w in weigh(findings, book.causes, bench).items()}
        told = stories(findings, factors)
        if told:
            out.append(Case(label.task, told, frozenset(label.accept_causes)))
    return out


def fit(cases: Sequence[Case], exponents: Sequence[float] = EXPONENTS) -> Fit:
    """The constants with the least surprise over every cause of every run, not only the first."""
    best = []
    for sharpness in exponents:
        pairs = [p for c in cases for p in c.stated(sharpness)]
        slope, shift = fit_map(pairs)
        best.append((surprise([(calibrate(s, slope, shift), r) for s, r in pairs]), Fit(sharpness, slope, shift)))
    return min(best, key=lambda b: b[0])[1]


def state(case: Case, by: Fit) -> list[tuple[float, bool]]:
    """The probabilities that a case's causes would be shown with."""
    return [(calibrate(s, by.slope, by.shift), r) for s, r in case.stated(by.sharpness)]


def show(title: str, stated: Sequence[Sequence[tuple[float, bool]]]) -> None:
    """Print the reliability table of the first causes, and the error over all causes."""
    first = [s[0] for s in stated]
    every = [p for s in stated for p in s]
    bins = reliability(first)
    right = sum(r for _, r in first) / len(first)
    lost = surprise(every) / len(stated)
    print(f"{title}: first cause right in {right:.1%} of {len(first)}; error of the first cause", end=" ")
    print(
        f"{calibration_error(bins):.3f}, of all {calibration_error(reliability(every)):.3f}; surprise {lost:.3f} a run"
    )
    for b in bins:
        print(f"   {b.low:.1f}-{b.high:.1f}  {b.right.n:4}  stated {b.said:.2f}  right {b.right.k / b.right.n:.2f}")


def held_out(cases: Sequence[Case], exponents: Sequence[float]) -> list[list[tuple[float, bool]]]:
    """What would be stated of every case by constants fitted on the other tasks."""
    out = []
    for task in sorted({c.task for c in cases}):
        made = fit([c for c in cases if c.task != task], exponents)
        out += [state(c, made) for c in cases if c.task == task]
    return out


def write(made: Fit, path: Path) -> None:
    """Put slope and shift into the source of rank.py."""
    text = path.read_text(encoding="utf-8")
    for name, value in (("SLOPE", made.slope), ("SHIFT", made.shift)):
        text, count = re.subn(rf"^{name} = .*$", f"{name} = {value:.2f}", text, flags=re.MULTILINE)
        if count != 1:
            raise SystemExit(f"{path} has {count} lines that set {name}")
    path.write_text(text, encoding="utf-8")


def main() -> None:
    """Collect, cross-validate, fit."""
    words = [w for w in sys.argv[1:] if w != "--write"]
    cases = collect(Path(words[0]))
    show("scores as they are", [c.stated(rank.SHARPNESS) for c in cases])
    show("as rank.py states them now", [state(c, Fit(rank.SHARPNESS, rank.SLOPE, rank.SHIFT)) for c in cases])
    show("cross-validated, exponent kept", held_out(cases, (rank.SHARPNESS,)))
    show("cross-validated, exponent fitted", held_out(cases, EXPONENTS))
    for sharpness in EXPONENTS:
        made = fit(cases, (sharpness,))
        stated = [state(c, made) for c in cases]
        lost = surprise([p for s in stated for p in s]) / len(stated)
        if sharpness == rank.SHARPNESS and "--write" in sys.argv:
            write(made, Path(rank.__file__))
        print(f"exponent {sharpness}: slope {made.slope:.2f}, shift {made.shift:.2f}, surprise {lost:.4f} a run")


if __name__ == "__main__":
    main()
