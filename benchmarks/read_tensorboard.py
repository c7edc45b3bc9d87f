"""Speed and memory of the event-file reader beside the usual ways: `python benchmarks/read_tensorboard.py [megabytes]`.

Each reader runs in a process of its own on the same generated file; processor time, the best of three, and the memory
that grew over what the imports took. Only curvedoc and EventAccumulator verify checksums.
"""

from __future__ import annotations

import json
import os
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

    from curvedoc.ingest.tensorboard.checksum import crc32c, header, mask

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
    from curvedoc.ingest.tensorboard import reader as tensorboard_reader

    return tensorboard_reader.read([path])[0].points.height


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


def server(path: Path) -> int:
    """tensorboard-data-server, TensorBoard's own reader: a program that is asked for all points once it has them.

    Checksums unverified. Its time is that until it has read everything, without the answer.
    """
    import grpc
    import tensorboard_data_server  # type: ignore[import-not-found,import-untyped,unused-ignore]
    from tensorboard.context import RequestContext
    from tensorboard.data import grpc_provider

    port = path.with_name("port")
    command = [tensorboard_data_server.server_binary(), f"--logdir={path.parent}", "--reload=once", "--port=0",
               "--samples-per-plugin=scalars=all", f"--port-file={port}"]  # fmt: skip
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        SERVED["seconds"], before = _spent(process.pid), -1.0
        while before != SERVED["seconds"] or not port.exists():  # it tells nobody when it has read all
            time.sleep(1.0)
            before, SERVED["seconds"] = SERVED["seconds"], _spent(process.pid)
        status = Path(f"/proc/{process.pid}/status").read_text()
        SERVED["megabytes"] = int(status.split("VmHWM:")[1].split()[0]) / 1024
        address = f"localhost:{int(port.read_text())}"
        options = [("grpc.max_receive_message_length", 1 << 30)]
        channel = grpc.secure_channel(address, grpc.local_channel_credentials(), options=options)
        provider = grpc_provider.GrpcDataProvider(address, grpc_provider.make_stub(channel))
        found = provider.read_scalars(RequestContext(), experiment_id="", plugin_name="scalars", downsample=1 << 40)
        return sum(len(points) for tags in found.values() for points in tags.values())
    finally:
        process.kill()
        process.wait()
        port.unlink(missing_ok=True)


def _spent(pid: int) -> float:
    """Processor seconds of a process so far."""
    stat = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK")


#: What the server's own process took at the last call.
SERVED: dict[str, float] = {}
READERS: dict[str, Callable[[Path], int]] = {
    "curvedoc": ours, "protobuf loop": loop, "EventAccumulator": accumulator, "data server": server
}  # fmt: skip


def one(name: str, path: Path) -> None:
    read = READERS[name]
    if name == "data server":
        read(path.parent.with_name("small") / path.name)
        idle = SERVED["megabytes"]
        count = read(path)
        print(json.dumps({"points": count, "seconds": SERVED["seconds"], "megabytes": SERVED["megabytes"] - idle}))
        return
    small = path.parent.with_name("small") / path.name
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
        path = Path(folder) / "log" / "events.out.tfevents.1700000000.host.1.0"
        small = Path(folder) / "small" / path.name
        for p in (path, small):
            p.parent.mkdir()
        write(small, 0.01)
        write(path, float(sys.argv[1]) if len(sys.argv) > 1 else 20)
        got = {}
        for name in READERS:
            if name == "data server":
                try:
                    import tensorboard_data_server  # type: ignore[import-not-found,import-untyped,unused-ignore] # noqa: F401
                except ImportError:
                    continue
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
