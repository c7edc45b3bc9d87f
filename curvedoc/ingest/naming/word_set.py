"""Sets of words written as one text."""

from __future__ import annotations


def word_set(text: str) -> frozenset[str]:
    """The words of a text.

    >>> sorted(word_set("b a"))
    ['a', 'b']
    """
    return frozenset(text.split())
