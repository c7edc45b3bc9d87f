"""All shipped rules, facts and remarks in one kept file: a start reads that instead of some two hundred."""

from __future__ import annotations

from typing import Any, NamedTuple

from curvedoc.rulebook.cache.compiled import packed, unpacked
from curvedoc.rulebook.cache.documents import read_kept, write_kept
from curvedoc.rulebook.rule import Fact, Remark, Rule

_CONTEXT = b"book"


class ShippedBook(NamedTuple):
    """What ships beside the causes, each sorted by id, and the digest of all rule files."""

    digest: str
    rules: tuple[Rule, ...]
    facts: tuple[Fact, ...]
    remarks: tuple[Remark, ...]


def load_book(state: object) -> ShippedBook | None:
    """The book that was made of the files in this state (`location.shipped_state`); None where none is kept."""
    made = unpacked(read_kept(repr(state).encode(), _CONTEXT))
    if not isinstance(made, tuple) or len(made) != len(ShippedBook._fields):
        return None
    book = ShippedBook(*made)
    return book if isinstance(book.digest, str) and all(map(_are, book[1:], (Rule, Fact, Remark))) else None


def save_book(state: object, book: ShippedBook) -> None:
    """Keep it; a disk that is full or read-only costs the speed of the next call."""
    write_kept(repr(state).encode(), _CONTEXT, packed(tuple(book)))


def _are(found: Any, kind: type) -> bool:
    return isinstance(found, tuple) and bool(found) and all(type(each) is kind for each in found)
