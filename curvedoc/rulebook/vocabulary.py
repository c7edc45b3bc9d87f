"""The functions a rule may call, with their types as read from the Python signatures."""

from __future__ import annotations

import copyreg
import inspect
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache, partial
from typing import Any, ClassVar

from curvedoc.core.frozen import dataclass
from curvedoc.core.series import Series
from curvedoc.rulebook.outside import outside_statistics

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
    module: str  # that it stands in


class _RecordKind(type):
    """The type of the types of records: made where they are needed, they travel to another process by their word."""

    word: str


class Record(metaclass=_RecordKind):
    """What a word finds that says several things: its arguments, of which a field is computed when it is read."""

    __slots__ = ("arguments",)
    word: ClassVar[str] = ""

    def __init__(self, *arguments: Any) -> None:
        self.arguments = arguments


@cache
def record_type(word: str) -> type[Record]:
    """The type of what a word finds."""
    made: Any = _RecordKind(word, (Record,), {"__slots__": (), "word": word})
    return made  # type: ignore[no-any-return]


def _travel(kind: _RecordKind) -> tuple[Any, ...]:
    return record_type, (kind.word,)


copyreg.pickle(_RecordKind, _travel)


@cache
def fields_of(kind: type) -> Mapping[str, Function]:
    """What may be read of a value of this type by a dot; nothing of numbers, truths and series."""
    from curvedoc.stats.records import FIELDS, RECORDS

    found = RECORDS[kind.word][1] if issubclass(kind, Record) and kind.word else FIELDS.get(kind, {})
    return {name: describe(call) for name, call in found.items()}


def read_field(value: Any, name: str) -> Any:
    """What a field says of a value."""
    kind: type = type(value)
    function = fields_of(kind)[name]
    return function.call(*value.arguments) if isinstance(value, Record) else function.call(value)


def _word(name: str, about: str) -> Function:
    """A word that gives a record: it takes what its fields take."""
    kind = record_type(name)
    first = next(iter(fields_of(kind).values()))
    return replace(first, name=name, call=partial(kind), result=kind, about=about)


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
    kinds = _quick_kinds(call) or {name: _plain(hint) for name, hint in typing.get_type_hints(call).items()}
    parameters = inspect.signature(call, follow_wrapped=True).parameters
    about = (call.__doc__ or "").strip().partition("\n")[0]
    return Function(
        name=call.__name__,
        call=call,
        parameters=tuple((name, kinds[name]) for name in parameters),
        required=sum(1 for p in parameters.values() if p.default is inspect.Parameter.empty),
        result=kinds["return"],
        about=about,
        module=call.__module__,
    )


def _quick_kinds(call: Callable[..., Any]) -> dict[str, type] | None:
    """The type of each annotation where all are names, beside None, as nearly all are: looked up and not evaluated."""
    own: Any = inspect.unwrap(call)
    try:
        said = {k: v.removesuffix(" | None") for k, v in own.__annotations__.items()}
        return {
            k: _plain({"float": float, "int": int, "bool": bool}.get(v) or own.__globals__[v]) for k, v in said.items()
        }
    except (AttributeError, KeyError):
        return None


class _Vocabulary(Mapping[str, Function]):
    """Functions by name, each described when it is first asked for: a run asks for a third of them."""

    def __init__(self, calls: Mapping[str, Callable[..., Any]], records: Mapping[str, str]) -> None:
        """calls: plain functions by name; records: word -> what it says it finds"""
        self._calls, self._records = calls, records
        self._described: dict[str, Function] = {}

    def __getitem__(self, name: str) -> Function:
        found = self._described.get(name)
        if found is None:
            made = describe(self._calls[name]) if name in self._calls else _word(name, self._records[name])
            found = self._described[name] = made
        return found

    def __contains__(self, name: object) -> bool:
        return name in self._calls or name in self._records

    def __iter__(self) -> Iterator[str]:
        yield from self._calls
        yield from self._records

    def __len__(self) -> int:
        return len(self._calls) + len(self._records)


@cache
def functions() -> Mapping[str, Function]:
    """The whole vocabulary by name."""
    from curvedoc.stats.records import RECORDS
    from curvedoc.stats.vocabulary import VOCABULARY

    return _Vocabulary({f.__name__: f for f in VOCABULARY}, {name: about for name, (about, _) in RECORDS.items()})


@cache
def brought_functions() -> Mapping[str, Function]:
    """What other installed packages add: rules of users and of these packages may call it, ours do not."""
    from curvedoc.stats.records import RECORDS
    from curvedoc.stats.vocabulary import RETIRED, VOCABULARY

    ours = {f.__name__ for f in (*VOCABULARY, *RETIRED)} | RECORDS.keys() | SPECIAL.keys()
    return _Vocabulary(outside_statistics(ours, describe), {})


@cache
def retired() -> Mapping[str, Function]:
    """Functions that shipped files do without: those of users may call them, with a warning, until release 0.3."""
    from curvedoc.stats.vocabulary import RETIRED

    return _Vocabulary({f.__name__: f for f in RETIRED}, {})


@cache
def calls() -> Mapping[str, Callable[..., Any]]:
    """What every function that an expression may turn out to call does."""
    from curvedoc.stats.records import RECORDS
    from curvedoc.stats.vocabulary import RETIRED, VOCABULARY

    brought = {name: f.call for name, f in brought_functions().items()}
    plain = {f.__name__: f for f in (*VOCABULARY, *RETIRED)}
    return {**plain, **brought, **{name: record_type(name) for name in RECORDS}}


@cache
def callable_functions() -> Mapping[str, Function]:
    """Every function that an expression may turn out to call."""
    from curvedoc.stats.records import RECORDS

    records = {name: about for name, (about, _) in RECORDS.items()}
    return _Vocabulary({name: call for name, call in calls().items() if name not in records}, records)
