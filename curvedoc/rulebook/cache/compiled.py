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

import orjson

from curvedoc.core.series import Series
from curvedoc.rulebook import rule
from curvedoc.rulebook.cache.documents import read_kept, write_kept
from curvedoc.rulebook.expr import Expr, Word, word_type
from curvedoc.rulebook.vocabulary import Record, record_type

#: Cases are run from the files alone, and would be half of what is kept.
_LEFT_OUT = "tests"
#: Each is kept as a list of its values that begins with its place here; a tuple and a mapping are lists of their own.
_PARTS = (
    rule.Need, rule.Param, rule.MarkSpec, rule.Sentence, rule.Link, rule.Program, rule.Rule, rule.Act, rule.Prediction,
    rule.Answer, rule.CheckSpec, rule.Cause, rule.Way, rule.Fact, rule.Remark,
)  # fmt: skip
_TUPLE, _MAPPING, _EXPR = -1, -2, -3
_PLAIN: Mapping[str, type] = {"number": float, "truth": bool, "series": Series}
_PLAIN_CODES: Mapping[type, str] = {kind: code for code, kind in _PLAIN.items()}

_Kept = TypeVar("_Kept", rule.Rule, rule.Cause, rule.Fact)


def load_compiled(kind: type[_Kept], content: bytes, context: bytes) -> _Kept | None:
    """What a file with this content was compiled to, without cases; None where it is not kept.

    context: what else went into it, such as the types of the facts that it may read
    """
    made = unpacked(read_kept(content, context))
    return made if isinstance(made, kind) else None


def save_compiled(content: bytes, context: bytes, made: rule.Rule | rule.Cause | rule.Fact) -> None:
    """Keep what a file was compiled to; a disk that is full or read-only costs the speed of the next call."""
    write_kept(content, context, packed(made))


def packed(value: Any) -> bytes:
    """Frozen parts of rules in tuples and mappings, as JSON: what types and expressions there are, then the parts."""
    kinds: dict[str, int] = {}
    exprs: dict[str, int] = {}

    def written(value: Any) -> Any:
        if isinstance(value, tuple):
            return [_TUPLE, *map(written, value)]
        if isinstance(value, Mapping):
            return [_MAPPING, list(value), *map(written, value.values())]
        if isinstance(value, Expr):
            codes = [kinds.setdefault(_code(kind), len(kinds)) for kind in (value.type, *value.kinds.values())]
            row = json.dumps([value.text, value.kept, codes, list(value.kinds)])
            return [_EXPR, exprs.setdefault(row, len(exprs))]
        if isinstance(value, _PARTS):
            names = [f.name for f in dataclasses.fields(value) if f.init]
            parts = [() if name == _LEFT_OUT else getattr(value, name) for name in names]
            return [_PARTS.index(type(value)), *map(written, parts)]
        return value

    parts = written(value)
    rows = [json.loads(row) for row in exprs]
    return json.dumps([list(kinds), rows, parts], separators=(",", ":"), allow_nan=False).encode()


def unpacked(body: bytes | None) -> Any:
    """What was packed; None where there is nothing, or something else than what this program writes."""
    try:
        codes, rows, parts = orjson.loads(body or b"")
        kinds = [_kind(code) for code in codes]
        exprs = [_expr(row, kinds) for row in rows]
        return _read(parts, exprs)
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError):
        return None


def _read(value: Any, exprs: list[Expr]) -> Any:
    if type(value) is not list:
        return value
    made, *parts = value
    if made == _EXPR:
        return exprs[parts[0]]
    if made == _MAPPING:
        return dict(zip(parts[0], [_read(p, exprs) for p in parts[1:]], strict=True))
    found = [_read(p, exprs) if type(p) is list else p for p in parts]
    return tuple(found) if made == _TUPLE else _MAKERS[made](*found)


def _expr(row: Any, kinds: list[type]) -> Expr:
    text, form, codes, names = row
    own, *others = [kinds[code] for code in codes]
    return Expr(text, dict(zip(names, others, strict=True)), own, form)


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


_MAKERS: Mapping[int, Callable[..., Any]] = dict(enumerate(_PARTS))
