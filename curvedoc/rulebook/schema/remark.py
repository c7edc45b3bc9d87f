"""What a remark file may contain."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from curvedoc.rulebook.schema.case import CaseRun
from curvedoc.rulebook.schema.rule import Reference
from curvedoc.rulebook.schema.shared import Id, Name, ParamFile, Prose, Strict


class RemarkCase(CaseRun):
    """One embedded test of a remark: whether it says anything of the run."""

    expect: Literal["says", "silent"]


class RemarkFile(Strict):
    """Something that is said of a run beside its findings: rules/remarks/<id>.yaml."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: Id
    title: Prose
    what: Prose
    why: Prose
    lookalikes: Prose
    params: dict[Name, ParamFile] = Field(default={})
    tests: Annotated[list[RemarkCase], Field(min_length=2)]
    references: list[Reference] = Field(default=[])
