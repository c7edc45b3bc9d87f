"""A diagnosis saved with --json, read back."""

from __future__ import annotations

from pathlib import Path

from curvedoc.core.diagnosis import Diagnosis
from curvedoc.core.errors import UsageError


def read_saved(path: Path) -> Diagnosis:
    """The saved diagnosis; UsageError where the file is none."""
    from curvedoc.report.exchange.json_document import from_json

    try:
        return from_json(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot be read: {error}", str(path)) from error
    except (ValueError, KeyError, TypeError) as error:
        hint = "save one with curvedoc analyze PATH --json FILE"
        raise UsageError(f"not a curvedoc diagnosis: {str(error)[:200]}", str(path), hint) from error
