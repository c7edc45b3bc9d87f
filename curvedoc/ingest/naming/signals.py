"""signals.yaml, loaded and checked: which names stand for which role, which configuration keys for which setting."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from curvedoc.core.errors import RuleError
from curvedoc.core.frozen import dataclass
from curvedoc.ingest.naming.comparable_name import plain as plain
from curvedoc.ingest.naming.place import Place
from curvedoc.ingest.naming.signals_document import signals_document
from curvedoc.ingest.naming.word_set import word_set

Split = Literal["train", "val", "test"]
SPLITS: tuple[Split, ...] = ("train", "val", "test")
Kind = Literal["number", "text", "flag", "choice"]

_TOP = {
    "version",
    "words",
    "ignore",
    "patterns",
    "families",
    "stands_in",
    "hints",
    "unrelated",
    "asides",
    "config",
    "implies",
}
#: The unit of a role whose values are shares of 1.
FRACTION = "fraction"
#: That of a role whose values are told with the other sign.
NEGATED = "negated"
_PATTERN = {"role", "raw", "plain", "range", "not", "unit"}
_FAMILY = set(
    word_set(
        """name roles names exact labeled parts_as label_names label_is_name parts never range not unless
        players rivals steered_by steered_unless game_as numbered unit"""
    )
)
_SETTING = {"type", "keys", "choices", "flags", "above"}


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a metric's values must look like to be the thing its name says."""

    low: float = float("-inf")
    high: float = float("inf")
    never: str = ""  # "counter": not ever-growing integers; "growing": no values that never fall; "level": no one value
    # but the ends of its range


@dataclass(frozen=True, slots=True)
class Pattern:
    """One role found by regular expression."""

    role: str
    raw: tuple[re.Pattern[str], ...]  # full match of the name as logged, without regard to case
    plain: tuple[re.Pattern[str], ...]  # full match of the normalized name
    bounds: Bounds
    unit: str = ""  # "fraction": a share of 1, which some logs count in percent


@dataclass(frozen=True, slots=True)
class RoleFamily:
    """One quantity with its names and its role in each split."""

    name: str
    roles: Mapping[Split, str]
    names: Mapping[str, int]  # normalized name -> order of preference
    exact: Mapping[str, int]  # compared before any word is taken out
    labeled: Mapping[Split, str]
    parts_as: Mapping[Split, str]
    label_names: tuple[tuple[str, ...], ...]  # as words
    label_is_name: bool
    parts: frozenset[str]
    never: frozenset[str]
    bounds: Bounds
    unless: tuple[str, ...]  # roles beside which this family means something else
    players: frozenset[str] = frozenset()  # labels of networks that play against each other
    rivals: frozenset[str] = frozenset()  # those of them that only such a game has
    steered_by: frozenset[str] = frozenset()  # roles that make the whole loss one of such a game
    steered_unless: frozenset[str] = frozenset()  # and those beside which it is none
    game_as: str = ""  # the role of a loss in such a game
    unit: str = ""  # as of a pattern
    numbered: bool = False  # a number in the name tells how it was measured (recall@5, the last 100 episodes)


@dataclass(frozen=True, slots=True)
class SettingKeys:
    """One canonical configuration key."""

    name: str
    kind: Kind
    keys: Mapping[str, int]
    choices: Mapping[str, str] = field(default_factory=dict)  # normalized spelling -> canonical value
    flags: Mapping[str, str] = field(default_factory=dict)  # normalized key -> the value it switches on
    above: float = float("-inf")


@dataclass(frozen=True, slots=True, eq=False)
class Signals:
    """The whole of signals.yaml. `memo` keeps what names and keys were taken for, so that 10,000 runs ask once."""

    splits: Mapping[str, Split]  # word -> split
    phrases: Mapping[str, str]  # words joined by _ -> the one that stands for them
    average: frozenset[str]
    noise: frozenset[str]
    ignore: tuple[re.Pattern[str], ...]
    patterns: tuple[Pattern, ...]
    families: tuple[RoleFamily, ...]
    stands_in: Mapping[str, tuple[str, ...]]
    hints: Mapping[str, frozenset[str]]  # family -> words that may mean it, where the values agree
    unrelated: frozenset[str]  # words of what is no measure of learning
    asides: frozenset[str]  # parts of a configuration that are not about training
    settings: tuple[SettingKeys, ...]
    implies: Mapping[str, Mapping[str, Mapping[str, bool | int | float | str]]]
    memo: dict[object, Any] = field(default_factory=dict, repr=False)

    def family(self, name: str) -> RoleFamily | None:
        """The family of this name."""
        return next((f for f in self.families if f.name == name), None)

    def roles(self) -> tuple[str, ...]:
        """Every role there is, in file order."""
        unseen = {role for f in self.families for split, role in f.roles.items() if split != "train"}
        names = [p.role for p in self.patterns if p.role not in unseen]  # those stand beside the role of training
        for f in self.families:
            names += [*f.roles.values(), *f.labeled.values(), *f.parts_as.values(), *filter(None, (f.game_as,))]
        return tuple(dict.fromkeys(names))


@lru_cache(maxsize=4)
def shares(table: Signals) -> frozenset[str]:
    """The roles whose values are shares of 1."""
    found = [p.role for p in table.patterns if p.unit == FRACTION]
    for f in table.families:
        if f.unit == FRACTION:
            found += [*f.roles.values(), *f.labeled.values()]
    return frozenset(found)


def load_signals(path: Path) -> Signals:
    """The table in a signals.yaml.

    Raises RuleError, with the file, the entry and what is wrong there.
    """
    try:
        return _checked(path.read_bytes(), path)
    except OSError as e:
        raise RuleError(f"cannot read it: {(e.strerror or type(e).__name__).lower()}", str(path)) from None


@lru_cache(maxsize=4)  # one call asks for it several times
def _checked(text: bytes, path: Path) -> Signals:
    return signals_document(text, str(path), lambda top, known: _table(top, Place(str(path), known=known)))


def _table(top: Mapping[str, Any], at: Place) -> Signals:
    at.keys(top, _TOP)
    words = at.to("words")
    words.keys(top.get("words", {}), {"splits", "phrases", "average", "noise"})
    raw_splits = words.to("splits").mapping(top.get("words", {}).get("splits", {}))
    words.to("splits").keys(raw_splits, set(SPLITS))
    return Signals(
        splits={plain(w): s for s in SPLITS for w in words.to(s).names(raw_splits.get(s, []))},
        phrases=_phrases(words.to("phrases").mapping(top.get("words", {}).get("phrases", {}))),
        average=frozenset(words.to("average").names(top.get("words", {}).get("average", []))),
        noise=frozenset(words.to("noise").names(top.get("words", {}).get("noise", []))),
        ignore=at.to("ignore").regexes(top.get("ignore", [])),
        patterns=tuple(_pattern(p, at.to(f"patterns[{i}]")) for i, p in enumerate(at.rows(top, "patterns"))),
        families=tuple(_family(f, at.to(f"families[{i}]")) for i, f in enumerate(at.rows(top, "families"))),
        stands_in={
            k: tuple(at.to("stands_in").names(v))
            for k, v in at.to("stands_in").mapping(top.get("stands_in", {})).items()
        },
        hints={
            k: frozenset(plain(n) for n in at.to(f"hints.{k}").names(v))
            for k, v in at.to("hints").mapping(top.get("hints", {})).items()
        },
        unrelated=frozenset(at.to("unrelated").names(top.get("unrelated", []))),
        asides=frozenset(at.to("asides").names(top.get("asides", []))),
        settings=tuple(
            _setting(k, v, at.to(f"config.{k}")) for k, v in at.to("config").mapping(top.get("config", {})).items()
        ),
        implies=at.to("implies").mapping(top.get("implies", {})),
    )


def _phrases(table: Mapping[str, Any]) -> dict[str, str]:
    """The phrases as they stand in plain names, the longer ones first: a word may be the beginning of another."""
    found = {plain(k): str(v) for k, v in table.items()}
    return {k: found[k] for k in sorted(found, key=len, reverse=True)}


def _unit(at: Place, value: Mapping[str, Any]) -> str:
    unit = value.get("unit", "")
    if unit not in ("", FRACTION):
        raise at.to("unit").wrong(f"unknown unit {unit!r}", f"only {FRACTION} means something")
    return str(unit)


def _bounds(at: Place, value: Mapping[str, Any]) -> Bounds:
    span = value.get("range", [float("-inf"), float("inf")])
    if not isinstance(span, list) or len(span) != 2 or not all(isinstance(v, int | float) for v in span):
        raise at.to("range").wrong("expected [lowest, highest]", "infinity is written .inf")
    shape = value.get("not", "")
    if shape not in ("", "counter", "growing", "level"):
        raise at.to("not").wrong(f"unknown shape {shape!r}", "one of counter, growing, level")
    return Bounds(float(span[0]), float(span[1]), shape)


def _pattern(value: Any, at: Place) -> Pattern:
    at.keys(value, _PATTERN)
    if not isinstance(value.get("role"), str):
        raise at.wrong("a pattern needs a role")
    raw, plainly = at.to("raw").regexes(value.get("raw", [])), at.to("plain").regexes(value.get("plain", []))
    if not raw and not plainly:
        raise at.wrong("a pattern needs raw or plain expressions")
    return Pattern(value["role"], raw, plainly, _bounds(at, value), _unit(at, value))


def _family(value: Any, at: Place) -> RoleFamily:
    at.keys(value, _FAMILY)
    name = value.get("name")
    if not isinstance(name, str):
        raise at.wrong("a family needs a name")
    at = Place(at.file, f"families.{name}", at.known)
    splits: set[str] = set(SPLITS)
    at.to("roles").keys(value.get("roles", {}), splits)
    at.to("labeled").keys(value.get("labeled", {}), splits)
    at.to("parts_as").keys(value.get("parts_as", {}), splits)
    if not value.get("roles"):
        raise at.wrong("a family needs roles", "such as roles: {train: loss, val: val_loss}")
    if not value.get("names") and not value.get("exact"):
        raise at.wrong("a family needs names")
    return RoleFamily(
        name,
        value["roles"],
        _ordered(at.to("names").names(value.get("names", []))),
        _ordered(at.to("exact").names(value.get("exact", []))),
        value.get("labeled", {}),
        value.get("parts_as", {}),
        tuple(tuple(n.split("_")) for n in at.to("label_names").names(value.get("label_names", []))),
        value.get("label_is_name", False) is True,
        frozenset(at.to("parts").names(value.get("parts", []))),
        frozenset(at.to("never").names(value.get("never", []))),
        _bounds(at, value),
        tuple(at.to("unless").names(value.get("unless", []))),
        frozenset(at.to("players").names(value.get("players", []))),
        frozenset(at.to("rivals").names(value.get("rivals", []))),
        frozenset(at.to("steered_by").names(value.get("steered_by", []))),
        frozenset(at.to("steered_unless").names(value.get("steered_unless", []))),
        str(value.get("game_as", "")),
        _unit(at, value),
        value.get("numbered", False) is True,
    )


def _setting(name: str, value: Any, at: Place) -> SettingKeys:
    at.keys(value, _SETTING)
    kind = value.get("type")
    if kind not in ("number", "text", "flag", "choice"):
        raise at.wrong(f"unknown type {kind!r}", "one of number, text, flag, choice")
    choices = at.to("choices").mapping(value.get("choices", {}))
    flags = at.to("flags").mapping(value.get("flags", {}))
    above = value.get("above", float("-inf"))
    if not isinstance(above, int | float):
        raise at.to("above").wrong("expected a number")
    return SettingKeys(
        name,
        kind,
        _ordered(at.to("keys").names(value.get("keys", []))),
        {plain(v): c for c, vs in choices.items() for v in at.to(f"choices.{c}").names(vs)},
        {plain(v): c for c, vs in flags.items() for v in at.to(f"flags.{c}").names(vs)},
        float(above),
    )


def _ordered(names: list[str]) -> dict[str, int]:
    out: dict[str, int] = {}
    for name in names:
        out.setdefault(plain(name), len(out))
    return out
