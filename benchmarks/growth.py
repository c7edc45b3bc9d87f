"""How the time of a diagnosis grows: `python benchmarks/growth.py [--write docs/growth.md] [--only NAME]`.

Each kind of log is made in five sizes, each twice the last; the processor time of reading and judging it (and, where
the kind is about the page, of drawing it) is measured in one warm process of one thread (threads that wait for each
other take processor time as well), best of four rounds over the sizes. The
exponent is the slope of log time over log size on the three largest sizes, after the time of the smallest log there is
has been taken off: 1 is linear, n log n is about 1.1. Above 1.2 the command fails.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

os.environ["POLARS_MAX_THREADS"] = "1"  # before polars is imported

import numpy as np
from growth_logs import KINDS, Kind

import curvedoc

MOST_EXPONENT = 1.2
FACTORS = (1, 2, 4, 8, 16)
FITTED = 3
ROUNDS = 4
LONG = 2.0


@dataclass(frozen=True, slots=True)
class Growth:
    """Seconds of each size, without those of the smallest log; the slope over the largest sizes."""

    kind: Kind
    sizes: tuple[int, ...]
    seconds: tuple[float, ...]

    @property
    def exponent(self) -> float:
        fitted = slice(-FITTED, None)
        return float(np.polyfit(np.log(self.sizes[fitted]), np.log(np.maximum(self.seconds[fitted], 1e-3)), 1)[0])


def costs(works: Sequence[Callable[[], object]]) -> list[float]:
    """Least processor time of each work, seconds, all of them by turns: what else the machine does falls on each alike.

    One round where a work is long, since noise is then small.
    """
    least = [float("inf")] * len(works)
    for _ in range(ROUNDS):
        for i, work in enumerate(works):
            if LONG < least[i] < float("inf"):
                continue
            begun = time.process_time()
            work()
            least[i] = min(least[i], time.process_time() - begun)
    return least


def judge(path: Path, *, page: bool) -> Callable[[], object]:
    """Read and judge what stands at `path`, and draw its page where asked."""

    def work() -> object:
        made = curvedoc.analyze(path)
        return made.to_html() if page else made.to_json()

    return work


def measure(kind: Kind, folder: Path) -> Growth:
    """The five sizes of a kind."""

    def at(n: int) -> Callable[[], object]:
        path = folder / f"{kind.name.replace(' ', '-')}-{n}"
        path.mkdir()
        kind.write(path, n, random.Random(n))
        return judge(path, page=kind.page)

    sizes = tuple(kind.base * f for f in FACTORS)
    base, *seconds = costs([at(kind.smallest), *map(at, sizes)])
    return Growth(kind, sizes, tuple(max(s - base, 1e-3) for s in seconds))


def lines(rows: list[Growth]) -> Iterator[str]:
    yield "# How time grows\n"
    yield "Written by `python benchmarks/growth.py --write docs/growth.md`; do not edit. Processor time of one warm"
    yield "process of one thread, seconds, without what the smallest log takes. An exponent of 1 is linear, n log n"
    yield "about 1.1; above 1.2 the command fails.\n"
    yield "| doubled | " + " | ".join(f"x{f}" for f in FACTORS) + " | exponent |"
    yield "|---|" + "---:|" * (len(FACTORS) + 1)
    for row in rows:
        what = f"{row.kind.name} (from {row.sizes[0]:,})"
        yield f"| {what} | " + " | ".join(f"{s:.2f}" for s in row.seconds) + f" | {row.exponent:.2f} |"


def main() -> int:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--write", type=Path)
    ask.add_argument("--only", action="append", default=[])
    ask.add_argument("--json", type=Path)
    args = ask.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for kind in KINDS:
            if args.only and kind.name not in args.only:
                continue
            rows.append(measure(kind, Path(folder)))
            print(f"{kind.name:32} {rows[-1].exponent:5.2f}  {[round(s, 2) for s in rows[-1].seconds]}", flush=True)
    if args.write:
        args.write.write_text("\n".join(lines(rows)) + "\n")
    if args.json:
        args.json.write_text(json.dumps({r.kind.name: r.exponent for r in rows}))
    steep = [r.kind.name for r in rows if r.exponent > MOST_EXPONENT]
    if steep:
        print("grows faster than n log n:", ", ".join(steep), file=sys.stderr)
    return bool(steep)


if __name__ == "__main__":
    sys.exit(main())
