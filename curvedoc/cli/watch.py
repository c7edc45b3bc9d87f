"""`curvedoc watch`: re-analysis as files grow, and only what changed is told."""

from __future__ import annotations

import glob
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from curvedoc.cli.exits import Exit, exit_code
from curvedoc.core.diagnosis import Diagnosis, Finding, RunDiagnosis
from curvedoc.core.errors import CurvedocError, NothingToAnalyse
from curvedoc.ingest.find.remote import local_copies
from curvedoc.report.escape import visible
from curvedoc.report.redact import redact
from curvedoc.report.words import VERDICTS, percent, run_name, step

#: Verdicts of a first look that are no news.
CALM = ("healthy", "inconclusive")

Stamp = Mapping[str, tuple[int, int]]
Known = Mapping[str, RunDiagnosis]


@dataclass(frozen=True, slots=True)
class World:
    """What a watch needs of the world outside, so that a test can stand in for it.

    stamp: size and modification time of every file; look: the diagnosis now; now: seconds since the epoch
    """

    stamp: Callable[[], Stamp]
    look: Callable[[], Diagnosis]
    sleep: Callable[[float], None]
    now: Callable[[], float]
    say: Callable[[str], None]  # a result
    remark: Callable[[str], None]  # anything else
    send: Callable[[Sequence[str], Diagnosis], None] | None = None  # what is new, to somebody elsewhere


def real_world(paths: Sequence[Path], look: Callable[[], Diagnosis], say: Callable[[str], None],
               remark: Callable[[str], None], url: str = "") -> World:  # fmt: skip
    """The file system and the clock of this machine. url: who is told what is new besides."""
    from curvedoc.cli.output.notify import notify

    def send(lines: Sequence[str], d: Diagnosis) -> None:
        trouble = notify(url, lines, d)
        if trouble:
            remark(trouble)

    return World(lambda: stamp(paths), look, time.sleep, time.time, say, remark, send if url else None)


def stamp(paths: Sequence[Path]) -> Stamp:
    """Size and modification time (ns) of every file at and below the paths and globs; what vanishes is left out."""
    out: dict[str, tuple[int, int]] = {}
    for path in _files(paths):
        try:
            info = os.stat(path)  # noqa: PTH116
        except OSError:
            continue
        out[path] = info.st_size, info.st_mtime_ns
    return out


def _files(paths: Sequence[Path]) -> Iterator[str]:
    for path in local_copies(paths)[0]:
        for place in [str(path)] if path.exists() else glob.glob(str(path), recursive=True):  # noqa: PTH207
            if not Path(place).is_dir():
                yield place
            for folder, _, names in os.walk(place):
                yield from (os.path.join(folder, name) for name in names)  # noqa: PTH118


def watch(world: World, interval: float, once: bool, fail_on: str) -> Exit:
    """Look again at every change, tell what is new; Exit.FINDINGS at the first finding at or above `fail_on`.

    With once: a single look. A run that is not there yet is waited for (with once NothingToAnalyse is raised); a path
    or metric that vanishes later is told once. Other exceptions, a wrong option and Ctrl-C among them, pass.
    """
    seen: Stamp | None = None
    known: Known = {}
    trouble = ""
    looked = False
    while True:
        # taken before the look: what is written during it is seen at the next turn
        current = world.stamp()
        if current != seen:
            seen = current
            try:
                d = world.look()
            except CurvedocError as error:
                if once or not (looked or isinstance(error, NothingToAnalyse)):
                    raise
                if trouble != str(error):
                    trouble = str(error)
                    world.remark(trouble if looked else "waiting for a training run to appear")
            else:
                trouble, looked = "", True
                clock = datetime.fromtimestamp(world.now()).strftime("%H:%M:%S")
                lines = changes(known, d, notes=fail_on == "note")
                for line in lines:
                    world.say(f"{clock}  {line}")
                if world.send is not None and lines and (known or any(r.verdict not in CALM for r in d.runs)):
                    world.send(lines, d)
                known = {r.run: r for r in d.runs}
                if exit_code(d, fail_on, strict=False) == Exit.FINDINGS:
                    return Exit.FINDINGS
        if once:
            return Exit.DONE
        world.sleep(interval)


def changes(known: Known, d: Diagnosis, notes: bool = False) -> list[str]:
    """One line for each thing that is new since: a run, a verdict, a finding, a finding that is gone.

    notes: notices and gaps count as findings too.
    """
    out: list[str] = []
    for run in d.runs:
        before = known.get(run.run)
        name = visible(run_name(run.run))
        lead = f"{name}  " if name else ""
        at = _last_step(run)
        if before is None or before.verdict != run.verdict:
            was = "" if before is None else f"{VERDICTS[before.verdict][1]} -> "
            out.append(f"{lead}step {step(at)}  {was}{VERDICTS[run.verdict][1]}. {_reason(run)}")
        old = {} if before is None else _faults(before, notes)
        new = _faults(run, notes)
        for key, f in new.items():
            if key not in old:
                since = step(at if f.first_step is None else f.first_step)
                out.append(f"{lead}step {since}  {f.severity} {_name(f)}. {visible(f.title)}{_owner(f)}")
        out += [f"{lead}step {step(at)}  no longer {_name(f)}" for key, f in old.items() if key not in new]
    gone = [name for name in known if all(r.run != name for r in d.runs)]
    return out + [f"{visible(run_name(name))}  gone" for name in gone]


def _faults(run: RunDiagnosis, notes: bool) -> dict[tuple[object, ...], Finding]:
    """Findings by what they are and where."""
    found = [f for f in run.findings if notes or f.kind == "pathology"]
    return {(f.symptom, *sorted(f.scope.items())): f for f in found}


def _reason(run: RunDiagnosis) -> str:
    """The likeliest cause, since the findings have lines of their own; the headline where there is none."""
    if not run.causes or run.verdict not in ("failed", "warning"):
        return visible(redact(run.headline))
    first = run.causes[0]
    return f"Likeliest cause: {visible(first.title)} ({percent(first.probability)})"


def _owner(f: Finding) -> str:
    return f"; follows from {f.explained_by}" if f.explained_by else ""


def _name(f: Finding) -> str:
    return f.symptom + "".join(f" [{visible(v)}]" for v in f.scope.values())


def _last_step(run: RunDiagnosis) -> int | None:
    return max((s.last_step for s in run.signals if s.last_step is not None), default=None)
