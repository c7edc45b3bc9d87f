"""Questions of a cause: answered from the log, leaning, or told what is missing for an answer."""

from __future__ import annotations

from typing import Any

import pytest

from curvedoc.core.diagnosis import Check
from curvedoc.core.series import Series
from curvedoc.diagnose.judge.answers import answered
from curvedoc.rulebook.expr import compile_expr
from curvedoc.rulebook.rule import Answer, CheckSpec, Need, Program
from curvedoc.rulebook.vocabulary import functions


def program() -> Program:
    names: dict[str, type] = {"gnorm": Series, "other": Series, "rate": float, "hit": Series}
    measures = []
    for name, text in (
        ("top", "peak(gnorm)"),
        ("steep", "top > 1"),
        ("fast", "rate > 1"),
        ("both", "steep and fast"),
        ("told", "count_rows(hit) > 0"),
    ):
        expr = compile_expr(text, names, functions())
        names[name] = expr.type
        measures.append((name, expr))
    needs = (
        Need("gnorm", "role", "grad_norm", True),
        Need("other", "role", "weight_norm", True),
        Need("rate", "config", "lr", True),
        Need("log", "log", "", True),
    )
    return Program(needs, {"hit": "oops"}, (), tuple(measures))


def asked(answer: str | Answer | None, env: dict[str, Any], cost: Any = "look") -> Check:
    spec = CheckSpec("Is it so?", "read it", cost, "confirmed", "ruled-out", answer, "the top is {top:.3g}")
    known = dict.fromkeys(["gnorm", "other", "rate", "log", "hit", "top", "steep", "fast", "both", "told"])
    return answered(spec, {**known, **env}, {}, program(), "step")


def test_what_the_log_knows_is_answered_with_its_numbers() -> None:
    check = asked("steep", {"steep": True, "top": 12.0})
    assert (check.answer, check.because, check.cost) == ("yes", "the top is 12", "look")
    assert asked("steep", {"steep": False, "top": 0.5}).answer == "no"
    assert asked(None, {}).answer == "open"


@pytest.mark.parametrize(
    ("steep", "fast", "answer"),
    [
        (True, False, "yes"), (None, True, "no"), (False, True, "no"), (True, True, "yes"),
        (False, False, "leaning-no"), (None, None, "unanswerable"), (None, False, "unanswerable"),
    ],
)  # fmt: skip
def test_a_question_with_two_measures_leans_between_them(steep: bool | None, fast: bool | None, answer: str) -> None:
    assert asked(Answer("steep", "fast"), {"steep": steep, "fast": fast, "top": 1.0}).answer == answer
    alone = {True: "no", False: "leaning-yes", None: "unanswerable"}
    assert asked(Answer(None, "fast"), {"fast": fast, "top": 1.0}).answer == alone[fast]


def test_a_question_with_a_measure_for_yes_alone_leans_to_no_where_that_is_known() -> None:
    check = asked(Answer("steep", None), {"steep": False, "top": 0.5})
    assert (check.answer, check.because) == ("leaning-no", "the top is 0.5")


def test_what_no_line_says_leans_to_no_where_the_log_is_asked_and_nowhere_where_the_code_is() -> None:
    told = Answer("told", None)
    check = asked(told, {"told": False, "log": True})
    assert (check.answer, check.because) == ("leaning-no", "no line of the log says so")
    assert asked(told, {"told": False, "log": True}, "code").answer == "open"


def test_what_is_missing_for_either_side_is_told() -> None:
    assert asked(Answer("steep", "fast"), {}).because == "not logged: grad_norm; not in the configuration: lr"


@pytest.mark.parametrize(
    ("measure", "lack"),
    [
        ("steep", "not logged: grad_norm"),
        ("fast", "not in the configuration: lr"),
        ("both", "not logged: grad_norm; not in the configuration: lr"),
        ("told", "not logged: the console output"),
    ],
)
def test_only_what_the_answer_rests_on_is_missing_for_it(measure: str, lack: str) -> None:
    assert (asked(measure, {}).answer, asked(measure, {}).because) == ("unanswerable", lack)


def test_a_look_at_what_was_never_logged_takes_a_run_that_logs_it() -> None:
    check = asked("steep", {})
    assert check.cost == "short-run" and check.how == "log grad_norm first; read it"
    # the configuration and the console may lie elsewhere: looking there is still a look
    assert asked("fast", {}).cost == asked("both", {}).cost == asked("told", {}).cost == "look"
    assert asked("steep", {}, "full-run").cost == "full-run"


def test_inputs_that_are_there_and_too_short_are_not_said_to_be_missing() -> None:
    check = asked("steep", {"gnorm": Series.of([1.0])})
    assert (check.because, check.cost) == ("the log does not show it", "look")
