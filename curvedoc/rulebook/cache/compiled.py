"""Shipped rules, facts and causes as they were compiled once: reading them again parses no expression.

They are kept as JSON of which only the frozen parts of a rule come back. An expression is kept as its text, the types
of the names it reads and its form, which says no more than a text could: names, functions of the vocabulary, fields.
"""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from curvedoc.core.series import Series
from curvedoc.rulebook import rule
from curvedoc.rulebook.cache.documents import read_kept, write_kept
from curvedoc.rulebook.expr import Expr, Word, word_type
from curvedoc.rulebook.vocabulary import Record, record_type

#: Cases are run from the files alone, and would be half of what is kept.
_LEFT_OUT = "tests"
_PARTS = (
    rule.Need, rule.Param, rule.MarkSpec, rule.Sentence, rule.Link, rule.Program, rule.Rule, rule.Act, rule.Prediction,
    rule.Answer, rule.CheckSpec, rule.Cause, rule.Way, rule.Fact,
)  # fmt: skip
_PLAIN: Mapping[str, type] = {"number": float, "truth": bool, "series": Series}
_PLAIN_CODES: Mapping[type, str] = {kind: code for code, kind in _PLAIN.items()}

_Kept = TypeVar("_Kept", rule.Rule, rule.Cause, rule.Fact)


def load_compiled(kind: type[_Kept], content: bytes, context: bytes) -> _Kept | None:
    """What a file with this content was compiled to, without cases; None where it is not kept.

    context: what else went into it, such as the types of the facts that it may read
    """
    body = read_kept(content, context)
    if body is None:
        return None
    try:
        made = json.loads(body, object_hook=_read)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    return made if isinstance(made, kind) else None


def save_compiled(content: bytes, context: bytes, made: rule.Rule | rule.Cause | rule.Fact) -> None:
    """Keep what a file was compiled to; a disk that is full or read-only costs the speed of the next call."""
    write_kept(content, context, json.dumps(_written(made), separators=(",", ":")).encode())


def _written(value: Any) -> Any:
    """JSON of a part: an object with one key says what its values are made into."""
    if isinstance(value, tuple):
        return {"tuple": [_written(v) for v in value]}
    if isinstance(value, Mapping):
        return {"mapping": [list(value), [_written(v) for v in value.values()]]}
    if isinstance(value, Expr):
        kinds = [_code(kind) for kind in value.kinds.values()]
        return {"expr": [value.text, _code(value.type), list(value.kinds), kinds, value.kept]}
    if isinstance(value, _PARTS):
        fields = [f.name for f in dataclasses.fields(value) if f.init]
        parts = [() if name == _LEFT_OUT else getattr(value, name) for name in fields]
        return {type(value).__name__: [_written(v) for v in parts]}
    return value


def _read(found: dict[str, Any]) -> Any:
    ((made, parts),) = found.items()
    return _MAKERS[made](*parts) if made in _CLASSES else _MAKERS[made](parts)


def _expr(parts: list[Any]) -> Expr:
    text, code, names, codes, form = parts
    return _shared_expr(text, code, tuple(names), tuple(codes), form)


@functools.lru_cache(maxsize=4096)
def _shared_expr(text: str, code: str, names: tuple[str, ...], codes: tuple[str, ...], form: str) -> Expr:
    """One expression for all that say the same, which then travels once."""
    return Expr(text, dict(zip(names, map(_kind, codes), strict=True)), _kind(code), form)


def _code(kind: type) -> str:
    if issubclass(kind, Word):
        return "word " + " ".join(kind.words)
    if issubclass(kind, Record):
        return f"record {kind.word}"
    return _PLAIN_CODES.get(kind) or f"class {kind.__name__}"


@functools.cache
def _kind(code: str) -> type:
    """The type of this code. KeyError where there is none."""
    sort, _, rest = code.partition(" ")
    if sort == "word":
        return word_type(tuple(rest.split()))
    if sort == "record":
        return record_type(rest)
    if sort == "class":
        from curvedoc.stats.records import FIELDS

        return {kind.__name__: kind for kind in FIELDS}[rest]
    return _PLAIN[code]


_CLASSES: Mapping[str, Callable[..., Any]] = {part.__name__: part for part in _PARTS}
_MAKERS: Mapping[str, Callable[..., Any]] = {
    **_CLASSES,
    "tuple": tuple,
    "mapping": lambda parts: dict(zip(*parts, strict=True)),
    "expr": _expr,
}
