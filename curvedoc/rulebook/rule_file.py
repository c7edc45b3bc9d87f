"""One file of rules, causes or facts -> its validated document, and the lines of what is wrong in it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from curvedoc.core.errors import RuleError
from curvedoc.rulebook import renames
from curvedoc.rulebook.location import rules_dir

if TYPE_CHECKING:
    from pydantic import BaseModel

#: Files beside the rules that are no rule, cause or fact.
OTHERS = ("signals.yaml", "shared.yaml", renames.FILE)


def files_of(root: Path, kind: str = "") -> list[Path]:
    """The files of rules, causes and facts below a folder, in order. kind: only those in folders of this name"""
    # at every start: a third of what `rglob` takes, and parts are sorted sooner than paths
    folders = ((Path(place), names) for place, _, names in os.walk(root))
    found = [(*folder.parts, name) for folder, names in folders if kind in ("", folder.name) for name in names]
    return [Path(*parts) for parts in sorted(found) if parts[-1].endswith(".yaml") and parts[-1] not in OTHERS]


def inside(path: Path, root: Path) -> str:
    """The way from a folder to a file below it, with slashes."""
    text, front = str(path), f"{root}{os.sep}"
    return text[len(front) :].replace(os.sep, "/") if text.startswith(front) else path.relative_to(root).as_posix()


#: A path, how its place is told, whether it ships with curvedoc, and what stands there.
PlacedFile = tuple[Path, str, bool, bytes]


def placed_files(kind: str, folders: Sequence[Path]) -> tuple[PlacedFile, ...]:
    """The files in folders of this name, the shipped ones first, then those below further folders of rules."""
    shipped = rules_dir()
    found: list[PlacedFile] = []
    for root in (shipped, *folders):
        for path in files_of(root, kind):
            ours = root == shipped
            where = inside(path, root.parent) if ours else path.as_posix()
            found.append((path, where, ours, path.read_bytes()))
    return tuple(found)


def line_of(text: str, path: tuple[str | int, ...]) -> int:
    """The 1-based line of a key path in a YAML text (the nearest parent where the path ends early)."""
    import yaml

    # the loader that read the file: libyaml takes `{lr: lr?}`, which PyYAML's own parser does not
    node = yaml.compose(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    line = 1
    for part in path:
        if isinstance(node, yaml.MappingNode):
            found = next((pair for pair in node.value if pair[0].value == str(part)), None)
            if found is None:
                break
            line, node = found[0].start_mark.line + 1, found[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
            line = node.start_mark.line + 1
        else:
            break
    return line


def validate(model: type[BaseModel], path: Path, where: str, trusted: bool) -> tuple[Any, list[RuleError]]:
    """The document of a file as a model of it, or None with what is wrong. trusted: it ships with curvedoc."""
    from pydantic import ValidationError

    from curvedoc.rulebook.yaml12 import read

    try:
        document = read(path, where)
    except RuleError as error:
        return None, [error]
    if not isinstance(document, dict):
        return None, [RuleError("not a mapping of keys", where)]
    if not trusted:
        document = renames.current_document(document, where)
    try:
        return model.model_validate(document), []
    except ValidationError as error:
        text = path.read_text(encoding="utf-8")
        errors = []
        for item in error.errors():
            place = tuple(p for p in item["loc"] if not (isinstance(p, str) and "[" in p))
            dotted = ".".join(str(p) for p in place)
            errors.append(RuleError(f"{dotted}: {item['msg']}", f"{where}:{line_of(text, place)}"))
        return None, errors


def located(path: Path, where: str, problems: Sequence[tuple[tuple[str | int, ...], str]]) -> list[RuleError]:
    """Problems by key path as errors by line."""
    if not problems:
        return []
    text = path.read_text(encoding="utf-8")
    return [RuleError(f"{'.'.join(map(str, at))}: {said}", f"{where}:{line_of(text, at)}") for at, said in problems]


def misnamed(path: Path, where: str, id_: str) -> list[RuleError]:
    """What is wrong where a file is not named for its id."""
    if id_ == path.stem:
        return []
    return [RuleError(f"id '{id_}' is not the file name", f"{where}:1", f"rename the file to {id_}.yaml")]
