"""The catalog of messages: rules/messages/*.yaml, read when it is first asked for."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

from curvedoc.core.errors import RuleError, RuleErrors
from curvedoc.core.frozen import dataclass
from curvedoc.rulebook.cache.documents import load_cached, save_cached
from curvedoc.rulebook.location import rules_dir
from curvedoc.rulebook.messages.template import MessageTemplate, template

#: The folder of message files inside a folder of rules.
FOLDER = "messages"

#: How a run ends by a message; "note" says nothing of the end.
SaidEnding = Literal[
    "finished", "early-stopping", "by-hand", "time-limit", "preempted", "killed", "hardware", "disk", "crash", "note"
]


@dataclass(frozen=True, slots=True)
class MessageGroup:
    """Messages of one meaning.

    symptoms: the findings that a message of this group explains; cause: the cause that it names for them
    """

    id: str
    title: str
    ending: SaidEnding
    cause: str | None
    symptoms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Saying:
    """One template of one group, and the case that it must match."""

    group: MessageGroup
    template: MessageTemplate
    ending: SaidEnding
    case: str


@dataclass(frozen=True, slots=True)
class Catalog:
    """Every saying, and by the words that it is looked for."""

    sayings: tuple[Saying, ...]
    by_words: Mapping[str, tuple[Saying, ...]]

    @property
    def groups(self) -> tuple[MessageGroup, ...]:
        """The groups in order."""
        return tuple(dict.fromkeys(s.group for s in self.sayings))


def files(root: Path) -> list[Path]:
    """The message files of a folder of rules."""
    return sorted((root / FOLDER).glob("*.yaml"))


@functools.cache
def catalog(root: Path | None = None) -> Catalog:
    """The catalog that ships, or that of another folder of rules. Raises RuleErrors with all that is wrong in it."""
    sayings: list[Saying] = []
    errors: list[RuleError] = []
    for path in files(root or rules_dir()):
        where = f"{path.parent.parent.name}/{FOLDER}/{path.name}"
        try:
            sayings += _sayings(_document(path, where), where, errors)
        except RuleErrors as e:
            errors += e.errors
    if errors:
        raise RuleErrors(errors)
    by_words: dict[str, list[Saying]] = {}
    for s in sayings:
        by_words.setdefault(s.template.words, []).append(s)
    return Catalog(tuple(sayings), {w: tuple(s) for w, s in by_words.items()})


def _document(path: Path, where: str) -> Any:
    """A message file, checked; as it was kept where it was checked before."""
    content = path.read_bytes()
    found = load_cached(content)
    if found is not None:
        return found
    from pydantic import ValidationError

    from curvedoc.rulebook.messages.schema import MessageFile
    from curvedoc.rulebook.yaml12 import read

    try:
        made = MessageFile.model_validate(read(path, where))
    except RuleError as e:
        raise RuleErrors([e]) from e
    except ValidationError as e:
        wrong = [RuleError(f"{'.'.join(map(str, i['loc']))}: {i['msg']}", where) for i in e.errors()]
        raise RuleErrors(wrong) from e
    save_cached(content, made)
    return made


def _sayings(document: Any, where: str, errors: list[RuleError]) -> Sequence[Saying]:
    out = []
    for g in document.groups:
        group = MessageGroup(g.id, g.title, g.ending, g.cause, tuple(g.symptoms))
        for t in g.templates:
            try:
                out.append(Saying(group, template(t.say), t.ending or g.ending, t.case))
            except ValueError as e:
                errors.append(RuleError(f"{g.id}: '{t.say}': {e}", where))
    return out


ENDINGS: tuple[str, ...] = get_args(SaidEnding)
