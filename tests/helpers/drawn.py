"""A run made of plain series: what a reader would have given of a log that holds nothing else."""

from __future__ import annotations

from collections.abc import Mapping

from curvedoc.core.block import Block
from curvedoc.core.run import RoleMatch, Run, Scalar, Source, empty_messages
from curvedoc.core.series import Series


def run_of(series: Mapping[str, Series], name: str = "drawn", settings: Mapping[str, Scalar] | None = None) -> Run:
    """The run with one series for each role."""
    return Run(
        name=name,
        data=tuple(Block(role, 0, s.step.copy(), s.value.copy()) for role, s in series.items()),
        messages=empty_messages(),
        roles=tuple(RoleMatch(role, role, "", "drawn") for role in series),
        config=dict(settings or {}),
        settings=dict(settings or {}),
        sources=(Source("drawn", "drawn", sum(len(s) for s in series.values()), 0, ()),),
    )
