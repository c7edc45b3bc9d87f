"""Values of checked expressions: every tree becomes nested functions once, which are then called per run. Never eval.

Values are series, numbers, true/false and the statistics' own records. None is *unknown*: it spreads through arithmetic
and calls, and follows Kleene logic in and/or/not. What cannot change an outcome any more is not computed, and what is
the same in every run, as a threshold or a curve that a kind of runs lacks, is computed when the functions are made.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

from curvedoc.rulebook.code import BY_VALUE, Code, code_with
from curvedoc.rulebook.expr import Expr
from curvedoc.rulebook.vocabulary import read_field


class Env(dict[str, Any]):
    """Names with their values, None for one that is missing, and the evaluator that remembers calls."""

    __slots__ = ("known",)

    def __init__(self, known: Evaluator, names: Mapping[str, Any]) -> None:
        super().__init__(names)
        self.known = known

    def __missing__(self, name: str) -> Any:
        return None

    def certain(self) -> Env:
        """The same names where facts that are guessed or in doubt are unknown."""
        return self


class Evaluator:
    """Evaluates checked expressions, each distinct (function, arguments) once. Names that are missing are unknown."""

    def __init__(self, calls: Mapping[str, Callable[..., Any]]) -> None:
        """calls: what the functions of the vocabulary do"""
        self._calls = calls
        # arguments are kept beside the result: a memo by identity must keep alive what it identifies
        self.memo: dict[tuple[object, ...], tuple[Any, tuple[Any, ...]]] = {}

    def value(self, expr: Expr, env: Mapping[str, Any]) -> Any:
        """The value, None for unknown."""
        return code_of(expr)(env if isinstance(env, Env) else Env(self, env))

    def call(self, name: str, args: tuple[Any, ...]) -> Any:
        """What a function of the vocabulary says of known arguments."""
        key = (name, *[a if type(a) in BY_VALUE else id(a) for a in args])
        found = self.memo.get(key)
        return self.remember(key, name, args) if found is None else found[0]

    def remember(self, key: tuple[object, ...], name: str, args: tuple[Any, ...]) -> Any:
        """What a function says of arguments that it was not asked about before, kept under this key."""
        value = self._calls[name](*args)
        if type(value) is not float or not math.isfinite(value):
            value = _tidy(value)
        self.memo[key] = value, args
        return value

    def field(self, value: Any, name: str) -> Any:
        """What a field of a record says."""
        key = (".", name, id(value))
        found = self.memo.get(key)
        if found is None:
            found = self.memo[key] = (_tidy(read_field(value, name)), (value,))
        return found[0]


def code_of(expr: Expr) -> Code:
    """What gives the value of an expression, made once."""
    code: Code | None = expr.made.get("code")
    if code is None:
        code = expr.made["code"] = code_with(expr, operator.itemgetter)
    return code


def _tidy(value: Any) -> Any:
    """Numpy scalars as Python's own; a non-finite number is unknown."""
    if type(value) is float:
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, (int, float)):
        number = float(value)
        return number if math.isfinite(number) else None
    if hasattr(value, "item") and not hasattr(value, "step"):
        return _tidy(value.item())
    return value
