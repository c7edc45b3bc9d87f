"""A place in a YAML table: what stands there must be of a kind, or the error says where it is not."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from curvedoc.core.errors import RuleError
from curvedoc.core.frozen import dataclass
from curvedoc.core.late_regex import late_regex


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the file, with the checks that name it when they fail. known: they passed in an earlier call."""

    file: str
    entry: str = ""
    known: bool = False

    def to(self, entry: str) -> Place:
        return Place(self.file, f"{self.entry}.{entry}" if self.entry else entry, self.known)

    def wrong(self, what: str, hint: str = "") -> RuleError:
        return RuleError(what, f"{self.file}, {self.entry}" if self.entry else self.file, hint)

    def mapping(self, value: Any) -> Mapping[str, Any]:
        if not isinstance(value, dict) or not all(isinstance(k, str) for k in value):
            raise self.wrong(
                f"expected a mapping of names, got {type(value).__name__}", "quote names like 'no' or 'on'"
            )
        return value

    def keys(self, value: Any, known: set[str]) -> None:
        for key in self.mapping(value):
            if key not in known:
                from difflib import get_close_matches  # where there is something to correct

                near = get_close_matches(key, known, 1)
                raise self.wrong(f"unknown key '{key}'", f"did you mean '{near[0]}'?" if near else "")

    def rows(self, top: Mapping[str, Any], key: str) -> list[Any]:
        value = top.get(key, [])
        if not isinstance(value, list):
            raise self.to(key).wrong("expected a list")
        return value

    def names(self, value: Any) -> list[str]:
        if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
            raise self.wrong("expected a list of names", "quote numbers and words like 'no' or 'on'")
        return value

    def regexes(self, value: Any) -> tuple[re.Pattern[str], ...]:
        if self.known:
            return tuple(late_regex(text, re.IGNORECASE) for text in self.names(value))
        out = []
        for text in self.names(value):
            try:
                out.append(re.compile(text, re.IGNORECASE))
            except re.error as e:
                raise self.wrong(f"bad regular expression {text!r}: {e}") from None
        return tuple(out)
