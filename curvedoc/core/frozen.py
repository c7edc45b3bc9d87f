"""Frozen dataclasses with slots that are made in a quarter of the time: a start makes 150 of them.

`dataclasses` compiles six functions a class. Here one is compiled, when the first object is made; what compares,
hashes and shows objects is the same for all classes.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(*, frozen: bool, slots: bool, eq: bool = True) -> Callable[[type], type]:
        """As that of `dataclasses`, for frozen classes with slots. The class says what it is in a docstring."""
        if not (frozen and slots):
            raise TypeError("a frozen class with slots")
        return functools.partial(_made, methods=_BY_VALUE if eq else _BY_IDENTITY)


def _made(cls: Any, methods: Mapping[str, Any]) -> Any:
    for name, method in methods.items():
        if name not in vars(cls):
            setattr(cls, name, method)
    made: Any = dataclasses.dataclass(init=False, repr=False, eq=False, slots=True)(cls)
    made.__init__ = _late_init(made)
    made.__setattr__, made.__delattr__ = _refuse, _refuse
    made.__getstate__, made.__setstate__ = _getstate, _setstate
    if cls.__reduce__ in (object.__reduce__, _reduce):
        # workers send many: as a call with its values, where that says all
        plain = not hasattr(cls, "__post_init__") and all(f.init and not f.kw_only for f in dataclasses.fields(made))
        made.__reduce__ = _reduce if plain else object.__reduce__
    return made


_VALUES: dict[type, Callable[[Any], tuple[Any, ...]]] = {}


def _reduce(self: Any) -> tuple[Any, ...]:
    get = _VALUES.get(type(self))
    if get is None:
        get = _VALUES[type(self)] = _getter([f.name for f in dataclasses.fields(self)])
    return type(self), get(self)


def _getter(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    """What gives the values of some fields, in one step where there are several."""
    return attrgetter(*names) if len(names) > 1 else lambda of: tuple(getattr(of, name) for name in names)


def _late_init(cls: Any) -> Callable[..., None]:
    def late(self: Any, *values: Any, **named: Any) -> None:
        init = _compiled(cls, dataclasses.fields(cls))
        if cls.__init__ is late:
            cls.__init__ = init
        init(self, *values, **named)

    return late


def _compiled(cls: type, fields: Iterable[dataclasses.Field[Any]]) -> Callable[..., None]:
    """The `__init__` of a class with these fields."""
    given: dict[str, Any] = {"_missing": dataclasses.MISSING}
    head, by_name, body = ["self"], ["*"], []
    for f in fields:
        value = f.name
        if f.default is not dataclasses.MISSING:
            given[f"_d_{f.name}"], default = f.default, f"_d_{f.name}"
        elif f.default_factory is not dataclasses.MISSING:
            given[f"_f_{f.name}"], default = f.default_factory, "_missing"
            value = f"_f_{f.name}() if {f.name} is _missing else {f.name}" if f.init else f"_f_{f.name}()"
        else:
            default = ""
        if f.init:
            (by_name if f.kw_only else head).append(f"{f.name}={default}" if default else f.name)
        elif not default:
            continue  # set by __post_init__
        elif value == f.name:
            value = default
        # the slot itself, which takes half the time of object.__setattr__
        given[f"_set_{f.name}"] = getattr(cls, f.name).__set__
        body.append(f" _set_{f.name}(self, {value})")
    if hasattr(cls, "__post_init__"):
        body.append(" self.__post_init__()")
    head += by_name if len(by_name) > 1 else []
    # the names are those of fields of our own classes
    exec(f"def __init__({', '.join(head)}):\n" + "\n".join(body or [" pass"]), given)
    made: Callable[..., None] = given["__init__"]
    return made


def _names(cls: type, wanted: Callable[[dataclasses.Field[Any]], object]) -> list[str]:
    return [f.name for f in dataclasses.fields(cls) if wanted(f)]


_KEYS: dict[type, Callable[[Any], Any]] = {}


def _key(of: Any) -> Any:
    """The values by which objects of a class are compared."""
    get = _KEYS.get(type(of))
    if get is None:
        names = _names(type(of), lambda f: f.compare)
        get = _KEYS[type(of)] = attrgetter(*names) if names else lambda _: ()
    return get(of)


def _eq(self: Any, other: Any) -> Any:
    return _key(self) == _key(other) if other.__class__ is self.__class__ else NotImplemented


def _hash(self: Any) -> int:
    return hash(_key(self))


def _repr(self: Any) -> str:
    told = ", ".join(f"{name}={getattr(self, name)!r}" for name in _names(type(self), lambda f: f.repr))
    return f"{type(self).__qualname__}({told})"


def _refuse(self: Any, name: str, *_: Any) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _getstate(self: Any) -> list[Any]:
    return [getattr(self, f.name) for f in dataclasses.fields(self)]


def _setstate(self: Any, state: Iterable[Any]) -> None:
    for f, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, f.name, value)


_BY_IDENTITY: Mapping[str, Any] = {"__repr__": _repr}
_BY_VALUE: Mapping[str, Any] = {"__repr__": _repr, "__eq__": _eq, "__hash__": _hash}
