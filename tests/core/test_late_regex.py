"""A late regex is the compiled pattern in all that it does, and none that ships is wrong."""

from __future__ import annotations

import importlib
import pickle
import pkgutil
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import curvedoc
from curvedoc.core.late_regex import LateRegex, late_regex

pytestmark = pytest.mark.fast


@given(st.sampled_from([r"a+(?P<x>b)?", r"[\W_]+", r"(?i)loss|acc"]), st.text("ab_ lossACC", max_size=12))
def test_it_says_what_the_pattern_says(pattern: str, text: str) -> None:
    late, made = late_regex(pattern), re.compile(pattern)
    assert late.sub("-", text) == made.sub("-", text)
    assert [m.span() for m in late.finditer(text)] == [m.span() for m in made.finditer(text)]
    assert bool(late.match(text)) == bool(made.match(text)) and late.split(text) == made.split(text)
    assert (late.pattern, late.flags, late.groups, late.groupindex) == (
        made.pattern, made.flags, made.groups, made.groupindex,
    )  # fmt: skip


def test_bytes_and_flags_are_kept_and_it_travels() -> None:
    late = pickle.loads(pickle.dumps(late_regex(rb"LOSS", re.IGNORECASE)))
    assert late.search(b"the loss") and pickle.loads(pickle.dumps(late)).search(b"Loss")


def test_a_wrong_pattern_says_so_when_it_is_asked() -> None:
    late = late_regex("(")
    with pytest.raises(re.error):
        late.search("x")
    with pytest.raises(AttributeError):
        late.no_such  # type: ignore[attr-defined]  # noqa: B018


def test_every_pattern_that_ships_compiles() -> None:
    names = [m.name for m in pkgutil.walk_packages(curvedoc.__path__, "curvedoc.") if not m.name.endswith("__main__")]
    seen = 0
    for name in names:
        if name.startswith(("curvedoc.integrations", "curvedoc.record")):
            continue  # they stand by themselves, over libraries that may be absent
        for value in vars(importlib.import_module(name)).values():
            if isinstance(value, LateRegex):
                re.compile(value.pattern, value._flags)
                seen += 1
    assert seen > 200
