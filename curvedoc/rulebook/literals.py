"""Words without which a pattern matches nothing, looked for first: a regex is slow to compile and to scan with."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from curvedoc.core.late_regex import late_regex

#: Shorter words stand in nearly every message.
SHORTEST = 3

#: What a regex is made of: a sign that stands for itself (after a backslash as well), a repetition, the head and the
#: end of a group, a choice; and else a class, an escape, flags or any other sign.
_TOKEN = late_regex(
    r"(?P<sign>[A-Za-z0-9 _\-=:;,'\"<>/%&!@#~`]|\\[^\w\s])|(?P<times>(?:[*+?]|\{\d+(?:,\d*)?\})\??)"
    r"|(?P<open>\((?:\?P?<\w+>|\?[a-zA-Z-]*:|(?!\?)))|(?P<close>\))|(?P<choice>\|)"
    r"|(?P<other>\[\^?\]?(?:\\.|[^\]\\])*\]|\\[pPxuU](?:\{\w+\}|\w)|\\.|\(\?[a-zA-Z-]+\)|.)",
    re.DOTALL,
)
#: The flag that lets spaces and comments mean nothing, and such spaces: neither escaped nor in a class.
_SPACED = late_regex(r"\(\?[a-zA-Z]*x")
_SPACES = late_regex(r"(\\.|\[\^?\]?(?:\\.|[^\]\\])*\])|\s+", re.DOTALL)

#: Words in lower case of which one must be there; none where nothing is known to be needed.
Words = frozenset[str]
_Token = tuple[str, str]


@functools.lru_cache(maxsize=4096)
def words_needed(regex: str) -> Words:
    """Words in lower case of which a text that matches has at least one, in whatever case; none where none is known.

    >>> sorted(words_needed(r"(?i)out of memory|CUDA\\s+(error|failure): \\d+"))
    ['error', 'failure', 'out of memory']
    >>> sorted(words_needed(r"(?x) loss \\s is \\s (?: nan | inf )"))
    ['loss']
    """
    if _SPACED.search(regex):
        if "#" in regex:  # may begin a comment
            return Words()
        regex = _SPACES.sub(lambda m: m[1] or "", regex)
    tokens = [(str(m.lastgroup), m[0]) for m in _TOKEN.finditer(regex)]
    found = _choice(iter([*tokens, ("close", ")")]))
    return found if min(map(len, found), default=0) >= SHORTEST else Words()


def _choice(tokens: Iterator[_Token]) -> Words:
    """The words of a choice, up to the end of its group: those of every alternative."""
    found: list[Words] = []
    end = "choice"
    while end == "choice":
        words, end = _sequence(tokens)
        found.append(words)
    return Words().union(*found) if all(found) else Words()


def _sequence(tokens: Iterator[_Token]) -> tuple[Words, str]:
    """The words of what stands one after another, those of the part that says most; and what ends it."""
    parts: list[Words] = []
    run = ""  # signs that stand beside each other
    for kind, text in tokens:
        if kind == "sign":
            run += text[-1].lower()
            continue
        optional = kind == "times" and text[0] in "*?{" and not re.match(r"\{0*[1-9]", text)
        if run:
            parts.append(Words((run[:-1] if optional else run,)))
        elif optional and parts:
            parts.pop()
        run = ""
        if kind in ("close", "choice"):
            return _best(parts), kind
        if kind in ("open", "other"):
            parts.append(_choice(tokens) if kind == "open" else Words())
    return _best(parts), "close"


def _best(parts: list[Words]) -> Words:
    """Words that are long, and then few, say most."""
    return max(parts, key=lambda p: (min(map(len, p), default=0), -len(p)), default=Words())
