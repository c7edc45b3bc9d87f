"""Speed and memory of the event-file reader beside the usual ways: `python benchmarks/read_tensorboard.py [megabytes]`.

Each reader runs in a process of its own on the same generated file; processor time, the best of three, and the memory
that grew over what the imports took. Only curvedoc and EventAccumulator verify checksums.
"""

from __future__ import annotations

import json
import random
import resource
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

TAGS = ("train/loss", "train/grad_norm", "train/lr", "train/tokens_per_sec", "train/mfu", "gpu/memory", "epoch")


def write(path: Path, megabytes: float) -> None:
    """A file as a training loop writes it: seven tags a step."""
    from tensorboard.compat.proto.event_pb2 import Event

    from curvedoc.ingest.tb_crc import crc32c, header, mask

    r = random.Random(0)
    size = step = 0
    with path.open("wb") as f:
        while size < megabytes * 1e6:
            for i, tag in enumerate(TAGS):
                event = Event(wall_time=1.7e9 + step * 0.3 + i * 1e-4, step=step)
                event.summary.value.add(tag=tag, simple_value=r.random())
                data = event.SerializeToString()
                size += f.write(header(len(data)) + data + struct.pack("<I", mask(crc32c(data))))
            step += 1


def ours(path: Path) -> int:
    """curvedoc, checksums verified."""
    from curvedoc.ingest import tensorboard

    return tensorboard.read([path])[0].points.height


def loop(path: Path) -> int:
    """One protobuf message after the other, checksums unverified."""
    from tensorboard.compat.proto.event_pb2 import Event

    data, at = path.read_bytes(), 0
    rows: tuple[list[str], list[int], list[float], list[float]] = ([], [], [], [])
    while at < len(data):
        (size,) = struct.unpack_from("<Q", data, at)
        event = Event.FromString(data[at + 12 : at + 12 + size])
        for value in event.summary.value:
            for column, cell in zip(rows, (value.tag, event.step, event.wall_time, value.simple_value), strict=True):
                column.append(cell)  # type: ignore[arg-type]
        at += size + 16
    return len(rows[0])


def accumulator(path: Path) -> int:
    """TensorBoard's EventAccumulator, all points kept."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(path), size_guidance={"scalars": 0})
    events.Reload()
    return sum(len(events.Scalars(tag)) for tag in events.Tags()["scalars"])


READERS: dict[str, Callable[[Path], int]] = {"curvedoc": ours, "protobuf loop": loop, "EventAccumulator": accumulator}


def one(name: str, path: Path) -> None:
    read = READERS[name]
    small = path.with_name("small")
    read(small)  # imports and tables
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    best, count = float("inf"), 0
    for _ in range(1 if name == "EventAccumulator" else 3):
        start = time.process_time()
        count = read(path)
        best = min(best, time.process_time() - start)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(json.dumps({"points": count, "seconds": best, "megabytes": grown / 1024}))


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "events.out.tfevents.1700000000.host.1.0"
        write(path, float(sys.argv[1]) if len(sys.argv) > 1 else 20)
        write(path.with_name("small"), 0.01)
        got = {}
        for name in READERS:
            command = [sys.executable, __file__, name, str(path)]
            got[name] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        base = got["curvedoc"]
        for name, g in got.items():
            print(
                f"{name:17s} {g['points']:>9,} points  {g['points'] / g['seconds'] / 1e6:6.2f} M/s"
                f"  {g['seconds'] / base['seconds']:6.1f} x time  {g['megabytes']:6.0f} MB"
                f"  {g['megabytes'] / base['megabytes']:4.1f} x memory"
            )


if __name__ == "__main__":
    one(sys.argv[1], Path(sys.argv[2])) if len(sys.argv) == 3 else main()
