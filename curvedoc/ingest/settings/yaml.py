"""YAML of a stranger's configuration: plain values only, whatever tags and aliases it holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

#: The parser takes a second for this much.
MAX_TEXT = 1 << 18
#: Values after every alias is written out; a file that doubles itself thirty times stays below no limit.
MAX_VALUES = 50_000
#: Brackets within brackets; the parser looks at each open one with every further word.
MAX_OPEN = 100


class YamlTrouble(ValueError):
    """The text is no YAML, or it is a trap."""


class _ConfigLoader(yaml.SafeLoader):
    """The safe loader, with the value below an unknown tag (`!!python/object:...`) instead of an error."""

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self.merged = 0

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """Merge keys (`<<`) copy pairs; lists of them, one within another, copy tenfold a level."""
        super().flatten_mapping(node)
        self.merged += len(node.value)
        if self.merged > MAX_VALUES:
            raise yaml.YAMLError("merge keys that unfold without end")

    def fetch_flow_collection_start(self, kind: type[yaml.Token]) -> None:
        """A bracket that opens."""
        if self.flow_level >= MAX_OPEN:
            raise yaml.YAMLError("nested too deeply")
        super().fetch_flow_collection_start(kind)


def _untagged(loader: _ConfigLoader, _suffix: str, node: yaml.Node) -> Any:
    if isinstance(node, yaml.MappingNode):
        return loader.construct_mapping(node, deep=True)
    if isinstance(node, yaml.SequenceNode):
        return loader.construct_sequence(node, deep=True)
    return node.value


_ConfigLoader.add_multi_constructor("", _untagged)
_ConfigLoader.add_multi_constructor("!", _untagged)
_ConfigLoader.add_constructor("tag:yaml.org,2002:timestamp", lambda _, node: node.value)


def load_yaml(text: str) -> Any:
    """The first document's value; raises YamlTrouble for what is no YAML or grows out of bounds."""
    if len(text) > MAX_TEXT:
        raise YamlTrouble("larger than a configuration")
    try:
        loader = _ConfigLoader(text)
        value = loader.get_data()
    except yaml.YAMLError as e:
        raise YamlTrouble(str(getattr(e, "problem", "") or e)) from e
    except RecursionError as e:  # what it says depends on who called
        raise YamlTrouble("nested too deeply") from e
    except (ValueError, TypeError, OverflowError) as e:
        raise YamlTrouble(f"{type(e).__name__}: {e}") from e
    if _size(value, {}, set()) > MAX_VALUES:
        raise YamlTrouble("aliases that unfold without end")
    return value


def _size(value: Any, known: dict[int, int], open_: set[int]) -> int:
    """The number of values once every alias is written out; a value inside itself is endless."""
    if not isinstance(value, (Mapping, list)):
        return 1
    key = id(value)
    if key in open_:
        return MAX_VALUES + 1
    if key not in known:
        open_.add(key)
        inside = value.values() if isinstance(value, Mapping) else value
        known[key] = 1 + sum(_size(v, known, open_) for v in inside)
        open_.remove(key)
    return known[key]
