"""The way of a frozen dataclass to plain JSON values and back, and the JSON Schema of it, all from its type hints."""

from __future__ import annotations

import dataclasses
import functools
import math
import types
from collections.abc import Mapping
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from curvedoc.core.errors import UsageError

#: Field names that are keywords in Python and therefore spelled differently there.
_KEYS = {"supports": "for"}
_JSON_NAMES = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}


def to_plain(value: Any) -> Any:
    """JSON values of a dataclass tree: None for non-finite numbers, lists for tuples."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else None
        case tuple() | list():
            return [to_plain(v) for v in value]
        case Mapping():
            return {str(k): to_plain(v) for k, v in value.items()}
    if hasattr(value, "item"):  # a NumPy scalar that a measure handed through
        return to_plain(value.item())
    return {_KEYS.get(f.name, f.name): to_plain(getattr(value, f.name)) for f in dataclasses.fields(value)}


def _wrong(where: str, wanted: str, got: Any) -> UsageError:
    noun = (
        "null" if got is None else {"str": "text", "list": "a list", "dict": "an object"}.get(type(got).__name__, "it")
    )
    return UsageError(f"expected {wanted}, found {noun}", where, "is this a diagnosis that curvedoc wrote?")


def _scalar(kinds: tuple[Any, ...], value: Any, where: str) -> Any:
    """A JSON scalar as the first kind that fits; null becomes NaN where only a number is allowed."""
    if value is None:
        if type(None) in kinds:
            return None
        if float in kinds:
            return math.nan
    if type(value) in kinds:
        return value
    if type(value) is int and float in kinds:
        try:
            return float(value)
        except OverflowError:
            return math.inf if value > 0 else -math.inf
    names = [_JSON_NAMES[k] for k in kinds if k in _JSON_NAMES]
    raise _wrong(where, " or ".join(names) or "a value", value)


def build(kind: Any, value: Any, where: str = "$") -> Any:
    """The value of type `kind` that JSON values spell; keys that are not known are left out.

    Raises UsageError with the place (`$.runs[0].verdict`) where something is missing or of another type.
    """
    origin, args = get_origin(kind), get_args(kind)
    if dataclasses.is_dataclass(kind):
        return _build_dataclass(kind, value, where)
    if origin is tuple:
        if not isinstance(value, list):
            raise _wrong(where, "a list", value)
        if args[-1] is Ellipsis:
            return tuple(build(args[0], v, f"{where}[{i}]") for i, v in enumerate(value))
        if len(value) != len(args):
            raise _wrong(where, f"a list of {len(args)}", value)
        return tuple(build(a, v, f"{where}[{i}]") for i, (a, v) in enumerate(zip(args, value, strict=True)))
    if origin is Mapping:
        if not isinstance(value, dict):
            raise _wrong(where, "an object", value)
        return {k: build(args[1], v, f"{where}.{k}") for k, v in value.items()}
    if origin is Literal:
        if value not in args:
            raise _wrong(where, " or ".join(map(str, args)), value)
        return value
    if origin in (Union, types.UnionType):
        parts = [a for a in args if dataclasses.is_dataclass(a)]
        return build(parts[0], value, where) if parts and value is not None else _scalar(args, value, where)
    return _scalar((kind,), value, where)


@functools.cache
def fields_of(kind: Any) -> tuple[tuple[str, str, Any, bool], ...]:
    """(name, key in JSON, type, whether it must be there) of each field; resolving type hints is slow."""
    hints = get_type_hints(kind)
    missing = dataclasses.MISSING
    return tuple(
        (f.name, _KEYS.get(f.name, f.name), hints[f.name], f.default is missing and f.default_factory is missing)
        for f in dataclasses.fields(kind)
    )


def _build_dataclass(kind: Any, value: Any, where: str) -> Any:
    if not isinstance(value, dict):
        raise _wrong(where, "an object", value)
    given = {}
    for name, key, hint, needed in fields_of(kind):
        if key in value:
            given[name] = build(hint, value[key], f"{where}.{key}")
        elif needed:
            raise UsageError(f"'{key}' is missing", where, "is this a diagnosis that curvedoc wrote?")
    return kind(**given)


def schema(kind: Any, defs: dict[str, Any]) -> dict[str, Any]:
    """JSON Schema of a type; dataclasses go into `defs` and are referred to."""
    origin, args = get_origin(kind), get_args(kind)
    if dataclasses.is_dataclass(kind):
        name = getattr(kind, "__name__", "")
        if name not in defs:
            defs[name] = {}
            defs[name] = _schema_dataclass(kind, defs)
        return {"$ref": f"#/$defs/{name}"}
    if origin is tuple and args[-1] is Ellipsis:
        return {"type": "array", "items": schema(args[0], defs)}
    if origin is tuple:
        return {
            "type": "array",
            "prefixItems": [schema(a, defs) for a in args],
            "minItems": len(args),
            "maxItems": len(args),
        }
    if origin is Mapping:
        return {"type": "object", "additionalProperties": schema(args[1], defs)}
    if origin is Literal:
        return {"enum": list(args)}
    if origin in (Union, types.UnionType):
        parts = [a for a in args if dataclasses.is_dataclass(a)]
        if parts:
            return {"anyOf": [*(schema(p, defs) for p in parts), {"type": "null"}]}
        return {"type": _names(args)}
    return {"type": _names((kind,))}


def _names(kinds: tuple[Any, ...]) -> list[str] | str:
    names = {_JSON_NAMES[k] for k in kinds}
    if float in kinds:
        names.add("null")  # a number that was not finite
    return sorted(names) if len(names) > 1 else names.pop()


def _schema_dataclass(kind: Any, defs: dict[str, Any]) -> dict[str, Any]:
    hints = get_type_hints(kind)
    fields = {_KEYS.get(f.name, f.name): hints[f.name] for f in dataclasses.fields(kind)}
    return {
        "type": "object",
        "description": (kind.__doc__ or "").strip().splitlines()[0],
        "properties": {key: schema(hint, defs) for key, hint in sorted(fields.items())},
        "required": sorted(fields),
    }
