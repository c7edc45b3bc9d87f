"""What trackers keep offline: Comet's messages, Neptune's operations, ClearML's metrics, SwanLab's records."""

from __future__ import annotations

import json
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from curvedoc import read
from curvedoc.core.run import Run

N = 60
LOSS = [0.3 + 2.0 * 0.9**i for i in range(N)]
VAL = {i: LOSS[i] + 0.1 for i in range(0, N, 5)}
POINTS = [
    (name, i, v) for i in range(N) for name, v in (("train/loss", LOSS[i]), ("val/loss", VAL.get(i))) if v is not None
]


def comet(place: Path) -> Path:
    rows: list[dict[str, object]] = [
        {"payload": {"param": {"paramName": "lr", "paramValue": 0.001, "step": None}}, "type": "parameter_msg"}
    ]
    for name, i, v in POINTS:
        metric = {"epoch": None, "metricName": name, "metricValue": v, "step": i}
        rows.append({"payload": {"local_timestamp": 1_795_521_731_451 + i, "metric": metric}, "type": "metric_msg"})
    with zipfile.ZipFile(place / "707fc573.zip", "w") as z:
        z.writestr("experiment.json", json.dumps({"offline_id": "707fc573", "project_name": "p"}))
        z.writestr("messages.json", "".join(json.dumps(r, separators=(",", ":")) + "\n" for r in rows))
    return place / "707fc573.zip"


def neptune(place: Path) -> Path:
    ops: list[dict[str, object]] = [
        {"type": "AssignString", "path": ["sys", "name"], "value": "Untitled"},
        {"type": "AssignFloat", "path": ["parameters", "lr"], "value": 0.001},
    ]
    ops += [
        {"type": "LogFloats", "path": name.split("/"), "values": [{"value": v, "step": i, "ts": 1.795e9 + i}]}
        for name, i, v in POINTS
    ]
    home = place / ".neptune" / "offline" / "run__89720d04"
    home.mkdir(parents=True)
    (home / "data-1.log").write_text("".join(json.dumps({"obj": o, "version": k}) + "\n" for k, o in enumerate(ops)))
    return place


def clearml(place: Path) -> Path:
    lines = ""
    for name, i, v in POINTS:
        split, metric = name.split("/")
        row = {"timestamp": 1_795_521_702_544 + i, "type": "training_stats_scalar", "iter": i}
        lines += json.dumps([{**row, "metric": metric, "variant": split, "value": v}]) + "\n"
    (place / "metrics.jsonl").write_text(lines)
    return place


def field(number: int, data: bytes | int) -> bytes:
    """A field of a message: a length and bytes, or a number; numbers of 0 are left out."""
    if isinstance(data, int):
        return number_of(number << 3) + number_of(data) if data else b""
    return number_of(number << 3 | 2) + number_of(len(data)) + data


def number_of(value: int) -> bytes:
    out = b""
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def swanlab(place: Path) -> Path:
    data = b":SWL\xd6\xe1\x02"
    for name, i, v in [*POINTS, ("__swanlab__.mem.proc", 1, 3.0)]:
        scalar = field(1, name.encode()) + field(2, i) + field(3, 1) + field(4, field(1, 1_795_521_821 + i))
        record = field(1, i + 1) + field(13, scalar + field(5, b"\x09" + struct.pack("<d", v)))
        data += struct.pack("<IHB", zlib.crc32(b"\x01" + record), len(record), 1) + record
    (place / "run-sy9z56x0.swanlab").write_bytes(data)
    (place / "files").mkdir()
    (place / "files" / "config.yaml").write_text("lr:\n  desc: ''\n  sort: 0\n  value: 0.001\n")
    return place


@pytest.mark.parametrize("write", [comet, neptune, clearml, swanlab])
def test_what_is_kept_offline_gives_the_curves(tmp_path: Path, write: Callable[[Path], Path]) -> None:
    (run,) = read(write(tmp_path))
    assert curve(run, "loss") == (list(range(N)), pytest.approx(LOSS))
    assert curve(run, "val_loss") == (list(VAL), pytest.approx(list(VAL.values())))
    assert len(run.metrics()) == 2
    if write is not clearml:
        assert run.settings["lr"] == 0.001


def curve(run: Run, role: str) -> tuple[list[int], list[float]]:
    s = run.metric(next(m.metric for m in run.roles if m.role == role))
    assert s is not None
    return s.step.tolist(), s.value.tolist()


def test_tensorboardx_writes_wall_time_step_and_value_of_each_scalar(tmp_path: Path) -> None:
    tags = {f"tb/{n}": [[1.795e9 + i, 10 * i, v] for m, i, v in POINTS if m == n] for n in ("train/loss", "val/loss")}
    (tmp_path / "all_scalars.json").write_text(json.dumps(tags))
    (run,) = read(tmp_path)
    assert curve(run, "loss") == ([10 * i for i in range(N)], pytest.approx(LOSS))
    assert curve(run, "val_loss")[0] == [10 * i for i in VAL]
