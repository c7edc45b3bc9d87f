"""Names that are gone from rules and vocabulary: what is still written with them is read, with a warning."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Mapping
from functools import cache
from typing import Any

from curvedoc.core.frozen import dataclass
from curvedoc.core.late_regex import late_regex
from curvedoc.rulebook.location import rules_dir
from curvedoc.rulebook.rule import GRADES
from curvedoc.rulebook.vocabulary import retired

FILE = "renamed.yaml"
_CALL = late_regex(r"\b([a-z][a-z0-9_]*)\s*\(")
#: The release that takes old names for errors.
LAST = "0.3"


class OldName(FutureWarning):
    """Something is written with a name that a later release will not know."""


@dataclass(frozen=True, slots=True)
class Renames:
    """Old name -> new one, None where nothing took its place."""

    keys: Mapping[str, str]
    words: Mapping[str, str]
    params: Mapping[str, str | None]  # "rule.param" -> a param of that rule, or "fact.param"


@cache
def renames() -> Renames:
    """What the shipped list says; read when an old or unknown name turns up."""
    from curvedoc.rulebook.yaml12 import read

    document = read(rules_dir() / FILE, FILE)
    return Renames(document["keys"], document["words"], document["params"])


def current_param(rule: str, name: str) -> str | None:
    """The param to set in the place of one that is gone, "fact.param" where a fact has it; None where there is none.

    Raises KeyError for other names.
    """
    new = renames().params[f"{rule}.{name}"]
    instead = f"set {new if '.' in new else f'{rule}.{new}'}" if new else "the rule does without it"
    _warn(f"{rule}.{name}", f"is no threshold any more: {instead}")
    return new


def current_document(document: Mapping[Any, Any], where: str) -> dict[Any, Any]:
    """A user's rule or cause file with its old keys and functions under their new names."""
    found = dict(document)
    for old, new in renames().keys.items():
        if old in found and new not in found:
            _warn(where, f"'{old}' is called '{new}' now")
            found[new] = found.pop(old)
    if isinstance(found.get("causes"), list):
        found["causes"] = [_link(link, where) for link in found["causes"]]
    return {k: _expressions(v, where) if k in ("measure", "when", "strength") else v for k, v in found.items()}


def current_call(text: str, old: str, new: str) -> str:
    """An expression with calls of one function under its new name, which may be a field of what another gives.

    >>> current_call("low(x) < turn_step(tail(y, h))", "turn_step", "valley.step"), current_call("a(b)", "a", ".c")
    ('low(x) < valley(tail(y, h)).step', 'b.c')
    """
    word, _, field = new.partition(".")
    while found := re.search(rf"(?<![\w.]){re.escape(old)}\s*\(", text):
        end, depth = found.end(), 1
        while depth and end < len(text):
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        inside = text[found.end() : end - 1]
        whole = word or not re.fullmatch(r"\w+(\(.*\))?(\.\w+)*", inside)
        called = f"{word}({inside})" if whole else inside
        text = f"{text[: found.start()]}{called}{'.' + field if field else ''}{text[end:]}"
    return text


def _link(link: Any, where: str) -> Any:
    """A cause that a rule names, with grades of evidence where it has factors: `times: {measure: 4}`."""
    times = link.get("times") if isinstance(link, dict) else None
    if not isinstance(times, dict) or not all(type(t) in (int, float) and t > 0 for t in times.values()):
        return link
    _warn(where, "'times' of a cause is 'for' and 'against' now, with a grade for each measure")
    new = {k: v for k, v in link.items() if k != "times"}
    for measure, factor in times.items():
        far = abs(math.log(factor))
        grade = min(GRADES, key=lambda g: abs(math.log(GRADES[g]) - far))
        side = "for" if factor >= 1 else "against"
        new[side] = {**new.get(side, {}), measure: grade}
    return new


def _expressions(value: Any, where: str) -> Any:
    if isinstance(value, str):
        for old, new in renames().words.items():
            if (current := current_call(value, old, new)) != value:
                word, dot, field = new.partition(".")
                _warn(where, f"{old}() is called {word + '()' if word else ''}{dot}{field} now")
                value = current
        for name in _CALL.findall(value):
            if name in retired():
                _warn(where, f"{name}() leaves the vocabulary")
        return value
    if isinstance(value, dict):
        return {k: _expressions(v, where) for k, v in value.items()}
    return [_expressions(v, where) for v in value] if isinstance(value, list) else value


def _warn(where: str, what: str) -> None:
    warnings.warn(f"{where}: {what} (an error from release {LAST} on)", OldName, stacklevel=3)
