"""The causes of a rulebook, each read when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from curvedoc.rulebook.rule import Cause


class LazyCauses(Mapping[str, Cause]):
    """Id -> cause. A run's findings name a dozen causes, so that most of the shipped files need not be parsed.

    ready: causes at hand; closed: what reads the others, by id. Reading may raise what `load` raises.
    """

    def __init__(self, ready: Mapping[str, Cause], closed: Mapping[str, Callable[[], Cause]]) -> None:
        self._ready = dict(ready)
        self._closed = {k: v for k, v in closed.items() if k not in ready}
        self._ids = frozenset((*self._ready, *self._closed))

    def __getitem__(self, id_: str) -> Cause:
        if id_ not in self._ready:
            self._ready[id_] = self._closed[id_]()
        return self._ready[id_]

    def __contains__(self, id_: object) -> bool:
        return id_ in self._ids

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._ids))

    def __len__(self) -> int:
        return len(self._ids)
