"""Diagnoses of runs and their curves as bytes and back. What many runs have in common is decoded once and shared.

JSON of each run, with its findings, causes and what was not judged as parts of their own: over a
tree these are few different texts. Numbers that are not finite come back as NaN. Curves are numbers, see `curve_codec`.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import orjson

from curvedoc.core.diagnosis import Curve, Finding, NotJudged, RankedCause, RunDiagnosis
from curvedoc.core.errors import CurvedocError
from curvedoc.serialize.dataclass_json import to_plain
from curvedoc.serialize.fast_json import maker
from curvedoc.triage.store.curve_codec import BAD_NUMBERS, pack_floats, pack_steps, unpack

#: What bytes that were damaged, or written by somebody else, may raise on their way back.
BAD_BYTES = (
    ValueError, KeyError, TypeError, IndexError, AttributeError, OverflowError, RecursionError, BAD_NUMBERS,
    CurvedocError,
)  # fmt: skip
#: The fields of a run that are parts of their own, and their types.
_PARTS: Mapping[str, Any] = {
    "findings": tuple[Finding, ...],
    "causes": tuple[RankedCause, ...],
    "not_judged": tuple[NotJudged, ...],
}
#: Parts held decoded: a tree has far fewer different ones, a hostile one costs no more than this.
_HELD = 4096
#: Parts of a run: its own, its curves, and those that others may share.
PARTS_EACH = 2 + len(_PARTS)


def encode_run(run: RunDiagnosis) -> tuple[bytes, ...]:
    """The run as bytes: what it alone has, its curves, then the parts that other runs may share."""
    bare = replace(run, findings=(), causes=(), not_judged=(), curves=())
    return (dump(bare), encode_curves(run.curves), *(dump(getattr(run, name)) for name in _PARTS))


def decode_run(parts: Sequence[bytes]) -> RunDiagnosis:
    """The run that these bytes spell; equal parts are the same objects. Raises one of `BAD_BYTES`."""
    bare = maker(RunDiagnosis)(load(parts[0]))
    shared = {name: _part(name, part) for name, part in zip(_PARTS, parts[2:], strict=True)}
    return replace(bare, curves=decode_curves(parts[1]), **shared)  # type: ignore[no-any-return]


@functools.lru_cache(maxsize=_HELD)
def _part(name: str, data: bytes) -> Any:
    return maker(_PARTS[name])(load(data))


def dump(value: Any) -> bytes:
    """JSON of plain values and dataclasses; null for numbers that are not finite."""
    try:
        return orjson.dumps(value, default=to_plain, option=orjson.OPT_SERIALIZE_NUMPY)
    except TypeError:  # integers beyond 64 bits and lone surrogates, which the standard library writes
        return json.dumps(_spelled(value), allow_nan=False).encode()


def _spelled(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(k): _spelled(v) for k, v in value.items()}
    return [_spelled(v) for v in value] if isinstance(value, list) else to_plain(value)


def load(data: bytes) -> Any:
    """The values of JSON. Raises ValueError."""
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        return json.loads(data)


def encode_curves(curves: Sequence[Curve]) -> bytes:
    """Curves with all their buckets: what is said of each as JSON, then their numbers."""
    told, numbers = [], []
    for c in curves:
        kinds, floats = pack_floats((c.mean, c.low, c.high, c.raw[1]))
        numbers += floats
        for steps in (c.step, c.raw[0]):
            kind, data = pack_steps(steps)
            kinds.append(kind)
            numbers.append(data)
        told.append([c.metric, c.role, c.label, c.points, c.nonfinite, kinds])
    head = dump(told)
    return b"".join([b"%d\n" % len(head), head, *numbers])


def decode_curves(data: bytes) -> tuple[Curve, ...]:
    """The curves that these bytes spell. Raises one of `BAD_BYTES`."""
    start = data.index(b"\n", 0, 12) + 1
    at = start + int(data[: start - 1])
    text, whole = maker(str), maker(int)
    out = []
    for metric, role, label, points, spans, kinds in load(data[start:at]):
        floats: list[tuple[float, ...]] = []
        for kind in kinds[:4]:
            column, at = unpack(kind, data, at, floats[-1] if floats else ())
            floats.append(column)
        mean, low, high, raw = floats
        if not len(mean) == len(low) == len(high):
            raise ValueError("columns of unequal length")
        step, at = unpack(kinds[4], data, at, mean)
        raw_step, at = unpack(kinds[5], data, at, raw)
        if len(step) != len(mean) or len(raw_step) != len(raw):
            raise ValueError("columns of unequal length")
        out.append(
            Curve(
                text(metric), text(role), text(label), step, mean, low, high, whole(points),
                maker(tuple[tuple[int, int], ...])(spans), (raw_step, raw),
            )
        )  # fmt: skip
    return tuple(out)
