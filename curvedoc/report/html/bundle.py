"""`python -m curvedoc.report.html.bundle`: build the page's one script, its panels and its compiled templates, once.

The script is Vega, Vega-Lite, vega-embed and our own code in one module scope, about 0.9 MB. Building takes a second
and does not depend on the data, so the result is shipped; a test builds it again and compares.
"""

from __future__ import annotations

import hashlib
import json
from importlib import metadata
from pathlib import Path

from curvedoc.report.html.template import compiled

ASSETS = Path(__file__).parent / "assets"
#: Our sources, in the order in which they run.
SOURCES = ("curves.js", "answers.js", "page.js")


def source() -> str:
    """Our code as one strict function, so that nothing becomes global."""
    parts = "\n".join((ASSETS / name).read_text("utf-8") for name in SOURCES)
    return f'(() => {{\n"use strict";\n{parts}\n}})();\n'


def stamp() -> str:
    """What the bundle was made from: library versions and the hash of our code; its first line."""
    digest = hashlib.sha256(source().encode()).hexdigest()[:16]
    return f"/* vl-convert {version('vl-convert-python')}; page {digest}; licenses in NOTICE.txt */\n"


def version(package: str) -> str:
    """The installed version of a package."""
    return metadata.version(package)


def build() -> str:
    """The bundle as text, with its stamp."""
    import vl_convert

    script: str = vl_convert.javascript_bundle(snippet=source())
    # Either would end the script element early, whatever quotes it stands in.
    script = script.replace("</script", "<\\/script").replace("<!--", "<\\!--")
    return stamp() + script


def panels() -> str:
    """The panel templates as JSON, with the version of the Altair that wrote them."""
    from curvedoc.report.charts.vega import templates

    document = {"altair": version("altair"), "templates": templates()}
    return json.dumps(document, sort_keys=True, separators=(",", ":")) + "\n"


def main() -> None:
    """Write what is made once per release."""
    (ASSETS / "bundle.js").write_text(build(), "utf-8")
    (ASSETS / "panels.json").write_text(panels(), "utf-8")
    (ASSETS / "templates.json").write_text(compiled(), "utf-8")


if __name__ == "__main__":
    main()
