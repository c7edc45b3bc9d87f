"""Every word of the vocabulary that gives a number says in what it counts, and nothing else does."""

from __future__ import annotations

from curvedoc.rulebook.vocabulary import fields_of, functions
from curvedoc.stats.units import FIELD_UNITS, UNITS


def test_every_word_that_gives_a_number_has_a_unit_and_no_other_word_has() -> None:
    assert set(UNITS) == {name for name, f in functions().items() if f.result is float}


def test_every_field_that_is_a_number_has_a_unit_and_no_other_has() -> None:
    numbers = {name for f in functions().values() for name, told in fields_of(f.result).items() if told.result is float}
    assert set(FIELD_UNITS) == numbers
