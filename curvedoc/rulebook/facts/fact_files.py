"""Folders of fact files -> facts by name. Every error of every file at once, each with its line; no circles."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from curvedoc.core.errors import RuleError, RuleErrors
from curvedoc.rulebook.expr import word_type
from curvedoc.rulebook.facts.fact import PLAIN_TYPES, circle, compile_fact, type_of
from curvedoc.rulebook.file_cache import load_cached, save_cached
from curvedoc.rulebook.rule import Fact
from curvedoc.rulebook.rule_file import PlacedFile, located, misnamed, placed_files, validate

#: Files in folders of this name are facts.
FOLDER = "facts"

#: A document, its path, how its place is told, and whether it ships with curvedoc.
_Read = tuple[Any, Path, str, bool]


def load_facts(folders: Sequence[Path] = (), lazy: bool = False) -> tuple[dict[str, Fact], list[RuleError]]:
    """The shipped facts and those of further folders; a later file of one id wins.

    The shipped ones are always there: a folder of rules that is loaded by itself may read them. lazy: without their
    cases where an earlier call kept them.
    """
    facts, errors = _compiled(placed_files(FOLDER, folders), lazy)
    return dict(facts), list(errors)


@functools.lru_cache(maxsize=4)
def _compiled(files: tuple[PlacedFile, ...], lazy: bool) -> tuple[Mapping[str, Fact], Sequence[RuleError]]:
    """The facts in these files. A process that asks again compiles nothing twice."""
    documents: dict[str, _Read] = {}
    errors: list[RuleError] = []
    for path, where, ours, content in files:
        file, wrong = _document(path, where, ours, content, lazy)
        errors += wrong
        if file is not None:
            documents[file.id] = (file, path, where, ours)
    types = {id_: type_of(file) for id_, (file, *_) in documents.items()}
    facts: dict[str, Fact] = {}
    for id_, (file, path, where, ours) in sorted(documents.items()):
        made, problems = compile_fact(file, types, where, ours)
        errors += located(path, where, problems)
        if made is not None:
            facts[id_] = made
    if not errors and (found := circle(facts)):
        told = " -> ".join(found)
        errors.append(RuleError(f"facts that are known by each other: {told}", facts[found[0]].path))
    return facts, errors


def _document(path: Path, where: str, ours: bool, content: bytes, lazy: bool) -> tuple[Any, list[RuleError]]:
    file = load_cached(content) if ours and lazy else None
    if file is not None and getattr(file, "id", None) == path.stem and hasattr(file, "known_by"):
        return file, []
    from curvedoc.rulebook.facts.fact_schema import FactFile

    file, errors = validate(FactFile, path, where, ours)
    if file is None:
        return None, errors
    errors += misnamed(path, where, file.id)
    if ours and not errors and path.read_bytes() == content:
        save_cached(content, file)
    return file, errors


def types_of(facts: Mapping[str, Fact]) -> dict[str, type]:
    """The type of each fact in expressions."""
    return {id_: word_type(tuple(f.words)) if f.type == "word" else PLAIN_TYPES[f.type] for id_, f in facts.items()}


@functools.cache
def shipped_facts() -> Mapping[str, Fact]:
    """The facts that ship with curvedoc. Raises RuleErrors."""
    facts, errors = load_facts(lazy=True)
    if errors:
        raise RuleErrors(errors)
    return facts
