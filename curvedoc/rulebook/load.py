"""Folders of rule and cause files -> Rulebook. Reports every error of every file at once, each with its line."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from curvedoc.core.errors import RuleError, RuleErrors, UsageError
from curvedoc.rulebook import renames
from curvedoc.rulebook.cause_shelf import Shelf
from curvedoc.rulebook.compile import compile_cause, compile_rule
from curvedoc.rulebook.file_cache import keep, kept
from curvedoc.rulebook.location import rules_dir as rules_dir
from curvedoc.rulebook.location import signals_file as signals_file
from curvedoc.rulebook.rule import Cause, Rule, Rulebook

if TYPE_CHECKING:
    from pydantic import BaseModel

CHECK_ENDS = ("confirmed", "ruled-out")
#: Files among the rules that hold none.
NOT_RULES = ("signals.yaml", renames.FILE)


def _line(text: str, path: tuple[str | int, ...]) -> int:
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


def _validate(model: type[BaseModel], path: Path, where: str, trusted: bool) -> tuple[Any, list[RuleError]]:
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
            errors.append(RuleError(f"{dotted}: {item['msg']}", f"{where}:{_line(text, place)}"))
        return None, errors


def _load_file(
    path: Path, where: str, is_cause: bool, trusted: bool = False
) -> tuple[Rule | Cause | None, list[RuleError]]:
    from curvedoc.rulebook import schema

    content = path.read_bytes() if trusted else b""
    model: type[BaseModel] = schema.CauseFile if is_cause else schema.RuleFile
    file, errors = _validate(model, path, where, trusted)
    if file is None:
        return None, errors
    if file.id != path.stem:
        errors.append(
            RuleError(f"id '{file.id}' is not the file name", f"{where}:1", f"rename the file to {file.id}.yaml")
        )
    made: Rule | Cause | None
    if is_cause:
        made, problems = compile_cause(file, where, trusted)
    else:
        made, problems = compile_rule(file, path.parent.name, where, trusted)
    if problems:
        text = path.read_text(encoding="utf-8")
        for place, message in problems:
            dotted = ".".join(str(p) for p in place)
            errors.append(RuleError(f"{dotted}: {message}", f"{where}:{_line(text, place)}"))
    # one that was saved while it was read must not be kept under the other's content
    if trusted and not errors and path.read_bytes() == content:
        keep(content, file)
    return made, errors


def _load_kept(path: Path, where: str, is_cause: bool, content: bytes) -> Rule | Cause | None:
    """A file of ours as it was kept, a rule without its cases; None where it is to be read."""
    file = kept(content)
    if file is None:
        return None
    try:
        made: tuple[Rule | Cause | None, object]
        made = compile_cause(file, where, True) if is_cause else compile_rule(file, path.parent.name, where, True)
    except (AttributeError, TypeError, ValueError, KeyError):
        return None  # another kind of document
    found, problems = made
    return None if problems or found is None or found.id != path.stem else found


def _dangling(rules: Sequence[Rule], causes: Mapping[str, Cause], known: Set[str]) -> list[RuleError]:
    """Names of causes that no file defines, in rules and in causes that were read. known: ids of all cause files.

    A symptom that a rule explains or yields to may live in a directory that is not loaded; a cause may not, since its
    checks and fixes would be missing from the report.
    """
    errors = []
    for rule in rules:
        for link in rule.causes:
            if link.cause not in known:
                errors.append(RuleError(f"cause '{link.cause}' has no file", rule.path, "write rules/causes/<id>.yaml"))
    for cause in causes.values():
        for check in cause.checks:
            for end in (check.yes, check.no):
                if end not in CHECK_ENDS and end not in known:
                    errors.append(RuleError(f"check leads to '{end}', which is no cause", cause.path))
    return errors


def _shipped_cause(path: Path, where: str) -> Cause:
    """A cause file of ours; RuleErrors where it is wrong."""
    found = _load_kept(path, where, True, path.read_bytes())
    if isinstance(found, Cause):
        return found
    made, errors = _load_file(path, where, True, True)
    if not isinstance(made, Cause) or errors:
        raise RuleErrors(errors)
    return made


def load(folders: Sequence[Path] = (), builtin: bool = True, lazy: bool = False) -> Rulebook:
    """The rulebook in the shipped rules (unless builtin is false) and in further folders; a later file of one id wins.

    lazy: read a shipped cause when it is first asked for, and shipped rules without their cases where an earlier call
    kept them; tests hold what is in these files. Files in further folders are read at once. Raises RuleErrors with
    everything that is wrong in any file.
    """
    shipped = rules_dir()
    roots = [*([shipped] if builtin else []), *folders]
    rules: dict[str, Rule] = {}
    causes: dict[str, Cause] = {}
    closed: dict[str, Callable[[], Cause]] = {}
    errors: list[RuleError] = []
    digest = hashlib.sha256()
    for root in roots:
        if not root.is_dir():
            raise UsageError("no such rules directory", str(root), "give a directory of .yaml rule files")
        for path in sorted(p for p in root.rglob("*.yaml") if p.name not in NOT_RULES):
            where = path.relative_to(root.parent).as_posix() if root == shipped else path.as_posix()
            content = path.read_bytes()
            digest.update(path.relative_to(root).as_posix().encode() + b"\0" + content + b"\0")
            is_cause, ours = path.parent.name == "causes", root == shipped and builtin
            if lazy and is_cause and ours:
                closed[path.stem] = partial(_shipped_cause, path, where)
                continue
            made = _load_kept(path, where, is_cause, content) if lazy and ours else None
            if made is None:
                made, wrong = _load_file(path, where, is_cause, ours)
                errors.extend(wrong)
            if isinstance(made, Rule):
                rules[made.id] = made
            elif isinstance(made, Cause):
                causes[made.id] = made
    if not errors:
        errors = _dangling(list(rules.values()), causes, {*causes, *closed})
    if errors:
        raise RuleErrors(errors)
    return Rulebook(
        tuple(rules[k] for k in sorted(rules)), Shelf(causes, closed) if lazy else causes, digest.hexdigest()[:16]
    )


_SET = re.compile(r"^([a-z0-9-]+)\.([a-z0-9_]+)=(.+)$")


def tune(book: Rulebook, settings: Sequence[str] = (), sensitivity: float = 0.0) -> Rulebook:
    """The rulebook with thresholds moved.

    settings: "RULE.PARAM=VALUE" each. sensitivity: -1 (strict: fewest alarms) to +1 (loose: fewest misses) along each
    param's documented range; params without a range stay.
    """
    wanted: dict[tuple[str, str], float] = {}
    for text in settings:
        match = _SET.match(text)
        if not match:
            raise UsageError(f"'{text}' is not RULE.PARAM=VALUE")
        rule = book.rule(match[1])
        name: str | None = match[2]
        if rule is not None and name not in {p.name for p in rule.program.params}:
            with suppress(KeyError):
                name = renames.current_param(rule.id, match[2])
        if name is None:
            continue
        if rule is None or name not in {p.name for p in rule.program.params}:
            known = (
                ", ".join(f"{match[1]}.{p.name}" for p in rule.program.params) if rule else "curvedoc rules lists them"
            )
            raise UsageError(f"no threshold {match[1]}.{match[2]}", hint=known)
        try:
            wanted[rule.id, name] = float(match[3])
        except ValueError as error:
            raise UsageError(f"'{match[3]}' is not a number", f"--set {text}") from error
    rules = []
    for rule in book.rules:
        params = []
        for p in rule.program.params:
            end = p.loose if sensitivity > 0 else p.strict
            value = p.value if end is None else p.value + abs(sensitivity) * (end - p.value)
            params.append(replace(p, value=wanted.get((rule.id, p.name), value)))
        rules.append(replace(rule, program=replace(rule.program, params=tuple(params))))
    mark = hashlib.sha256(f"{book.digest}{sorted(settings)}{sensitivity}".encode()).hexdigest()[:16]
    return replace(book, rules=tuple(rules), digest=mark if settings or sensitivity else book.digest)
