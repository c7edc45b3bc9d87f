"""YAML 1.2 core scalars on PyYAML's C loader; duplicate keys, anchors and aliases refused.

PyYAML follows YAML 1.1: it reads 1e-3 as text and off as False, and lets the later of two equal keys win. Each of
the three has bitten people who write thresholds; nested aliases are also the classic memory bomb.
"""

from __future__ import annotations

import re
from collections.abc import Hashable
from pathlib import Path
from typing import Any

import yaml

from curvedoc.core.errors import RuleError
from curvedoc.core.late_regex import late_regex

#: A rule file is a page or two; more than this is not one.
MAX_BYTES = 400_000

#: Where an anchor or alias could begin; prose with such a sign in it just takes the longer way.
_ANCHOR = late_regex(r"(?:^|[\s\[{,:-])[&*]\S", re.MULTILINE)

_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _RuleLoader(_Base):  # type: ignore[misc]
    """SafeLoader with the four scalar types of the YAML 1.2 core schema."""


_RuleLoader.yaml_implicit_resolvers = {}
for _tag, _pattern, _first in (
    ("tag:yaml.org,2002:null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("tag:yaml.org,2002:bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    ("tag:yaml.org,2002:int", r"[-+]?[0-9]+", list("-+0123456789")),
    (
        "tag:yaml.org,2002:float",
        r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?(\.inf|\.Inf|\.INF)|\.nan|\.NaN|\.NAN",
        list("-+0123456789."),
    ),
):
    _RuleLoader.add_implicit_resolver(_tag, late_regex(f"^(?:{_pattern})$"), _first)


def _float(loader: Any, node: yaml.ScalarNode) -> float:
    text = loader.construct_scalar(node).lower()
    return float(text.replace(".inf", "inf").replace(".nan", "nan"))


def _mapping(loader: Any, node: yaml.MappingNode) -> dict[Hashable, Any]:
    seen: dict[Hashable, Any] = {}
    for key_node, value_node in node.value:
        key = loader.construct_object(key_node, deep=True)
        if not isinstance(key, Hashable) or key in seen:
            raise yaml.constructor.ConstructorError(None, None, f"key {key!r} twice", key_node.start_mark)
        if value_node.id == "scalar" and value_node.value == "" and node.flow_style:
            # {why: wide, not narrow} would otherwise make a stray key "not narrow"
            raise yaml.constructor.ConstructorError(
                None, None, f"{key!r} has no value: put prose with a comma in quotes", key_node.start_mark
            )
        seen[key] = loader.construct_object(value_node, deep=True)
    return seen


_RuleLoader.add_constructor("tag:yaml.org,2002:float", _float)
_RuleLoader.add_constructor("tag:yaml.org,2002:int", lambda loader, node: int(loader.construct_scalar(node)))
_RuleLoader.add_constructor("tag:yaml.org,2002:map", _mapping)


def parse(text: str, where: str) -> Any:
    """The document in `text`; RuleError with file:line:column for anything else.

    >>> parse("a: 1e-3\\nb: off", "x.yaml")
    {'a': 0.001, 'b': 'off'}
    """
    if len(text) > MAX_BYTES:
        raise RuleError(f"larger than {MAX_BYTES:,} bytes, which no rule file is", where)
    try:
        # walking the events in Python costs as much as the rest: only where a sign could start an anchor or alias
        for event in yaml.parse(text, Loader=_RuleLoader) if _ANCHOR.search(text) else ():
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
                at = event.start_mark
                place = f"{where}:{at.line + 1}:{at.column + 1}" if at else where
                raise RuleError("anchors and aliases are not allowed", place)
        return yaml.load(text, Loader=_RuleLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f"{where}:{mark.line + 1}:{mark.column + 1}" if mark else where
        raise RuleError(error.problem or "not YAML", place) from error
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise RuleError(f"not YAML: {str(error)[:200]}", where) from error


def read(path: Path, where: str) -> Any:
    """The document in a file."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RuleError(f"cannot be read: {error}", where) from error
    return parse(text, where)
