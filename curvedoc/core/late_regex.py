"""A regular expression that is compiled when it is first asked: most of those of the readers are not, in one run."""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast

#: What a compiled pattern can do; each becomes an attribute once it is compiled, so that a later call costs no more.
_ABILITIES = ("findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn")
_FIGURES = ("flags", "groupindex", "groups")


class LateRegex:
    """Stands for `re.compile(pattern, flags)`. A faulty pattern raises `re.error` at its first use."""

    __slots__ = ("_flags", "pattern", *_ABILITIES, *_FIGURES)

    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self.pattern, self._flags = pattern, flags

    def __getattr__(self, name: str) -> Any:
        # Only a slot that is empty yet comes here.
        if name not in _ABILITIES and name not in _FIGURES:
            raise AttributeError(name)
        compiled = re.compile(self.pattern, self._flags)
        for each in (*_ABILITIES, *_FIGURES):
            setattr(self, each, getattr(compiled, each))
        return getattr(compiled, name)

    def __reduce__(self) -> tuple[type[LateRegex], tuple[str | bytes, int]]:
        return LateRegex, (self.pattern, self._flags)


def late_regex(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """As `re.compile`, whose type it has for the checker, at the cost of a name."""
    return cast("re.Pattern[AnyStr]", LateRegex(pattern, flags))
