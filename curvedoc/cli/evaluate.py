"""`curvedoc evaluate`: run the tool over labeled runs, print how right it is, write the accuracy page."""

from __future__ import annotations

import sys
from pathlib import Path

from curvedoc.cli.analyze import ProgressLine
from curvedoc.core.errors import UsageError
from curvedoc.core.files.output_file import check, check_distinct, write
from curvedoc.evaluate.render import to_json, to_markdown, to_text
from curvedoc.evaluate.run import evaluate
from curvedoc.pipeline import Options


def numbers(text: str) -> tuple[float, ...]:
    """The sensitivities in a comma-separated list, each from -1 to 1; empty for an empty text. Raises UsageError.

    >>> numbers("-1,0,+1")
    (-1.0, 0.0, 1.0)
    """
    try:
        found = tuple(float(part) for part in text.split(",") if part.strip())
    except ValueError as error:
        raise UsageError(f"'{text}' is not a list of numbers", "--sensitivities", "for example -1,0,1") from error
    if any(not -1 <= x <= 1 for x in found):
        raise UsageError(f"'{text}' leaves the range from -1 to 1", "--sensitivities")
    return found


def show(
    labels: Path,
    options: Options,
    *,
    split_by: list[str],
    sensitivities: str,
    markdown: Path | None,
    json: Path | None,
    single: bool,
    quiet: bool,
) -> None:
    """Evaluate, write what was asked for, print the tables."""
    for path in (markdown, json):
        if path is not None:
            check(path)
    check_distinct({"markdown": markdown, "json": json})
    progress = ProgressLine(quiet)
    try:
        made = evaluate(labels, options, split_by, numbers(sensitivities), progress)
    finally:
        progress.close()
    for path, text in ((markdown, to_markdown(made)), (json, to_json(made))):
        if path is not None:
            write(path, text)
    if not quiet:
        sys.stdout.write(to_text(made, single))
    for path in (markdown, json):
        if path is not None and not quiet:
            sys.stderr.write(f"wrote {path}\n")
