"""One large file of each kind beside the usual ways, as tables for docs/performance.md (see triage.py).

JSON lines and CSV by the readers of read_text.py, which check that every value comes back. A ratio is of wall time in
one round; the processor's is told beside it, since polars parses with a thread for each core.
"""

from __future__ import annotations

import statistics
from pathlib import Path

import read_text

MEGABYTES = 50
CASES = {
    "jsonl": "JSON lines, one set of keys",
    "jsonl, NaN 1e-4": "JSON lines, a NaN in 10,000 values",
    "jsonl, eval rows": "JSON lines, an evaluation with keys of its own after every tenth record",
    "jsonl, keys by line": "JSON lines, five to ten of thirty keys in each record",
    "csv": "CSV",
}
RIVALS = {"jsonl": "json.loads line by line", "csv": "csv.DictReader, cells to floats"}


def text_files(folder: Path, rounds: int) -> list[str]:
    """The table of JSON lines and CSV."""
    out = [f"### One file of {MEGABYTES} MB, text", "",
           "| | seconds | the usual way | its seconds | times ours | least ... most | by processor time |",
           "| --- | ---: | --- | ---: | ---: | ---: | ---: |"]  # fmt: skip
    for case, what in CASES.items():
        kind = "csv" if case == "csv" else "jsonl"
        path, warm = folder / f"one.{kind}", folder / f"warm.{kind}"
        told = read_text.write(case, path, MEGABYTES * 1e6)
        read_text.write(kind, warm, 2e4)
        took = [{n: read_text.measure(n, path, warm) for n in ("curvedoc", "loop")} for _ in range(rounds)]
        seen = read_text.Seen(**took[0]["curvedoc"]["seen"])  # type: ignore[arg-type]
        if not seen.agrees(told):
            raise SystemExit(f"{case}: curvedoc found {seen} of {told}")
        wall = {n: statistics.median(t[n]["wall"] for t in took) for n in ("curvedoc", "loop")}
        ratios = sorted(t["loop"]["wall"] / t["curvedoc"]["wall"] for t in took)
        cpu = statistics.median(t["loop"]["seconds"] / t["curvedoc"]["seconds"] for t in took)
        out.append(
            f"| {what} | {wall['curvedoc']:.2f} | {RIVALS[kind]} | {wall['loop']:.2f} | "
            f"{statistics.median(ratios):.2f} x | {ratios[0]:.2f} ... {ratios[-1]:.2f} | {cpu:.2f} x |"
        )
        path.unlink()
    return [*out, ""]
