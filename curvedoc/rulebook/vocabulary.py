"""The functions a rule may call, with their types as read from the Python signatures."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from curvedoc.core.series import Series

#: Unknown-aware forms, evaluated by the language itself: (fewest, most arguments, result type).
#: None as the type means true/false whatever the arguments; object means the arguments' common type.
SPECIAL: Mapping[str, tuple[int, int, type | None]] = {
    "known": (1, 1, None),
    "sure": (1, 1, bool),
    "firm": (1, 1, bool),
    "either": (2, 2, object),
    "any": (2, 8, bool),
    "all": (2, 8, bool),
    "most": (2, 8, float),
    "least": (2, 8, float),
}

_NAMES: Mapping[type, str] = {float: "a number", bool: "true/false", Series: "a series", str: "text"}


def type_name(kind: type) -> str:
    """The type in words for an error message."""
    return _NAMES.get(kind, kind.__name__)


@dataclass(frozen=True, slots=True)
class Function:
    """One vocabulary function."""

    name: str
    call: Callable[..., Any]
    parameters: tuple[tuple[str, type], ...]
    required: int
    result: type
    about: str  # first line of its docstring


def _plain(annotation: Any) -> type:
    """The one type behind `X | None`; int counts as a number."""
    origin = typing.get_origin(annotation)
    if origin in (typing.Union, types.UnionType):
        rest = [a for a in typing.get_args(annotation) if a is not type(None)]
        if len(rest) != 1:
            raise TypeError(f"a vocabulary function has one type beside None, not {annotation}")
        return _plain(rest[0])
    if annotation is int:
        return float
    if not isinstance(annotation, type):
        raise TypeError(f"{annotation} is not a type of the rule language")
    return annotation


def describe(call: Callable[..., Any]) -> Function:
    """A vocabulary entry from a function's own signature and docstring."""
    hints = typing.get_type_hints(call)
    parameters = inspect.signature(call).parameters
    about = (inspect.getdoc(call) or "").split("\n", 1)[0]
    return Function(
        name=call.__name__,
        call=call,
        parameters=tuple((name, _plain(hints[name])) for name in parameters),
        required=sum(1 for p in parameters.values() if p.default is inspect.Parameter.empty),
        result=_plain(hints["return"]),
        about=about,
    )


@cache
def functions() -> Mapping[str, Function]:
    """The whole vocabulary by name."""
    from curvedoc.stats.vocabulary import VOCABULARY

    return {f.name: f for f in map(describe, VOCABULARY)}


@cache
def retired() -> Mapping[str, Function]:
    """Functions that shipped files do without: those of users may call them, with a warning, until release 0.3."""
    from curvedoc.stats.vocabulary import RETIRED

    return {f.name: f for f in map(describe, RETIRED)}


class _Callable(dict[str, Function]):
    """The vocabulary; what left it is described when it is asked for, which is hardly ever."""

    def __missing__(self, name: str) -> Function:
        return retired()[name]


@cache
def callable_functions() -> Mapping[str, Function]:
    """Every function that an expression may turn out to call."""
    return _Callable(functions())
