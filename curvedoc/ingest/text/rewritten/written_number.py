"""A number as people write it, in the syntax of `re`."""

from __future__ import annotations

NUMBER = r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d{1,4})?"
