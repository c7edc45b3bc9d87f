"""From paths to runs: plan, read in shards, assemble."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import polars as pl

from curvedoc.core.diagnosis import Unreadable
from curvedoc.core.errors import CurvedocError
from curvedoc.core.frozen import dataclass
from curvedoc.core.run import Note, Run, Scalar, Source
from curvedoc.ingest.assemble.acceptance import is_idle, why_no_training
from curvedoc.ingest.assemble.groups import Piece, piece, runs_in
from curvedoc.ingest.assemble.run import assemble
from curvedoc.ingest.assemble.side_by_side import apart, named_by_file
from curvedoc.ingest.contract import Log, Reader
from curvedoc.ingest.find import path_words
from curvedoc.ingest.find.plan import Bundle, Member, plan
from curvedoc.ingest.naming.chosen import check_chosen, columns_of
from curvedoc.ingest.naming.signals import Signals, load_signals
from curvedoc.ingest.registry import READERS
from curvedoc.ingest.settings import files
from curvedoc.ingest.trainings.tables import trainings_in

#: Files are decoded together up to this size (small event files decode five times faster so), and no further, so that
#: the memory of a read is that of a shard.
SHARD_BYTES = 64 << 20
SHARD_BUNDLES = 200
NO_MEMORY = "it needs more memory than it may take"
#: Levels that make a text file without a single metric worth telling.
_LOUD = frozenset(("WARNING", "ERROR", "CRITICAL", "TRACEBACK"))
#: More values than this are not all of one metric each.
_FEW = 10_000


@dataclass(frozen=True, slots=True)
class Harvest:
    """The runs that were read, what could not be, and the files that were no logs."""

    runs: tuple[Run, ...]
    unreadable: tuple[Unreadable, ...] = ()
    ignored: tuple[Unreadable, ...] = ()


def read_runs(
    paths: Sequence[Path],
    *,
    signals: Mapping[str, str] | None = None,
    signals_file: Path,
    jobs: int = 1,
    follow_links: bool = False,
) -> Harvest:
    """Every run in and below `paths`, in the order found.

    signals: role -> metric, chosen by the user over what signals.yaml says
    jobs:    accepted for the process pool of the caller; reading itself uses one core
    follow_links: also those that lead out of the paths

    Raises UsageError for a path, role or metric that does not exist, RuleError for a bad signals.yaml.
    """
    table = load_signals(signals_file)
    chosen = dict(signals or {})
    found = plan(paths, follow_links=follow_links, mapped=bool(chosen))
    harvests = [read_bundles(shard, table, chosen) for shard in shards(found.bundles)]
    runs = tuple(r for h in harvests for r in h.runs)
    if chosen:
        check_chosen(chosen, sorted({m for r in runs for m in r.metrics()}), table)
    unreadable = (*found.unreadable, *(u for h in harvests for u in h.unreadable))
    return Harvest(runs, unreadable, (*(u for h in harvests for u in h.ignored), *found.ignored))


def shards(bundles: Sequence[Bundle]) -> Iterator[tuple[Bundle, ...]]:
    """The bundles in batches that are read together: at most 64 MB or 200 bundles, at least one."""
    batch: list[Bundle] = []
    size = 0
    for b in bundles:
        if batch and (size + b.bytes > SHARD_BYTES or len(batch) >= SHARD_BUNDLES):
            yield tuple(batch)
            batch, size = [], 0
        batch.append(b)
        size += b.bytes
    if batch:
        yield tuple(batch)


def read_run(
    bundle: Bundle, table: Signals, chosen: Mapping[str, str] | None = None, readers: Sequence[Reader] = READERS
) -> Harvest:
    """The run of one bundle (or the several in it)."""
    return read_bundles((bundle,), table, chosen, readers)


def read_bundles(
    bundles: Sequence[Bundle],
    table: Signals,
    chosen: Mapping[str, str] | None = None,
    readers: Sequence[Reader] = READERS,
) -> Harvest:
    """The runs of several bundles, each format's files decoded in one call.

    A reader that fails on a file costs that file and no other; it is told in `unreadable`.
    """
    harvests = list(read_each(bundles, table, chosen, readers))
    runs = tuple(r for h in harvests for r in h.runs)
    unreadable = tuple(u for h in harvests for u in h.unreadable)
    return Harvest(runs, unreadable, tuple(u for h in harvests for u in h.ignored))


def read_each(
    bundles: Sequence[Bundle],
    table: Signals,
    chosen: Mapping[str, str] | None = None,
    readers: Sequence[Reader] = READERS,
) -> Iterator[Harvest]:
    """As `read_bundles`, but one harvest per bundle, in order: a run can be let go before the next is assembled."""
    troubles: dict[Path, str] = {}
    logs: dict[Path, list[Log]] = defaultdict(list)
    by_reader: dict[str, list[Path]] = defaultdict(list)
    for b in bundles:
        for m in b.members:
            by_reader[m.reader].append(m.path)
    columns = columns_of(chosen or {})
    for reader in readers:
        for log in _read(reader, by_reader.get(reader.NAME, []), troubles, columns):
            logs[log.path].extend(trainings_in(log))
    for b in bundles:
        why: dict[str, str] = {}
        runs = _runs(b, logs, table, chosen or {}, why)
        unreadable: list[Unreadable] = []
        ignored: list[Unreadable] = []
        read = {s.path for r in runs for s in r.sources}
        for m in b.members:
            path = path_words.relative_name(m.path, b.root)
            if path not in read:
                loss = (Unreadable(path, why[path]), b.named) if path in why else _lost(m, path, logs[m.path], troubles)
                (unreadable if loss[1] else ignored).append(loss[0])
        yield Harvest(tuple(runs), tuple(unreadable), tuple(ignored))


def _read(reader: Reader, paths: list[Path], troubles: dict[Path, str], columns: Mapping[str, str]) -> list[Log]:
    """What a reader makes of these files; where it fails on the lot, of each by itself.

    columns: what the user says of columns, for a reader that can be told
    """
    if not paths:
        return []
    try:
        told = getattr(reader, "read_mapped", None) if columns else None
        return reader.read(paths) if told is None else list(told(paths, columns))
    except (
        Exception,
        pl.exceptions.PanicException,
    ) as e:  # a log is untrusted and a reader may have a fault: it costs this file, and is told
        if len(paths) > 1:
            return [log for p in paths for log in _read(reader, [p], troubles, columns)]
        troubles[paths[0]] = _why(e, reader)
        return []


def _why(fault: BaseException, reader: Reader) -> str:
    if isinstance(fault, MemoryError):
        return NO_MEMORY
    return str(fault) if isinstance(fault, CurvedocError | OSError) else f"the {reader.NAME} reader failed: {fault!r}"


def _runs(
    b: Bundle, logs: Mapping[Path, Sequence[Log]], table: Signals, chosen: Mapping[str, str], why: dict[str, str]
) -> list[Run]:
    """The runs of one bundle: those that a file names itself, and what the rest of the files are about. why: takes the
    files whose curves are no training's, and the reason"""
    named: dict[str, list[Piece]] = defaultdict(list)
    rest: list[Piece] = []
    for m in b.members:
        for log in logs.get(m.path, ()):
            if _blank(log) and log.notes:
                continue
            if log.run is None:
                rest.append(piece(m, log))
            else:
                named[log.run].append(piece(m, log))
    groups = [(f"{b.name}::{name}", runs_in(ps)[0] if ps else []) for name, ps in named.items()]
    if len(groups) == 1 and not any(p.points for p in rest):  # one run in the file: it needs no name of its own
        groups = [(b.name, [*groups[0][1], *rest])]
    else:
        several = [g for g in runs_in(named_by_file(rest)) if _telling(g)]
        for group in several:
            name = b.name if len(several) == 1 and not named else _beside(b, group[0].member.path)
            groups.append((name, group))
    out = []
    if not chosen:  # who says what a column is takes the file for one run
        groups = [(f"{name}::{label}" if label else name, g) for name, all_ in groups for label, g in apart(all_)]
    for name, group in groups:
        if group:
            config, sources = _config(b, group)
            run = assemble(name, b, group, config, sources, table, chosen)
            none = "" if chosen else why_no_training(run, group)
            if none:
                why.update((s.path, none) for s in run.sources)
                continue
            told = run.axis != "row" or (run.roles and any(len(block) > 1 for block in run.blocks))
            if (told or _loud(group)) and (b.named or not is_idle(run, group, table)):
                out.append(run)
    return out


def _blank(log: Log) -> bool:
    """Whether a log gave nothing at all."""
    return not (log.height or len(log.messages) or log.config)


def _beside(b: Bundle, path: Path) -> str:
    """The name of one of several runs in a folder: the folder's, and its own file's."""
    name = path_words.relative_name(path, b.base)
    return name if b.name == "." else f"{b.name}/{name}"


def _telling(group: Sequence[Piece]) -> bool:
    """Whether a group is a run: curves along some axis, or text that warns or fails."""
    if any(len(s) for p in group for s in p.strands):
        return True
    return _loud(group)


def _loud(group: Sequence[Piece]) -> bool:
    return any(bool(p.log.messages["level"].is_in(list(_LOUD)).any()) for p in group if len(p.log.messages))


def _config(b: Bundle, group: Sequence[Piece]) -> tuple[dict[str, Scalar], list[Source]]:
    """The configuration beside a run, the outermost file first; one named after another run's log is left out."""
    own = {path_words.stem(p.member.path.name) for p in group}
    others = {path_words.stem(m.path.name) for m in b.members} - own
    config: dict[str, Scalar] = {}
    sources = []
    for path in b.configs:
        if path_words.stem(path.name) in others:
            continue
        found, notes = files.read_config(path)
        config.update(found)
        try:
            size = path.stat().st_size
        except OSError:
            size = 0
        sources.append(Source(path_words.relative_name(path, b.root), "config", 0, size, tuple(notes)))
    return config, sources


def _lost(m: Member, path: str, logs: Sequence[Log], troubles: Mapping[Path, str]) -> tuple[Unreadable, bool]:
    """A file that gave no run, why, and whether that is a loss."""
    if m.path in troubles:
        return Unreadable(path, troubles[m.path]), True
    single = [m for log in logs for m in log.points["metric"].to_list()] if sum(x.height for x in logs) < _FEW else []
    if single and len(set(single)) == len(single):
        return Unreadable(path, f"no curve: each of its {len(single):,} metrics has one value"), False
    notes: list[Note] = [n for log in logs for n in log.notes]
    bad = next((n for n in notes if n.kind not in ("garbage-lines", "empty")), None)
    if bad is not None:
        return Unreadable(path, bad.text), True
    lines = sum(log.is_text and len(log.messages) for log in logs)
    return Unreadable(path, f"{lines:,} lines of text, and no metric" if lines else "nothing in it is a metric"), False
