"""Folders of rule and cause files -> Rulebook. Reports every error of every file at once, each with its line."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from curvedoc.core.errors import RuleError, RuleErrors, UsageError
from curvedoc.core.late_regex import late_regex
from curvedoc.rulebook import renames
from curvedoc.rulebook.cache.book import ShippedBook, load_book, save_book
from curvedoc.rulebook.cache.compiled import load_compiled, save_compiled
from curvedoc.rulebook.cache.lazy_causes import LazyCauses
from curvedoc.rulebook.compile import compile_cause, compile_rule
from curvedoc.rulebook.facts.fact_files import FOLDER, load_facts, types_of
from curvedoc.rulebook.location import rules_dir as rules_dir
from curvedoc.rulebook.location import shipped_state
from curvedoc.rulebook.location import signals_file as signals_file
from curvedoc.rulebook.messages.catalog import FOLDER as MESSAGES
from curvedoc.rulebook.outside import outside_rules
from curvedoc.rulebook.remarks import FOLDER as REMARKS
from curvedoc.rulebook.remarks import load_remarks
from curvedoc.rulebook.rule import Cause, Program, Rule, Rulebook
from curvedoc.rulebook.rule_file import files_of, inside, located, misnamed, validate
from curvedoc.rulebook.shared import FILE as SHARED
from curvedoc.rulebook.shared import OWNER, shared_digest, shared_params

if TYPE_CHECKING:
    from pydantic import BaseModel

CHECK_ENDS = ("confirmed", "ruled-out")


def _load_file(
    path: Path, where: str, is_cause: bool, facts: Mapping[str, type], context: bytes | None = None
) -> tuple[Rule | Cause | None, list[RuleError]]:
    """A file, read and compiled. context: where it is ours, and kept: what else it is made of."""
    from curvedoc.rulebook.schema.cause import CauseFile
    from curvedoc.rulebook.schema.rule import RuleFile

    trusted = context is not None
    content = path.read_bytes() if trusted else b""
    model: type[BaseModel] = CauseFile if is_cause else RuleFile
    file, errors = validate(model, path, where, trusted)
    if file is None:
        return None, errors
    made: Rule | Cause | None
    if is_cause:
        made, problems = compile_cause(file, where, trusted, facts)
    else:
        made, problems = compile_rule(file, path.parent.name, where, trusted, facts)
    errors += misnamed(path, where, file.id) + located(path, where, problems)
    # one that was saved while it was read must not be kept under the other's content
    if context is not None and made is not None and not errors and path.read_bytes() == content:
        save_compiled(content, context, made)
    return made, errors


def _context(where: str, facts: Iterable[tuple[str, type]]) -> bytes:
    """What a compiled file of ours is made of beside itself: its place, what files share, the types of the facts."""
    return f"{where} {_shared_by_all(tuple(facts), shared_digest())}".encode()


@functools.lru_cache(maxsize=4)
def _shared_by_all(facts: tuple[tuple[str, type], ...], shared: str) -> str:
    return f"{shared} {sorted((name, kind.__name__, *getattr(kind, 'words', ())) for name, kind in facts)}"


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


@functools.lru_cache(maxsize=1024)  # all files of ours, twice
def _shipped(
    path: Path, where: str, is_cause: bool, facts: tuple[tuple[str, type], ...], content: bytes, lazy: bool
) -> Rule | Cause:
    """A file of ours with this content. A process that asks again compiles nothing twice. Raises RuleErrors.

    lazy: without its cases where an earlier call kept it.
    """
    context = _context(where, facts)
    kept: Rule | Cause | None = None
    if lazy:
        kept = load_compiled(Cause, content, context) if is_cause else load_compiled(Rule, content, context)
    if kept is not None and kept.id == path.stem:
        return kept
    made, errors = _load_file(path, where, is_cause, dict(facts), context)
    if made is None or errors:
        raise RuleErrors(errors)
    return made


def _shipped_cause(path: Path, where: str, facts: tuple[tuple[str, type], ...]) -> Cause:
    """A cause file of ours; RuleErrors where it is wrong."""
    made = _shipped(path, where, True, facts, path.read_bytes(), True)
    assert isinstance(made, Cause)
    return made


def load(folders: Sequence[Path] = (), builtin: bool = True, lazy: bool = False) -> Rulebook:
    """The rulebook in the shipped rules and those of installed packages (unless builtin is false) and in further
    folders; a later file of one id wins.

    lazy: read a shipped cause when it is first asked for, and shipped rules without their cases where an earlier call
    kept them; tests hold what is in these files. Files in further folders are read at once. Raises RuleErrors with
    everything that is wrong in any file.
    """
    shipped = rules_dir()
    folders = (*(outside_rules() if builtin else ()), *folders)
    state = shipped_state() if lazy and builtin and not folders else ()
    if state and (kept := load_book(state)) is not None:
        return _whole(kept, shipped)
    roots = [*([shipped] if builtin else []), *folders]
    rules: dict[str, Rule] = {}
    causes: dict[str, Cause] = {}
    closed: dict[str, Callable[[], Cause]] = {}
    digest = hashlib.sha256((shipped / SHARED).read_bytes())
    for root in roots:
        if not root.is_dir():
            raise UsageError("no such rules directory", str(root), "give a directory of .yaml rule files")
    facts, errors = load_facts(folders, lazy)
    if errors:  # rules that read them would only say the same again
        raise RuleErrors(errors)
    remarks, errors = load_remarks(folders, lazy)
    types = types_of(facts)
    named = tuple(types.items())
    for root in roots:
        for path in files_of(root):
            where = inside(path, root.parent) if root == shipped else path.as_posix()
            content = path.read_bytes()
            digest.update(inside(path, root).encode() + b"\0" + content + b"\0")
            if path.parent.name in (FOLDER, MESSAGES, REMARKS):
                continue
            is_cause, ours = path.parent.name == "causes", root == shipped and builtin
            if lazy and is_cause and ours:
                closed[path.stem] = partial(_shipped_cause, path, where, named)
                continue
            made = None
            if ours:
                try:
                    made = _shipped(path, where, is_cause, named, content, lazy)
                except RuleErrors as error:
                    errors.extend(error.errors)
            else:
                made, wrong = _load_file(path, where, is_cause, types)
                errors.extend(wrong)
            if isinstance(made, Rule):
                rules[made.id] = made
            elif isinstance(made, Cause):
                causes[made.id] = made
    if not errors:
        errors = _dangling(list(rules.values()), causes, {*causes, *closed})
    if errors:
        raise RuleErrors(errors)
    made_of = digest.hexdigest()[:16]
    in_order = tuple(rules[k] for k in sorted(rules))
    if state:
        save_book(state, ShippedBook(made_of, in_order, tuple(facts.values()), tuple(remarks.values())))
    return Rulebook(in_order, LazyCauses(causes, closed) if lazy else causes, made_of, facts, remarks)


def _whole(book: ShippedBook, shipped: Path) -> Rulebook:
    """The rulebook of what ships, as it was kept; its causes are read when they are asked for."""
    facts = {f.id: f for f in book.facts}
    named = tuple(types_of(facts).items())
    paths = files_of(shipped, "causes")
    closed = {p.stem: partial(_shipped_cause, p, inside(p, shipped.parent), named) for p in paths}
    return Rulebook(book.rules, LazyCauses({}, closed), book.digest, facts, {r.id: r for r in book.remarks})


_SET = late_regex(r"^([a-z0-9_-]+)\.([a-z0-9_]+)=(.+)$")


def _number(text: str, setting: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise UsageError(f"'{text}' is not a number", f"--set {setting}") from error


def tune(book: Rulebook, settings: Sequence[str] = (), sensitivity: float = 0.0) -> Rulebook:
    """The rulebook with thresholds moved.

    settings: "RULE.PARAM=VALUE" each, "shared.PARAM=VALUE" for all files that share one. sensitivity: -1 (strict:
    fewest alarms) to +1 (loose: fewest misses) along each param's documented range; params without a range stay.
    """
    if not settings and not sensitivity:
        return book
    wanted: dict[tuple[str, str], float] = {}
    for text in settings:
        match = _SET.match(text)
        if not match:
            raise UsageError(f"'{text}' is not RULE.PARAM=VALUE")
        named = book.rule(match[1]) or book.facts.get(match[1]) or book.remarks.get(match[1])
        name: str | None = match[2]
        if named is not None and name not in {p.name for p in named.program.params}:
            with suppress(KeyError):
                name = renames.current_param(named.id, match[2])
        if name is None:
            continue
        if match[1] == OWNER and name in shared_params():
            wanted[OWNER, name] = _number(match[3], text)
            continue
        if "." in name:
            owner, _, name = name.partition(".")
            named = book.facts.get(owner)
        if named is None or name not in {p.name for p in named.program.params}:
            known = ", ".join(f"{match[1]}.{p.name}" for p in named.program.params) if named else ""
            raise UsageError(f"no threshold {match[1]}.{match[2]}", hint=known or "curvedoc rules lists them")
        wanted[named.id, name] = _number(match[3], text)

    def tuned(id_: str, program: Program) -> Program:
        params = []
        for p in program.params:
            end = p.loose if sensitivity > 0 else p.strict
            value = p.value if end is None else p.value + abs(sensitivity) * (end - p.value)
            value = wanted.get((OWNER, p.name), value) if p.shared else value
            params.append(replace(p, value=wanted.get((id_, p.name), value)))
        return replace(program, params=tuple(params))

    rules = tuple(replace(r, program=tuned(r.id, r.program)) for r in book.rules)
    facts = {f.id: replace(f, program=tuned(f.id, f.program)) for f in book.facts.values()}
    remarks = {r.id: replace(r, program=tuned(r.id, r.program)) for r in book.remarks.values()}
    causes = {c.id: replace(c, program=tuned(c.id, c.program)) for c in book.causes.values()}
    digest = hashlib.sha256(f"{book.digest}{sorted(settings)}{sensitivity}".encode()).hexdigest()[:16]
    return replace(book, rules=rules, causes=causes, facts=facts, remarks=remarks, digest=digest)


@functools.cache
def shipped() -> Rulebook:
    """The shipped rules without their cases, read once a process: what views say of rules that a run does not name."""
    return load(lazy=True)
