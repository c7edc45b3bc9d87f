"""What of a library's settings goes into the record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: Keys that hold a credential by their name.
_SECRET = ("token", "password", "secret", "api_key")


def scalars(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The plain values that are set; no credentials, for a log is handed around.

    >>> scalars({"lr": 0.1, "hub_token": "x", "betas": (0.9, 0.99), "name": None})
    {'lr': 0.1}
    """
    return {
        str(k): v
        for k, v in settings.items()
        if isinstance(v, bool | int | float | str) and not any(word in str(k).lower() for word in _SECRET)
    }
