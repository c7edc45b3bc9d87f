"""One event record in full: what the bulk decoder leaves (histograms, text, hyper-parameters, odd tensors)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from curvedoc.core.frozen import dataclass
from curvedoc.core.run import Scalar
from curvedoc.ingest.settings.flatten import flatten
from curvedoc.ingest.tensorboard.histogram import of_buckets, of_proto

Floats = NDArray[np.float64]

#: Elements of the largest tensor that is looked at (a histogram has tens to thousands of buckets).
_MAX_ELEMENTS = 1 << 20

#: TensorProto.dtype -> how `tensor_content` is laid out, and the field that holds the numbers otherwise.
_DTYPES = {
    1: ("<f4", "float_val"),
    2: ("<f8", "double_val"),
    3: ("<i4", "int_val"),
    4: ("u1", "int_val"),
    5: ("<i2", "int_val"),
    6: ("i1", "int_val"),
    9: ("<i8", "int64_val"),
    10: ("?", "bool_val"),
    14: ("<u2", "half_val"),
    17: ("<u2", "int_val"),
    19: ("<f2", "half_val"),
    22: ("<u4", "uint32_val"),
    23: ("<u8", "uint64_val"),
}
_STRING, _BFLOAT16, _HALF = 7, 14, 19
#: Types in which a finite number beyond the range becomes inf.
_NARROW = frozenset((1, _BFLOAT16, _HALF))
_SUCCESS, _FAILURE = 1, 2


@dataclass(frozen=True, slots=True)
class EventRecord:
    """What one event record says.

    points: (tag, value, whether the type overflows to inf); histograms come as derived series `tag@mean` ...
    texts:  (tag, text)
    config: hyper-parameters of a session start
    outcomes: tags that the hparams plugin names as results of the whole run
    ended:  a session end: True for success, False for failure
    skipped: values of kinds that are not read (images, audio, meshes ...)
    plugins: tag -> plugin, for later records of the tag that leave it out
    """

    step: int = 0
    wall: float = 0.0
    points: tuple[tuple[str, float, bool], ...] = ()
    texts: tuple[tuple[str, str], ...] = ()
    config: Mapping[str, Scalar] = field(default_factory=dict)
    outcomes: tuple[str, ...] = ()
    ended: bool | None = None
    skipped: int = 0
    plugins: Mapping[str, str] = field(default_factory=dict)


def parse(data: bytes, plugins: Mapping[str, str]) -> EventRecord | None:
    """The event in one record, None where it is not a valid message.

    plugins: what earlier records of the file said about their tags.
    """
    from google.protobuf.message import DecodeError
    from tensorboard.compat.proto.event_pb2 import Event as Proto

    try:
        proto = Proto.FromString(data)
    except DecodeError:
        return None
    points: list[tuple[str, float, bool]] = []
    texts: list[tuple[str, str]] = []
    config: dict[str, Scalar] = {}
    outcomes: list[str] = []
    named: dict[str, str] = {}
    ended: bool | None = None
    skipped = 0
    if proto.WhichOneof("what") == "log_message":
        texts.append(("", proto.log_message.message))
    for value in proto.summary.value:
        tag = value.tag
        plugin = value.metadata.plugin_data.plugin_name
        if plugin:
            named[tag] = plugin
        else:
            plugin = named.get(tag) or plugins.get(tag, "")
        if plugin == "hparams":
            session = _hparams(value.metadata.plugin_data.content)
            config.update(session.config)
            outcomes += session.outcomes
            ended = session.ended if session.ended is not None else ended
            continue
        match value.WhichOneof("value"):
            case "simple_value":
                points.append((tag, value.simple_value, True))
            case "histo":
                points += _derived(tag, of_proto(value.histo))
            case "tensor":
                got, text = _tensor(tag, value.tensor, plugin)
                points += got
                if text is not None:
                    texts.append((tag, text))
                skipped += not got and text is None
            case None:
                pass
            case _:
                skipped += 1
    return EventRecord(
        proto.step, proto.wall_time, tuple(points), tuple(texts), config, tuple(outcomes), ended, skipped, named
    )


def _tensor(tag: str, proto: Any, plugin: str) -> tuple[list[tuple[str, float, bool]], str | None]:
    """Points of a tensor of one number or of a histogram, or its text; neither for anything else."""
    if proto.dtype == _STRING:
        if plugin not in ("", "text"):
            return [], None
        try:
            return [], "\n".join(s.decode() for s in proto.string_val)
        except UnicodeDecodeError:
            return [], None
    shape = [d.size for d in proto.tensor_shape.dim]
    numbers = _numbers(proto, shape) if plugin in ("", "scalars", "histograms") else None
    if numbers is None:
        return [], None
    if len(numbers) == 1 and plugin != "histograms":
        return [(tag, float(numbers[0]), proto.dtype in _NARROW)], None
    if len(shape) == 2 and shape[1] == 3 and plugin == "histograms":
        left, right, count = numbers.reshape(-1, 3).T
        return _derived(tag, of_buckets(left, right, count)), None
    return [], None


def _numbers(proto: Any, shape: list[int]) -> Floats | None:
    """The elements as float64, None for types without numbers, sizes that do not fit and tensors too large."""
    layout = _DTYPES.get(proto.dtype)
    if layout is None or any(d < 0 for d in shape):
        return None
    size = math.prod(shape)
    if not 0 < size <= _MAX_ELEMENTS:
        return None
    dtype, name = layout
    if proto.tensor_content:
        if len(proto.tensor_content) != size * np.dtype(dtype).itemsize:
            return None
        raw = np.frombuffer(proto.tensor_content, dtype)
    else:
        listed = getattr(proto, name)
        if len(listed) > size:
            return None
        if proto.dtype in (_HALF, _BFLOAT16):  # half_val holds the bits
            raw = (np.array(listed, np.int64) & 0xFFFF).astype("<u2").view(dtype)
        else:
            raw = np.array(listed)
        # A tensor may leave out trailing elements that equal the last one given.
        last = raw[-1:] if len(raw) else np.zeros(1, raw.dtype)
        raw = np.concatenate((raw, np.repeat(last, size - len(raw))))
    if proto.dtype == _BFLOAT16:
        raw = (raw.astype("<u4") << np.uint32(16)).view("<f4")
    return raw.astype(np.float64)


def _derived(tag: str, measures: Mapping[str, float]) -> list[tuple[str, float, bool]]:
    return [(f"{tag}@{name}", value, False) for name, value in measures.items()]


def _hparams(content: bytes) -> EventRecord:
    """Settings, result tags and end of a session, as the hparams plugin stores them."""
    from google.protobuf.message import DecodeError
    from tensorboard.plugins.hparams.plugin_data_pb2 import HParamsPluginData

    try:
        data = HParamsPluginData.FromString(content)
    except DecodeError:
        return EventRecord()
    match data.WhichOneof("data"):
        case "experiment":
            return EventRecord(outcomes=tuple(m.name.tag for m in data.experiment.metric_infos))
        case "session_start_info":
            raw = {k: _plain(v) for k, v in data.session_start_info.hparams.items()}
            return EventRecord(config=flatten(raw))
        case "session_end_info":
            status = data.session_end_info.status
            return EventRecord(ended=True if status == _SUCCESS else False if status == _FAILURE else None)
    return EventRecord()


def _plain(value: Any) -> object:
    """A protobuf Value as Python's own; whole numbers become int again."""
    match value.WhichOneof("kind"):
        case "number_value":
            number = float(value.number_value)
            return int(number) if number.is_integer() and abs(number) < 1 << 53 else number
        case "bool_value":
            return bool(value.bool_value)
        case "string_value":
            return str(value.string_value)
        case "struct_value":
            return {k: _plain(v) for k, v in value.struct_value.fields.items()}
        case "list_value":
            return [_plain(v) for v in value.list_value.values]
    return None
