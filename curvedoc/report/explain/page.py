"""A page of the reference as data: what its writers for the terminal and for Markdown share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from curvedoc.report.explain.case_drawing import Drawn

#: Where the pages of each kind lie below the reference's folder.
FOLDERS: Mapping[str, str] = {"symptom": "symptoms", "cause": "causes", "fact": "facts", "remark": "remarks"}
CASES = "cases"
#: A guide stands by itself: it has no file of the rulebook.
Kind = Literal["symptom", "cause", "fact", "remark", "guide"]


@dataclass(frozen=True, slots=True)
class Prose:
    """One paragraph. Ids of other pages in it become links."""

    text: str


@dataclass(frozen=True, slots=True)
class Items:
    """A list, numbered where its order matters."""

    texts: tuple[str, ...]
    ordered: bool = False


@dataclass(frozen=True, slots=True)
class PageTable:
    """Rows of texts; a column whose head ends in "()" holds code."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Code:
    """Lines as they stand."""

    text: str
    language: str = ""


@dataclass(frozen=True, slots=True)
class CasePicture:
    """One case of a rule, drawn."""

    drawn: Drawn


Block = Prose | Items | PageTable | Code | CasePicture


@dataclass(frozen=True, slots=True)
class PageSection:
    """One part of a page; the first has no heading."""

    heading: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """What there is to say of a symptom, cause, fact or remark, or a guide."""

    id: str
    kind: Kind
    title: str
    tag: str
    sections: tuple[PageSection, ...]


def made(id_: str, kind: Kind, title: str, tag: str, sections: list[PageSection]) -> Page:
    """The page without its empty parts."""
    full = (PageSection(s.heading, tuple(b for b in s.blocks if not _empty(b))) for s in sections)
    return Page(id_, kind, title, tag, tuple(s for s in full if s.blocks))


def _empty(block: Block) -> bool:
    match block:
        case Prose(text) | Code(text):
            return not text.strip()
        case Items(texts):
            return not texts
        case PageTable(_, rows):
            return not rows
    return False
