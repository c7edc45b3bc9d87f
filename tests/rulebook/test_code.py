"""Code in which some names are fixed says what plain code says of the same values."""

from __future__ import annotations

from operator import itemgetter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curvedoc.rulebook.code import Code, Fixed, code_with
from curvedoc.rulebook.evaluate import Env, Evaluator, code_of
from curvedoc.rulebook.expr import compile_expr
from curvedoc.rulebook.vocabulary import callable_functions, calls

pytestmark = pytest.mark.fast

TYPES: dict[str, type] = {"x": float, "y": float, "p": bool, "q": bool}
NUMBERS = st.sampled_from([None, -1.0, 0.0, 1.0, 1e308])
TRUTHS = st.sampled_from([None, True, False])
VALUES = st.fixed_dictionaries({"x": NUMBERS, "y": NUMBERS, "p": TRUTHS, "q": TRUTHS})


def numbers(depth: int) -> st.SearchStrategy[str]:
    if not depth:
        return st.sampled_from(["x", "y", "0", "1", "2"])
    one, two = numbers(depth - 1), st.tuples(numbers(depth - 1), numbers(depth - 1))
    ways = [two.map(f"({{0[0]}} {sign} {{0[1]}})".format) for sign in "+-*/"]
    ways += [two.map(f"{call}({{0[0]}}, {{0[1]}})".format) for call in ("most", "least", "either")]
    return st.one_of(one, one.map("(-{0})".format), one.map("exp({0})".format), *ways)


def truths(depth: int) -> st.SearchStrategy[str]:
    if not depth:
        return st.sampled_from(["p", "q", "true", "false"])
    one, two = truths(depth - 1), st.tuples(truths(depth - 1), truths(depth - 1))
    sides = st.tuples(numbers(depth - 1), numbers(depth - 1), numbers(depth - 1))
    ways = [two.map(f"({{0[0]}} {word} {{0[1]}})".format) for word in ("and", "or")]
    ways += [two.map(f"{call}({{0[0]}}, {{0[1]}})".format) for call in ("any", "all", "either")]
    ways += [one.map(f"{call}({{0}})".format) for call in ("not ", "known", "sure", "firm")]
    return st.one_of(one, sides.map("({0[0]} < {0[1]} <= {0[2]})".format), *ways)


@given(text=truths(3), values=VALUES, fixed=st.sets(st.sampled_from(sorted(TYPES))))
def test_fixed_names_change_no_value(text: str, values: dict[str, float | bool | None], fixed: set[str]) -> None:
    functions = callable_functions()
    expr = compile_expr(text, TYPES, functions) if len(text) < 200 else compile_expr("p", TYPES, functions)

    def named(name: str) -> Code:
        return Fixed(values[name]) if name in fixed else itemgetter(name)

    names = Env(Evaluator(calls()), values)
    assert code_with(expr, named)(names) is code_of(expr)(names)


@pytest.mark.parametrize(
    ("text", "given", "value"),
    [
        ("p and q", {"p": False}, False),
        ("p and q", {"p": True, "q": None}, None),
        ("p or q", {"q": True}, True),
        ("x < y", {"y": None}, None),
        ("most(x, y) > 1", {"x": None, "y": 2.0}, True),
        ("any(p, q)", {"p": None, "q": None}, None),
        ("known(exp(x))", {"x": None}, False),
    ],
)
def test_what_no_run_can_change_is_known_at_once(text: str, given: dict[str, object], value: object) -> None:
    code = code_with(
        compile_expr(text, TYPES, callable_functions()),
        lambda name: Fixed(given[name]) if name in given else itemgetter(name),
    )
    assert isinstance(code, Fixed)
    assert code.value is value
