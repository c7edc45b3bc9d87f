"""Where the results of a call go: files of every format, and stdout."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from curvedoc.core.diagnosis import Diagnosis
from curvedoc.core.errors import CurvedocError, UsageError
from curvedoc.core.files.output_file import check, check_distinct, folder_for, write
from curvedoc.core.frozen import dataclass

#: Columns of text that goes to no terminal.
PIPED_WIDTH = 100
DEFAULT_HTML = "curvedoc-report.html"
#: What shows the figures of --assets, and says that the folder is ours.
_INDEX = "figures.md"


@dataclass(frozen=True, slots=True)
class Outputs:
    """Where results go, and how they are shown."""

    html: Path | None = None
    json: Path | None = None
    markdown: Path | None = None
    sarif: Path | None = None
    junit: Path | None = None
    embed: Path | None = None
    assets: Path | None = None  # a directory
    format: str | None = None  # text, json, html, markdown, sarif, junit, brief, github or gitlab: what stdout gets
    redact: tuple[str, ...] = ()  # regular expressions, masked in every view
    no_html: bool = False
    force: bool = False
    all_runs: bool = False
    verbose: bool = False
    quiet: bool = False
    color: str = "auto"


def prepared(out: Outputs, inputs: Sequence[Path] = ()) -> Outputs:
    """The outputs with `-` taken for stdout, each place proved fit to be written to before the work begins.

    inputs: what is analyzed, which is no place for a result. Raises UsageError.
    """
    asked = {"html": out.html, "json": out.json, "markdown": out.markdown, "sarif": out.sarif, "junit": out.junit}
    form, kept = to_stdout(asked, out.format)
    out = replace(
        out, format=form, html=kept["html"], json=kept["json"], markdown=kept["markdown"], sarif=kept["sarif"],
        junit=kept["junit"],
    )  # fmt: skip
    if out.embed is not None and str(out.embed) == "-":
        raise UsageError("--embed wants a file", hint="--embed fragment.html")
    for path in (*kept.values(), out.embed):
        if path is not None:
            check(path, out.force, inputs)
    check_distinct({**kept, "embed": out.embed})
    if out.assets is not None and out.assets.exists():
        if not out.assets.is_dir():
            raise UsageError("is no directory", str(out.assets), "--assets wants a directory")
        check(out.assets / _INDEX, out.force, inputs)
    if _page_by_default(out):
        return _beside_what_is_there(out, inputs)
    return out


def _beside_what_is_there(out: Outputs, inputs: Sequence[Path]) -> Outputs:
    """Without the page that nobody asked for, where its place is taken: that costs no diagnosis."""
    try:
        check(Path(DEFAULT_HTML), out.force, inputs)
    except CurvedocError as error:
        if not out.quiet:
            sys.stderr.write(f"no page written: {error.where}: {error.what}; --html FILE writes it to another place\n")
        return replace(out, no_html=True)
    return out


def _page_by_default(out: Outputs) -> bool:
    """Whether a page is written that the call does not name: for a person at a terminal, not for a pipe."""
    return not _explicit(out) and not out.no_html and at_terminal()


def at_terminal() -> bool:
    """Whether a person reads what is printed."""
    return sys.stdout.isatty()


def to_stdout(asked: Mapping[str, Path | None], form: str | None) -> tuple[str | None, dict[str, Path | None]]:
    """(what stdout gets, the other files), with a path of `-` standing for stdout. Raises UsageError."""
    kept = dict(asked)
    for name, path in asked.items():
        if path is not None and str(path) == "-":
            if form not in (None, "text", name):
                raise UsageError(f"both {form} and {name} are to go to standard output", hint="give one of them a file")
            form, kept[name] = name, None
    return form, kept


def _explicit(out: Outputs) -> bool:
    """Whether the call says where results go."""
    named = (out.html, out.json, out.markdown, out.sarif, out.junit, out.embed, out.assets)
    return out.format is not None or any(path is not None for path in named)


def render(d: Diagnosis, out: Outputs, title: str) -> None:
    """Write every output that was asked for; stdout last, whatever happened to a file. Raises UsageError.

    out: as `prepared` gives it
    """
    if out.redact:
        from curvedoc.report.mask import masked, masker

        mask = masker(out.redact)
        d, title = masked(d, mask), mask(title)
    files = {"html": out.html, "json": out.json, "markdown": out.markdown, "sarif": out.sarif, "junit": out.junit}
    files.update(dict.fromkeys(_VIEWS.keys() - files.keys()))  # those are for stdout only
    if _page_by_default(out):
        files["html"] = Path(DEFAULT_HTML)
    wrote: list[Path] = []
    failed: list[CurvedocError] = []
    printed = ""

    def put(path: Path, content: str) -> None:
        try:
            write(path, content, out.force)
        except CurvedocError as error:
            failed.append(error)
        else:
            wrote.append(path)

    for name, path in files.items():
        if path is None and out.format != name:
            continue
        text = _VIEWS[name](d, title)
        if path is not None:
            put(path, text)
        if out.format == name:
            printed = text
    if out.embed is not None:
        from curvedoc.report.html.fragment import to_fragment

        put(out.embed, to_fragment(d, styling="sheet", title=title))
    if out.assets is not None:
        try:
            wrote += _figures(d, out.assets, out.force)
        except CurvedocError as error:
            failed.append(error)
    told = out.format in (None, "text")
    sys.stdout.write(printed)
    if told and not out.quiet:
        from curvedoc.report.terminal.summary import to_text

        width = shutil.get_terminal_size((PIPED_WIDTH, 24)).columns if sys.stdout.isatty() else PIPED_WIDTH
        plain = not (sys.stdout.encoding or "").lower().startswith("utf")
        color = colored(out.color)
        text = to_text(d, width=width, color=color, ascii_only=plain, all_runs=out.all_runs, verbose=out.verbose)
        sys.stdout.write(text)
        if files["html"] in wrote:
            sys.stdout.write(f"\nreport  {files['html']}\n")
    for path in () if out.quiet else wrote:
        if not (told and path == files["html"]):
            sys.stderr.write(f"wrote {path}\n")
    if told and not out.quiet and not (_explicit(out) or out.no_html or at_terminal()):
        sys.stderr.write("no page written, since the output is piped; --html FILE writes one\n")
    if failed:
        raise failed[0]


def colored(choice: str) -> bool:
    """Whether to color: as chosen, else by NO_COLOR, FORCE_COLOR and whether stdout is a terminal."""
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or sys.stdout.isatty()


def _figures(d: Diagnosis, folder: Path, force: bool) -> list[Path]:
    """SVG and PNG of every panel of the flagged runs, and figures.md that shows them with their notes."""
    from curvedoc.report.figures.figure import figures, index, png, svg

    drawn = tuple(figures(d))
    new: list[Path] = []
    with folder_for(folder):
        # a folder that holds our own index is ours: a second call draws its figures anew
        ours = force or (folder / _INDEX).is_file()

        def put(name: str, made: str | bytes, force: bool) -> None:
            fresh = not (folder / name).exists()
            write(folder / name, made, force)
            if fresh:
                new.append(folder / name)

        try:
            for figure in drawn:
                put(f"{figure.name}.svg", svg(figure), ours)
                put(f"{figure.name}.png", png(figure), ours)
            put(_INDEX, index(d, drawn), force)
        except BaseException:  # without its index the folder would be taken for somebody else's
            for path in new:
                path.unlink(missing_ok=True)
            raise
    return [folder]


def _html(d: Diagnosis, title: str) -> str:
    from curvedoc.report.html.page import to_html

    return to_html(d, title=title)


def _json(d: Diagnosis, title: str) -> str:
    from curvedoc.report.exchange.json_document import to_json

    return to_json(d)


def _markdown(d: Diagnosis, title: str) -> str:
    from curvedoc.report.markdown import to_markdown

    return to_markdown(d, title)


def _sarif(d: Diagnosis, title: str) -> str:
    from curvedoc.report.exchange.sarif import to_sarif

    return to_sarif(d)


def _junit(d: Diagnosis, title: str) -> str:
    from curvedoc.report.exchange.junit import to_junit

    return to_junit(d)


def _brief(d: Diagnosis, title: str) -> str:
    from curvedoc.report.exchange.brief import to_brief

    return to_brief(d)


def _github(d: Diagnosis, title: str) -> str:
    from curvedoc.report.exchange.ci import to_github

    return to_github(d)


def _gitlab(d: Diagnosis, title: str) -> str:
    from curvedoc.report.exchange.ci import to_gitlab

    return to_gitlab(d)


_VIEWS: dict[str, Callable[[Diagnosis, str], str]] = {
    "html": _html,
    "json": _json,
    "markdown": _markdown,
    "sarif": _sarif,
    "junit": _junit,
    "brief": _brief,
    "github": _github,
    "gitlab": _gitlab,
}
