"""The README as a package page shows it: links and pictures of the repository by their whole address."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

PLACE = "https://github.com/curvedoc/curvedoc/blob/main/"
PICTURES = "https://raw.githubusercontent.com/curvedoc/curvedoc/main/"
_LINK = re.compile(r"(!?)(\[[^\]]*\]\()(?!https?://|#|mailto:)([^)\s]+)\)")


def package_page(text: str) -> str:
    """The text with its relative links made whole."""
    return _LINK.sub(lambda m: f"{m[1]}{m[2]}{PICTURES if m[1] else PLACE}{m[3]})", text)


class ReadmeHook(MetadataHookInterface):
    """Gives the package's description when it is built."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        """Fill in the description."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": package_page(text)}
