"""The usual calls of `triage`, read without Typer: its imports take longer than to tell an unchanged tree of thousands.

What is not a call of this kind to the letter, and everything that may be wrong, is left to `app`, which alone knows
the command line. A test holds the two to the same reading.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_FLAGS = {"-q": "quiet", "--quiet": "quiet", "--all": "all_runs", "--force": "force", "--no-cache": "cache"}
_FILES = {f"--{name}": name for name in ("html", "json", "markdown", "csv", "parquet")}
_FORMATS = ("text", "json", "jsonl", "csv", "parquet", "markdown", "html")


def fast_arguments(arguments: Sequence[str]) -> dict[str, Any] | None:
    """What `triage` is asked for, by the names of its parameters, those left out that were not given; None where it is
    another command, or said in another way than each option once, by its plain name and with a value that is right."""
    # the shell asks for completions through the environment; on Windows patterns are expanded first
    if arguments[:1] != ["triage"] or os.name == "nt" or "_CURVEDOC_COMPLETE" in os.environ:
        return None
    found: dict[str, Any] = {}
    paths: list[Path] = []
    rest = list(arguments[:0:-1])
    while rest:
        word = rest.pop()
        value: Any
        if not word.startswith("-"):
            if not word:
                return None
            paths.append(Path(word))
            continue
        if word in _FLAGS:
            key, value = _FLAGS[word], word != "--no-cache"
        elif rest and rest[-1] and not rest[-1].startswith("-") and word in (*_FILES, "-f", "--format", "-j", "--jobs"):
            text = rest.pop()
            if word in _FILES:
                key, value = _FILES[word], Path(text)
            elif word in ("-f", "--format"):
                key, value = "format_", text if text in _FORMATS else None
            else:
                key, value = "jobs", int(text) if text.isascii() and text.isdigit() and 0 < len(text) < 5 else None
            if not value:
                return None
        else:
            return None
        if key in found:
            return None
        found[key] = value
    return {"paths": paths, **found} if paths else None


def run(call: dict[str, Any]) -> None:
    """Do it and exit."""
    from curvedoc.cli.exits import reported_errors

    with reported_errors():
        from curvedoc.cli.settings.call_options import options_of
        from curvedoc.cli.settings.config import load
        from curvedoc.cli.triage import Wanted, run_triage

        file = load(Path.cwd())
        files: dict[str, Any] = {name: call.get(name) for name in _FILES.values()}
        wanted = Wanted(
            call.get("format_", "text"), **files, force=call.get("force", False),
            everything=call.get("all_runs", False), quiet=call.get("quiet", False),
        )  # fmt: skip
        sys.exit(
            run_triage(
                call["paths"], options_of(file), wanted, jobs=call.get("jobs"), cache=call.get("cache", True),
                fail_on=file.fail_on,
            )
        )  # fmt: skip
