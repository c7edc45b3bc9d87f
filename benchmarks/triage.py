"""Speed and memory of reading and of triage beside the usual ways: `python benchmarks/triage.py [--write FILE]`.

Everything is generated, and measured in one go: rounds in which each contender runs once in a process of its own, so
that a busy machine slows all alike. Ratios are of medians, with the least and the largest of the rounds. TensorBoard's
EventAccumulator loads a tenth of the runs, and what it took is multiplied by ten: it is linear in them.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from single_files import text_files
from tree_writers import WRITERS, tree
from watching import Watch, adopt, highest, processor, reap


def triage(root: Path, *more: str) -> int:
    """curvedoc triage; the number of bytes it printed."""
    command = [sys.executable, "-m", "curvedoc", "triage", str(root), *more]
    return len(subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)


def triage_fresh(root: Path) -> int:
    return triage(root, "--no-cache", "--html", str(root.parent / "report.html"), "--force")


def triage_first(root: Path) -> int:
    import shutil

    shutil.rmtree(os.environ["CURVEDOC_CACHE"], ignore_errors=True)
    return triage(root)


def triage_again(root: Path) -> int:
    return triage(root)


def read(root: Path) -> int:
    """curvedoc reads every run into its frame, shard by shard."""
    from curvedoc.ingest import load_signals, plan, read_bundles, shards
    from curvedoc.rulebook.load import signals_file

    table = load_signals(signals_file())
    return sum(r.points.height for s in shards(plan([root]).bundles) for r in read_bundles(s, table).runs)


def accumulator(root: Path) -> int:
    """TensorBoard's EventAccumulator loads every run, all points kept; of many runs a tenth, times ten."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    count = 0
    for path in sorted(root.rglob("*tfevents*"))[:: tenth(root)]:
        events = EventAccumulator(str(path), size_guidance={"scalars": 0})
        events.Reload()
        count += sum(len(events.Scalars(tag)) for tag in events.Tags()["scalars"])
    return count


def data_server(root: Path) -> int:
    """tensorboard-data-server until every run shows its last step; it keeps all points."""
    from tensorboard import context
    from tensorboard.data import server_ingester
    from tensorboard.util import grpc_util

    files = len(list(root.rglob("*tfevents*")))
    last = int(os.environ["BENCH_POINTS"])
    ingester = server_ingester.SubprocessServerDataIngester(
        server_binary=server_ingester.get_server_binary(), logdir=str(root), reload_interval=3600,
        channel_creds_type=grpc_util.ChannelCredsType.LOCAL, samples_per_plugin={"scalars": 0},
    )  # fmt: skip
    ingester.start()
    provider, ctx = ingester.data_provider, context.RequestContext()
    while True:
        found = provider.list_scalars(ctx, experiment_id="", plugin_name="scalars")
        if len(found) == files and all(s.max_step == last for tags in found.values() for s in tags.values()):
            return sum(len(tags) for tags in found.values()) * last
        time.sleep(0.02)


def json_loop(root: Path) -> int:
    """json.loads line by line."""
    count = 0
    columns: dict[str, list[float]] = {}
    for path in sorted(root.rglob("*.jsonl")):
        with path.open(encoding="utf-8") as f:
            for line in f:
                for key, value in json.loads(line).items():
                    columns.setdefault(key, []).append(value)
    count += sum(len(v) for k, v in columns.items() if k != "step")
    return count


def dict_reader(root: Path) -> int:
    """csv.DictReader, cells to floats."""
    columns: dict[str, list[float]] = {}
    for path in sorted(root.rglob("*.csv")):
        with path.open(newline="", encoding="utf-8") as f:
            for row in csv.DictReader(f):
                for key, value in row.items():
                    columns.setdefault(key, []).append(float(value))
    return sum(len(v) for k, v in columns.items() if k != "step")


CONTENDERS: dict[str, Callable[[Path], int]] = {
    f.__name__: f
    for f in (triage_fresh, triage_first, triage_again, read, accumulator, data_server, json_loop, dict_reader)
}


def tenth(root: Path) -> int:
    """Of so many runs one is loaded where loading all of them would take minutes."""
    return 10 if len(list(root.rglob("*tfevents*"))) >= 100 else 1


@dataclass(frozen=True)
class Took:
    """One round of one contender: wall seconds, processor seconds of all its processes, largest process in MB."""

    wall: float
    cpu: float
    peak: float
    together: float  # MB of all its processes at the worst moment, shared pages counted once; 0 where unknown


def one(name: str, root: Path) -> None:
    """Run a contender here and print what it took."""
    small = root.with_name(f"{root.name}-small")
    small = small if small.exists() else root.with_name("events-small")
    if small.exists() and name in ("read", "accumulator", "json_loop", "dict_reader"):
        CONTENDERS[name](small)  # imports
    adopt()
    before = processor()
    watch = Watch()
    start = time.perf_counter()
    count = CONTENDERS[name](root)
    wall = time.perf_counter() - start
    together = watch.stop()
    if name.startswith("triage"):
        reap()
    cpu = processor() - before
    if name == "accumulator":
        wall, cpu, count = (n * tenth(root) for n in (wall, cpu, count))
    peak = max(highest(), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)
    print(json.dumps([count, wall, cpu, peak, together]))
    sys.stdout.flush()
    os._exit(0)  # a data server that still runs is stopped with its parent


def rounds(names: list[str], root: Path, times: int) -> dict[str, list[Took]]:
    out: dict[str, list[Took]] = {n: [] for n in names}
    for _ in range(times):
        for name in names:
            got = subprocess.run(
                [sys.executable, __file__, "--one", name, str(root)], capture_output=True, text=True, check=False
            )
            if got.returncode:
                print(f"{name}: {got.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
                continue
            out[name].append(Took(*json.loads(got.stdout.splitlines()[-1])[1:]))
    return {n: t for n, t in out.items() if t}


def table(title: str, base: str, got: dict[str, list[Took]]) -> list[str]:
    """A Markdown table: medians, and how many times the base's wall and processor time, round by round."""
    out = [f"### {title}", "",
           "| | seconds | processor | largest process | all together | time of the first row | least ... most |",
           "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"]  # fmt: skip
    for name, took in got.items():
        walls = [t.wall / b.wall for t, b in zip(took, got[base], strict=False)]
        middle = statistics.median(t.wall for t in took) / statistics.median(t.wall for t in got[base])
        what = (CONTENDERS[name].__doc__ or LABELS.get(name, name)).rstrip(".")
        wall, cpu = statistics.median(t.wall for t in took), statistics.median(t.cpu for t in took)
        out.append(
            f"| {what} | {wall:.2f} | {cpu:.2f} | "
            f"{max(t.peak for t in took):,.0f} MB | {max(t.together for t in took):,.0f} MB | "
            f"{middle:.2f} x | {min(walls):.2f} ... {max(walls):.2f} |"
        )
    return [*out, ""]


def judged(folder: Path, times: int) -> list[str]:
    """Judging beside reading; a process that is measured imports nothing of it."""
    from detect import judging_table

    return judging_table(folder, times)


LABELS = {
    "triage_fresh": "curvedoc triage, diagnosis and HTML",
    "triage_first": "curvedoc triage, first call",
    "triage_again": "curvedoc triage, the same again",
}


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--runs", type=int, default=1000)
    p.add_argument("--metrics", type=int, default=10)
    p.add_argument("--points", type=int, default=2000)
    p.add_argument("--small", type=int, default=10_000, help="small runs of the largest tree; a tenth of it as well")
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--write", type=Path)
    a = p.parse_args()
    shape = f"{a.runs:,} runs x {a.metrics} metrics x {a.points:,} points"
    out = [
        "# Performance", "",
        "Written by `python benchmarks/triage.py --write docs/performance.md`; do not edit. Ratios are what to read:",
        "the contenders of a table ran in turn on the same files, each in a process of its own. Those that read in",
        "their own process read a tree of one small run first, so that imports do not count; commands and the data",
        "server start from nothing. The loops only collect numbers; curvedoc's reading also finds the runs and the",
        "roles of their metrics. The processor time of the data server's own process is not seen from outside.", "",
        f"{os.cpu_count()} cores, Python {platform.python_version()}, {a.rounds} rounds.", "",
    ]  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        os.environ["CURVEDOC_CACHE"] = str(base / "cache")
        # pip compiles what it installs, as it did the contenders; a checkout is compiled at its first call if it may
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        root = tree(base / "events", "events", a.runs, a.metrics, a.points)
        size = sum(f.stat().st_size for f in root.rglob("*tfevents*")) / 1e6
        for kind in WRITERS:
            tree(base / f"{kind}-small", kind, 1, a.metrics, 50)
        os.environ["BENCH_POINTS"] = str(a.points)
        got = rounds(["triage_fresh", "read", "accumulator", "data_server"], root, a.rounds)
        out += table(f"Event files: {shape}, {size:.0f} MB", "triage_fresh", got)
        root = tree(base / "one", "events", 1, a.metrics, a.points * 100)
        os.environ["BENCH_POINTS"] = str(a.points * 100)
        size = sum(f.stat().st_size for f in root.rglob("*tfevents*")) / 1e6
        got = rounds(["read", "accumulator", "data_server"], root, a.rounds)
        out += table(f"One event file of {size:.0f} MB, {a.metrics * a.points * 100:,} points", "read", got)
        out += text_files(base, a.rounds)
        for kind, rival in (("jsonl", "json_loop"), ("csv", "dict_reader")):
            root = tree(base / kind, kind, max(1, a.runs // 50), a.metrics, a.points * 2)
            size = sum(f.stat().st_size for f in root.rglob("metrics.*")) / 1e6
            title = f"{kind.upper()}: {max(1, a.runs // 50)} files, {size:.0f} MB together"
            out += table(title, "read", rounds(["read", rival], root, a.rounds))
        out += judged(base, a.rounds)
        for runs, times in ((a.small // 10, a.rounds), (a.small, 1)):
            root = tree(base / f"of{runs}", "jsonl", runs, 3, 100)
            got = rounds(["triage_first", "triage_again"], root, times)
            out += table(f"{runs:,} small runs (JSON lines, 3 metrics x 100 points)", "triage_first", got)
    text = "\n".join(out).rstrip() + "\n"
    print(text)
    if a.write:
        a.write.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    one(sys.argv[2], Path(sys.argv[3])) if sys.argv[1:2] == ["--one"] else main()
