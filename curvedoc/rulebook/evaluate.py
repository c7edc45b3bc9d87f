"""Values of checked expressions: every tree becomes nested functions once, which are then called per run. Never eval.

Values are series, numbers, true/false and the statistics' own records. None is *unknown*: it spreads through arithmetic
and calls, and follows Kleene logic in and/or/not. What cannot change an outcome any more is not computed.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

from curvedoc.rulebook.expr import TRUTHS, Expr, words_of
from curvedoc.rulebook.vocabulary import Function, read_field


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


#: The value of a tree, given the names.
Code = Callable[[Env], Any]

_ARITHMETIC: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
}  # fmt: skip
#: Types whose values a call is remembered by; others by identity.
_BY_VALUE = frozenset((float, bool))
_COMPARE: Mapping[type[ast.cmpop], Callable[[float, float], bool]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip


class Evaluator:
    """Evaluates checked expressions, each distinct (function, arguments) once. Names that are missing are unknown."""

    def __init__(self, functions: Mapping[str, Function]) -> None:
        self._functions = functions
        # arguments are kept beside the result: a memo by identity must keep alive what it identifies
        self.memo: dict[tuple[object, ...], tuple[Any, tuple[Any, ...]]] = {}

    def value(self, expr: Expr, env: Mapping[str, Any]) -> Any:
        """The value, None for unknown."""
        return code_of(expr)(env if isinstance(env, Env) else Env(self, env))

    def call(self, name: str, args: tuple[Any, ...]) -> Any:
        """What a function of the vocabulary says of known arguments."""
        if len(args) == 1:
            only = args[0]
            key: tuple[object, ...] = (name, only if type(only) in _BY_VALUE else id(only))
        else:
            key = (name, *[a if type(a) in _BY_VALUE else id(a) for a in args])
        found = self.memo.get(key)
        if found is None:
            found = self.memo[key] = (_tidy(self._functions[name].call(*args)), args)
        return found[0]

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
        code = expr.made["code"] = _code(expr.tree)
    return code


def _code(node: ast.expr) -> Code:
    match node:
        case ast.Constant(value=bool() as truth):
            return lambda env: truth
        case ast.Constant(value=value):
            number = float(value)  # type: ignore[arg-type]
            return lambda env: number
        case ast.Name(id=name) if name in TRUTHS:
            said = TRUTHS[name]
            return lambda env: said
        case ast.Name(id=name):
            return operator.itemgetter(name)
        case ast.UnaryOp(op=op, operand=operand):
            return _one(isinstance(op, ast.Not), _code(operand))
        case ast.BinOp(left=left, op=op, right=right):
            return _two(_ARITHMETIC[type(op)], _code(left), _code(right))
        case ast.BoolOp(op=op, values=values):
            return _several(isinstance(op, ast.And), [_code(v) for v in values])
        case ast.Compare(left=ast.Name(id=name), ops=[ast.Eq() | ast.In()], comparators=[right]):
            return _among(name, frozenset(words_of(right)))
        case ast.Compare(left=left, ops=ops, comparators=others):
            sides = [_code(side) for side in (left, *others)]
            pairs = [_pair(_COMPARE[type(op)], a, b) for op, a, b in zip(ops, sides, sides[1:], strict=False)]
            return pairs[0] if len(pairs) == 1 else _several(True, pairs)
        case ast.Call(func=ast.Name(id=name), args=args):
            codes = [_code(a) for a in args]
            return _SPECIAL[name](codes) if name in _SPECIAL else _call(name, codes)
        case ast.Attribute(value=value, attr=name):
            return _field(_code(value), name)
    raise AssertionError(f"unchecked node {node!r}")  # compile_expr let it through: a bug here, not in a rule


def _one(negation: bool, part: Code) -> Code:
    def code(env: Env) -> Any:
        value = part(env)
        if value is None:
            return None
        return not value if negation else -value

    return code


def _two(operation: Callable[[float, float], float], left: Code, right: Code) -> Code:
    def code(env: Env) -> float | None:
        a = left(env)
        if a is None:
            return None
        b = right(env)
        if b is None:
            return None
        try:
            result = operation(a, b)
        except (ZeroDivisionError, OverflowError):
            return None
        return result if math.isfinite(result) else None

    return code


def _pair(compare: Callable[[float, float], bool], left: Code, right: Code) -> Code:
    def code(env: Env) -> bool | None:
        a = left(env)
        if a is None:
            return None
        b = right(env)
        return None if b is None else compare(a, b)

    return code


def _among(name: str, words: frozenset[str]) -> Code:
    def code(env: Env) -> bool | None:
        value = env[name]
        return None if value is None else value in words

    return code


def _several(conjunction: bool, parts: list[Code]) -> Code:
    """Three-valued and (conjunction) / or: a deciding value wins over unknown."""

    def code(env: Env) -> bool | None:
        unknown = False
        for part in parts:
            truth = part(env)
            if truth is None:
                unknown = True
            elif truth is not conjunction:
                return not conjunction
        return None if unknown else conjunction

    return code


def _call(name: str, parts: list[Code]) -> Code:
    if len(parts) == 1:
        return _call_one(name, parts[0])

    def code(env: Env) -> Any:
        args = []
        for part in parts:
            value = part(env)
            if value is None:
                return None
            args.append(value)
        return env.known.call(name, tuple(args))

    return code


def _call_one(name: str, part: Code) -> Code:
    def code(env: Env) -> Any:
        value = part(env)
        if value is None:
            return None
        # most calls were made before, for another rule
        found = env.known.memo.get((name, value if type(value) in _BY_VALUE else id(value)))
        return env.known.call(name, (value,)) if found is None else found[0]

    return code


def _field(part: Code, name: str) -> Code:
    def code(env: Env) -> Any:
        value = part(env)
        return None if value is None else env.known.field(value, name)

    return code


def _known(parts: list[Code]) -> Code:
    (part,) = parts
    return lambda env: part(env) is not None


def _sure(parts: list[Code]) -> Code:
    (part,) = parts
    return lambda env: part(env) is True


def _firm(parts: list[Code]) -> Code:
    (part,) = parts
    return lambda env: part(env) is True and part(env.certain()) is True


def _of_known(conjunction: bool, parts: list[Code]) -> Code:
    """And (conjunction) / or over the operands that are known; unknown only where none is."""

    def code(env: Env) -> bool | None:
        known = False
        for part in parts:
            truth = part(env)
            if truth is not None:
                if truth is not conjunction:
                    return not conjunction
                known = True
        return conjunction if known else None

    return code


def _either(parts: list[Code]) -> Code:
    first, second = parts

    def code(env: Env) -> Any:
        value = first(env)
        return second(env) if value is None else value

    return code


def _extreme(choose: Callable[[list[float]], float], parts: list[Code]) -> Code:
    def code(env: Env) -> float | None:
        values = [v for part in parts if (v := part(env)) is not None]
        return choose(values) if values else None

    return code


#: The unknown-aware forms of `vocabulary.SPECIAL`.
_SPECIAL: Mapping[str, Callable[[list[Code]], Code]] = {
    "known": _known,
    "sure": _sure,
    "firm": _firm,
    "either": _either,
    "any": lambda parts: _of_known(False, parts),
    "all": lambda parts: _of_known(True, parts),
    "most": lambda parts: _extreme(max, parts),
    "least": lambda parts: _extreme(min, parts),
}


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
