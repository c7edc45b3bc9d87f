"""What the names of metrics and files of one folder say of each other: several trainings side by side, which are runs
of their own, and columns that are called by a part of the data alone in files that are called by what they measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl

from curvedoc.core.block import Block
from curvedoc.core.run import empty_messages
from curvedoc.ingest.assemble.groups import Piece, piece
from curvedoc.ingest.find import path_words
from curvedoc.ingest.naming.log_words import is_outcome
from curvedoc.ingest.naming.variants import side_by_side
from curvedoc.ingest.table.values import split_of

#: Formats of one run a file or folder, whatever its metrics are called.
_OF_ONE_RUN = frozenset(
    ("tensorboard", "wandb", "wandb-dir", "wandb-export", "swanlab", "mlflow", "mlflow-db", "aim", "trackio", "sacred",
     "tracker-json", "hf-state", "catboost")
)  # fmt: skip


def apart(pieces: Sequence[Piece]) -> list[tuple[str, list[Piece]]]:
    """(name, pieces) of each training in pieces that were taken for one; ("", all of them) where they are one."""
    whole = [("", list(pieces))]
    if any(p.log.format in _OF_ONE_RUN or p.prefix or p.rank for p in pieces):
        return whole
    names = [s.metric for p in pieces for s in p.strands if len(s) > 1]
    if len(set(names)) < 2:
        return whole
    found = side_by_side(names, path_words.stem(pieces[0].member.path.name) if len(pieces) == 1 else "")
    return [(label, [p for q in pieces if (p := _of(q, own, not i)) is not None]) for i, (label, own) in
            enumerate(found.items())] or whole  # fmt: skip


def _of(whole: Piece, own: Mapping[str, str], first: bool) -> Piece | None:
    """What a piece holds of one training, under the names that its metrics have within it."""
    log = whole.log
    kept: pl.DataFrame | tuple[Block, ...]
    if isinstance(log.data, tuple):
        kept = tuple(replace(b, metric=own[b.metric]) for b in log.data if b.metric in own)
    else:
        kept = log.data.filter(log.data["metric"].is_in(list(own))).with_columns(pl.col("metric").replace(dict(own)))
    if not len(kept):
        return None
    messages = log.messages if first else empty_messages()
    return piece(whole.member, replace(log, data=kept, messages=messages))


def named_by_file(pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces, each such column with the name of its file ahead; all as they are where files are called alike, or
    by nothing that is measured."""
    bare = [p for p in pieces if p.strands and all(split_of(s.metric) for s in p.strands)]
    stems = [path_words.stem(p.member.path.name) for p in bare]
    if len(bare) < 2 or len(set(stems)) < len(stems) or not all(map(is_outcome, stems)):
        return list(pieces)
    return [_called(p, path_words.stem(p.member.path.name)) if p in bare else p for p in pieces]


def _called(p: Piece, stem: str) -> Piece:
    data = p.log.data
    if isinstance(data, pl.DataFrame):
        return piece(p.member, replace(p.log, data=data.with_columns((f"{stem}/" + pl.col("metric")).alias("metric"))))
    return piece(p.member, replace(p.log, data=tuple(replace(b, metric=f"{stem}/{b.metric}") for b in data)))
