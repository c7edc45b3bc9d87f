"""A TableContrast as text and as JSON."""

from __future__ import annotations

import json

from curvedoc.diagnose.siblings.table_contrast import ResultContrast, TableContrast
from curvedoc.report.escape import visible
from curvedoc.report.redact import redact
from curvedoc.report.words import count
from curvedoc.serialize.dataclass_json import to_plain


def to_json(made: TableContrast) -> str:
    """One JSON document: sorted keys, ends with a newline."""
    document = {"schema": "curvedoc-table/1", **to_plain(made)}
    return json.dumps(document, sort_keys=True, allow_nan=False, indent=1) + "\n"


def to_text(made: TableContrast) -> str:
    """What the table holds, then what each outcome has to do with the settings."""
    varied = ", ".join(visible(name) for name in made.settings) or "nothing"
    open_ = f", {made.left_out:,} more are not over" if made.left_out else ""
    out = [f"{visible(made.path)}: a table of {count(made.runs, 'run')}{open_}; they differ in {varied}"]
    for part in made.parts:
        out += ["", *_part(part)]
    if not made.parts:
        out += ["", "No run went wrong, and no result is a number in enough runs to compare them."]
    return "\n".join(out) + "\n"


def _part(part: ResultContrast) -> list[str]:
    head = f"{part.counted:,} of {count(part.of, 'run')} {visible(part.outcome)}"
    if not part.contrasts:
        return [f"{head}: no setting parts them from the others beyond chance."]
    return [f"{head}:", *(f"  {visible(redact(c.text))} (p = {c.p_value:.2g})" for c in part.contrasts)]
