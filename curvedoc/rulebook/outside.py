"""Rules and statistics of other packages: the entry points of the groups `curvedoc.rules` and `curvedoc.statistics`.

Folders of rules hold YAML and are read as those of `--rules` are. A statistic is code of an installed package, called
with what a rule gives it; where it fails it is unknown, as a statistic that has nothing to go by.
"""

from __future__ import annotations

import functools
import os
import warnings
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import Any

from curvedoc.core.entry_points import brought

RULES, STATISTICS = "curvedoc.rules", "curvedoc.statistics"
Statistic = Callable[..., Any]


@functools.cache
def outside_rules() -> tuple[Path, ...]:
    """The folders of rule files that installed packages offer.

    An entry point names a path, or a package whose folder holds the files. What is neither is warned of and left out.
    """
    found = []
    for called, thing in brought(RULES):
        place = thing if isinstance(thing, str | os.PathLike) else next(iter(getattr(thing, "__path__", ())), "")
        if place and Path(place).is_dir():
            found.append(Path(place))
        else:
            warnings.warn(f"the rules {called} are no folder and no package", stacklevel=2)
    return tuple(found)


def outside_statistics(taken: Collection[str], fits: Callable[[Statistic], object]) -> dict[str, Statistic]:
    """The functions that installed packages offer, by name. One that cannot be called is warned of and left out.

    An entry point names a function or several in a list. taken: names that are ours. fits: raises for a function whose
    signature the rule language cannot read.
    """
    found: dict[str, Statistic] = {}
    for called, thing in brought(STATISTICS):
        offered: Iterable[Any] = thing if isinstance(thing, Iterable) else (thing,)
        for statistic in offered:
            name = getattr(statistic, "__name__", "")
            try:
                if not name.isidentifier() or name in taken or name in found:
                    raise ValueError("its name is taken" if name else "it is no function")
                fits(statistic)
            except (TypeError, ValueError, KeyError, NameError, AttributeError) as e:
                warnings.warn(f"the statistic '{name}' of {called} cannot be used: {e}", stacklevel=2)
                continue
            found[name] = _guarded(statistic)
    return found


def _guarded(statistic: Statistic) -> Statistic:
    """The same, unknown where it fails, which is told once."""
    told: list[str] = []

    @functools.wraps(statistic)
    def guarded(*given: Any) -> Any:
        try:
            return statistic(*given)
        except Exception as e:  # another package's code: it costs the rules that ask it
            if not told:
                told.append(repr(e))
                warnings.warn(f"the statistic '{statistic.__name__}' failed: {e!r}", stacklevel=2)
            return None

    return guarded
