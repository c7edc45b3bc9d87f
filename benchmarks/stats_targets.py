"""Check every target of the statistics: `python benchmarks/stats_targets.py [--quick] [--write PAGE]`.

Simulated curves of known truth and nulls with fixed seeds, the same on every machine; costs in units of plain work
that runs beside them. Prints a table and exits 1 when a target is missed. --quick makes a tenth of the simulations and
calls a target missed only where its whole 95 % interval is beyond it. --write puts the table of a full run into a page.
What needs labeled runs (confidence, false alarms of whole diagnoses) is measured by `curvedoc evaluate`.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "benchmarks"), str(ROOT / "tests"), str(ROOT / "tests" / "helpers")]

import targets_cost  # noqa: E402
import targets_events  # noqa: E402
import targets_runs  # noqa: E402
import targets_shapes  # noqa: E402
from targets import Row, Target  # noqa: E402

TARGETS: tuple[Target, ...] = (
    *targets_events.TARGETS,
    *targets_shapes.TARGETS,
    *targets_runs.TARGETS,
    *targets_cost.TARGETS,
)
QUICK = 0.1
HEAD = """# Accuracy and cost of the statistics

Written by `python benchmarks/stats_targets.py --write docs/statistics.md`; do not edit. Every figure is measured on
simulated curves whose truth is known (power laws, exponentials, mixtures, cosine gains under Gaussian, Student t3,
Laplace and skewed noise, white or correlated) or on nulls, with fixed seeds. Intervals are 95 %: Wilson's for shares,
resampled for quantiles. Costs are in units of plain work measured beside them, as milliseconds differ between
machines. The targets were set from prototypes on simulations of the same kind; thresholds were tuned on other seeds.
Where what is asked for falls short of what was hoped for, the aim stands beside the name.
How whole diagnoses do on labeled runs is on the [accuracy page](accuracy.md).
"""


def passed(row: Row, quick: bool) -> bool:
    """Whether a row counts as held: in a quick run, where its interval leaves that open."""
    return row.held or (quick and row.possible)


def table(rows: Iterable[Row], quick: bool) -> str:
    """A Markdown table."""
    lines = ["| target | asked | measured | 95 % interval | cases | held |", "| --- | --- | ---: | --- | ---: | --- |"]
    for r in rows:
        held = "yes" if r.held else "open" if passed(r, quick) else "NO"
        lines.append(f"| {r.name} | {r.asked} | {r.measured} | {r.interval} | {r.cases or ''} | {held} |")
    return "\n".join(lines)


def main(argv: list[str] | None = None) -> int:
    """0 where every target holds, else 1."""
    parser = argparse.ArgumentParser(description="Check the targets of the statistics.")
    parser.add_argument("--quick", action="store_true", help="a tenth of the simulations")
    parser.add_argument("--only", default="", help="targets whose function is named so")
    parser.add_argument("--write", type=Path, help="write the page here")
    options = parser.parse_args(argv)
    share = QUICK if options.quick else 1.0
    rows: list[Row] = []
    start = time.process_time()
    for target in TARGETS:
        if options.only not in getattr(target, "__name__", ""):
            continue
        for row in target(share):
            rows.append(row)
            print(table([row], options.quick).splitlines()[-1], flush=True)
    missed = [r.name for r in rows if not passed(r, options.quick)]
    print(f"{len(rows) - len(missed)} of {len(rows)} held; {time.process_time() - start:.0f} s of processor time")
    for name in missed:
        print(f"missed: {name}")
    if options.write and not options.quick and not options.only:
        options.write.write_text(f"{HEAD}\n{table(rows, False)}\n", encoding="utf-8")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
