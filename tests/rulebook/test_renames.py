"""Names that are gone: what is written with them is read, with a warning that says the new one."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from curvedoc.core.errors import UsageError
from curvedoc.rulebook import renames
from curvedoc.rulebook.load import load, tune
from curvedoc.rulebook.vocabulary import SPECIAL, functions

BOOK = load()
PARAMS = {f"{r.id}.{p.name}" for r in (*BOOK.rules, *BOOK.facts.values()) for p in r.program.params}

MINE = """
id: cold-start
title: The log says that it is cold
kind: pathology
severity: warning
what: It is cold.
why: It costs time.
lookalikes: None.
needs: {log: log}
patterns: {hit: cold}
unless: {hit: not cold}
when: [tally(hit) > 0]
evidence: [{say: it is cold}]
causes: []
tests:
  - {name: cold, log: [it is cold], expect: fires}
  - {name: warm, log: [it is not cold], expect: silent}
"""


def table(**lists: dict[str, Any]) -> renames.Renames:
    return renames.Renames(**{"keys": {}, "words": {}, "params": {}, **lists})


def test_the_list_names_what_is_gone_and_what_is_there() -> None:
    known = renames.renames()
    for old, new in known.params.items():
        rule = old.partition(".")[0]
        assert (BOOK.rule(rule) is not None or rule in BOOK.facts) and old not in PARAMS, old
        assert new is None or f"{rule}.{new}" in PARAMS or new in PARAMS, old
    words = {*functions(), *SPECIAL}
    assert not words & set(known.words) and {new.partition(".")[0] for new in known.words.values()} - {""} <= words


def test_a_function_that_is_a_field_now_is_read_as_that() -> None:
    low = "turn_step(tail(val, half)) < size_of(largest(spikes(loss, z)))"
    asked = {"measure": {"low": low, "high": "my_turn_step(x)"}}
    with pytest.warns(renames.OldName) as caught:
        found = renames.current_document(asked, "mine.yaml")
    assert any("turn_step() is called valley().step now" in str(w.message) for w in caught)
    assert found["measure"] == {
        "low": "valley(tail(val, half)).step < spikes(loss, z).largest.size", "high": "my_turn_step(x)",
    }  # fmt: skip


def test_a_threshold_that_is_gone_is_warned_about_and_the_rest_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.warns(renames.OldName, match=r"underfitting\.twice: is no threshold any more"):
        tuned = tune(BOOK, ["underfitting.twice=3", "underfitting.most_fall=0.3"])
    rule = tuned.rule("underfitting")
    assert rule is not None and rule.program.given["most_fall"] == 0.3
    monkeypatch.setattr(renames, "renames", lambda: table(params={"underfitting.worst": "most_fall"}))
    with pytest.warns(renames.OldName, match=re.escape("set underfitting.most_fall")):
        tuned = tune(BOOK, ["underfitting.worst=0.2"])
    rule = tuned.rule("underfitting")
    assert rule is not None and rule.program.given["most_fall"] == 0.2
    with pytest.raises(UsageError):
        tune(BOOK, ["underfitting.never_there=1"])


def test_a_threshold_that_moved_to_a_fact_is_set_there() -> None:
    with pytest.warns(renames.OldName, match=re.escape("set warm_start.spelled")):
        tuned = tune(BOOK, ["underfitting.spelled=1.5"])
    assert tuned.facts["warm_start"].program.given["spelled"] == 1.5


def test_a_users_rule_with_old_names_is_read_with_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "cold-start.yaml").write_text(MINE)
    old = table(keys={"unless": "except"}, words={"tally": "count_rows"})
    monkeypatch.setattr(renames, "renames", lambda: old)
    with pytest.warns(renames.OldName) as caught:
        rule = load([tmp_path], builtin=False).rules[0]
    said = " ".join(str(w.message) for w in caught)
    assert "'unless' is called 'except' now" in said and "tally() is called count_rows() now" in said
    assert rule.program.excepted == {"hit": "not cold"} and rule.when[0][1][0].text == "count_rows(hit) > 0"


def test_factors_of_a_cause_are_read_as_grades(tmp_path: Path) -> None:
    text = MINE.replace("tally(hit)", "count_rows(hit)").replace("unless:", "except:")
    text = text.replace(
        "causes: []",
        "measure: {often: count_rows(hit) > 2}\n"
        "causes: [{cause: bad-batch, weight: 1, times: {often: 4}, because: it is cold},\n"
        "  {cause: lr-too-high, weight: 1, times: {often: 0.1}, because: it is warm}]",
    )
    (tmp_path / "log-message").mkdir()
    (tmp_path / "log-message" / "cold-start.yaml").write_text(text, encoding="utf-8")
    with pytest.warns(renames.OldName, match="'times' of a cause"):
        rule = load([tmp_path]).rule("cold-start")
    assert rule is not None and [link.times["often"] for link in rule.causes] == [3.0, pytest.approx(1 / 6)]
