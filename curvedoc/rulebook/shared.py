"""Inputs, thresholds and measures that several files read by one name: rules/shared.yaml."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable, Mapping, Set
from typing import Any

from curvedoc.core.errors import RuleErrors
from curvedoc.core.frozen import dataclass
from curvedoc.rulebook.cache.documents import load_cached, save_cached
from curvedoc.rulebook.expr import Expr
from curvedoc.rulebook.location import rules_dir
from curvedoc.rulebook.rule import Need, Param

FILE = "shared.yaml"
#: What stands for a rule's id where a shared threshold is set for all files: `--set shared.NAME=VALUE`.
OWNER = "shared"


@dataclass(frozen=True, slots=True)
class SharedNames:
    """What every file may read. A name of a file's own stands before one of these."""

    params: Mapping[str, Param]
    needs: Mapping[str, Need]
    formulas: Mapping[str, Expr]

    def behind(self, names: Iterable[str]) -> Set[str]:
        """These names and all that they are made of."""
        seen: set[str] = set()
        left = list(names)
        while left:
            name = left.pop()
            if name not in seen:
                seen.add(name)
                left += self.formulas[name].names if name in self.formulas else ()
        return seen


@functools.cache
def shared_params() -> Mapping[str, Param]:
    """The thresholds by name. Raises RuleErrors."""
    document = shared_document()
    return {n: Param(n, p.value, p.unit, p.why, p.loose, p.strict, True) for n, p in document.params.items()}


@functools.cache
def shared_digest() -> str:
    """A hash of the file."""
    return hashlib.sha256((rules_dir() / FILE).read_bytes()).hexdigest()


@functools.cache
def shared_document() -> Any:
    """The file, checked; as it was kept where it was checked before. Raises RuleErrors."""
    path = rules_dir() / FILE
    content = path.read_bytes()
    found = load_cached(content)
    if found is not None:
        return found
    from curvedoc.rulebook.rule_file import validate
    from curvedoc.rulebook.schema.shared import SharedFile

    file, errors = validate(SharedFile, path, f"rules/{FILE}", True)
    if file is None:
        raise RuleErrors(errors)
    save_cached(content, file)
    return file
