"""rules/ and the taxonomy name the same symptoms and causes, both ways.

taxonomy.yaml beside this file is a copy of the contract's ids; where the contract itself is at hand
(CURVEDOC_TAXONOMY, or ../shared/taxonomy.yaml beside the checkout), the copy is held against it.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import yaml

from curvedoc.rulebook.load import load
from curvedoc.rulebook.messages.catalog import catalog
from curvedoc.rulebook.rule import Rule

HERE = Path(__file__).resolve().parent
COPY: dict[str, Any] = yaml.safe_load((HERE / "taxonomy.yaml").read_text(encoding="utf-8"))
CONTRACT = Path(os.environ.get("CURVEDOC_TAXONOMY") or HERE.parent.parent / "shared" / "taxonomy.yaml")
BOOK = load()
RULES: dict[str, Rule] = {r.id: r for r in BOOK.rules}


def test_every_symptom_of_the_taxonomy_has_a_rule_and_every_rule_a_symptom() -> None:
    assert sorted(RULES) == sorted(COPY["symptoms"])


def test_every_cause_of_the_taxonomy_has_a_file_and_every_file_a_cause() -> None:
    assert sorted(BOOK.causes) == sorted(COPY["causes"])


@pytest.mark.parametrize("symptom", sorted(COPY["symptoms"]))
def test_a_rule_agrees_with_the_taxonomy_on_kind_family_and_causes(symptom: str) -> None:
    told, rule = COPY["symptoms"][symptom], RULES[symptom]
    assert (rule.kind, rule.family) == (told["kind"], told["family"])
    named = {link.cause for link in rule.causes}
    assert set(told["causes"]) <= named, "the rule leaves out causes that the taxonomy names"


def test_every_cause_is_named_by_some_rule_or_message() -> None:
    by_rules = {link.cause for rule in BOOK.rules for link in rule.causes}
    by_messages = {group.cause for group in catalog().groups if group.cause is not None}
    assert sorted(by_rules | by_messages) == sorted(BOOK.causes)


def test_what_a_rule_explains_or_yields_to_is_a_symptom() -> None:
    linked = {other for rule in BOOK.rules for other in (*rule.explains, *rule.yields)}
    assert sorted(linked - set(RULES)) == []


def test_the_copy_is_the_taxonomy() -> None:
    if not CONTRACT.is_file():
        pytest.skip("the taxonomy itself is not here; CURVEDOC_TAXONOMY can name its place")
    contract = yaml.safe_load(CONTRACT.read_text(encoding="utf-8"))
    kept = {name: {k: s[k] for k in ("family", "kind", "causes")} for name, s in contract["symptoms"].items()}
    # ids of the contract stay as they are, new ones may be added
    assert {name: COPY["symptoms"].get(name) for name in kept} == kept
    assert [c for c in contract["causes"] if c not in COPY["causes"]] == []
    assert COPY["version"] == contract["version"]
