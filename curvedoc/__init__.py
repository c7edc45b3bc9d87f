"""curvedoc: what a training run left behind, diagnosed offline."""

from __future__ import annotations

from curvedoc.core.version import __version__

# as `typing` has it, without its import: `python -m curvedoc` hears Ctrl-C only after this module
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from curvedoc.analysis import Analysis, analyze
    from curvedoc.core.run import Run
    from curvedoc.options import Options
    from curvedoc.reading import read
    from curvedoc.session import watching

__all__ = ["Analysis", "Options", "Run", "__version__", "analyze", "read", "watching"]


def __getattr__(name: str) -> Any:
    """The public names on first use: importing curvedoc itself must cost nothing."""
    if name in ("analyze", "Analysis"):
        from curvedoc import analysis

        return getattr(analysis, name)
    if name == "read":
        from curvedoc.reading import read

        return read
    if name == "Run":
        from curvedoc.core.run import Run

        return Run
    if name == "watching":
        from curvedoc.session import watching

        return watching
    if name == "Options":
        from curvedoc.options import Options

        return Options
    raise AttributeError(f"module 'curvedoc' has no attribute '{name}'")
