"""Checked expressions as nested functions: made once of every form, called per run. Never eval.

What is the same in every run, as a threshold or a curve that a kind of runs lacks, is worked out when they are made.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from curvedoc.rulebook.expr import AMONG, FIELD, Expr, Form

if TYPE_CHECKING:
    from curvedoc.rulebook.evaluate import Env

#: The value of a form, given the names.
Code = Callable[["Env"], Any]

#: Types whose values a call is remembered by; others by identity.
BY_VALUE = frozenset((float, bool))


class Fixed:
    """What gives the same value in every run."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __call__(self, env: Env) -> Any:
        return self.value


UNKNOWN = Fixed(None)
#: What fixed parts are asked with: they look at no name.
_NO_RUN: Any = None


def code_with(expr: Expr, named: Callable[[str], Code]) -> Code:
    """What gives the value of an expression, `Fixed` where it is the same in every run. named: what gives a name's."""
    return _code(expr.form, named)


def _code(form: Form, named: Callable[[str], Code]) -> Code:
    if isinstance(form, str):
        return named(form)
    if not isinstance(form, list):
        return Fixed(form)
    done = form[0]
    if done == FIELD:
        return _field(_code(form[1], named), form[2])
    if done == AMONG:
        return _among(named(form[1]), frozenset(form[2:]))
    parts = [_code(part, named) for part in form[1:]]
    make = _OPERATIONS.get(done)
    return _call(done, parts) if make is None else make(parts)


def _fixed(code: Code, *parts: Code) -> Code:
    """The code of these parts, or its value where all of them are fixed."""
    for part in parts:
        if type(part) is not Fixed:
            return code
    return Fixed(code(_NO_RUN))


def _unknown(parts: Iterable[Code]) -> bool:
    """Whether one of the parts is unknown in every run."""
    return None in [part.value for part in parts if type(part) is Fixed]


def _one(operation: Callable[[Any], Any], parts: list[Code]) -> Code:
    (part,) = parts

    def code(env: Env) -> Any:
        value = part(env)
        return None if value is None else operation(value)

    return _fixed(code, part)


def _two(operation: Callable[[float, float], float], parts: list[Code]) -> Code:
    if _unknown(parts):
        return UNKNOWN
    left, right = parts

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

    return _fixed(code, left, right)


def _pair(compare: Callable[[float, float], bool], parts: list[Code]) -> Code:
    if _unknown(parts):
        return UNKNOWN
    left, right = parts
    if isinstance(right, Fixed):
        limit = right.value

        def beside(env: Env) -> bool | None:
            a = left(env)
            return None if a is None else compare(a, limit)

        return _fixed(beside, left)

    def code(env: Env) -> bool | None:
        a = left(env)
        if a is None:
            return None
        b = right(env)
        return None if b is None else compare(a, b)

    return code


def _among(part: Code, words: frozenset[str]) -> Code:
    def code(env: Env) -> bool | None:
        value = part(env)
        return None if value is None else value in words

    return _fixed(code, part)


def _several(conjunction: bool, parts: list[Code]) -> Code:
    """Three-valued and (conjunction) / or: a deciding value wins over unknown."""
    said = [p.value for p in parts if isinstance(p, Fixed)]
    if (not conjunction) in said:
        return Fixed(not conjunction)
    left = [p for p in parts if not isinstance(p, Fixed)]
    if not left:
        return UNKNOWN if None in said else Fixed(conjunction)
    unclear = None in said

    def code(env: Env) -> bool | None:
        unknown = unclear
        for part in left:
            truth = part(env)
            if truth is None:
                unknown = True
            elif truth is not conjunction:
                return not conjunction
        return None if unknown else conjunction

    return code if unclear or len(left) > 1 else left[0]


def _call(name: str, parts: list[Code]) -> Code:
    if _unknown(parts):
        return UNKNOWN
    if len(parts) == 1:
        return _call_one(name, parts[0])
    if len(parts) == 2:
        return _call_two(name, *parts)

    def code(env: Env) -> Any:
        args = []
        for part in parts:
            value = part(env)
            if value is None:
                return None
            args.append(value)
        return env.known.call(name, tuple(args))

    return code


# most calls have an argument or two, and were made before, for another rule
def _call_one(name: str, part: Code) -> Code:
    def code(env: Env) -> Any:
        value = part(env)
        if value is None:
            return None
        known = env.known
        key = (name, value if type(value) in BY_VALUE else id(value))
        found = known.memo.get(key)
        return known.remember(key, name, (value,)) if found is None else found[0]

    return code


def _call_two(name: str, first: Code, second: Code) -> Code:
    def code(env: Env) -> Any:
        a = first(env)
        if a is None:
            return None
        b = second(env)
        if b is None:
            return None
        known = env.known
        key = (name, a if type(a) in BY_VALUE else id(a), b if type(b) in BY_VALUE else id(b))
        found = known.memo.get(key)
        return known.remember(key, name, (a, b)) if found is None else found[0]

    return code


def _field(part: Code, name: str) -> Code:
    def code(env: Env) -> Any:
        value = part(env)
        return None if value is None else env.known.field(value, name)

    return UNKNOWN if _unknown((part,)) else code


def _known(parts: list[Code]) -> Code:
    (part,) = parts
    return _fixed(lambda env: part(env) is not None, part)


def _sure(parts: list[Code]) -> Code:
    (part,) = parts
    return _fixed(lambda env: part(env) is True, part)


def _firm(parts: list[Code]) -> Code:
    (part,) = parts
    if isinstance(part, Fixed):
        return Fixed(part.value is True)
    return lambda env: part(env) is True and part(env.certain()) is True


def _of_known(conjunction: bool, parts: list[Code]) -> Code:
    """And (conjunction) / or over the operands that are known; unknown only where none is."""
    said = [p.value for p in parts if isinstance(p, Fixed)]
    if (not conjunction) in said:
        return Fixed(not conjunction)
    left = [p for p in parts if not isinstance(p, Fixed)]

    def code(env: Env) -> bool | None:
        known = conjunction in said
        for part in left:
            truth = part(env)
            if truth is not None:
                if truth is not conjunction:
                    return not conjunction
                known = True
        return conjunction if known else None

    return _fixed(code, *left)


def _either(parts: list[Code]) -> Code:
    first, second = parts
    if isinstance(first, Fixed):
        return second if first.value is None else first

    def code(env: Env) -> Any:
        value = first(env)
        return second(env) if value is None else value

    return code


def _extreme(choose: Callable[[list[float]], float], parts: list[Code]) -> Code:
    left = [p for p in parts if not _unknown((p,))]

    def code(env: Env) -> float | None:
        values = [v for part in left if (v := part(env)) is not None]
        return choose(values) if values else None

    return _fixed(code, *left)


#: What is no call of the vocabulary: signs, and the unknown-aware forms of `vocabulary.SPECIAL`.
_OPERATIONS: Mapping[str, Callable[[list[Code]], Code]] = {
    "+": partial(_two, operator.add),
    "-": partial(_two, operator.sub),
    "*": partial(_two, operator.mul),
    "/": partial(_two, operator.truediv),
    "<": partial(_pair, operator.lt),
    "<=": partial(_pair, operator.le),
    ">": partial(_pair, operator.gt),
    ">=": partial(_pair, operator.ge),
    "minus": partial(_one, operator.neg),
    "not": partial(_one, operator.not_),
    "and": partial(_several, True),
    "or": partial(_several, False),
    "known": _known,
    "sure": _sure,
    "firm": _firm,
    "either": _either,
    "any": partial(_of_known, False),
    "all": partial(_of_known, True),
    "most": partial(_extreme, max),
    "least": partial(_extreme, min),
}
