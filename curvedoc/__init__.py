"""curvedoc: what a training run left behind, diagnosed offline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from curvedoc.api import Options, analyze

__version__ = "0.1.0"
__all__ = ["Options", "__version__", "analyze"]


def __getattr__(name: str) -> Any:
    """`analyze` and `Options` on first use: importing curvedoc itself must cost nothing."""
    if name in ("analyze", "Options"):
        from curvedoc import api

        return getattr(api, name)
    raise AttributeError(f"module 'curvedoc' has no attribute '{name}'")
