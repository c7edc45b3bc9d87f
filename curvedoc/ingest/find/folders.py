"""Folders that belong to one run, folded into one draft: train/ and validation/, ranks, checkpoints, W&B's nest."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from curvedoc.core.diagnosis import Unreadable
from curvedoc.core.frozen import dataclass
from curvedoc.ingest.find import path_words
from curvedoc.ingest.find.walk import File, Finds, Folder

#: Formats of whole runs. Two of these in one folder and one below it are two runs; a text log is company for any.
_TEXT = "text"
#: Where an event file's first tags stand, and how many ways to cut a folder's name into tag and sub-tag are tried.
_FIRST_TAGS = 4096
_CUTS = 20
#: The file of a checkpoint folder that tells the run's whole history so far.
_STATE = "trainer_state.json"


@dataclass(frozen=True, slots=True)
class FolderPart:
    """One file and what its path says of it."""

    file: File
    prefix: str = ""
    rank: int | None = None
    attempt: int = 0


@dataclass(frozen=True, slots=True)
class Draft:
    """The files that belong to one run, found in and below one folder."""

    folder: Path
    parts: tuple[FolderPart, ...]
    configs: tuple[Path, ...] = ()


def gather(top: Folder, finds: Finds) -> list[Draft]:
    """The drafts of runs in and below a folder, in walk order."""
    order: list[Folder] = []
    todo = [top]
    while todo:
        folder = todo.pop()
        order.append(folder)
        todo.extend(reversed(folder.folders))
    done: dict[int, list[Draft]] = {}
    for folder in reversed(order):  # children before parents, without recursion: a hostile tree may be 2,000 deep
        below = [(f.path.name, done.pop(id(f))) for f in folder.folders]
        done[id(folder)] = _fold(folder, below, finds)
    return done[id(top)]


def _fold(folder: Folder, below: list[tuple[str, list[Draft]]], finds: Finds) -> list[Draft]:
    """The drafts of one folder, given those of the folders in it."""
    parts = [
        FolderPart(f, rank=path_words.rank_of_file(f.path.name), attempt=-path_words.rotation(f.path.name)[1])
        for f in folder.files
    ]
    parts = _bare_ranks(parts)
    configs = list(folder.configs)
    for sub, (name, drafts) in zip(folder.folders, below, strict=True):
        if not drafts and name.lower() in path_words.CONFIG_FOLDERS:
            configs.extend(sub.configs)
    below = [(name, drafts) for name, drafts in below if drafts]
    kept: list[tuple[str, list[Draft]]] = []
    news = _newest_state(folder, below, finds)
    for name, drafts in below:
        if name in news:
            parts.extend(news[name])
            continue
        got = _folded(folder, parts, below, name, drafts)
        if got is None:
            kept.append((name, drafts))
        else:
            parts.extend(got)
            configs.extend(c for d in drafts for c in d.configs)
    kept = _same_wandb_id(kept)
    rest = [d for _, drafts in kept for d in drafts]
    if not parts:
        if len(rest) == 1:
            return [replace(rest[0], configs=(*configs, *rest[0].configs))]
        # A configuration beside several runs is the one they share, unless a run has its own.
        return [d if d.configs else replace(d, configs=tuple(configs)) for d in rest]
    if len(rest) == 1 and _company(kept[0][0], parts, rest[0]):
        inner = rest[0]
        return [Draft(folder.path, (*parts, *inner.parts), (*configs, *inner.configs))]
    return [Draft(folder.path, tuple(parts), tuple(configs)), *rest]


def _folded(
    folder: Folder, parts: list[FolderPart], below: list[tuple[str, list[Draft]]], name: str, drafts: list[Draft]
) -> list[FolderPart] | None:
    """The parts of one sub-folder as parts of its parent, or None where it is a run of its own."""
    inner = [p for d in drafts for p in d.parts]
    prefix = path_words.split_of(name)
    # "test" among other experiments is an experiment; among its like, or beside a log, it is a split.
    if prefix and len(drafts) == 1 and (parts or all(_belongs(n) for n, _ in below)):
        return [p if _says_other(p, prefix) else replace(p, prefix=prefix + p.prefix) for p in inner]
    if path_words.is_ghost(name) and any("tfevents" in p.file.path.name for p in parts):
        return inner
    rank = path_words.rank_of_folder(name)
    if rank is not None and len(drafts) == 1:
        return [replace(p, rank=rank if p.rank is None else p.rank) for p in inner]
    attempt = path_words.attempt_of(name)
    if attempt is not None:
        return [
            replace(p, attempt=attempt, rank=_numbered(p.file.path, name) if p.rank is None else p.rank) for p in inner
        ]
    if path_words.wandb_run(folder.path.name) and name == "files":
        return inner
    return _scalars_group(folder.path, inner, parts)


def _says_other(part: FolderPart, prefix: str) -> bool:
    """Whether a file's own name says another split than its folder does: "eval/training_loss.csv"."""
    said, _ = path_words.file_split(path_words.stem(part.file.path.name))
    return said not in ("", prefix)


def _belongs(name: str) -> bool:
    """Whether a folder of this name can be a part of its parent's run."""
    return bool(path_words.split_of(name)) or path_words.is_ghost(name) or path_words.checkpoint_of(name) is not None


def _bare_ranks(parts: list[FolderPart]) -> list[FolderPart]:
    """Ranks of files like out-0, out-1: the numbers of one stem must run from 0 without a gap."""
    sets: dict[tuple[str, str], set[int]] = {}
    for p in parts:
        found = path_words.unnamed_rank(p.file.path.name)
        if found and p.rank is None:
            sets.setdefault((found[0], p.file.path.suffix), set()).add(found[1])
    good = {k for k, numbers in sets.items() if len(numbers) > 1 and numbers == set(range(len(numbers)))}
    out = []
    for p in parts:
        found = path_words.unnamed_rank(p.file.path.name)
        fits = found is not None and p.rank is None and (found[0], p.file.path.suffix) in good
        out.append(replace(p, rank=found[1]) if found and fits else p)
    return out


def _numbered(path: Path, above: str) -> int | None:
    """The rank in a torchrun path, .../attempt_0/<rank>/stdout.log."""
    names = path.parts[:-1]
    if above in names:
        after = names[names.index(above) + 1 :]
        if after and after[0].isdecimal() and len(after[0]) < 6:
            return int(after[0])
    return None


def _newest_state(folder: Folder, below: list[tuple[str, list[Draft]]], finds: Finds) -> dict[str, list[FolderPart]]:
    """What checkpoint folders give to the run: the newest trainer state, for each name the parts taken from it."""
    steps: dict[str, int] = {}
    for name, drafts in below:
        step = path_words.checkpoint_of(name)
        names = [p.file.path.name for d in drafts for p in d.parts]
        if step is not None and (_STATE in names or any(f.path.name == _STATE for f in folder.files)):
            steps[name] = step
    if not steps:
        return {}
    states = {
        n: [p for d in drafts for p in d.parts if p.file.path.name == _STATE] for n, drafts in below if n in steps
    }
    own = any(f.path.name == _STATE for f in folder.files)  # written at the end, with all that the checkpoints have
    newest = None if own else max((n for n in steps if states[n]), key=lambda n: steps[n], default=None)
    for name in steps:
        if name != newest:
            finds.ignored.extend(
                Unreadable(str(p.file.path), "an older copy of a later trainer state") for p in states[name]
            )
    return {n: states[n] if n == newest else [] for n in steps}


def _same_wandb_id(kept: list[tuple[str, list[Draft]]]) -> list[tuple[str, list[Draft]]]:
    """W&B run folders of one id as one draft: a resumed run, its parts in order of time."""
    by_id: dict[str, list[tuple[str, str, list[Draft]]]] = {}
    for name, drafts in kept:
        run = path_words.wandb_run(name)
        if run and len(drafts) == 1:
            by_id.setdefault(run[1], []).append((run[0], name, drafts))
    joined: dict[str, list[Draft]] = {}
    gone: set[str] = set()
    for pieces in by_id.values():
        if len(pieces) > 1:
            pieces.sort(key=lambda p: p[0])
            parts = [replace(p, attempt=i) for i, (_, _, ds) in enumerate(pieces) for p in ds[0].parts]
            configs = [c for _, _, ds in pieces for c in ds[0].configs]
            joined[pieces[0][1]] = [Draft(pieces[0][2][0].folder, tuple(parts), tuple(configs))]
            gone.update(name for _, name, _ in pieces[1:])
    return [(name, joined.get(name, drafts)) for name, drafts in kept if name not in gone]


def _company(name: str, parts: Iterable[FolderPart], inner: Draft) -> bool:
    """Whether the only run below a folder is the one that the folder's own files are about."""
    if path_words.is_container(name):
        return True
    own = {p.file.reader for p in parts}
    return own <= {_TEXT} or not own & {p.file.reader for p in inner.parts}


def _scalars_group(folder: Path, inner: list[FolderPart], parts: list[FolderPart]) -> list[FolderPart] | None:
    """Event files of `add_scalars`, under the sub-tag that their folder names: <tag>_<sub-tag>/ as torch writes it or
    <tag>/<sub-tag>/ as tensorboardX does, where the file itself knows only <tag>. Without the writer's own event file
    beside them the sub-tag must be a split."""
    if not all("tfevents" in p.file.path.name for p in inner):
        return None
    rooted = any("tfevents" in p.file.path.name for p in parts)
    out = []
    for p in inner:
        key = _sub_tag(p.file.path.parent.relative_to(folder).as_posix(), p.file.head[:_FIRST_TAGS])
        if key is None or not (rooted or path_words.split_of(key)):
            return None
        out.append(p if p.prefix else replace(p, prefix=f"{key}/"))
    return out


def _sub_tag(place: str, head: bytes) -> str | None:
    """What follows in a folder's place after a tag that the event file holds."""
    for cut in [i for i, c in enumerate(place) if c in "_/"][:_CUTS]:
        tag = place[:cut].encode()
        spelled = re.escape(tag).replace(b"_", b"[_/ ]")
        if (
            0 < len(tag) < 128
            and cut + 1 < len(place)
            and re.search(b"\n" + re.escape(bytes([len(tag)])) + spelled, head)
        ):
            return place[cut + 1 :]
    return None
