"""From what the command line and the configuration file say to options."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from curvedoc.core.late_regex import late_regex

if TYPE_CHECKING:
    from curvedoc.cli.settings.config import FileConfig
    from curvedoc.options import Options


#: A comma is a part of a name where no ROLE= follows it.
_NEXT = late_regex(r",(?=\s*\w+=)")


def signals_of(pairs: list[str] | None) -> dict[str, str]:
    """ROLE=METRIC pairs as a table; several may stand in one, apart by commas. Raises UsageError."""
    from curvedoc.core.errors import UsageError

    out = {}
    for pair in (p for text in pairs or [] for p in _NEXT.split(text)):
        role, sign, metric = pair.partition("=")
        if not sign or not role or not metric:
            raise UsageError(f"'{pair}' is not ROLE=METRIC", "--signal")
        out[role.strip()] = metric.strip()
    return out


def options_of(
    file: FileConfig,
    rules: list[Path] | None = None,
    select: list[str] | None = None,
    ignore: list[str] | None = None,
    set_: list[str] | None = None,
    sensitivity: float | None = None,
    signal: list[str] | None = None,
    siblings: bool = True,
    fact: list[str] | None = None,
    follow_links: bool = False,
    baseline_run: str | None = None,
) -> Options:
    """What the command line asks for, over what the configuration file says."""
    from curvedoc.options import Options

    return Options(
        rules=(*(Path(r) for r in file.rules), *(rules or [])),
        select=tuple(select or file.select),
        ignore=tuple(ignore or file.ignore),
        set=(*file.set, *(set_ or [])),
        sensitivity=file.sensitivity if sensitivity is None else sensitivity,
        signals={**file.signals, **file.map, **signals_of(signal)},
        siblings=siblings,
        facts=(*(f"{k}={v}" for k, v in file.facts.items()), *(fact or [])),
        follow_links=follow_links,
        baseline_run=baseline_run or "",
    )
