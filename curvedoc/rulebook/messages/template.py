"""Message templates: a program's own words, with slots for what differs from run to run.

`CUDA out of memory. Tried to allocate {asked:size}` matches the words as they stand, any run of blanks for a blank, and
names what stands in the slot. `...` leaves something out within the line, `^` at the front and `$` at the back tie the
words to the line. What comes out is a regex without repetition of repetitions, which takes linear time.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

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
_BLANKS = late_regex(r"  +")
#: Stands for a slot; no message holds it.
_NO_WORD = "\x00"
_SLOT = late_regex(r"\{([a-z][a-z_]{0,30})(?::([a-z]{1,10}))?\}| ?\.\.\. ?")


@dataclass(frozen=True, slots=True)
class MessageTemplate:
    """One message. words: its longest piece without a slot, by which it is looked for; weight: letters it fixes."""

    say: str
    words: str
    weight: int

    @property
    def regex(self) -> str:
        """What matches it, made when its words were found: a log holds few of the seven hundred.

        >>> template("exit code {code:n}$").regex
        '(?m)\\\\bexit\\\\s+code\\\\s+(?P<code>[-+]?[0-9][0-9,]{0,30}(?:\\\\.[0-9]{1,20})?)[ \\\\t\\\\r]*$'
        """
        return _regex(self.say)


def template(say: str) -> MessageTemplate:
    """The template of a saying. Raises ValueError where a slot is of no kind, twice there, or no words are left."""
    head, body, tail = _ends(say)
    names = []
    for name, kind in _SLOT.findall(body):
        if kind and kind not in KINDS:
            raise ValueError(f"slot {{{name}:{kind}}} is of no kind: {', '.join(KINDS)}")
        if name and name in names:
            raise ValueError(f"slot {{{name}}} stands twice")
        names.append(name)
    # a blank may be any blank in the log, so that no piece reaches over two of them
    texts = _SLOT.sub(_NO_WORD, body).split(_NO_WORD)
    pieces = [p for text in texts for p in _BLANKS.split(text.strip(" ")) if p]
    words = max(pieces, key=len, default="")
    if len(words) < 2:
        raise ValueError("a template needs words of its own")
    # the bare name of an exception says less than any words
    weight = 1 if _BARE.fullmatch(words) else sum(map(len, pieces)) + head + tail
    return MessageTemplate(say, words, weight)


def _ends(say: str) -> tuple[bool, str, bool]:
    """Whether it is tied to the front of the line, what is between, and whether it is tied to the end."""
    head, tail = say.startswith("^"), say.endswith("$")
    return head, say[head : len(say) - tail], tail


@lru_cache(maxsize=1024)
def _regex(say: str) -> str:
    head, body, tail = _ends(say)
    out = ["(?m)"]
    if head:
        out.append(r"^[ \t]*")
    elif body[:1].isalnum():
        out.append(r"\b")
    at = 0
    for slot in _SLOT.finditer(body):
        out.append(_literal(body[at : slot.start()]))
        at = slot.end()
        name, kind = slot[1], slot[2] or "text"
        last = kind == "text" and at == len(body)
        out.append(_LEFT_OUT if name is None else f"(?P<{name}>{_LAST_TEXT if last else KINDS[kind]})")
    out.append(_literal(body[at:]))
    if tail:
        out.append(r"[ \t\r]*$")
    elif body[-1:].isalnum() and at < len(body):
        out.append(r"\b")
    return "".join(out)


def _literal(text: str) -> str:
    """Words as they stand, any blanks for a blank."""
    return r"\s+".join(re.escape(part) for part in re.split(r" +", text))
