"""`curvedoc doctor`: what was found, what was taken for what, what could not be read."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from curvedoc.core.run import Note, Run
from curvedoc.report.escape import visible
from curvedoc.report.words import count

if TYPE_CHECKING:
    from curvedoc.options import Options
    from curvedoc.rulebook.rule import Fact, Remark

#: Files that are no logs, listed: in a tree of code and data they are most of it.
MOST_LEFT_OUT = 5


def _note(note: Note) -> str:
    place = f" (line {note.line})" if note.line is not None else ""
    place = f" (byte {note.offset:,})" if note.offset is not None and not place else place
    times = f" x{note.count:,}" if note.count > 1 else ""
    return f"  note   {note.kind}{times}{place}: {visible(note.text)}"


def _run_lines(run: Run, remarks: Mapping[str, Remark]) -> list[str]:
    from curvedoc.diagnose.story.hygiene import hygiene
    from curvedoc.report.schedule_words import in_words

    segments = int(run.points["segment"].max() or 0) + 1 if len(run.points) else 0  # type: ignore[arg-type]
    ranks = len(run.ranks())
    extra = (f", {ranks} ranks" if ranks > 1 else "") + (f", {segments} segments" if segments > 1 else "")
    out = [f"{visible(run.name)}  ({count(len(run.points), 'point')}{extra}, axis {run.axis})"]
    for source in run.sources:
        size = f"{source.points:,} points, {source.bytes:,} bytes"
        out.append(f"  read   {visible(source.path)}  {source.format}, {size}")
        out += [_note(note) for note in source.notes]
    out += [_note(note) for note in (*run.notes, *hygiene(run, remarks))]
    for match in run.roles:
        series = run.metric(match.metric)
        label = f" [{match.label}]" if match.label else ""
        points = 0 if series is None else len(series)
        metric = visible(match.metric)
        out.append(
            f"  role   {match.role + label:24} <- {metric}  {points:,} points  ({match.trust}: {visible(match.why)})"
        )
        if match.role == "lr" and series is not None and (said := in_words(series, run.axis)):
            out.append(f"  rate   {metric}: {said}")
    used = {m.metric for m in run.roles}
    unused = [m for m in run.metrics() if m not in used]
    if unused:
        out.append(f"  unused {', '.join(visible(m) for m in unused[:12])}{' ...' if len(unused) > 12 else ''}")
    if (option := _map_line(run, unused)) is not None:
        out.append(f"  map    {option}")
    if run.settings:
        out.append("  config " + ", ".join(f"{k}={visible(str(v))}" for k, v in sorted(run.settings.items())))
    if len(run.messages):
        out.append(f"  text   {len(run.messages):,} messages")
    return out


def _map_line(run: Run, unused: list[str]) -> str | None:
    """The option that would settle what was guessed, as far as it is known; None where nothing is in doubt."""
    loss = next(iter(run.matches("loss")), None)
    counted = [n.text for s in run.sources for n in s.notes if n.kind == "step-guessed"]
    if loss is not None and loss.trust != "guess" and not counted:
        return None
    known = {m.role: m.metric for m in reversed(run.roles) if m.trust != "sure"}
    pairs: dict[str, str] = {k: known[k] for k in ("loss", "val_loss", "lr") if k in known}
    if loss is None and run.series("val_loss") is None:
        pairs = {"loss": unused[0] if len(unused) == 1 else "...", **pairs}
    step = next((t.split("'")[1] for t in counted if t.count("'") >= 2), None)
    pairs = {"step": step, **pairs} if step else pairs
    text = ",".join(f"{k}={v}" for k, v in pairs.items())
    return f"--map {visible(text)}" if text else None


def _fact_lines(run: Run, facts: Mapping[str, Fact]) -> list[str]:
    """What is known of a run, with how it is known."""
    from curvedoc.diagnose.judge.facts import spoken
    from curvedoc.diagnose.judge.inputs import Bench
    from curvedoc.report.redact import redact

    out = []
    for name, known in Bench(run, facts=facts).facts().items():
        guess = " (a guess)" if known.trust == "guess" else ""
        value, because = (visible(redact(t)) for t in (spoken(facts[name], known.value), known.because))
        out.append(f"  fact   {name:24} {value}{guess}: {because}")
        if known.doubt is not None:
            out.append(f"  doubt  {name:24} {visible(known.doubt)}")
    return out


def show(paths: list[Path], options: Options) -> None:
    """Print every run with its sources, notes, roles, facts and unused metrics; what was not read, what is no log."""
    from curvedoc.ingest.find.contents import contents
    from curvedoc.pipeline import rulebook, runs_below

    book = rulebook(options)
    harvest = runs_below(paths, options)
    out: list[str] = []
    for run in harvest.runs:
        out += [*_run_lines(run, book.remarks), *_fact_lines(run, book.facts), ""]
    for item in harvest.unreadable:
        out.append(f"not read  {visible(item.path)}: {visible(item.reason)}")
    # of a tree that holds no run, what lies there instead
    shown = harvest.ignored[: MOST_LEFT_OUT if harvest.runs else 10 * MOST_LEFT_OUT]
    out += [f"left out  {visible(item.path)}: {visible(item.reason)}" for item in shown]
    if len(harvest.ignored) > len(shown):
        out.append(f"left out  {len(harvest.ignored) - len(shown):,} more")
    if not harvest.runs:
        held, then = contents(paths)
        out += [f"holds     {visible(held)}"] if held else []
        out.append(f"next      {then}")
    lost, left = len(harvest.unreadable), len(harvest.ignored)
    out.append(f"{count(len(harvest.runs), 'run')}, {count(lost, 'file')} not read, {left:,} left out")
    sys.stdout.write("\n".join(out) + "\n")
