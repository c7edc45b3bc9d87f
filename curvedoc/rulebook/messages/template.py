"""Message templates: a program's own words, with slots for what differs from run to run.

`CUDA out of memory. Tried to allocate {asked:size}` matches the words as they stand, any run of blanks for a blank, and
names what stands in the slot. `...` leaves something out within the line, `^` at the front and `$` at the back tie the
words to the line. What comes out is a regex without repetition of repetitions, which takes linear time.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from curvedoc.core.frozen import dataclass
from curvedoc.core.late_regex import late_regex

#: What may stand in a slot, by its kind. A slot without a kind takes anything within the line.
KINDS: Mapping[str, str] = {
    "n": r"[-+]?[0-9][0-9,]{0,30}(?:\.[0-9]{1,20})?",
    "size": r"[0-9][0-9.,]{0,30} ?(?:[KMGTP]i?)?[Bb]?(?:ytes)?",
    "word": r"[^\s'\"`,;()]{1,200}",
    "path": r"[^\n'\"`]{1,300}",
    "text": r"[^\n]{1,300}?",
}
_LAST_TEXT = r"[^\n]{1,300}"
_LEFT_OUT = r"[^\n]{0,300}?"
_BARE = late_regex(r"[A-Z]\w*(?:Error|Exception):?")
_SLOT = late_regex(r"\{([a-z][a-z_]{0,30})(?::([a-z]{1,10}))?\}| ?\.\.\. ?")


@dataclass(frozen=True, slots=True)
class MessageTemplate:
    """One message. words: its longest piece without a slot, by which it is looked for; weight: letters it fixes."""

    say: str
    regex: str
    words: str
    weight: int


def template(say: str) -> MessageTemplate:
    """The template of a saying. Raises ValueError where a slot is of no kind, twice there, or no words are left.

    >>> template("exit code {code:n}$").regex
    '(?m)\\\\bexit\\\\s+code\\\\s+(?P<code>[-+]?[0-9][0-9,]{0,30}(?:\\\\.[0-9]{1,20})?)[ \\\\t\\\\r]*$'
    """
    head, tail = say.startswith("^"), say.endswith("$")
    body = say[head : len(say) - tail]
    pieces: list[str] = []
    out = ["(?m)"]
    if head:
        out.append(r"^[ \t]*")
    elif body[:1].isalnum():
        out.append(r"\b")
    at, seen = 0, set[str]()
    for slot in _SLOT.finditer(body):
        _words(body[at : slot.start()], out, pieces)
        at = slot.end()
        name, kind = slot[1], slot[2] or "text"
        if name is None:
            out.append(_LEFT_OUT)
            continue
        if kind not in KINDS:
            raise ValueError(f"slot {{{name}:{kind}}} is of no kind: {', '.join(KINDS)}")
        if name in seen:
            raise ValueError(f"slot {{{name}}} stands twice")
        seen.add(name)
        last = kind == "text" and at == len(body)
        out.append(f"(?P<{name}>{_LAST_TEXT if last else KINDS[kind]})")
    _words(body[at:], out, pieces)
    if tail:
        out.append(r"[ \t\r]*$")
    elif body[-1:].isalnum() and at < len(body):
        out.append(r"\b")
    words = max(pieces, key=len, default="")
    if len(words) < 2:
        raise ValueError("a template needs words of its own")
    # the bare name of an exception says less than any words
    weight = 1 if _BARE.fullmatch(words) else sum(map(len, pieces)) + head + tail
    return MessageTemplate(say, "".join(out), words, weight)


def _words(text: str, out: list[str], pieces: list[str]) -> None:
    """Literal words into the regex, any blanks for a blank, and into the pieces that it is looked for by."""
    out.append(r"\s+".join(re.escape(part) for part in re.split(r" +", text)))
    # a blank may be any blank in the log, so that no piece reaches over two of them
    pieces.extend(p for p in re.split(r"  +", text.strip(" ")) if p)
