"""Shipped rules are read and checked once, and kept as documents that can do no more than a rule file."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curvedoc.core.errors import RuleError
from curvedoc.rulebook import load as loading
from curvedoc.rulebook.cache import book
from curvedoc.rulebook.cache.documents import _place, load_cached, write_kept
from curvedoc.rulebook.evaluate import Env, Evaluator, code_of
from curvedoc.rulebook.expr import _WORD, Expr, compile_expr, word_type
from curvedoc.rulebook.facts import fact_files
from curvedoc.rulebook.load import load
from curvedoc.rulebook.location import rules_dir
from curvedoc.rulebook.rule import Cause, Rule
from curvedoc.rulebook.vocabulary import calls, functions


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CURVEDOC_CACHE", str(tmp_path / "cache"))
    forget()
    return tmp_path / "cache" / "rules"


def forget() -> None:
    """As in a process of its own: what this one has compiled is gone."""
    loading._shipped.cache_clear()
    fact_files._compiled.cache_clear()


def said(rule: Rule) -> str:
    """All of a rule but its cases, expressions as their text and type."""
    bare = replace(rule, tests=())
    own = [(n, e.text, e.type, e.names, ast.dump(e.tree)) for n, e in rule.program.formulas.items()]
    when = [(n, [(e.text, e.type, e.names) for e in es]) for n, es in rule.when]
    program = replace(rule.program, measures=(), unnamed=())
    return repr((replace(bare, program=program, when=(), strength=rule.strength.text), own, when))


@pytest.mark.parametrize("whole", [True, False])
def test_kept_rules_and_causes_are_the_same_and_no_file_is_parsed_for_them(
    monkeypatch: pytest.MonkeyPatch, whole: bool
) -> None:
    fresh = load(lazy=True)
    titles = {id_: (c.title, c.checks, c.fix, c.predicts) for id_, c in fresh.causes.items()}
    forget()
    monkeypatch.setattr(loading, "_load_file", None)
    if not whole:
        monkeypatch.setattr(loading, "load_book", lambda state: None)
    again = load(lazy=True)
    assert again.digest == fresh.digest and list(again.facts) == list(fresh.facts)
    assert [repr(replace(f, tests=())) for f in again.facts.values()] == [
        repr(replace(f, tests=())) for f in fresh.facts.values()
    ]
    assert {id_: (r.title, r.program.given) for id_, r in again.remarks.items()} == {
        id_: (r.title, r.program.given) for id_, r in fresh.remarks.items()
    }
    assert [said(r) for r in again.rules] == [said(r) for r in fresh.rules]
    assert {id_: (c.title, c.checks, c.fix, c.predicts) for id_, c in again.causes.items()} == titles


def test_a_second_call_needs_neither_yaml_nor_pydantic(own_cache: Path) -> None:
    code = (
        "import sys; from curvedoc.options import Options, rulebook; book = rulebook(Options());"
        "print(book.causes['lr-too-high'].title, sorted({'yaml', 'pydantic'} & set(sys.modules)))"
    )
    said = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    ]
    assert said[0].endswith("['pydantic', 'yaml']\n") and said[1].endswith(" []\n")


def test_cases_stay_with_whoever_asks_for_the_files() -> None:
    load(lazy=True)
    assert all(len(r.tests) > 1 for r in load().rules)


@given(st.data())
@settings(max_examples=30, deadline=None)
def test_what_is_kept_may_be_damaged_anywhere(data: st.DataObject) -> None:
    path = rules_dir() / "causes" / "bad-batch.yaml"
    types = tuple(fact_files.types_of(fact_files.load_facts(lazy=True)[0]).items())

    def cause() -> Cause:
        loading._shipped.cache_clear()
        return loading._shipped_cause(path, "rules/causes/bad-batch.yaml", types)

    cause()
    place = _place(path.read_bytes(), loading._context("rules/causes/bad-batch.yaml", types))
    whole = place.read_bytes()
    at = data.draw(st.integers(0, len(whole) - 1))
    place.write_bytes(data.draw(st.sampled_from((whole[:at], whole[:at] + bytes([whole[at] ^ 5]) + whole[at + 1 :]))))
    assert cause().id == "bad-batch"
    place.write_bytes(whole)


OTHERS = [
    None, 3, [], {}, [1, 2, 3], [[], [], None], [[], [], [6]], [[], [], [99, 1]], [[], [], [0, "a", "role", "loss"]],
    [[], [], [-2, [1]]], [[], [], [-3, 0]], [["no such type"], [], 1], [["number"], [["x > 1"]], [-3, 0]],
    [["number"], [["x > 1", "", [0, 5], ["x"]]], [-3, 0]], [[], [], []], [[], [], [-1]], [[], [], [[0], 1]],
]  # fmt: skip


@pytest.mark.parametrize("document", OTHERS)
def test_a_document_of_another_kind_is_read_from_its_file(document: object) -> None:
    path = next(p for p in rules_dir().rglob("nan-sudden.yaml"))
    types = fact_files.types_of(fact_files.load_facts(lazy=True)[0]).items()
    where = path.relative_to(rules_dir().parent).as_posix()
    body = json.dumps(document).encode()
    write_kept(path.read_bytes(), loading._context(where, types), body)
    write_kept(repr(loading.shipped_state()).encode(), book._CONTEXT, body)
    assert any(r.id == "nan-sudden" and r.program.measures for r in load(lazy=True).rules)


def test_an_expression_that_was_kept_is_checked_when_it_is_asked() -> None:
    for text in ("__import__('os')", "x.__class__", "x + p", "y > 1", "[x for x in x]"):
        kept = Expr(text, {"x": float, "p": bool}, bool)
        with pytest.raises(RuleError):
            code_of(kept)
    assert code_of(Expr("x > 1", {"x": float}, bool))(Env(Evaluator({}), {"x": 2.0})) is True


def test_a_form_that_was_kept_says_no_more_than_a_text_could() -> None:
    for form in (["__import__", "os"], [".", "x", "__class__"], ["getattr", "x", "os"]):
        with pytest.raises(KeyError):
            code_of(Expr("x > 1", {"x": float}, bool, json.dumps(form)))(Env(Evaluator(calls()), {"x": 2.0, "os": 1.0}))
    for text, value in (
        ("not x < -1 and 0 < x <= 10", True),
        ("either(x, 2) + 1 * x - x / 2", 3.0),
        ("-x >= 1", False),
    ):
        made = compile_expr(text, {"x": float}, functions())
        assert code_of(Expr(text, made.kinds, made.type, made.kept))(Env(Evaluator({}), {"x": 2.0})) == value


def test_a_fact_that_changed_is_read_anew_with_all_that_may_read_it() -> None:
    facts = dict(fact_files.types_of(fact_files.load_facts(lazy=True)[0]))
    before = loading._context("rules/a.yaml", facts.items())
    facts["optimizer"] = word_type(("adam", "sgd", "another"))
    assert loading._context("rules/a.yaml", facts.items()) != before


def test_a_place_that_cannot_be_written_costs_nothing_but_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("CURVEDOC_CACHE", str(tmp_path / "file"))
    assert load(lazy=True).rules and load_cached(b"anything") is None


@given(st.lists(st.sampled_from([*"ab1-+*<>=.,()[]~ :'f{}@/|", "or", "in ", "not ", "if ", "else "])).map("".join))
@settings(max_examples=300, deadline=None)
def test_no_expression_has_more_than_two_parts_for_a_word_or_sign(text: str) -> None:
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        return
    assert sum(1 for _ in ast.walk(tree)) <= 2 * len(_WORD.findall(text))
