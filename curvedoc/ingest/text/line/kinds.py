"""What each line of a text log is taken for: its own plan, and how often and beside what it stands."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl

from curvedoc.ingest.naming.log_words import is_loss, is_outcome, is_rate, is_usual
from curvedoc.ingest.naming.split_words import SCOPES, has_scope, scope_of
from curvedoc.ingest.text.line.plan import HABIT, LinePlan, shape_of
from curvedoc.ingest.text.line.slots import METRIC, STEP

#: A line that sets so many things at once is no record.
_SETTINGS = 8
#: So many sentences that tell a loss are records, whatever counts them.
_MANY = 100
#: A line that sets one thing, and so many of them that follow each other.
_SET_RE, _BLOCK = r"^\s*[A-Za-z_][\w./-]*\s*[:=]", 4
#: Fewer bests, or rates, make no curve.
_FEW = 3
#: A line of one pair belongs to the record so many lines away.
_NEAR = 4


def with_kinds(lines: pl.DataFrame, plans: list[LinePlan]) -> pl.DataFrame:
    """Adds `kind`: what each line is taken for in this log ("" for a message)."""
    tid = lines["tid"].to_numpy()
    kind = np.array([p.kind for p in plans], dtype=object)[tid]
    kind[lines["taken"].to_numpy()] = ""
    context = bool((kind == "anchor").any())
    shapes = [shape_of(p) for p in plans]
    often = _counted(tid[kind == "loose"], shapes)
    once = np.array([often[s] < 2 for s in shapes], bool)[tid]
    ahead = np.maximum.accumulate((kind == "anchor") | (kind == "record")) == 0
    kind[(kind == "loose") & once & (ahead | (not context))] = ""
    # a sentence is a record where it comes again with other numbers
    spoken = kind == "spoken"
    said = _counted(tid[spoken], shapes)
    again = [said[shapes[t]] >= HABIT for t in tid[spoken]]
    among = bool(((kind == "record") & np.array([p.counted for p in plans], bool)[tid]).any())
    among |= any(often and plans[t].counted for t, often in zip(tid[spoken], again, strict=True))
    many = [said[s] >= _MANY and any(is_loss(x.name) for x in p.slots) for s, p in zip(shapes, plans, strict=True)]
    kept = [often and (among or plans[t].counted or many[t]) for t, often in zip(tid[spoken], again, strict=True)]
    kind[spoken] = np.where(kept, "record", "")
    pairs = kind == "pairs"
    paired = _counted(tid[pairs], shapes)
    told = _counted(tid[(kind == "record") | (kind == "loose")], shapes)
    alone = max(told.values(), default=0) < HABIT
    kind[pairs] = ["record" if alone and paired[shapes[t]] >= HABIT else "" for t in tid[pairs]]
    # "[4] id=1" is a list of something where the training counts by name
    counted = np.array([p.counted for p in plans], bool)[tid]
    usual = np.array([any(is_usual(x.name) for x in p.slots if x.role == METRIC) for p in plans], bool)[tid]
    if int((counted & usual & (kind == "record")).sum()) >= HABIT:
        kind[(kind == "record") & ~counted & ~usual] = ""
    kind[_counted_again(kind, tid, plans)] = ""
    kind[_settings(kind, tid, shapes, plans) | _dumped(lines, kind, tid, shapes)] = ""
    kind[kind == "best"] = "loose" if _only_bests(kind, tid, plans) else ""
    # members count only in a block right under an anchor
    chained = (kind == "member") | (kind == "loose")
    if chained.any():
        chained &= lines["text"].str.contains(r"^[ \t]").to_numpy()
    opener = np.maximum.accumulate(np.where(chained, -1, np.arange(len(kind))))
    under = (opener >= 0) & (kind[np.maximum(opener, 0)] == "anchor")
    split = np.array([any(has_scope(x.name) for x in p.slots) for p in plans], bool)[tid]
    kind[_beside(kind, tid, shapes, usual | split) | _both_splits(kind, tid, plans)] = "loose"
    kind[(kind == "member") & ~(chained & under)] = ""
    return lines.hstack([pl.Series("kind", kind.tolist(), dtype=pl.String)])


def _only_bests(kind: np.ndarray, tid: np.ndarray, plans: list[LinePlan]) -> bool:
    """Whether the lines of the best value so far, several, are all that tells of unseen data."""
    known = np.unique(tid[(kind == "record") | (kind == "loose")])
    told = {scope_of(s.name) for t in known for s in plans[t].slots if s.role == METRIC and is_outcome(s.name)}
    return int((kind == "best").sum()) >= _FEW and told <= {"", "train", "train_inner"}


def _counted_again(kind: np.ndarray, tid: np.ndarray, plans: list[LinePlan]) -> np.ndarray:
    """The lines of a step alone that close what another such line opened, block by block: "Learning iteration 3/1500"
    counts what stands below it, "Total timesteps: 98304" under that says it otherwise."""
    named = [p.slots[0].name if p.kind == "anchor" and [s.role for s in p.slots] == [STEP] else "" for p in plans]
    said = np.array(named, dtype=object)[tid]
    said[kind != "anchor"] = ""
    out = np.zeros(len(kind), bool)
    at = np.flatnonzero(said != "")
    names = list(dict.fromkeys(said[at].tolist()))
    if len(names) < 2:
        return out
    opens = np.flatnonzero(said == names[0])
    for name in names[1:]:
        mine = np.flatnonzero(said == name)
        block = np.searchsorted(opens, mine)
        if len(opens) >= HABIT and len(mine) >= len(opens) - 1 and np.array_equal(block, np.arange(1, len(mine) + 1)):
            out[mine] = True
    return out


def _counted(tid: np.ndarray, shapes: list[tuple[str, ...]]) -> Counter[tuple[str, ...]]:
    """How many of these lines have each shape."""
    out: Counter[tuple[str, ...]] = Counter()
    for t, n in enumerate(np.bincount(tid).tolist()):
        if n:
            out[shapes[t]] += n
    return out


def _both_splits(kind: np.ndarray, tid: np.ndarray, plans: list[LinePlan]) -> np.ndarray:
    """The lines of one pair called by a split alone, where counters stand alone beside such lines of two splits."""
    said = [SCOPES.get(p.slots[0].name.lower(), "") if p.kind == "member" and len(p.slots) == 1 else "" for p in plans]
    if len(set(said)) <= 2:  # as of most logs
        return np.zeros(len(kind), bool)
    of = np.array(said, dtype=object)[tid]
    often = Counter(of[kind == "member"].tolist())
    alone = 2 * int(((of != "") & (kind == "member")).sum()) >= len(kind)  # a log of nothing else
    both = sum(often[s] >= HABIT for s in often if s) > 1 and (alone or int((kind == "anchor").sum()) >= HABIT)
    return np.asarray((of != "") & (kind == "member"), bool) & both


def _beside(kind: np.ndarray, tid: np.ndarray, shapes: list[tuple[str, ...]], usual: np.ndarray) -> np.ndarray:
    """The lines of one pair, of a name that logs usually carry, that come again and again right beside records
    ("lr: 0.1" below "epoch: 3 loss: 0.5")."""
    out = np.zeros(len(kind), bool)
    record = np.flatnonzero((kind == "record") | (kind == "loose"))
    at = np.flatnonzero((kind == "member") & usual)
    if not len(record) or not len(at):
        return out
    after = np.searchsorted(record, at)
    gap = np.minimum(
        np.abs(record[np.minimum(after, len(record) - 1)] - at), np.abs(at - record[np.maximum(after - 1, 0)])
    )
    near = _counted(tid[at[gap <= _NEAR]], shapes)
    # a rate is set anew once an epoch, of which there may be few
    out[at] = [near[shapes[t]] >= (_FEW if all(map(is_rate, shapes[t])) else HABIT) for t in tid[at]]
    return out


def _settings(kind: np.ndarray, tid: np.ndarray, shapes: list[tuple[str, ...]], plans: list[LinePlan]) -> np.ndarray:
    """The lines of many numbers that stand once, ahead of all records that come again, and share no name with these
    (without such records, lines of which few names are what logs carry); shorter ones too where they name no outcome:
    settings ("epochs=100, batch=16, lr0=0.01, momentum=0.937 ...")."""
    out = np.zeros(len(kind), bool)
    at = np.flatnonzero(kind == "record")
    often = _counted(tid[at], shapes)
    names = {n for shape, count in often.items() if count >= HABIT for n in shape}
    beside = Counter(n for shape in often for n in set(shape))
    for i in at:
        shape = shapes[tid[i]]
        if often[shape] >= HABIT:
            break
        measured = [s.name for s in plans[tid[i]].slots if s.role == METRIC]
        # the last record of an excerpt may be cut: it goes on as the records before it do
        among = any(beside[n] > 1 for n in measured)
        other = names.isdisjoint(measured) if names else 2 * sum(map(is_usual, measured)) < len(measured) and not among
        few = len(shape) < _SETTINGS and (not names or any(map(is_outcome, measured)))
        out[i] = often[shape] == 1 and other and not few
    return out


def _dumped(lines: pl.DataFrame, kind: np.ndarray, tid: np.ndarray, shapes: list[tuple[str, ...]]) -> np.ndarray:
    """The loose lines among settings: in a block of lines that set one thing each, ahead of all records that come
    again; and the same lines wherever the block is printed again with the same values."""
    out = np.zeros(len(kind), bool)
    at = np.flatnonzero(kind == "record")
    often = _counted(tid[at], shapes)
    first = next((int(i) for i in at if often[shapes[tid[i]]] >= HABIT), 0)
    if not bool((kind[:first] == "loose").any()):
        return out
    sets = lines["text"].head(first).str.contains(_SET_RE).to_numpy()
    block = np.cumsum(np.r_[True, sets[1:] != sets[:-1]])
    whole = np.bincount(block)
    other = np.bincount(block, (kind[:first] != "loose") & (kind[:first] != "record"))
    among = (sets & (whole >= _BLOCK)[block] & (2 * other >= whole)[block]) & (kind[:first] == "loose")
    said = {shapes[t] for t in tid[:first][among].tolist()}
    mine = np.flatnonzero((kind == "loose") & np.array([s in said for s in shapes], bool)[tid])
    values: dict[tuple[str, ...], set[str]] = {}
    for i, tokens in zip(mine.tolist(), lines["tokens"].gather(mine).list.join(" ").to_list(), strict=True):
        values.setdefault(shapes[tid[i]], set()).add(tokens)
    out[mine] = [len(values[shapes[t]]) == 1 for t in tid[mine].tolist()]
    return out
