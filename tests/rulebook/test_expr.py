"""The expression language: what it accepts, what it refuses, and how unknown spreads."""

from __future__ import annotations

from typing import Any

import pytest

from curvedoc.core.errors import RuleError
from curvedoc.core.series import Series
from curvedoc.rulebook.evaluate import Evaluator
from curvedoc.rulebook.expr import compile_expr
from curvedoc.rulebook.vocabulary import calls, functions

TYPES: dict[str, type] = {"loss": Series, "x": float, "y": float, "p": bool, "q": bool}


def value(text: str, **env: Any) -> Any:
    return Evaluator(calls()).value(compile_expr(text, TYPES, functions()), env)


@pytest.mark.parametrize(
    ("text", "env", "expected"),
    [
        ("x + y * x", {"x": 2.0, "y": 3.0}, 8.0),
        ("x / y", {"x": 1.0, "y": 0.0}, None),
        ("-x < y", {"x": 1.0, "y": 0.0}, True),
        ("0 < x <= 1", {"x": 1.0}, True),
        ("last(loss) / first(loss)", {"loss": Series.of([4.0, 2.0])}, 0.5),
        ("known(x)", {}, False),
        ("either(x, y)", {"y": 3.0}, 3.0),
        ("most(x, y)", {"y": 3.0}, 3.0),
        ("least(x, y)", {"x": 2.0, "y": 3.0}, 2.0),
        ("exp(x)", {"x": 1e6}, None),
        ("-2 * -x + 10 / 100", {"x": 1.0}, 2.1),
        ("true and not false", {}, True),
        ("True or p", {}, True),
        ("valley(loss).step", {"loss": Series.of([3.0, 2.0, 1.0, 2.0, 3.0, 4.0])}, 2.0),
        ("spikes(loss, x).largest.step", {"loss": Series.of([1.0] * 9), "x": 6.0}, None),
        ("valley(loss).step", {}, None),
        ("any(p, x > 1, q)", {"x": 2.0}, True),
        ("sure(x > 1) or sure(y > 1)", {"y": 2.0}, True),
    ],
)
def test_an_expression_has_its_value(text: str, env: dict[str, Any], expected: Any) -> None:
    assert value(text, **env) == expected


@pytest.mark.parametrize("p", [True, False, None])
@pytest.mark.parametrize("q", [True, False, None])
def test_and_or_not_follow_kleene(p: bool | None, q: bool | None) -> None:
    both = False if p is False or q is False else None if p is None or q is None else True
    any_ = True if p is True or q is True else None if p is None or q is None else False
    assert value("p and q", p=p, q=q) is both
    assert value("p or q", p=p, q=q) is any_
    assert value("not p", p=p) is (None if p is None else not p)


@pytest.mark.parametrize("p", [True, False, None])
@pytest.mark.parametrize("q", [True, False, None])
def test_sure_any_and_all_leave_unknowns_out(p: bool | None, q: bool | None) -> None:
    known = [x for x in (p, q) if x is not None]
    assert value("sure(p)", p=p) is (p is True)
    assert value("any(p, q)", p=p, q=q) is (any(known) if known else None)
    assert value("all(p, q)", p=p, q=q) is (all(known) if known else None)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("loss[0]", "Subscript"),
        ("__import__('os')", "bare value"),
        ("x ** y", "BinOp"),
        ("x == y", "only < <= > >= compare"),
        ("3 * x", "bare value 3"),
        ("2.5 * x", "bare value 2.5"),
        ("-true", "wants a number"),
        ("sure(x)", "wants arguments of one type"),
        ("any(p)", "takes 2 to 8 arguments"),
        ("all(p, x)", "wants arguments of one type"),
        ("first(loss, x)", "got 2 arguments"),
        ("fist(loss)", "did you mean 'first'"),
        ("first(x)", "wants a series"),
        ("loss + x", "wants a number"),
        ("x and p", "wants true/false"),
        ("rise", "unknown name"),
        ("lambda: x", "Lambda"),
        ("[x for x in y]", "ListComp"),
        ("x if p else y", "IfExp"),
        ("first(loss=loss)", "Call"),
        ("(x := y)", "NamedExpr"),
        ("f'{x}'", "JoinedStr"),
        ("x.real", "a number has no field 'real'"),
        ("loss.value", "a series has no field 'value'"),
        ("valley(loss).__class__", "valley has no field '__class__'"),
        ("valley(loss).stop", "did you mean 'step'?"),
        ("", "not an expression"),
        ("x +", "not an expression"),
        ("+".join(["x"] * 90), "more than"),
        ("x" * 400, "characters"),
        ("(" * 250 + "x" + ")" * 49, "not an expression"),
    ],
)
def test_anything_outside_the_language_is_refused_with_a_reason(text: str, says: str) -> None:
    with pytest.raises(RuleError) as error:
        compile_expr(text, TYPES, functions())
    assert says in str(error.value)


def test_a_measure_is_computed_once_for_one_series() -> None:
    evaluator = Evaluator(calls())
    loss = Series.of([3.0, 2.0, 1.0])
    expr = compile_expr("last(smooth(loss, x))", TYPES, functions())
    evaluator.value(expr, {"loss": loss, "x": 3.0})
    size = len(evaluator.memo)
    evaluator.value(expr, {"loss": loss, "x": 3.0})
    assert len(evaluator.memo) == size == 2
