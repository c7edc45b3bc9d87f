"""Settings out of whatever text they were logged in."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from curvedoc.ingest.settings.flatten import flatten, scalar, settings


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ('{"lr": 0.1, "model": {"depth": 4, "act": null}}', {"lr": 0.1, "model.depth": 4}),
        ('```json\n{"lr": 0.1}\n```', {"lr": 0.1}),
        ("{'lr': 0.1, 'amp': True}", {"lr": 0.1, "amp": True}),
        ("Namespace(lr=0.1, opt='sgd', size=(3, 4))", {"lr": 0.1, "opt": "sgd", "size": "[3, 4]"}),
        ("|param|value|\n|:--|--:|\n|lr|1e-3|\n|env|A|", {"lr": 0.001, "env": "A"}),
        ("lr: 0.1\nseed: 3\nname: x", {"lr": 0.1, "seed": 3, "name": "x"}),
        ("- lr: 0.1\n- seed = 3", {"lr": 0.1, "seed": 3}),
        ("python train.py --lr 0.1 --no-amp", {"lr": 0.1, "no-amp": True}),
        ("The model wrote: a long story.", {}),
        ("a sample\nof two lines", {}),
        ("one: line", {}),
        ("User: hello there\nAssistant: hi", {}),
        ("User: hello\nAssistant: hi", {}),
        (r"{'pattern': '\d'}", {"pattern": r"\d"}),
        ("[1, 2]", {}),
        ("{broken", {}),
    ],
)
def test_settings_are_found_in_every_common_form_and_in_no_prose(text: str, want: dict[str, object]) -> None:
    assert settings(text) == want


@pytest.mark.parametrize(
    "text",
    [
        "a: " + " " * 1_000_000 + "x\nb: 1",
        " " * 500_000 + "a\n" + " " * 500_000,
        "```\n" + " \n" * 400_000,
        "|a|b|\n" + "-" * 900_000 + "x\n|c|d|",
        "--a " * 200_000,
        "{" * 1_000_000,
        '{"a":' * 150_000,
        "(" * 60_000,
        "f(a=" * 10_000,
    ],
)
def test_hostile_text_takes_no_time(text: str) -> None:
    start = time.process_time()
    settings(text)
    assert time.process_time() - start < 2.0


@limits(max_examples=60, deadline=None)
@given(st.text(max_size=200))
def test_any_text_gives_scalars_under_text_keys(text: str) -> None:
    for key, value in settings(text).items():
        assert isinstance(key, str) and isinstance(value, (bool, int, float, str))


@limits(max_examples=60, deadline=None)
@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda x: st.dictionaries(st.text(), x)))
def test_flattening_keeps_every_leaf_that_is_not_null(value: object) -> None:
    def leaves(v: object) -> int:
        return sum(leaves(x) for x in v.values()) if isinstance(v, dict) else v is not None

    assert len(flatten(value)) <= leaves(value)


def test_words_become_the_values_they_spell() -> None:
    words = ["3", "-0.5", "1e-4", "true", "False", "None", "'a b'", "adam", "nan", "1.2.3"]
    assert [scalar(w) for w in words] == [3, -0.5, 1e-4, True, False, None, "a b", "adam", "nan", "1.2.3"]
