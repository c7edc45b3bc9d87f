"""What the user says of metrics and columns: --map step=it,loss=nll, over every guess."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from curvedoc.core.errors import UsageError
from curvedoc.ingest.naming.signals import Signals

#: Columns of a table that are no metrics, by what they hold.
COLUMNS = ("step", "time", "name", "value", "split")


def columns_of(chosen: Mapping[str, str]) -> dict[str, str]:
    """The part that says which column counts, tells the time, names metrics, holds values or names splits."""
    return {k: v for k, v in chosen.items() if k in COLUMNS}


def roles_of(chosen: Mapping[str, str]) -> dict[str, str]:
    """The part that says which metric has which role."""
    return {k: v for k, v in chosen.items() if k not in COLUMNS}


def meant(name: str, names: Iterable[str]) -> str | None:
    """The one of the names that is meant: itself, else in another case, else the only one that ends so behind a
    separator (eta for train/eta); None where there is none, or where several end so.

    >>> meant("eta", ["train/eta", "beta"]), meant("loss", ["train/loss", "val/loss"])
    ('train/eta', None)
    """
    names = list(dict.fromkeys(names))
    if name in names:
        return name
    low = name.lower()
    alike = [n for n in names if n.lower() == low]
    if not alike:
        alike = [n for n in names if n.lower().endswith(tuple(f"{sign}{low}" for sign in "/._: -"))]
    return alike[0] if len(alike) == 1 else None


def resolved(chosen: Mapping[str, str], metrics: Sequence[str]) -> dict[str, str]:
    """Role -> the metric that is meant, of those that the run has."""
    found = {role: meant(name, metrics) for role, name in roles_of(chosen).items()}
    return {role: metric for role, metric in found.items() if metric is not None}


def check_chosen(chosen: Mapping[str, str], metrics: Sequence[str], table: Signals) -> None:
    """Raises UsageError for a role that does not exist or a metric that no run logged, with near matches."""
    from difflib import get_close_matches  # where there is something to correct

    for role, metric in roles_of(chosen).items():
        if role not in table.roles():
            near = get_close_matches(role, (*table.roles(), *COLUMNS), 1)
            hint = f"did you mean '{near[0]}'?" if near else "curvedoc doctor lists the roles"
            raise UsageError(f"unknown role '{role}'", f"--signal {role}={metric}", hint)
        if meant(metric, metrics) is None:
            close = get_close_matches(metric, metrics, 3, 0.5)
            several = [m for m in metrics if m.lower().endswith(metric.lower())]
            hint = (
                f"did you mean {' or '.join(repr(n) for n in several[:3] or close)}?"
                if several or close
                else "curvedoc doctor lists what was logged"
            )
            raise UsageError(f"no run logged a metric '{metric}'", f"--signal {role}={metric}", hint)
