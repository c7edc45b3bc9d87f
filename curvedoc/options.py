"""How to analyze: the choices of one call, and the rulebook that they make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from curvedoc.rulebook.rule import Rulebook


@dataclass(frozen=True, slots=True)
class Options:
    """How to analyze.

    rules:   further folders of rule files; a file there replaces the shipped one of its id
    select:  only these symptoms (empty: all); ignore: not these, nor these remarks
    set:     "RULE.PARAM=VALUE" each
    sensitivity: -1 (fewest alarms) to +1 (fewest misses), along each threshold's documented range
    signals: role -> raw metric name, instead of what signals.yaml would choose
    siblings: compare repeats of one configuration
    facts:   "FACT=VALUE" each: what is true of the runs, whatever their logs say
    alive:   the files are being watched, so that nothing is concluded from where they end
    baseline_run: the run that every other is set beside, by its name or the end of its path
    follow_links: read what links that lead out of the paths point at
    """

    rules: tuple[Path, ...] = ()
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    set: tuple[str, ...] = ()
    sensitivity: float = 0.0
    signals: Mapping[str, str] = field(default_factory=dict)
    siblings: bool = True
    facts: tuple[str, ...] = ()
    follow_links: bool = False
    alive: bool = False
    baseline_run: str = ""


#: Books that a process keeps: one for its usual options, and a few others.
_MOST_BOOKS = 4
_BOOKS: dict[tuple[object, ...], Rulebook] = {}


def rulebook(options: Options) -> Rulebook:
    """The rulebook that the options ask for. Raises RuleErrors, UsageError.

    A process that asks again for a book of shipped files has it as it was made, unless one of them changed. What users
    write is read at each call: it may have to be told that a name in it is gone.
    """
    from curvedoc.rulebook.location import shipped_state
    from curvedoc.rulebook.outside import outside_rules

    state = () if options.rules or options.set or outside_rules() else shipped_state()
    if not state:
        return _made(options)
    key = (state, tuple(options.select), tuple(options.ignore), options.sensitivity, tuple(options.facts))
    if key not in _BOOKS:
        made = _made(options)
        while len(_BOOKS) >= _MOST_BOOKS:
            _BOOKS.pop(next(iter(_BOOKS)))
        _BOOKS[key] = made
    return _BOOKS[key]


def _made(options: Options) -> Rulebook:
    from curvedoc.core.errors import UsageError
    from curvedoc.rulebook.facts.fact import tell
    from curvedoc.rulebook.load import load, tune

    book = tell(tune(load(options.rules, lazy=True), options.set, options.sensitivity), options.facts)
    ids = {r.id for r in book.rules}
    for name in (*options.select, *options.ignore):
        if name not in ids and not (name in book.remarks and name in options.ignore):
            import difflib

            close = difflib.get_close_matches(name, [*ids, *book.remarks], n=1)
            hint = f"did you mean '{close[0]}'?" if close else "curvedoc rules lists them"
            raise UsageError(f"no rule '{name}'", hint=hint)
    wanted = (set(options.select) or ids) - set(options.ignore)
    remarks = {id_: r for id_, r in book.remarks.items() if id_ not in options.ignore}
    return replace(book, rules=tuple(r for r in book.rules if r.id in wanted), remarks=remarks)
