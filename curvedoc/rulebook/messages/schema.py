"""What a message file may contain: pydantic models, used at the file door only."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from curvedoc.rulebook.schema.shared import Id, Prose, Strict

#: How a run ends by a message; "note" says nothing of the end.
SaidEnding = Literal[
    "finished", "early-stopping", "by-hand", "time-limit", "preempted", "killed", "hardware", "disk", "crash", "note"
]


class SayingFile(Strict):
    """One message: `say` is a template (see messages/template.py), `case` a line as it was really printed."""

    say: Annotated[str, StringConstraints(min_length=3, max_length=200)]
    case: Annotated[str, StringConstraints(min_length=2, max_length=400)]
    ending: Literal["note"] | None = None


class MessageGroupFile(Strict):
    """Messages of one meaning: how a run ends that says them last, the cause they name, the findings they explain."""

    id: Id
    title: Prose
    ending: SaidEnding
    cause: Id | None = None
    symptoms: tuple[Id, ...] = ("crash-traceback",)
    templates: Annotated[list[SayingFile], Field(min_length=1)]


class MessageFile(Strict):
    """Groups of messages: rules/messages/<theme>.yaml."""

    about: Prose
    groups: Annotated[list[MessageGroupFile], Field(min_length=1)]
