"""Folders of fact files -> facts by name. Every error of every file at once, each with its line; no circles."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from curvedoc.core.errors import RuleError, RuleErrors
from curvedoc.rulebook.cache.compiled import load_compiled, save_compiled
from curvedoc.rulebook.facts.fact import circle, compile_fact, type_of
from curvedoc.rulebook.rule import Fact
from curvedoc.rulebook.rule_file import PlacedFile, located, misnamed, placed_files, validate
from curvedoc.rulebook.shared import shared_digest

#: Files in folders of this name are facts.
FOLDER = "facts"

#: A document, its path, how its place is told, and what stands in its file where it ships with curvedoc.
_Read = tuple[Any, Path, str, bytes | None]


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
    context = _context(files)
    kept = [load_compiled(Fact, content, context) if ours and lazy else None for _, _, ours, content in files]
    if all(kept):
        return {f.id: f for f in sorted(filter(None, kept), key=lambda f: f.id)}, []
    documents: dict[str, _Read] = {}
    errors: list[RuleError] = []
    for path, where, ours, content in files:
        file, wrong = _document(path, where, ours)
        errors += wrong
        if file is not None:
            documents[file.id] = (file, path, where, content if ours else None)
    types = {id_: type_of(file) for id_, (file, *_) in documents.items()}
    facts: dict[str, Fact] = {}
    for id_, (file, path, where, own) in sorted(documents.items()):
        made, problems = compile_fact(file, types, where, own is not None)
        errors += located(path, where, problems)
        if made is not None:
            facts[id_] = made
            if own is not None and not errors and path.read_bytes() == own:
                save_compiled(own, context, made)
    if not errors and (found := circle(facts)):
        told = " -> ".join(found)
        errors.append(RuleError(f"facts that are known by each other: {told}", facts[found[0]].path))
    return facts, errors


def _context(files: tuple[PlacedFile, ...]) -> bytes:
    """What a compiled fact is made of beside its file: every other fact, and what files share."""
    made_of = hashlib.sha256(shared_digest().encode())
    for _, where, _, content in files:
        made_of.update(where.encode("utf-8", "surrogatepass") + b"\0" + content + b"\0")
    return made_of.digest()


def _document(path: Path, where: str, ours: bool) -> tuple[Any, list[RuleError]]:
    from curvedoc.rulebook.facts.fact_schema import FactFile

    file, errors = validate(FactFile, path, where, ours)
    return file, errors if file is None else [*errors, *misnamed(path, where, file.id)]


def types_of(facts: Mapping[str, Fact]) -> dict[str, type]:
    """The type of each fact in expressions."""
    return {id_: type_of(f) for id_, f in facts.items()}


@functools.cache
def shipped_facts() -> Mapping[str, Fact]:
    """The facts that ship with curvedoc. Raises RuleErrors."""
    facts, errors = load_facts(lazy=True)
    if errors:
        raise RuleErrors(errors)
    return facts
