"""`curvedoc triage`: the work behind the command."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from curvedoc.cli.analyze import ProgressLine, workers
from curvedoc.cli.exits import Exit, exit_code
from curvedoc.cli.outputs import PIPED_WIDTH, colored
from curvedoc.core.diagnosis import Diagnosis
from curvedoc.core.errors import CurvedocError, NothingToAnalyse, UsageError
from curvedoc.core.files.output_file import check, check_distinct, write
from curvedoc.core.frozen import dataclass
from curvedoc.ingest.find.contents import contents
from curvedoc.ingest.find.remote import title_of
from curvedoc.options import Options
from curvedoc.triage import Limits, Sweep, SweepOptions, sweep
from curvedoc.triage.store.outcomes import Store, folder

if TYPE_CHECKING:
    from curvedoc.triage.engines.choice import Engine


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a triage is to give, and where."""

    format: str  # text, json, jsonl, csv, parquet, markdown, html: what stdout gets
    html: Path | None = None
    json: Path | None = None
    markdown: Path | None = None
    csv: Path | None = None
    parquet: Path | None = None
    baseline: Path | None = None
    force: bool = False
    everything: bool = False
    quiet: bool = False
    color: str = "auto"


def run(
    paths: Sequence[Path],
    options: Options,
    wanted: Wanted,
    *,
    jobs: int | None,
    cache: bool,
    since: str | None,
    limits: Limits,
    engine: str = "local",
) -> Sweep:
    """Triage, write what was asked for, and give back what `--fail-on` judges. Raises NothingToAnalyse, UsageError."""
    wanted = _prepared_outputs(wanted, paths)
    if wanted.format == "parquet" and sys.stdout.isatty():
        raise UsageError("parquet is no text for a terminal", "--format", "give --parquet FILE or redirect the output")
    before = None
    if wanted.baseline is not None:
        from curvedoc.triage.baseline import read_known

        before = read_known(wanted.baseline)
    start = None if since is None else _moment(since)
    progress = ProgressLine(wanted.quiet)
    workforce = _engine(engine, workers(jobs))
    try:
        store = Store(folder()) if cache else None
        how = SweepOptions(workers(jobs), store, True, limits, start, progress, workforce, _in_full(wanted))
        done = sweep(list(paths), options, how)
    finally:
        progress.close()
        if workforce is not None:
            workforce.close()
    places = ", ".join(map(str, paths))
    if not done.total and not done.diagnosis.unreadable:
        when = "" if since is None else f" changed since {since}"
        held, then = contents([p for p in paths if p.exists()]) if since is None else ("", "leave out --since")
        hint = f"{then}. curvedoc doctor {places} shows what was looked at"
        raise NothingToAnalyse(f"no training run{when} found" + (f" ({held})" if held else ""), places, hint)
    d = done.diagnosis
    if before is not None:
        from curvedoc.triage.baseline import new_only

        d = new_only(d, before)
    _write_all(d, wanted, title_of(paths))
    if done.interrupted:
        again = "; the same command goes on from there" if cache else ""
        sys.stderr.write(f"interrupted: {done.done:,} of {done.total:,} runs done{again}\n")
    elif done.kept and not wanted.quiet:
        sys.stderr.write(f"{done.kept:,} of {done.total:,} runs unchanged since an earlier call\n")
    return Sweep(d, done.done, done.total, done.kept, done.interrupted)


def run_triage(
    paths: Sequence[Path],
    options: Options,
    wanted: Wanted,
    *,
    jobs: int | None = None,
    cache: bool = True,
    since: str | None = None,
    limits: Limits | None = None,
    engine: str = "local",
    fail_on: str = "never",
    strict: bool = False,
) -> Exit:
    """`run`, and the exit code of what it found."""
    done = run(paths, options, wanted, jobs=jobs, cache=cache, since=since, limits=limits or Limits(), engine=engine)
    if done.interrupted:
        return Exit.INTERRUPTED
    code = exit_code(done.diagnosis, fail_on, strict)
    # with a baseline no run is told where nothing is new; without, where none could be read
    read = bool(done.diagnosis.runs) or (wanted.baseline is not None and done.total > 0)
    return code if read or code is not Exit.DONE else Exit.NOTHING


def _in_full(wanted: Wanted) -> bool:
    """Whether an output shows runs with all of their curves."""
    files = _files(wanted)
    return wanted.format in ("html", "json", "markdown") or any(files[k] for k in ("html", "json", "markdown"))


def _engine(name: str, jobs: int) -> Engine | None:
    if name == "local":
        return None
    from curvedoc.triage.engines.choice import engine_of

    return engine_of(name, jobs)


def _moment(since: str) -> float:
    from curvedoc.cli.settings.moment import moment

    return moment(since, time.time())


def _prepared_outputs(wanted: Wanted, inputs: Sequence[Path]) -> Wanted:
    """The outputs with `-` taken for stdout, each place proved fit to be written to before the work begins."""
    from curvedoc.cli.outputs import to_stdout

    form, kept = to_stdout(_files(wanted), wanted.format)
    for path in kept.values():
        if path is not None:
            check(path, wanted.force, inputs)
    check_distinct(kept)
    return replace(
        wanted, format=form or "text", html=kept["html"], json=kept["json"], markdown=kept["markdown"],
        csv=kept["csv"], parquet=kept["parquet"],
    )  # fmt: skip


def _files(wanted: Wanted) -> dict[str, Path | None]:
    return {"html": wanted.html, "json": wanted.json, "markdown": wanted.markdown, "csv": wanted.csv,
            "parquet": wanted.parquet}  # fmt: skip


def _write_all(d: Diagnosis, wanted: Wanted, title: str) -> None:
    """Every file that was asked for, then stdout, whatever happened to a file. Raises UsageError."""
    failed: list[CurvedocError] = []
    for kind, path in _files(wanted).items():
        if path is None:
            continue
        try:
            write(path, _made(d, kind, title), wanted.force)
        except CurvedocError as error:
            failed.append(error)
        else:
            if not wanted.quiet:
                sys.stderr.write(f"wrote {path}\n")
    _print(d, wanted, title)
    if failed:
        raise failed[0]


def _print(d: Diagnosis, wanted: Wanted, title: str) -> None:
    if wanted.format == "text":
        if not wanted.quiet:
            sys.stdout.write(_text(d, wanted))
        return
    made = _made(d, wanted.format, title)
    if isinstance(made, bytes):
        sys.stdout.buffer.write(made)
    else:
        sys.stdout.write(made)


def _made(d: Diagnosis, kind: str, title: str) -> str | bytes:
    match kind:
        case "html":
            from curvedoc.report.html.page import to_html

            return to_html(d, title=title)
        case "json":
            from curvedoc.report.exchange.json_document import to_json

            return to_json(d)
        case "markdown":
            from curvedoc.report.markdown import to_markdown

            return to_markdown(d, title)
        case "csv":
            from curvedoc.triage.rows import to_csv

            return to_csv(d)
        case "jsonl":
            from curvedoc.triage.rows import to_jsonl

            return to_jsonl(d)
        case _:
            from curvedoc.triage.rows import to_parquet

            return to_parquet(d)


def _text(d: Diagnosis, wanted: Wanted) -> str:
    from curvedoc.triage.text import to_text

    if wanted.baseline is not None and not d.runs:
        return f"Nothing new since {wanted.baseline}.\n" if not d.unreadable else to_text(d)
    import shutil

    width = shutil.get_terminal_size((PIPED_WIDTH, 24)).columns if sys.stdout.isatty() else PIPED_WIDTH
    plain = not (sys.stdout.encoding or "").lower().startswith("utf")
    return to_text(d, width=width, color=colored(wanted.color), ascii_only=plain, everything=wanted.everything)
