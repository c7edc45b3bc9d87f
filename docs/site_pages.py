"""Pages of the site that stand elsewhere in the repository, or are drawn from the samples while it is built.

Run by MkDocs as a hook. The README is the first page; the gallery is what curvedoc says and draws of sample_logs/.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
#: Pages that lie at the root of the repository.
OUTSIDE = ("ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")
_LINK = re.compile(r"(\]\()(?!https?://|#|mailto:)([^)\s]+)(\))")


def on_files(files: Files, config: Any) -> Files:
    """Add the pages."""
    pages = {name: _moved((ROOT / name).read_text("utf-8")) for name in OUTSIDE}
    pages["index.md"] = _moved((ROOT / "README.md").read_text("utf-8"))
    text, pictures = _gallery()
    pages["gallery.md"] = text
    pages["questions/index.md"] = _questions()
    for name, content in {**pages, **pictures}.items():
        files.append(File.generated(config, name, content=content))
    return files


def _moved(text: str) -> str:
    """The text with its links as they are within docs/; those to files that the site does not hold lose their link."""

    def link(m: re.Match[str]) -> str:
        target = m[2].removeprefix("docs/")
        inside = (ROOT / "docs" / target.partition("#")[0]).exists() or target.partition("#")[0] in OUTSIDE
        return f"{m[1]}{target}{m[3]}" if inside and "snippets/" not in target else "]()"

    return re.sub(r"\[([^\]]*)\]\(\)", r"\1", _LINK.sub(link, text))


def _gallery() -> tuple[str, dict[str, str]]:
    """What is said and drawn of each sample."""
    import curvedoc
    from curvedoc.report.figures.figure import figures, svg
    from curvedoc.report.summary import lead_finding

    lines = [
        "# Gallery",
        "",
        "Logs of small runs that went wrong in one way each (`sample_logs/` in the repository), with what curvedoc says"
        " and draws of them. The text is made while this site is built.",
        "",
    ]
    pictures: dict[str, str] = {}
    for folder in sorted(p for p in (ROOT / "sample_logs").iterdir() if p.is_dir()):
        for run in curvedoc.analyze(folder).runs:
            lead = lead_finding(run)
            lines += [f"## {folder.name}", "", f"**{run.verdict}.** {_plain(run.headline)}", ""]
            if lead is not None:
                lines += [f"Symptom: [{lead.symptom}](reference/symptoms/{lead.symptom}.md)."]
            if run.causes and run.verdict in ("failed", "warning"):
                top = run.causes[0]
                lines += [f"First cause: [{_plain(top.title)}](reference/causes/{top.cause}.md)."]
            if run.next_action:
                lines += [f"Do this first: {_plain(run.next_action.text)}"]
            lines += [""]
        drawn = list(figures(curvedoc.analyze(folder).diagnosis))[:2]
        for i, figure in enumerate(drawn):
            name = f"gallery/{folder.name}-{i}.svg"
            pictures[name] = svg(figure)
            lines += [f"![{folder.name}]({name})", ""]
    return "\n".join(lines) + "\n", pictures


def _plain(text: str) -> str:
    """The text without what Markdown or HTML would take for its own."""
    return re.sub(r"([\\`*_{}\[\]<>|#])", r"\\\1", text)


def _questions() -> str:
    """The list of the pages in docs/questions."""
    lines = ["# Questions", "", "What people paste into a search box, and what it means.", ""]
    for path in sorted((ROOT / "docs" / "questions").glob("*.md")):
        title = path.read_text("utf-8").splitlines()[0].removeprefix("# ")
        lines.append(f"- [{title}]({path.name})")
    return "\n".join(lines) + "\n"
