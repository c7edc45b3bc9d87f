"""`--show-config`: the configuration in force, as a curvedoc.toml that would give it."""

from __future__ import annotations

import sys
from pathlib import Path

from curvedoc.cli.settings.config import KEYS, FileConfig, as_toml, checked, sourced
from curvedoc.core.errors import UsageError
from curvedoc.options import Options

COMMAND_LINE = "command line"


def show(options: Options, fail_on: str | None) -> None:
    """Print every key with its value and where that comes from: command line, environment, file or default."""
    config, origin = sourced(Path.cwd())
    force = FileConfig(
        rules=[str(r) for r in options.rules],
        select=list(options.select),
        ignore=list(options.ignore),
        set=list(options.set),
        sensitivity=options.sensitivity,
        signals=dict(options.signals),
        facts={k: v for k, _, v in (f.partition("=") for f in options.facts)},
        fail_on=checked({"fail-on": str(fail_on)}, "").fail_on if fail_on else config.fail_on,
    )
    for key in KEYS:
        if getattr(force, key) != getattr(config, key):
            origin[key] = COMMAND_LINE
    sys.stdout.write(as_toml(force, origin))


def required_paths(paths: list[Path] | None) -> list[Path]:
    """The paths; UsageError where none was given, which Typer leaves to us since --show-config needs none."""
    if not paths:
        raise UsageError("no path given", "", "curvedoc analyze PATH, for example curvedoc analyze runs/")
    return paths
