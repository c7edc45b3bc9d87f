"""How well `curvedoc triage` sorts the labeled corpus into groups of one cause each.

    python benchmarks/groups.py [CORPUS]

Prints the V-measure of the groups against the fault families (a failed run without a group counts as a group of its
own) and the healthy runs that landed in a group. Source: Rosenberg and Hirschberg (2007), V-measure, section 2.
"""

import math
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from curvedoc.evaluate.labels import read_labels
from curvedoc.options import Options
from curvedoc.triage import sweep

SMALL = 4


def entropy(names: Sequence[object]) -> float:
    """In nats."""
    total = len(names)
    return -sum(n / total * math.log(n / total) for n in Counter(names).values())


def v_measure(truth: Sequence[str], found: Sequence[str]) -> tuple[float, float, float]:
    """(homogeneity, completeness, V), each in [0, 1]."""
    h_truth, h_found = entropy(truth), entropy(found)
    mutual = h_truth + h_found - entropy(list(zip(truth, found, strict=True)))
    homogeneity = mutual / h_truth if h_truth else 1.0
    completeness = mutual / h_found if h_found else 1.0
    both = homogeneity + completeness
    return homogeneity, completeness, 2 * homogeneity * completeness / both if both else 0.0


def main(corpus: Path) -> None:
    """Print the table. The runs are unrelated trainings that share configurations: each is judged on its own."""
    _, labels = read_labels(corpus)
    known = {label.key: label for label in labels}
    d = sweep([corpus], Options(siblings=False)).diagnosis
    group = {run: g.name for g in d.groups for run in g.runs}
    faults, healthy = [], []
    for run in d.runs:
        label = known.get(run.run) or known.get(run.run.split("/")[0])
        if label is None or label.group:
            continue
        if label.fault == "none" or label.benign or not label.manifested:
            if run.run in group and not {f.symptom for f in run.findings} & {*label.accept_symptoms, *label.also_fine}:
                healthy.append(run.run)
        else:
            faults.append((label.family, group.get(run.run, f"alone: {run.run}")))
    size = Counter(family for family, _ in faults)
    for title, rows in (
        ("all families", faults),
        (f"families of {SMALL} or more", [(a, b) for a, b in faults if size[a] >= SMALL]),
    ):
        h, c, v = v_measure([a for a, _ in rows], [b for _, b in rows])
        print(f"{title:28} {len(rows):4} runs  homogeneity {h:.2f}  completeness {c:.2f}  V {v:.2f}")
    print(f"healthy runs in a group      {len(healthy):4}       {', '.join(healthy)}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "../shared/corpus"))
