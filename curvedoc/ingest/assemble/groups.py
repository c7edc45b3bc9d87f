"""The logs of one folder -> the runs they are about: ranks, restarts and splits together, strangers apart."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from curvedoc.core.frozen import dataclass
from curvedoc.ingest.assemble.likeness import conflict
from curvedoc.ingest.assemble.stream_curves import StreamBlock, unravel
from curvedoc.ingest.contract import Log
from curvedoc.ingest.find import path_words
from curvedoc.ingest.find.file_names import natural
from curvedoc.ingest.find.plan import Member

#: A file that begins this far into the steps of the one before it goes on from a checkpoint.
_RESUMED = 0.1
#: So many values of one metric are a training, however short.
_TRAINED = 5
_TENSORBOARD = "tensorboard"
_RATES = ("lr", "learning_rate")
#: Ranks of one run have one learning rate, printed with as many digits.
_APART = 0.01


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """One log, its strands, and what its path says."""

    member: Member
    log: Log
    strands: tuple[StreamBlock, ...]
    prefix: str = ""
    rank: int | None = None

    @property
    def points(self) -> int:
        """How many values the log has."""
        return sum(len(s) for s in self.strands)

    def clock(self) -> tuple[float, float]:
        """First and last time; NaN where the log has none."""
        times = [s.time[np.isfinite(s.time)] for s in self.strands]
        times = [t for t in times if len(t)]
        if not times:
            return float("nan"), float("nan")
        return min(float(t.min()) for t in times), max(float(t.max()) for t in times)

    def first_step(self) -> int:
        """The lowest step, 0 without any."""
        return min((int(s.step[s.known].min()) for s in self.strands if bool(s.known.any())), default=0)


def piece(member: Member, log: Log) -> Piece:
    """A log with its strands under the name and rank that its place in the tree gives them."""
    rank = log.rank if log.rank is not None else member.rank
    strands = unravel(log.data, 0, 0, rank, member.prefix)
    return Piece(member, log, tuple(strands), member.prefix, rank)


def runs_in(pieces: Sequence[Piece]) -> list[list[Piece]]:
    """The pieces that belong to one run, per run; each list in the order in which it was written."""
    if len(pieces) < 2:
        return [list(pieces)] if pieces else []
    pieces = _split_by_stem(_doubt_ranks(pieces))
    pieces = sorted(pieces, key=_when)
    by_format: dict[str, int] = defaultdict(int)
    for p in pieces:
        by_format[p.log.format] += p.points
    groups: list[list[Piece]] = []
    for p in sorted(pieces, key=lambda p: (p.points == 0, -by_format[p.log.format])):
        home = _home(p, groups)
        if home is None:
            groups.append([p])
        else:
            home.append(_with_rank(p, home))
    return [sorted(g, key=_when) for g in groups]


def _when(p: Piece) -> tuple[object, ...]:
    start = p.clock()[0]
    return p.member.attempt, start if start == start else float("inf"), p.first_step(), natural(str(p.member.path))


def _home(p: Piece, groups: list[list[Piece]]) -> list[Piece] | None:
    """The run a piece belongs to, None for a new one."""
    fitting = [g for g in groups if all(_fits(p, q) for q in g)]
    if len(groups) == 1:
        return fitting[0] if fitting else None
    # Of several runs in one folder, a file belongs to the one of its name; a launcher's log belongs to none of them.
    own = _whose(p)
    same = [g for g in fitting if any(_whose(q) == own for q in g)]
    return same[0] if same else None


def _whose(p: Piece) -> str:
    """What the name of a piece's file says but for the part of the data."""
    return path_words.file_split(path_words.stem(p.member.path.name))[1]


def _fits(p: Piece, q: Piece) -> bool:
    """Whether two pieces can be of one run."""
    if p.log.format != q.log.format or p.prefix != q.prefix:
        return True  # two formats of one run are compared value by value later
    if p.rank is not None and q.rank is not None and p.rank != q.rank:
        return True
    mine = {(s.metric, s.rank): s for s in p.strands}
    shared = [(mine[k], s) for s in q.strands if (k := (s.metric, s.rank)) in mine]
    shared = [(a, b) for a, b in shared if min(len(a), len(b)) > 1]
    if not shared:
        return True
    clashes = sum(conflict(a, b) for a, b in shared)
    if 2 * clashes <= len(shared):
        return True
    if p.member.attempt != q.member.attempt:
        return True
    if p.log.format == _TENSORBOARD:
        earlier, later = sorted((p, q), key=_when)
        return not _begins_anew(earlier, later, shared)  # else what overlaps are restarts or ranks
    return _resumed(p, q) or _resumed(q, p)


def _resumed(later: Piece, earlier: Piece) -> bool:
    """Whether one piece goes on where another was stopped: begins inside its steps and ends beyond them."""
    e0, e1, l0, l1 = *_reach(earlier), *_reach(later)
    if not l0 > e0 + _RESUMED * (e1 - e0) or l1 < e1:
        return False
    before, after = earlier.clock()[1], later.clock()[0]
    return not (np.isfinite(before) and np.isfinite(after)) or after >= before


def _begins_anew(earlier: Piece, later: Piece, shared: Sequence[tuple[StreamBlock, StreamBlock]]) -> bool:
    """Whether an event file is a training of its own: it begins where another began, after that had ended, which had
    got on. A start that died at once is an attempt of what came after it."""
    e0, e1, l0, l1 = *_reach(earlier), *_reach(later)
    ended, began = earlier.clock()[1], later.clock()[0]
    apart = bool(np.isfinite(ended) and np.isfinite(began) and ended <= began)
    return apart and l0 <= e0 + _RESUMED * (e1 - e0) and e1 - e0 > _RESUMED * (l1 - l0) and _long(earlier, shared)


def _long(p: Piece, shared: Sequence[tuple[StreamBlock, StreamBlock]]) -> bool:
    own = {id(s) for s in p.strands}
    return max(len(s) for pair in shared for s in pair if id(s) in own) >= _TRAINED


def _reach(p: Piece) -> tuple[int, int]:
    steps = [s.step[s.known] for s in p.strands if bool(s.known.any())]
    return min((int(s.min()) for s in steps), default=0), max((int(s.max()) for s in steps), default=0)


def _with_rank(p: Piece, group: Sequence[Piece]) -> Piece:
    """A TensorBoard file that was written while another with the same metrics was: another rank."""
    if p.log.format != _TENSORBOARD or p.rank is not None:
        return p
    taken = {q.rank or 0 for q in group if q.prefix == p.prefix and _together(p, q)}
    if not taken:
        return p
    rank = next(r for r in range(len(taken) + 1) if r not in taken)
    return replace(p, rank=rank, strands=tuple(replace(s, rank=rank) for s in p.strands)) if rank else p


def _together(p: Piece, q: Piece) -> bool:
    """Whether two event files share metrics, differ in them, and were written at the same time."""
    if p.log.format != q.log.format:
        return False
    (a0, a1), (b0, b1) = p.clock(), q.clock()
    if not (a0 < b1 and b0 < a1):
        return False
    mine = {s.metric: s for s in p.strands}
    return any(s.metric in mine and conflict(mine[s.metric], s) for s in q.strands)


def _doubt_ranks(pieces: Sequence[Piece]) -> list[Piece]:
    """Ranks that a bare number suggests (slurm-4711_1.out) are dropped where configurations or the learning rates that
    were logged differ: job arrays."""
    weak = [
        p for p in pieces if p.rank is not None and p.log.rank is None and path_words.unnamed_rank(p.member.path.name)
    ]
    configs = [p.log.config for p in weak if p.log.config]
    keys = {k for c in configs for k in c if "rank" not in k.lower() and "device" not in k.lower()}
    alike = all(c.get(k) == configs[0].get(k) for c in configs for k in keys)
    if alike and not any(_other_rate(weak[0], p) for p in weak[1:]):
        return list(pieces)
    return [
        replace(p, rank=None, strands=tuple(replace(s, rank=0) for s in p.strands)) if p in weak else p for p in pieces
    ]


def _other_rate(p: Piece, q: Piece) -> bool:
    """Whether two pieces log a learning rate, and at the steps of both another one."""
    rates = {s.metric: s for s in p.strands if s.metric.rsplit("/", 1)[-1].lower().replace(" ", "_") in _RATES}
    for b in q.strands:
        a = rates.get(b.metric)
        if a is None:
            continue
        steps, i, j = np.intersect1d(a.step[a.known], b.step[b.known], return_indices=True)
        mine, other = a.value[a.known][i], b.value[b.known][j]
        apart = np.abs(mine - other) > _APART * np.maximum(np.abs(mine), np.abs(other))
        if len(steps) > 1 and 2 * int(apart.sum()) > len(steps):
            return True
    return False


def _split_by_stem(pieces: Sequence[Piece]) -> list[Piece]:
    """Metrics of a file named after a split (val.csv beside train.csv) get that split's prefix where names collide."""
    seen: dict[tuple[str, str], list[tuple[str, Piece]]] = defaultdict(list)
    for p in pieces:
        prefix, rest = path_words.file_split(path_words.stem(p.member.path.name))
        seen[(p.log.format, rest)].append((prefix, p))
    prefixes: dict[int, str] = {}
    for group in seen.values():
        for prefix, p in group:
            names = {s.metric for s in p.strands}
            others = [q for other, q in group if other != prefix and names & {s.metric for s in q.strands}]
            if prefix in ("val/", "test/") and others:
                prefixes[id(p)] = prefix
    return [_prefixed(p, prefixes[id(p)]) if id(p) in prefixes else p for p in pieces]


def _prefixed(p: Piece, prefix: str) -> Piece:
    return replace(p, prefix=prefix, strands=tuple(replace(s, metric=prefix + s.metric) for s in p.strands))
