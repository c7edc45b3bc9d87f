"""Where step, clock, tags and numbers lie in one event record that holds scalars and nothing else."""

from __future__ import annotations

from curvedoc.core.frozen import dataclass
from curvedoc.ingest.bytes.protobuf import BYTES, FIXED32, FIXED64, VARINT, fields

Span = tuple[int, int]

#: TensorProto.dtype -> numpy type, bytes, and the number of the field with packed values.
_DTYPES = {1: ("<f4", 5), 2: ("<f8", 6), 3: ("<i4", 0), 9: ("<i8", 0)}
_SIZE = {"<f4": 4, "<f8": 8, "<i4": 4, "<i8": 8}
#: Plugins whose one-element tensors are curves ("" for a record that names none).
_SCALARS = (b"", b"scalars")


@dataclass(frozen=True, slots=True)
class TemplateSlot:
    """One number of a record: the bytes of its tag, those of its value, and their type."""

    tag: Span
    value: Span
    dtype: str


@dataclass(frozen=True, slots=True)
class Template:
    """One record's layout. `wall` or `step` is None where the record leaves it out (it is 0 then)."""

    wall: Span | None
    step: Span | None
    slots: tuple[TemplateSlot, ...]


def template(data: bytes) -> Template | None:
    """The layout of a record; None where it holds anything but scalars, or says something twice."""
    wall: Span | None = None
    step: Span | None = None
    slots: list[TemplateSlot] = []
    summaries = 0
    try:
        for number, kind, start, stop, _ in fields(data, 0, len(data)):
            if number == 1 and kind == FIXED64 and wall is None:
                wall = start, stop
            elif number == 2 and kind == VARINT and step is None:
                step = start, stop
            elif number == 5 and kind == BYTES and not summaries:
                summaries = 1
                for inner, form, a, z, _n in fields(data, start, stop):
                    slot = _slot(data, a, z) if inner == 1 and form == BYTES else None
                    if slot is None:
                        return None
                    slots.append(slot)
            else:
                return None
    except ValueError:
        return None
    return Template(wall, step, tuple(slots)) if slots else None


def _slot(data: bytes, start: int, stop: int) -> TemplateSlot | None:
    tag: Span | None = None
    value: tuple[Span, str] | None = None
    for number, kind, a, z, _ in fields(data, start, stop):
        if number == 1 and kind == BYTES and tag is None:
            tag = a, z
        elif number == 2 and kind == FIXED32 and value is None:
            value = (a, z), "<f4"
        elif number == 8 and kind == BYTES and value is None:
            value = _tensor(data, a, z)
            if value is None:
                return None
        elif number == 9 and kind == BYTES:
            if not _is_scalars(data, a, z):
                return None
        else:
            return None
    return None if tag is None or value is None else TemplateSlot(tag, value[0], value[1])


def _tensor(data: bytes, start: int, stop: int) -> tuple[Span, str] | None:
    """The one number of a tensor, where it is stored as bytes or as a packed list of one."""
    dtype = 0
    content: Span | None = None
    packed: dict[int, Span] = {}
    size = 1
    for number, kind, a, z, value in fields(data, start, stop):
        if number == 1 and kind == VARINT:
            dtype = value
        elif number == 2 and kind == BYTES:
            for inner, form, b, y, _n in fields(data, a, z):
                if inner != 2 or form != BYTES:
                    return None
                for leaf, leaf_kind, _b, _y, extent in fields(data, b, y):
                    size *= extent if leaf == 1 and leaf_kind == VARINT else 0
        elif number == 4 and kind == BYTES and content is None:
            content = a, z
        elif number in (5, 6) and kind == BYTES and number not in packed:
            packed[number] = a, z
        else:
            return None
    if dtype not in _DTYPES or size != 1:
        return None
    form_of, listed = _DTYPES[dtype]
    span = content if content is not None and not packed else packed.get(listed) if content is None else None
    if span is None or len(packed) > 1 or span[1] - span[0] != _SIZE[form_of]:
        return None
    return span, form_of


def _is_scalars(data: bytes, start: int, stop: int) -> bool:
    """Whether the metadata of a value name the scalars plugin, or none."""
    for number, kind, a, z, _ in fields(data, start, stop):
        if number == 1 and kind == BYTES:
            for inner, form, b, y, _n in fields(data, a, z):
                if inner == 1 and form == BYTES and data[b:y] not in _SCALARS:
                    return False
    return True
