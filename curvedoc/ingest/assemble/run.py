"""The logs of one run -> Run: steps, restarts, ranks, copies, roles, settings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

from curvedoc.core.run import MESSAGES, Note, RoleMatch, Run, Scalar, Source, empty_messages
from curvedoc.ingest.assemble import (
    axis,
    batch_evals,
    duplicates,
    nulls,
    repeated_evals,
    restarts,
    short_windows,
    summaries,
    unlogged_losses,
)
from curvedoc.ingest.assemble.copies import without_copies
from curvedoc.ingest.assemble.groups import Piece
from curvedoc.ingest.assemble.stream_curves import StreamBlock, blocks, spliced
from curvedoc.ingest.find.path_words import relative_name
from curvedoc.ingest.find.plan import Bundle
from curvedoc.ingest.naming.canonical_settings import settings_of
from curvedoc.ingest.naming.roles import Facts, assign, facts
from curvedoc.ingest.naming.signals import Signals

#: The order in which axes are preferred where a run's files count differently.
_AXES = ("step", "samples", "epoch", "row")
#: Lightning writes this into a curve that was never logged.
_PLACEHOLDER = ("hp_metric", -1.0)
_VS_SAMPLES = " vs samples"
#: A counter that restarts a thousand times is told this often.
_NOTES = 20


def assemble(
    name: str,
    bundle: Bundle,
    pieces: Sequence[Piece],
    config: Mapping[str, Scalar],
    config_sources: Sequence[Source],
    table: Signals,
    chosen: Mapping[str, str],
) -> Run:
    """One run from the pieces that belong to it, in the order in which they were written.

    config: what the configuration files say; what the logs themselves say goes over it
    """
    merged: dict[str, Scalar] = dict(config)
    for p in pieces:
        merged.update(p.log.config)
    strands, axes, notes = _streams(pieces)
    files = _stream_files(pieces, bundle.base)
    strands, converted = _one_axis(strands, axes, merged, table)
    worth = {stream: _rank_axis(a) for stream, a in axes.items()}
    strands, copies = duplicates.drop_copies(strands, table, files, worth)
    strands = [s for s in strands if len(s)]
    run_axis = _axis(strands, axes)
    settings = settings_of(merged, table)
    roles = assign(_facts(strands), table, chosen, settings)
    strands, held_told = repeated_evals.without_repeats(strands, roles)
    strands, means_told = batch_evals.with_means(strands, roles)
    strands, roles, taken_told = unlogged_losses.with_losses(strands, roles)
    strands, roles, summed_told = unlogged_losses.with_sums(strands, roles)
    strands, short_told = short_windows.without_short_windows(strands, roles)
    _observe_epochs(settings, strands, roles)
    return Run(
        name=name,
        data=blocks(strands),
        messages=_messages(pieces, bundle.base, _spans(strands), bool(roles)),
        roles=roles,
        config=merged,
        settings=settings,
        sources=(*(_source(p, bundle.root) for p in pieces), *config_sources),
        notes=_few(
            [
                *notes,
                *converted,
                *copies,
                *held_told,
                *means_told,
                *taken_told,
                *summed_told,
                *short_told,
                *_endings(pieces),
            ]
        ),
        axis=run_axis,
        quiet=bundle.quiet,
        has_text=any(p.log.is_text for p in pieces),
    )


def _key(p: Piece) -> tuple[str, str]:
    return p.log.format, p.prefix


def _stream_files(pieces: Sequence[Piece], base: Path) -> dict[int, str]:
    """What a stream is called in notes: its file with the most points."""
    best: dict[tuple[str, str], Piece] = {}
    for p in pieces:
        if _key(p) not in best or p.points > best[_key(p)].points:
            best[_key(p)] = p
    return {i: relative_name(p.member.path, base) for i, p in enumerate(best.values())}


def _streams(pieces: Sequence[Piece]) -> tuple[list[StreamBlock], dict[int, str], list[Note]]:
    """Every strand with its final step, segment and flags; the axis of each stream; notes."""
    groups: dict[tuple[str, str], list[Piece]] = defaultdict(list)
    for p in pieces:
        groups[_key(p)].append(p)
    out: list[StreamBlock] = []
    axes: dict[int, str] = {}
    notes: list[Note] = []
    for stream, everything in enumerate(groups.values()):
        group, gone = without_copies(everything)
        notes += [Note("duplicate-file", f"{p.member.path.name} repeats {q.member.path.name}") for p, q in gone]
        pieced = [
            replace(s, stream=stream, file=np.full(len(s), at, dtype=np.int64)) if stream or at else s
            for at, p in enumerate(group)
            for s in p.strands
        ]
        strands = _without_placeholders(spliced(pieced))
        strands, told = nulls.settle_nulls(strands)
        strands, summaries_told = summaries.without_summaries(strands)
        notes += [*told, *summaries_told]
        counts = [p.log.axis for p in group if p.points]
        axes[stream] = min(counts, key=_rank_axis) if counts else "step"
        by_rank: dict[int, list[StreamBlock]] = defaultdict(list)
        for s in strands:
            by_rank[s.rank].append(s)
        for mine in by_rank.values():
            numbered, rows, told = axis.number_rows(mine)
            if rows:
                axes[stream] = "row"
            marked, rewound = restarts.mark(numbered)
            out += marked
            notes += [*told, *rewound]
    return out, axes, notes


def _rank_axis(name: str) -> int:
    return _AXES.index(name) if name in _AXES else len(_AXES)


def _axis(strands: Sequence[StreamBlock], axes: Mapping[int, str]) -> str:
    """What the run's steps are: the most exact axis among the streams that still have points."""
    return min((axes[s.stream] for s in strands), key=_rank_axis, default="step")


def _without_placeholders(strands: list[StreamBlock]) -> list[StreamBlock]:
    """The strands without Lightning's placeholder and without Megatron's second copy against samples."""
    names = {s.metric for s in strands}
    return [
        s
        for s in strands
        if not (s.metric.rsplit("/", 1)[-1] == _PLACEHOLDER[0] and bool((s.value == _PLACEHOLDER[1]).all()))
        and not (s.metric.endswith(_VS_SAMPLES) and s.metric.removesuffix(_VS_SAMPLES) in names)
    ]


def _one_axis(
    strands: list[StreamBlock], axes: dict[int, str], config: Mapping[str, Scalar], table: Signals
) -> tuple[list[StreamBlock], list[Note]]:
    """Streams that count epochs beside streams that count steps are put on steps, by the epoch metric or the length.

    Steps that go no further than the epochs are epochs themselves.
    """
    by_epoch = {s for s, a in axes.items() if a == "epoch"}
    by_step = [s for s in strands if axes[s.stream] == "step"]
    if not by_epoch or not by_step:
        return strands, []
    epoch = next((s for s in by_step if s.metric.rsplit("/", 1)[-1].lower() == "epoch" and len(s) > 1), None)
    last = max(int(s.step.max()) for s in by_step if len(s))
    if last <= max((int(s.step.max()) for s in strands if s.stream in by_epoch and len(s)), default=-1):
        axes.update({s.stream: "epoch" for s in by_step})
        return strands, []
    settings = settings_of(config, table)
    per = settings.get("steps_per_epoch")
    out: list[StreamBlock] = []
    for s in strands:
        if s.stream not in by_epoch or not len(s):
            out.append(s)
            continue
        if epoch is not None and bool((np.diff(epoch.value) >= 0).all()):
            at = np.searchsorted(epoch.value, s.step, side="right") - 1
            step = np.where(at >= 0, epoch.step[np.maximum(at, 0)], 0)
        else:
            stride = float(per) if isinstance(per, int | float) else last / max(1, int(s.step.max()) + 1)
            step = np.minimum(np.rint((s.step + 1) * stride - 1), last)
        out.append(replace(s, step=np.asarray(step, dtype=np.int64)))
    for stream in by_epoch:
        axes[stream] = "step"
    return out, [Note("step-from-epoch", "values logged per epoch were placed at the epoch's last step")]


def _facts(strands: Sequence[StreamBlock]) -> list[Facts]:
    """One fact per metric, of its lowest rank, in order of first appearance; superseded points count for nothing."""
    lowest: dict[str, StreamBlock] = {}
    for s in strands:
        if s.metric not in lowest or s.rank < lowest[s.metric].rank:
            lowest[s.metric] = s
    spans = _spans(strands)
    whole = max((high for _, high in spans.values()), default=0) - min((low for low, _ in spans.values()), default=0)
    cover = {key: (high - low) / max(1, whole) for key, (low, high) in spans.items()}
    return [
        facts(m, s.value if s.superseded is None else s.value[~s.superseded], cover[id(s.step)])
        for m, s in lowest.items()
    ]


def _spans(strands: Sequence[StreamBlock]) -> dict[int, tuple[int, int]]:
    """By array of steps, which most strands share: the lowest and the highest."""
    steps = {id(s.step): s.step for s in strands if len(s)}
    return {key: (int(step[step.argmin()]), int(step[step.argmax()])) for key, step in steps.items()}


def _observe_epochs(settings: dict[str, Scalar], strands: Sequence[StreamBlock], roles: Sequence[RoleMatch]) -> None:
    """steps_per_epoch from the epoch counter where the configuration does not say."""
    match = next((m for m in roles if m.role == "epoch"), None)
    if "steps_per_epoch" in settings or match is None:
        return
    s = next(s for s in strands if s.metric == match.metric)
    up = np.flatnonzero(s.value[1:] > s.value[:-1]) + 1
    if len(up) < 2 or not bool(np.isfinite(s.value).all()) or not bool((np.diff(s.value) >= 0).all()):
        return
    first, last = up[0], up[-1]
    rise = float(s.value[last] - s.value[first])
    steps = float(s.step[last] - s.step[first])
    if rise > 0 and steps / rise >= 1:
        settings["steps_per_epoch"] = round(steps / rise, 2)


def _messages(pieces: Sequence[Piece], base: Path, spans: Mapping[int, tuple[int, int]], trains: bool) -> pl.DataFrame:
    """The lines of all text logs, each with its file and rank.

    A file that counts no steps itself (what a program printed beside its event files) says nothing of where its lines
    belong, but a traceback is the last that a program prints, at the last step of the run. Where no curve is one of
    training (trains), what was counted are no steps: a list of samples, say.
    """
    parts = []
    end = max((high for _, high in spans.values()), default=None)
    for p in pieces:
        if len(p.log.messages):
            m = p.log.messages
            source = relative_name(p.member.path, base)
            rank = pl.col("rank").fill_null(p.rank or 0)
            if p.rank:
                rank = pl.when(rank == 0).then(p.rank).otherwise(rank)
            named = pl.when(pl.col("source").fill_null("") == "").then(pl.lit(source)).otherwise(pl.col("source"))
            step = pl.col("step") if trains else pl.lit(None, dtype=pl.Int64)
            if trains and not p.points and end is not None and m["step"].null_count() == len(m):
                step = pl.when(pl.col("level") == "TRACEBACK").then(end).otherwise(step).cast(pl.Int64)
            parts.append(m.with_columns(named.alias("source"), rank.cast(pl.Int32).alias("rank"), step.alias("step")))
    return pl.concat(parts).select(list(MESSAGES)) if parts else empty_messages()


def _source(p: Piece, root: Path) -> Source:
    return Source(
        relative_name(p.member.path, root), p.log.format, p.points, p.log.bytes or p.member.bytes, p.log.notes
    )


def _endings(pieces: Sequence[Piece]) -> list[Note]:
    """A log whose writer was killed says so, unless a later part of the run was closed properly."""
    known = [p for p in pieces if p.log.clean_end is not None]
    if known and known[-1].log.clean_end is False:
        return [
            Note(
                "no-clean-end",
                f"{known[-1].member.path.name} was not closed by its writer: the process was killed or still runs",
            )
        ]
    return []


def _few(notes: Sequence[Note]) -> tuple[Note, ...]:
    """The notes, at most `_NOTES` of a kind."""
    seen: dict[str, int] = defaultdict(int)
    out = []
    for n in notes:
        seen[n.kind] += 1
        if seen[n.kind] <= _NOTES:
            out.append(n)
    return tuple(out)
