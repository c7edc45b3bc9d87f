"""The closed expression language of rule files: parse against an allow-list, check types, evaluate. Never eval.

Values are series, numbers, true/false and the statistics' own records. None is *unknown*: it spreads through arithmetic
and calls, and follows Kleene logic in and/or/not.
"""

from __future__ import annotations

import ast
import difflib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from curvedoc.errors import RuleError
from curvedoc.rulebook.vocabulary import SPECIAL, Function, type_name

MAX_CHARS = 300
MAX_NODES = 80

#: The only numbers that need no name: everything else is a threshold and wants a unit and a reason.
PLAIN_NUMBERS = (0, 1)

_ARITHMETIC: Mapping[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
_COMPARE: Mapping[type[ast.cmpop], Callable[[float, float], bool]] = {
    ast.Lt: lambda a, b: a < b,
    ast.LtE: lambda a, b: a <= b,
    ast.Gt: lambda a, b: a > b,
    ast.GtE: lambda a, b: a >= b,
}


@dataclass(frozen=True, slots=True)
class Expr:
    """One checked expression: its text, its tree, its type and the names it reads."""

    text: str
    tree: ast.expr
    type: type
    names: tuple[str, ...]


def _fail(message: str, node: ast.AST | None, hint: str = "") -> RuleError:
    column = getattr(node, "col_offset", None)
    return RuleError(message, "" if column is None else f"column {column + 1}", hint)


def _near(name: str, known: object) -> str:
    close = difflib.get_close_matches(name, list(known), n=1)  # type: ignore[call-overload]
    return f"did you mean '{close[0]}'?" if close else ""


def compile_expr(text: str, names: Mapping[str, type], functions: Mapping[str, Function]) -> Expr:
    """The checked expression; RuleError (with the column) for anything outside the language.

    names: what may be read, with its type. functions: the vocabulary.
    """
    if len(text) > MAX_CHARS:
        raise RuleError(f"{len(text)} characters in one expression", hint="name a measure")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise RuleError(f"not an expression: {text!r}", hint=str(error)[:80]) from error
    if sum(1 for _ in ast.walk(tree)) > MAX_NODES:
        raise RuleError(f"more than {MAX_NODES} parts in one expression", hint="name a measure")
    used: list[str] = []
    kind = _check(tree, names, functions, used)
    return Expr(text, tree, kind, tuple(dict.fromkeys(used)))


def _want(node: ast.expr, kind: type, wanted: type, what: str) -> None:
    if kind is not wanted:
        raise _fail(f"{what} wants {type_name(wanted)}, not {type_name(kind)}", node)


def _check(node: ast.expr, names: Mapping[str, type], functions: Mapping[str, Function], used: list[str]) -> type:
    def go(child: ast.expr) -> type:
        return _check(child, names, functions, used)

    match node:
        case ast.Constant(value=bool()):
            return bool
        case ast.Constant(value=int() as number) if number in PLAIN_NUMBERS:
            return float
        case ast.Constant(value=value):
            raise _fail(f"bare value {value!r}", node, "name it as a param, with a unit and a reason")
        case ast.Name(id=name):
            if name not in names:
                hint = _near(name, [*names, *functions]) or "a measure sees only what stands above it"
                raise _fail(f"unknown name '{name}'", node, hint)
            used.append(name)
            return names[name]
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            _want(operand, go(operand), bool, "'not'")
            return bool
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            _want(operand, go(operand), float, "'-'")
            return float
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
            _want(left, go(left), float, f"'{_ARITHMETIC[type(op)]}'")
            _want(right, go(right), float, f"'{_ARITHMETIC[type(op)]}'")
            return float
        case ast.BoolOp(values=parts):
            for part in parts:
                _want(part, go(part), bool, "'and' / 'or'")
            return bool
        case ast.Compare(left=left, ops=ops, comparators=others):
            for sign in ops:
                if type(sign) not in _COMPARE:
                    raise _fail(
                        "only < <= > >= compare", node, "equality of floating-point numbers is a trap: use near()"
                    )
            for side in (left, *others):
                _want(side, go(side), float, "a comparison")
            return bool
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
            return _check_call(node, name, args, [go(a) for a in args], functions)
    raise _fail(f"{type(node).__name__} is not part of the rule language", node)


def _check_call(
    node: ast.AST, name: str, args: list[ast.expr], kinds: list[type], functions: Mapping[str, Function]
) -> type:
    if name in SPECIAL:
        low, high, same = SPECIAL[name]
        if not low <= len(args) <= high:
            raise _fail(f"{name}() takes {low} to {high} arguments, not {len(args)}", node)
        if same is None:
            return bool
        if len(set(kinds)) != 1 or (same is not object and kinds[0] is not same):
            raise _fail(f"{name}() wants arguments of one type", node)
        return kinds[0]
    if name not in functions:
        raise _fail(f"unknown function '{name}'", node, _near(name, [*functions, *SPECIAL]))
    function = functions[name]
    if not function.required <= len(args) <= len(function.parameters):
        wanted = ", ".join(f"{p}: {type_name(t)}" for p, t in function.parameters)
        raise _fail(f"{name}({wanted}) got {len(args)} arguments", node)
    for arg, kind, (parameter, wanted_type) in zip(args, kinds, function.parameters, strict=False):
        _want(arg, kind, wanted_type, f"{name}() argument '{parameter}'")
    return function.result


class Evaluator:
    """Evaluates checked expressions, each distinct (function, arguments) once."""

    def __init__(self, functions: Mapping[str, Function]) -> None:
        self._functions = functions
        # arguments are kept beside the result: a memo by identity must keep alive what it identifies
        self._memo: dict[tuple[object, ...], tuple[Any, tuple[Any, ...]]] = {}

    def value(self, expr: Expr, env: Mapping[str, Any]) -> Any:
        """The value, None for unknown."""
        return self._eval(expr.tree, env)

    def _eval(self, node: ast.expr, env: Mapping[str, Any]) -> Any:
        match node:
            case ast.Constant(value=bool() as truth):
                return truth
            case ast.Constant(value=number):
                return float(number)  # type: ignore[arg-type]
            case ast.Name(id=name):
                return env.get(name)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                truth = self._eval(operand, env)
                return None if truth is None else not truth
            case ast.UnaryOp(operand=operand):
                number = self._eval(operand, env)
                return None if number is None else -number
            case ast.BinOp(left=left, op=op, right=right):
                return _arithmetic(op, self._eval(left, env), self._eval(right, env))
            case ast.BoolOp(op=op, values=values):
                return _kleene(isinstance(op, ast.And), (self._eval(v, env) for v in values))
            case ast.Compare(left=left, ops=ops, comparators=others):
                return self._compare(left, ops, others, env)
            case ast.Call(func=ast.Name(id=name), args=args):
                return self._call(name, [self._eval(a, env) for a in args])
        raise AssertionError(f"unchecked node {node!r}")  # compile_expr let it through: a bug here, not in a rule

    def _compare(
        self, left: ast.expr, ops: list[ast.cmpop], others: list[ast.expr], env: Mapping[str, Any]
    ) -> bool | None:
        values = [self._eval(part, env) for part in (left, *others)]
        truths: list[bool | None] = []
        for op, a, b in zip(ops, values, values[1:], strict=False):
            truths.append(None if a is None or b is None else _COMPARE[type(op)](a, b))
        return _kleene(True, truths)

    def _call(self, name: str, args: list[Any]) -> Any:
        match name:
            case "known":
                return args[0] is not None
            case "either":
                return args[0] if args[0] is not None else args[1]
            case "most" | "least":
                known = [a for a in args if a is not None]
                return None if not known else (max(known) if name == "most" else min(known))
        if any(a is None for a in args):
            return None
        key = (name, *(a if isinstance(a, (float, bool)) else id(a) for a in args))
        if key not in self._memo:
            self._memo[key] = (_tidy(self._functions[name].call(*args)), tuple(args))
        return self._memo[key][0]


def _tidy(value: Any) -> Any:
    """Numpy scalars as Python's own; a non-finite number is unknown."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, (int, float)):
        number = float(value)
        return number if math.isfinite(number) else None
    if hasattr(value, "item") and not hasattr(value, "step"):
        return _tidy(value.item())
    return value


def _arithmetic(op: ast.operator, a: float | None, b: float | None) -> float | None:
    if a is None or b is None:
        return None
    try:
        match op:
            case ast.Add():
                result = a + b
            case ast.Sub():
                result = a - b
            case ast.Mult():
                result = a * b
            case _:
                result = a / b
    except (ZeroDivisionError, OverflowError):
        return None
    return result if math.isfinite(result) else None


def _kleene(conjunction: bool, truths: Any) -> bool | None:
    """Three-valued and (conjunction) / or: a deciding value wins over unknown."""
    unknown = False
    for truth in truths:
        if truth is None:
            unknown = True
        elif truth is not conjunction:
            return not conjunction
    return None if unknown else conjunction
