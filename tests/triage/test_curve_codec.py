"""Curves go to bytes and back without losing a bit, and entries of a pack outlive what stands around them."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curvedoc.core.diagnosis import Curve
from curvedoc.triage.store.codec import BAD_BYTES, decode_curves, encode_curves
from curvedoc.triage.store.packs import MAGIC, Packs


def curve(step: list[int], mean: list[float], low: list[float], high: list[float], raw: dict[int, float]) -> Curve:
    rows = (tuple(raw), tuple(raw.values()))
    return Curve("loss", "loss", "", tuple(step), tuple(mean), tuple(low), tuple(high), len(step), ((1, 2),), rows)


def bits(c: Curve) -> object:
    floats = (c.mean, c.low, c.high, c.raw[1])
    return c.metric, c.step, c.raw[0], c.nonfinite, c.points, [struct.pack(f"<{len(v)}d", *v) for v in floats]


@given(
    st.sampled_from((0, 1, 2, 3, 70, 71, 150)),
    st.integers(0, 1 << 32),
    st.sampled_from(("regular", "near", "far", "beyond", "equal", "falling")),
    st.sampled_from(("f32", "f64", "nan", "mixed")),
    st.booleans(),
)
@settings(max_examples=80, deadline=None)
def test_every_bit_of_a_curve_comes_back(n: int, seed: int, steps: str, values: str, one: bool) -> None:
    rng = np.random.default_rng(seed)
    apart = {"regular": 7, "equal": 0, "falling": -3}.get(steps)
    far = {"far": 1 << 61, "beyond": 1 << 70}.get(steps, 5)
    step = [far + (i * apart if apart is not None else int(rng.integers(1, 900)) * i) for i in range(n)]
    mean = rng.standard_normal(n) * 10.0 ** rng.integers(-300, 300)
    if values == "f32":
        mean = rng.standard_normal(n).astype(np.float32).astype(np.float64)
    elif values == "nan":
        mean[:] = np.nan
    elif values == "mixed":
        mean[rng.random(n) < 0.3] = rng.choice([np.nan, np.inf, -np.inf, 0.0, -0.0])
    low, high = (mean, mean) if one else (mean - 1, mean + 1)
    made = curve(step, mean.tolist(), low.tolist(), high.tolist(), dict(zip(step[:90], low.tolist(), strict=False)))
    (back,) = decode_curves(encode_curves([made]))
    assert bits(back) == bits(made) and all(type(s) is int for s in back.step)


@given(st.binary(max_size=30), st.integers(0, 300), st.booleans())
@settings(max_examples=100, deadline=None)
def test_damaged_curves_raise_what_is_expected_of_them(noise: bytes, at: int, insert: bool) -> None:
    good = encode_curves([curve(list(range(90)), [0.5] * 90, [0.5] * 90, [1.5] * 90, {3: 1.0})])
    data = good[:at] + noise + good[at + (0 if insert else len(noise)) :]
    try:
        made = decode_curves(data)
    except BAD_BYTES:
        return
    assert all(len(c.step) == len(c.mean) == len(c.low) == len(c.high) for c in made)


@pytest.mark.parametrize("kind", [["r", 10**15], ["d", 10**15], ["=", 10**15], ["d", -1], ["d", True], ["j", ["x"]], 3])
def test_lengths_that_nothing_stands_for_take_no_memory(kind: object) -> None:
    import json

    head = json.dumps([["m", "", "", 1, [], [["d", 1], ["=", 1], ["=", 1], ["d", 0], kind, ["q", 0]]]]).encode()
    with pytest.raises(BAD_BYTES):
        decode_curves(b"%d\n" % len(head) + head + bytes(64))


def test_what_one_process_adds_another_finds(tmp_path: Path) -> None:
    writer, reader = Packs(tmp_path), Packs(tmp_path)
    writer.add("a", [b"1", b"", b"22"])
    assert reader.get("a") is None and writer.get("a") == [b"1", b"", b"22"]
    reader.look()
    assert reader.get("a") == [b"1", b"", b"22"] and "b" not in reader
    writer.add("b", [b"x"])
    reader.look()
    assert reader.get("b") == [b"x"] and len(list(tmp_path.iterdir())) == 1


@given(st.binary(max_size=50), st.integers(0, 400), st.integers(0, 60))
@settings(max_examples=80, deadline=None)
def test_damage_costs_the_entries_it_hits_and_no_other(noise: bytes, at: int, cut: int) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        writer = Packs(Path(folder))
        entries = {f"k{i}": [bytes([i]) * 20, MAGIC, b"\n"] for i in range(5)}
        for key, parts in entries.items():
            writer.add(key, parts)
        (path,) = Path(folder).iterdir()
        good = path.read_bytes()
        path.write_bytes(good[:at] + noise + good[at + cut :])
        reader = Packs(Path(folder))
        reader.look()
        one = len(good) // 5
        hit = range(at // one, min(5, (at + cut) // one + 1))
        for i, (key, parts) in enumerate(entries.items()):
            assert reader.get(key) in ((None, parts) if i in hit else (parts,))


def test_half_an_entry_is_found_when_it_is_whole(tmp_path: Path) -> None:
    Packs(tmp_path).add("a", [b"0123456789"])
    (path,) = tmp_path.iterdir()
    whole = path.read_bytes()
    path.write_bytes(whole[:-4])
    reader = Packs(tmp_path)
    reader.look()
    assert reader.get("a") is None
    path.write_bytes(whole)
    reader.look()
    assert reader.get("a") == [b"0123456789"]
