"""`curvedoc init`, `new-rule`, `new-cause` and `new-reader`: files to begin with."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from curvedoc.cli.skeletons.cause import cause_skeleton
from curvedoc.cli.skeletons.reader import reader_skeleton
from curvedoc.cli.skeletons.rule import skeleton
from curvedoc.core.errors import UsageError
from curvedoc.core.files import output_file
from curvedoc.core.late_regex import late_regex

CONFIG = "curvedoc.toml"

#: Every key of a configuration file, commented out at its default or at an example.
TEMPLATE = """\
# curvedoc.toml: how curvedoc judges the runs at and below this directory. A key that is commented out has its default.
# Options on the command line win over CURVEDOC_* variables, those over this file; curvedoc analyze --show-config tells.

# Further directories of rule files, relative to this file. A file there replaces the shipped one of its id.
# rules = ["rules"]

# Judge only these symptoms (curvedoc rules lists them), or all but these.
# select = ["divergence", "nan-sudden"]
# ignore = ["missing-provenance"]

# Thresholds, RULE.PARAM=VALUE each (curvedoc explain RULE shows them).
# set = ["divergence.lost=0.6"]

# -1 fewest alarms ... +1 fewest misses.
# sensitivity = 0.0

# Exit 1 for findings from here on: never, note, warning, error, failed, fatal.
# fail-on = "never"

# What is true of the runs, whatever their logs say (curvedoc rules --facts lists the names). Keep the tables last.
# [facts]
# classes = 10

# What a column of a log without known names is, by its role or "step" (curvedoc doctor PATH prints a line).
# [map]
# step = "it"

# Which logged metric is taken for which role (curvedoc doctor PATH shows the choice).
# [signals]
# loss = "train/my_loss"
"""

CI = """\
# GitHub Actions: fail the job when a run failed, keep the report.
- run: pip install curvedoc
- run: curvedoc analyze runs/ --fail-on failed --html curvedoc-report.html --markdown curvedoc.md
- run: cat curvedoc.md >> "$GITHUB_STEP_SUMMARY"
  if: always()
- uses: actions/upload-artifact@v4
  if: always()
  with: {name: curvedoc-report, path: curvedoc-report.html}
"""

_ID = late_regex(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


def init(folder: Path, force: bool) -> None:
    """Write curvedoc.toml into the folder and print a snippet for continuous integration. Raises UsageError."""
    path = folder / CONFIG
    _put(path, TEMPLATE, force)
    sys.stderr.write(f"wrote {path}\n")
    sys.stdout.write(CI)


def new_rule(id_: str, folder: Path, force: bool) -> None:
    """Write the skeleton of a rule and print where and what next. Raises UsageError."""
    if not _ID.fullmatch(id_) or len(id_) > 60:
        raise UsageError(
            f"'{id_}' is no id", hint="lower-case words joined by hyphens, at most 60 characters: loss-rise"
        )
    if folder.name == "causes":
        raise UsageError("a directory of this name holds causes", str(folder), "give another --dir")
    from curvedoc.rulebook.load import load

    if not force and load().rule(id_) is not None:
        raise UsageError(f"'{id_}' is a shipped rule", hint="--force writes a rule that replaces it")
    path = folder / f"{id_}.yaml"
    _put(path, skeleton(id_), force)
    sys.stdout.write(f"wrote {path}\nnext   curvedoc test-rules {folder}\n")


def new_cause(id_: str, folder: Path, force: bool) -> None:
    """Write the skeleton of a cause and print where and what next. Raises UsageError."""
    if not _ID.fullmatch(id_) or len(id_) > 60:
        raise UsageError(
            f"'{id_}' is no id", hint="lower-case words joined by hyphens, at most 60 characters: rate-too-high"
        )
    if folder.name != "causes":
        raise UsageError("causes stand in a directory called causes", str(folder), f"--dir {folder / 'causes'}")
    path = folder / f"{id_}.yaml"
    _put(path, cause_skeleton(id_), force)
    sys.stdout.write(
        f"wrote {path}\nnext   name it in the causes of a rule, then curvedoc test-rules {folder.parent}\n"
    )


def new_reader(name: str, folder: Path, force: bool) -> None:
    """Write the skeleton of a reader and print where and what next. Raises UsageError."""
    if not re.fullmatch(r"[a-z][a-z0-9_]{1,40}", name):
        raise UsageError(f"'{name}' is no name of a module", hint="lower-case words joined by underscores: my_trainer")
    path = folder / f"{name}.py"
    _put(path, reader_skeleton(name), force)
    sys.stdout.write(
        f"wrote {path}\nnext   register it (its first lines say how), then curvedoc doctor on a log of yours\n"
    )


def _put(path: Path, text: str, force: bool) -> None:
    if path.exists() and not force:
        raise UsageError("exists already", str(path), "--force overwrites it")
    with output_file.folder_for(path.parent):
        output_file.write(path, text, force)
