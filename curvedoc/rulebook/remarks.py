"""Folders of remark files -> remarks by id. What is said stands in Python, by which limits and why in the files."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from curvedoc.core.errors import RuleError, RuleErrors
from curvedoc.rulebook.cache.documents import load_cached, save_cached
from curvedoc.rulebook.compiler import references
from curvedoc.rulebook.rule import Param, Program, Remark
from curvedoc.rulebook.rule_file import PlacedFile, misnamed, placed_files, validate

#: Files in folders of this name are remarks.
FOLDER = "remarks"


def load_remarks(folders: Sequence[Path] = (), lazy: bool = False) -> tuple[dict[str, Remark], list[RuleError]]:
    """The shipped remarks, with the limits of further folders; a later file of one id wins.

    lazy: without their cases where an earlier call kept them.
    """
    remarks, errors = _made(placed_files(FOLDER, folders), lazy)
    return dict(remarks), list(errors)


@functools.lru_cache(maxsize=4)
def _made(files: tuple[PlacedFile, ...], lazy: bool) -> tuple[Mapping[str, Remark], Sequence[RuleError]]:
    """The remarks in these files. A process that asks again checks nothing twice."""
    remarks: dict[str, Remark] = {}
    errors: list[RuleError] = []
    for path, where, ours, content in files:
        file = load_cached(content) if ours and lazy else None
        if file is None or getattr(file, "id", None) != path.stem:
            from curvedoc.rulebook.schema.remark import RemarkFile

            file, wrong = validate(RemarkFile, path, where, ours)
            errors += wrong
            if file is None:
                continue
            errors += misnamed(path, where, file.id) + ([] if ours else _foreign(file, where, remarks))
            if ours and not errors and path.read_bytes() == content:
                save_cached(content, file)
        remarks[file.id] = _remark(file, where)
    return remarks, errors


def _remark(file: Any, where: str) -> Remark:
    params = tuple(Param(name, p.value, p.unit, p.why, p.loose, p.strict) for name, p in file.params.items())
    return Remark(
        file.id, file.title, file.what, file.why, file.lookalikes, Program((), {}, params, ()), tuple(file.tests),
        references(file.references), where,
    )  # fmt: skip


def _foreign(file: Any, where: str, known: Mapping[str, Remark]) -> list[RuleError]:
    """What is wrong with a user's file: it may move the limits of a remark, and invent none."""
    if file.id not in known:
        return [RuleError(f"no remark '{file.id}' is made", where, f"there are {', '.join(sorted(known))}")]
    wanted = set(known[file.id].program.given)
    if wanted != set(file.params):
        return [RuleError(f"params: not those of '{file.id}'", where, f"it has {', '.join(sorted(wanted))}")]
    return []


@functools.cache
def shipped_remarks() -> Mapping[str, Remark]:
    """The remarks that ship with curvedoc. Raises RuleErrors."""
    remarks, errors = load_remarks(lazy=True)
    if errors:
        raise RuleErrors(errors)
    return remarks
