"""`wire.build` for values that are as expected: several times its speed, without a word on what is wrong elsewhere."""

from __future__ import annotations

import dataclasses
import functools
import math
import types
from collections.abc import Callable, Mapping
from typing import Any, Literal, Union, get_args, get_origin

from curvedoc.serialize.dataclass_json import fields_of

Maker = Callable[[Any], Any]


class Odd(ValueError):
    """The value is not of the kind; `wire.build` says where."""


@functools.cache
def maker(kind: Any) -> Maker:
    """What makes a value of type `kind` out of the JSON values that spell it, as `wire.build` does. Raises Odd."""
    origin, args = get_origin(kind), get_args(kind)
    if dataclasses.is_dataclass(kind):
        return _dataclass(kind)
    if origin is tuple:
        return _several(args[0]) if args[-1] is Ellipsis else _fixed(args)
    if origin is Mapping:
        return _table(maker(args[1]))
    if origin is Literal:
        return _one_of(args)
    kinds = args if origin in (Union, types.UnionType) else (kind,)
    parts: list[Any] = [a for a in kinds if dataclasses.is_dataclass(a)]
    return _optional(maker(parts[0])) if parts else _scalar(kinds)


def _dataclass(kind: Any) -> Maker:
    rows = [(name, key, maker(hint), needed) for name, key, hint, needed in fields_of(kind)]
    names, makers = [name for name, *_ in rows], [made for _, _, made, _ in rows]

    def make(value: Any) -> Any:
        if type(value) is not dict:
            raise Odd
        if list(value) == names:  # as a dataclass was written field by field
            return kind(*[made(v) for made, v in zip(makers, value.values(), strict=True)])
        given = {}
        for name, key, made, needed in rows:
            if key in value:
                given[name] = made(value[key])
            elif name in value:  # a dataclass that was written field by field
                given[name] = made(value[name])
            elif needed:
                raise Odd
        return kind(**given)

    return make


def _several(kind: Any) -> Maker:
    one = maker(kind)
    plain = {kind} if kind in (str, int, float) else None

    def make(value: Any) -> Any:
        if type(value) is not list:
            raise Odd
        if plain is not None and set(map(type, value)) == plain:
            return tuple(value)
        return tuple([one(v) for v in value])

    return make


def _fixed(kinds: tuple[Any, ...]) -> Maker:
    makers = [maker(k) for k in kinds]

    def make(value: Any) -> Any:
        if type(value) is not list or len(value) != len(makers):
            raise Odd
        return tuple([m(v) for m, v in zip(makers, value, strict=True)])

    return make


def _table(one: Maker) -> Maker:
    def make(value: Any) -> Any:
        if type(value) is not dict:
            raise Odd
        return {k: one(v) for k, v in value.items()}

    return make


def _one_of(words: tuple[Any, ...]) -> Maker:
    def make(value: Any) -> Any:
        if value not in words:
            raise Odd
        return value

    return make


def _optional(one: Maker) -> Maker:
    return lambda value: None if value is None else one(value)


def _scalar(kinds: tuple[Any, ...]) -> Maker:
    """As `wire.build` takes scalars: null is NaN where only a number is allowed, a whole number may stand for any."""
    known = frozenset(kinds)

    def make(value: Any) -> Any:
        if type(value) in known:
            return value
        if value is None and float in known:
            return math.nan
        if type(value) is int and float in known:
            try:
                return float(value)
            except OverflowError:
                return math.inf if value > 0 else -math.inf
        raise Odd

    return make
