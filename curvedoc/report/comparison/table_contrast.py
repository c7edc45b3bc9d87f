"""A TableContrast as text, as Markdown and as JSON."""

from __future__ import annotations

import json
from dataclasses import replace

from curvedoc.core.version import __version__
from curvedoc.diagnose.siblings.table_contrast import ResultContrast, TableContrast
from curvedoc.report.escape import markdown, markdown_code, visible
from curvedoc.report.redact import redact
from curvedoc.report.words import cap, count
from curvedoc.serialize.dataclass_json import to_plain

#: What is said of an outcome that no setting has to do with, and of a table without any outcome.
NONE = "no setting parts them from the others beyond chance."
NOTHING = "No run went wrong, and no result is a number in enough runs to compare them."


def to_json(made: TableContrast) -> str:
    """One JSON document: sorted keys, ends with a newline."""
    parts = (replace(p, contrasts=tuple(replace(c, text=redact(c.text)) for c in p.contrasts)) for p in made.parts)
    document = {"schema": "curvedoc-table/1", **to_plain(replace(made, parts=tuple(parts)))}
    return json.dumps(document, sort_keys=True, allow_nan=False, indent=1) + "\n"


def to_text(made: TableContrast) -> str:
    """What the table holds, then what each outcome has to do with the settings."""
    out = [f"{visible(made.path)}: {held_of(made)}"]
    for part in made.parts:
        out.append("")
        if part.contrasts:
            out.append(f"{head_of(part)}:")
            out += [f"  {visible(redact(c.text))} (p = {c.p_value:.2g})" for c in part.contrasts]
        else:
            out.append(f"{head_of(part)}: {NONE}")
    if not made.parts:
        out += ["", NOTHING]
    return "\n".join(out) + "\n"


def to_markdown(made: TableContrast) -> str:
    """The same as Markdown, with a table for each outcome; the last line says who wrote it."""
    out = [f"## What parts the runs of {markdown_code(made.path)}", "", markdown(cap(held_of(made))), ""]
    for part in made.parts:
        out += [f"**{markdown(head_of(part))}**", ""]
        if not part.contrasts:
            out += [markdown(NONE), ""]
            continue
        out += ["| Setting | What parts them | With it | The others | p |", "| --- | --- | ---: | ---: | ---: |"]
        for c in part.contrasts:
            with_it, others = (f"{hit:,} of {of:,}" for hit, of in (c.failed_of, c.healthy_of))
            said = markdown(redact(c.text))
            out.append(f"| {markdown_code(c.key)} | {said} | {with_it} | {others} | {c.p_value:.2g} |")
        out.append("")
    if not made.parts:
        out += [NOTHING, ""]
    out.append(f"_curvedoc {markdown(__version__)}_")
    return "\n".join(out) + "\n"


def held_of(made: TableContrast) -> str:
    """What the table holds."""
    varied = ", ".join(visible(name) for name in made.settings) or "nothing"
    open_ = f", {made.left_out:,} more are not over" if made.left_out else ""
    return f"a table of {count(made.runs, 'run')}{open_}; they differ in {varied}"


def head_of(part: ResultContrast) -> str:
    """How many runs had an outcome."""
    return f"{part.counted:,} of {count(part.of, 'run')} {visible(part.outcome)}"
