"""Frozen classes behave as those of `dataclasses`, and are made in less time."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from dataclasses import field
from typing import Any

import pytest

from curvedoc.core import frozen


@frozen.dataclass(frozen=True, slots=True)
class Ours:
    """A point."""

    x: float
    name: str = "p"
    more: dict[str, int] = field(default_factory=dict)
    seen: list[int] = field(default_factory=list, init=False, repr=False, compare=False)
    twice: float = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "twice", 2 * self.x)


@frozen.dataclass(frozen=True, slots=True)
class Deeper(Ours):
    """A point of a kind."""

    kind: str = field(kw_only=True)


@dataclasses.dataclass(frozen=True, slots=True)
class Theirs:
    """A point."""

    x: float
    name: str = "p"
    more: dict[str, int] = field(default_factory=dict)
    seen: list[int] = field(default_factory=list, init=False, repr=False, compare=False)
    twice: float = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "twice", 2 * self.x)


def test_an_object_says_and_does_what_one_of_dataclasses_does() -> None:
    ours, theirs = Ours(1.0, more={"a": 1}), Theirs(1.0, more={"a": 1})
    assert repr(ours) == repr(theirs).replace("Theirs", "Ours")
    assert dataclasses.asdict(ours) == dataclasses.asdict(theirs)
    assert ours == Ours(1.0, "p", {"a": 1}) != Ours(2.0) and ours != theirs
    assert dataclasses.replace(ours, x=3.0).twice == 6.0
    assert not hasattr(ours, "__dict__") and Ours(1.0).more is not Ours(1.0).more
    for same in (copy.copy(ours), copy.deepcopy(ours), pickle.loads(pickle.dumps(ours))):
        assert same == ours and same.twice == 2.0 and same.seen == []
    match ours:
        case Ours(x, name):
            assert (x, name) == (1.0, "p")


@frozen.dataclass(frozen=True, slots=True)
class Plain:
    """Two values."""

    a: int
    b: tuple[int, ...] = ()


@frozen.dataclass(frozen=True, slots=True)
class Named(Plain):
    """Three, one by its name."""

    c: int = field(kw_only=True)


@frozen.dataclass(frozen=True, slots=True)
class Single:
    """One."""

    a: int


def test_objects_travel() -> None:
    for value in (Plain(1, (2,)), Named(1, c=3), Single(4)):
        assert pickle.loads(pickle.dumps(value)) == copy.copy(value) == copy.deepcopy(value) == value


def test_objects_of_equal_values_are_one_in_a_set_and_those_by_identity_are_not() -> None:
    @frozen.dataclass(frozen=True, slots=True)
    class Pair:
        """Two."""

        a: int
        b: int

    @frozen.dataclass(frozen=True, slots=True, eq=False)
    class Thing:
        """One."""

        a: int

    assert len({Pair(1, 2), Pair(1, 2), Pair(2, 1)}) == 2 and len({Thing(1), Thing(1)}) == 2
    with pytest.raises(TypeError, match="unhashable"):
        hash(Ours(1.0))


def test_nothing_is_assigned_or_left_out() -> None:
    point: Any = Ours(1.0)
    for spoil in (lambda: setattr(point, "x", 2.0), lambda: delattr(point, "x"), lambda: setattr(point, "other", 1)):
        with pytest.raises(dataclasses.FrozenInstanceError):
            spoil()
    for wrong in (lambda: Ours(), lambda: Ours(1.0, other=2), lambda: Ours(1.0, "p", {}, 3)):  # type: ignore[call-arg]
        with pytest.raises(TypeError):
            wrong()


def test_a_class_takes_the_fields_of_the_one_before_it() -> None:
    deep = Deeper(1.0, kind="far")
    assert (deep.x, deep.name, deep.kind, deep.twice) == (1.0, "p", "far", 2.0)
    assert deep == Deeper(1.0, kind="far") and pickle.loads(pickle.dumps(deep)) == deep
