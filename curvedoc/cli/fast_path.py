"""The usual calls of `triage` and `analyze`, read without Typer: its imports take longer than to tell an unchanged tree
of thousands, and a fifth of judging one run.

What is not a call of this kind to the letter, and everything that may be wrong, is left to `app`, which alone knows
the command line. A test holds the two to the same reading.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from curvedoc.core.frozen import dataclass

_FAIL_ON = ("never", "note", "warning", "failed", "fatal")


@dataclass(frozen=True, slots=True)
class UsualCall:
    """flags: word -> (parameter, value); files: word -> parameter; choices: word -> (parameter, its values)."""

    flags: Mapping[str, tuple[str, bool]]
    files: Mapping[str, str]
    choices: Mapping[str, tuple[str, tuple[str, ...]]]


def _files(*names: str) -> dict[str, str]:
    return {f"--{name}": name for name in names}


_QUIET = {"-q": ("quiet", True), "--quiet": ("quiet", True), "--all": ("all_runs", True), "--force": ("force", True)}
_TRIAGE_FORMATS = ("text", "json", "jsonl", "csv", "parquet", "markdown", "html")
_FORMATS = ("text", "json", "html", "markdown", "sarif", "junit", "brief", "github", "gitlab")
_CALLS = {
    "triage": UsualCall(
        {**_QUIET, "--no-cache": ("cache", False)},
        _files("html", "json", "markdown", "csv", "parquet"),
        {"-f": ("format_", _TRIAGE_FORMATS), "--format": ("format_", _TRIAGE_FORMATS)},
    ),
    "analyze": UsualCall(
        {
            **_QUIET, "-v": ("verbose", True), "--verbose": ("verbose", True), "--no-html": ("no_html", True),
            "--strict": ("strict", True), "--no-siblings": ("siblings", False),
        },
        _files("html", "json", "markdown", "sarif", "junit"),
        {"-f": ("format_", _FORMATS), "--format": ("format_", _FORMATS), "--fail-on": ("fail_on", _FAIL_ON)},
    ),
}  # fmt: skip


def fast_arguments(arguments: Sequence[str]) -> tuple[str, dict[str, Any]] | None:
    """The command and what it is asked for, by the names of its parameters, those left out that were not given; None
    where it is another command, or said in another way than each option once, by its plain name and with a value that
    is right."""
    # the shell asks for completions through the environment; on Windows patterns are expanded first
    command = arguments[0] if arguments else ""
    if command not in _CALLS or os.name == "nt" or "_CURVEDOC_COMPLETE" in os.environ:
        return None
    usual = _CALLS[command]
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
        if word in usual.flags:
            key, value = usual.flags[word]
        else:
            text = rest.pop() if rest and rest[-1] and not rest[-1].startswith("-") else ""
            if word in usual.files:
                key, value = usual.files[word], Path(text) if text else None
            elif word in usual.choices:
                key, value = usual.choices[word][0], text if text in usual.choices[word][1] else None
            elif word in ("-j", "--jobs"):
                key, value = "jobs", int(text) if text.isascii() and text.isdigit() and len(text) < 5 else None
            else:
                return None
            if not value:
                return None
        if key in found:
            return None
        found[key] = value
    return (command, {"paths": paths, **found}) if paths else None


def run(command: str, call: dict[str, Any]) -> None:
    """Do it and exit."""
    from curvedoc.cli.exits import reported_errors

    with reported_errors():
        sys.exit(_triage(call) if command == "triage" else _analyze(call))


def _triage(call: dict[str, Any]) -> int:
    from curvedoc.cli.settings.call_options import options_of
    from curvedoc.cli.settings.config import load
    from curvedoc.cli.triage import Wanted, run_triage

    file = load(Path.cwd())
    files: dict[str, Any] = {name: call.get(name) for name in _CALLS["triage"].files.values()}
    wanted = Wanted(
        call.get("format_", "text"), **files, force=call.get("force", False),
        everything=call.get("all_runs", False), quiet=call.get("quiet", False),
    )  # fmt: skip
    return run_triage(
        call["paths"], options_of(file), wanted, jobs=call.get("jobs"), cache=call.get("cache", True),
        fail_on=file.fail_on,
    )  # fmt: skip


def _analyze(call: dict[str, Any]) -> int:
    from curvedoc.cli.analyze import run as analyze
    from curvedoc.cli.analyze import workers
    from curvedoc.cli.exits import exit_code
    from curvedoc.cli.outputs import Outputs
    from curvedoc.cli.settings.call_options import options_of
    from curvedoc.cli.settings.config import load
    from curvedoc.triage import Limits

    file = load(Path.cwd())
    files: dict[str, Any] = {name: call.get(name) for name in _CALLS["analyze"].files.values()}
    flags = {name: call.get(name, False) for name in ("no_html", "force", "all_runs", "verbose", "quiet")}
    out = Outputs(**files, **flags, format=call.get("format_"))
    options = options_of(file, siblings=call.get("siblings", True))
    d = analyze(call["paths"], options, out, workers(call.get("jobs")), Limits())
    return exit_code(d, call.get("fail_on", file.fail_on), call.get("strict", False))
