"""Mutated inputs of every reader: no crash, no hang, and next to no record lost outside the damage.

    python benchmarks/fuzz.py [--count 2000] [--seconds 60] [--seed 0] [--only csv] [--keep DIR]
                              [--tally FILE] [--write docs/fuzzing.md]

Half of the inputs are damaged in one place, and which records lie outside of it is known; the other half is damaged in
several. An input that raises, or takes more than 5 s of processor time, is written to the folder `--keep`. With
`--tally` a call goes on where the last one with that file ended, so that a long campaign may run in pieces.
`fuzz_guided.py` looks for new paths through the readers instead.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
import traceback
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from fuzz_targets import ROWS, Seed, Target, targets

#: Processor seconds after which an input counts as a hang.
HANG = 5.0
#: Of fewer rows without a header nobody can say what they are.
FEWEST = 8


@dataclass
class Tally:
    """What became of the inputs of one reader."""

    inputs: int = 0
    crashes: int = 0
    hangs: int = 0
    slowest: float = 0.0
    outside: int = 0
    lost: int = 0
    seconds: float = 0.0


def damaged(data: bytes, words: tuple[bytes, ...], r: random.Random) -> tuple[bytes, int, int]:
    """The data with one damage, and the first and the last byte (of the whole data) that it touched."""
    at = r.randrange(len(data) + 1)
    size = min(r.choice((1, 1, 1, 2, 7, 60, 600, 5000)), len(data) - at)
    behind = data[at + size :]
    match r.randrange(9):
        case 0:
            return data[:at], at, len(data)
        case 1:
            return data[at:], 0, at
        case 2:
            return data[:at] + bytes(size) + behind, at, at + size
        case 3:
            return data[:at] + r.randbytes(size) + behind, at, at + size
        case 4:
            return data[:at] + behind, at, at + size
        case 5:
            return data[:at] + r.randbytes(max(1, size)) + data[at:], at, at
        case 6 if words:
            return data[:at] + r.choice(words) + data[at:], at, at
        case 7 if at < len(data):
            return data[:at] + bytes([data[at] ^ 1 << r.randrange(8)]) + data[at + 1 :], at, at + 1
        case _:
            return data[:at] + data[max(0, at - size) : at] + data[at:], at, at


def outside(seed: Seed, first: int, last: int) -> set[float]:
    """The values of the records that the damage did not touch, nor the end of their line."""
    left = {v for start, end, v in seed.records if end < first or start > last}
    return left if len(left) >= FEWEST else set()


def one(target: Target, seed: Seed, r: random.Random, tally: Tally, keep: Path, number: int) -> None:
    """One damaged input."""
    data, first, last = damaged(seed.data, target.words, r)
    single = bool(number & 1)
    if not single:
        for _ in range(r.randint(1, 4)):
            data, _, _ = damaged(data, target.words, r)
    expected = outside(seed, first, last) if single else set()
    begun = time.process_time()
    bad = ""
    try:
        found = target.run(data)
    except KeyboardInterrupt:
        raise
    except BaseException:  # a panic of polars is no Exception, and any of them is what is looked for
        found, bad = expected, "crash"
        tally.crashes += 1
        (keep / f"{target.name}-{number}.txt").write_text(traceback.format_exc())
    took = time.process_time() - begun
    if took > HANG:
        tally.hangs += 1
        bad = bad or "hang"
    tally.inputs += 1
    tally.seconds += took
    tally.slowest = max(tally.slowest, took)
    tally.outside += len(expected)
    missing = len(expected - found)
    tally.lost += missing
    if bad or missing:
        (keep / f"{target.name}-{number}-{bad or f'lost{missing}'}").write_bytes(data)


def lines(tallies: dict[str, Tally]) -> Iterator[str]:
    """The page of a campaign."""
    hours = sum(t.seconds for t in tallies.values()) / 3600
    yield "# Mutated inputs\n"
    yield "Written by `python benchmarks/fuzz.py --tally FILE --write docs/fuzzing.md`; do not edit. Whole logs of"
    yield f"{ROWS} records, damaged in one place or in several, from the bytes of a file to what is read of it."
    yield f"A hang is more than {HANG:.0f} s of processor time for one input; all took {hours:.1f} h. Of a log"
    yield f"damaged in one place it is known which records lie outside; they count where at least {FEWEST} are"
    yield "left, as what has fewer is no log.\n"
    yield "| reader | inputs | crashes | hangs | slowest, s | records outside the damage | of them lost |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    total = Tally()
    for name, t in tallies.items():
        yield _row(name, t)
        for key in ("inputs", "crashes", "hangs", "outside", "lost"):
            setattr(total, key, getattr(total, key) + getattr(t, key))
        total.slowest = max(total.slowest, t.slowest)
    yield _row("all", total)


def _row(name: str, t: Tally) -> str:
    counted = f"{t.outside:,} | {t.lost:,}" if t.outside else "none are counted | "
    return f"| {name} | {t.inputs:,} | {t.crashes} | {t.hangs} | {t.slowest:.2f} | {counted} |"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=2000, help="inputs a reader, at most")
    parser.add_argument("--seconds", type=float, default=60.0, help="processor seconds a reader, at most")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="this reader alone")
    parser.add_argument("--keep", type=Path, default=Path("fuzz-found"), help="where inputs go that did harm")
    parser.add_argument("--tally", type=Path, help="the campaign so far, which this call goes on with")
    parser.add_argument("--write", type=Path, help="the page that the campaign is told on")
    args = parser.parse_args()
    args.keep.mkdir(parents=True, exist_ok=True)
    so_far = json.loads(args.tally.read_text()) if args.tally and args.tally.exists() else {}
    tallies = {name: Tally(**tally) for name, tally in so_far.items()}
    for target in targets():
        if args.only and target.name != args.only:
            continue
        tally = tallies.setdefault(target.name, Tally())
        begun, first = tally.seconds, tally.inputs
        for number in range(first, first + args.count):
            if tally.seconds - begun > args.seconds:
                break
            r = random.Random(f"{args.seed} {target.name} {number}")
            one(target, target.seeds[number // 2 % len(target.seeds)], r, tally, args.keep, number)
        print(target.name, json.dumps(asdict(tally)), flush=True)
        if args.tally:
            args.tally.write_text(json.dumps({name: asdict(t) for name, t in tallies.items()}, indent=1))
    if args.write:
        args.write.write_text("\n".join(lines(tallies)) + "\n")
    return int(any(t.crashes or t.hangs for t in tallies.values()))


if __name__ == "__main__":
    sys.exit(main())
