"""What dask and a store behind a URL cost beside the local pool: `python benchmarks/engines.py [--runs 400]`.

Every contender triages the same generated tree in a process of its own, in turn, two workers each. The store is a
server on this machine that answers as S3 does, so what is measured is curvedoc's part and not a network's. Processor
time is that of curvedoc and its workers, without the server. Linux; needs the dev extra.
"""

from __future__ import annotations

import argparse
import logging
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tree_writers import tree

JOBS = 2


def call(*args: str, session: int = 0) -> tuple[float, float]:
    """(wall, processor) seconds of one triage with all processes of its session, and of another session beside it."""
    command = [sys.executable, "-m", "curvedoc", "triage", *args, "-q", "-f", "csv"]
    used: dict[int, float] = {}
    base = sum(ticking({session}).values()) if session else 0.0
    start = time.perf_counter()
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    ) as process:
        while process.poll() is None:
            used |= ticking({process.pid})  # of a process that ended, the last that was seen of it
            time.sleep(0.05)
    wall = time.perf_counter() - start
    if process.returncode:
        raise SystemExit(f"{command} ended with {process.returncode}")
    return wall, sum(used.values()) + (sum(ticking({session}).values()) - base if session else 0.0)


def ticking(sessions: set[int]) -> dict[int, float]:
    """Processor seconds so far of every process in these sessions (Linux)."""
    out = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it ended between the two looks
        if int(words[3]) in sessions:
            out[int(stat.parent.name)] = (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
    return out


def served(root: Path) -> str:
    """Start a server that answers as S3 does, put the tree into a bucket, and give back its URL."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server.start()
    host, port = server.get_host_and_port()
    os.environ |= {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}", "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_DEFAULT_REGION": "us-east-1", "AWS_EC2_METADATA_DISABLED": "true",
    }  # fmt: skip
    import s3fs

    fs = s3fs.S3FileSystem()
    fs.mkdir("bucket")
    fs.put(str(root), "bucket/tree", recursive=True)
    return "s3://bucket/tree"


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--runs", type=int, default=400)
    p.add_argument("--points", type=int, default=200)
    p.add_argument("--rounds", type=int, default=3)
    a = p.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        os.environ["CURVEDOC_CACHE"] = str(base / "cache")
        root = tree(base / "tree", "jsonl", a.runs, 3, a.points)
        url = served(root)
        code = (
            f"from distributed import LocalCluster; import sys; c = LocalCluster(n_workers={JOBS}, "
            "threads_per_worker=1, dashboard_address='127.0.0.1:0'); "
            "print(c.scheduler_address, flush=True); sys.stdin.read()"
        )
        cluster = subprocess.Popen(
            [sys.executable, "-c", f"if __name__ == '__main__':\n    {code}"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True,
        )  # fmt: skip
        assert cluster.stdout is not None and cluster.stdin is not None
        address = cluster.stdout.readline().strip()
        fresh = ("--jobs", str(JOBS), "--no-cache")
        contenders = {
            "local pool": (str(root), *fresh),
            "dask, a cluster for the call": (str(root), *fresh, "--engine", "dask"),
            "dask, a scheduler that runs": (str(root), *fresh, "--engine", f"dask:{address}"),
            "s3 by loopback, nothing copied yet": (url, *fresh),
            "s3 by loopback, again (copies are there)": (url, *fresh),
            "s3 by loopback, outcomes kept": (url, "--jobs", str(JOBS)),
        }
        took: dict[str, list[tuple[float, float]]] = {name: [] for name in contenders}
        call(*contenders["s3 by loopback, outcomes kept"])
        for _ in range(a.rounds):
            shutil.rmtree(base / "cache" / "remote")
            for name, args in contenders.items():
                if "outcomes kept" in name:
                    call(*args)  # copies were made anew, with the same times
                took[name].append(call(*args, session=cluster.pid if "that runs" in name else 0))
        cluster.stdin.close()
        cluster.wait()
    print(f"{a.runs:,} runs of 3 metrics x {a.points:,} points, {os.cpu_count()} cores, {JOBS} workers, "
          f"Python {platform.python_version()}, medians of {a.rounds} rounds\n")  # fmt: skip
    print("| | seconds | processor seconds | runs a processor second | processor time of the local pool |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for name, rounds in took.items():
        wall, cpu = (statistics.median(x) for x in zip(*rounds, strict=True))
        ratio = statistics.median(c / b for (_, c), (_, b) in zip(rounds, took["local pool"], strict=True))
        print(f"| {name} | {wall:.1f} | {cpu:.1f} | {a.runs / cpu:,.0f} | {ratio:.2f} x |")


if __name__ == "__main__":
    main()
