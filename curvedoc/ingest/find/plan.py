"""Which files form which run: a tree of claimed files, folded into bundles."""

from __future__ import annotations

import glob
import math
import os
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from curvedoc.core.diagnosis import Unreadable
from curvedoc.core.errors import UsageError
from curvedoc.core.frozen import dataclass
from curvedoc.ingest.contract import Reader
from curvedoc.ingest.find.contents import absent
from curvedoc.ingest.find.file_names import ARCHIVES
from curvedoc.ingest.find.folders import Draft, gather
from curvedoc.ingest.find.glob_matches import matches, top_of
from curvedoc.ingest.find.path_words import relative_name
from curvedoc.ingest.find.remote import local_copies
from curvedoc.ingest.find.walk import NOT_A_LOG, UNKNOWN_FORMAT, Finds, Folder, lies_outside, sort_file, walk
from curvedoc.ingest.naming.log_words import is_outcome
from curvedoc.ingest.registry import READERS

#: What a log may be called that no reader knew on a walk.
_TABLES = (".csv", ".tsv")
_DOCUMENTS = (".html", ".htm", ".md", ".rst")
_LOG_SUFFIXES = (*_TABLES, ".txt", ".log", ".out", ".err", ".dat", ".json", ".jsonl", "")


@dataclass(frozen=True, slots=True)
class Member:
    """One file of a bundle.

    prefix:  what its metrics are called by ("val/"), "" for as they stand
    rank:    the rank its path states, else None
    attempt: order among restarts that the path states (torchrun's attempts, W&B's time stamps)
    """

    path: Path
    reader: str
    bytes: int
    prefix: str = ""
    rank: int | None = None
    attempt: int = 0


@dataclass(frozen=True, slots=True)
class Bundle:
    """The files of one run (or of several, where one file or folder holds more: reading tells)."""

    name: str
    root: Path  # what names and source paths are told relative to
    base: Path  # the run's own folder
    members: tuple[Member, ...]
    configs: tuple[Path, ...] = ()  # the outermost first, so that a later one overrides
    named: bool = False  # the file was given by name: what is in it was meant
    #: Seconds that the newest file looked at is younger than the newest of these, rounded down to a power of two:
    #: what is kept of a diagnosis need not be made anew each time that another run goes on a little.
    quiet: float = 0.0

    @property
    def bytes(self) -> int:
        """The size of all members on disk."""
        return sum(m.bytes for m in self.members)


@dataclass(frozen=True, slots=True)
class Plan:
    """What there is to read, and what there is not."""

    bundles: tuple[Bundle, ...]
    unreadable: tuple[Unreadable, ...] = ()
    ignored: tuple[Unreadable, ...] = ()  # files that are no logs, for those who miss one


def plan(
    paths: Sequence[Path],
    readers: Sequence[Reader] = READERS,
    progress: Callable[[str, int, int], None] | None = None,
    follow_links: bool = False,
    mapped: bool = False,
) -> Plan:
    """The runs below these paths (files, folders, globs) by name, without reading more than the first 64 KiB of a file.

    Names are relative to the one path given, or to the common parent of several; a run is named by the outermost folder
    that holds nothing but it, and is "." where that is the path itself.

    follow_links: follow links that lead out of the paths; else they are counted and told once, in `unreadable`. A path
    may itself be a link; what a pattern matches may not.
    mapped: the user says which column is what, so that a table given by name is taken whatever it is called.

    An archive stands for a folder of what it holds; one that was not given must hold logs. A URL stands for a copy of
    its logs, made here; progress is told of the copying. Raises UsageError for a path that does not exist.
    """
    local, lost = local_copies(paths, progress)
    places = [(p, r) for p in local for r in _expand(p)]
    inside = [r for p, r in places if follow_links or p == r or not _leaves(r, top_of(str(p)))]
    roots = _outermost([_opened(r, lost) for r in inside])
    common = _common(roots)
    real = tuple(Path(os.path.realpath(r)) for r in roots)
    finds = Finds(unreadable=lost, roots=real, follow_links=follow_links, mapped=mapped)
    finds.links_out = len(places) - len(inside)
    drafts: list[tuple[Path, Draft]] = []
    for root in roots:
        if root.is_dir():
            found = gather(walk(root, readers, finds), finds)
            drafts.extend((root, d) for d in found or _only(root, readers, finds))
        else:
            drafts.extend((root, d) for d in _alone(root, readers, finds))
    if finds.links_out:
        finds.unreadable.append(Unreadable(str(common), _left_out(finds.links_out)))
    shares = Counter(up for root, d in drafts for up in _upwards(d.folder, root))
    folders = {root: root.is_dir() for root in roots}
    bundles = []
    for root, draft in drafts:
        home = _home(draft.folder, root, shares) if folders[root] else root
        bundles.append(_bundle(draft, home, common, folders[root], finds.newest))
    bundles += _in_archives(finds, readers, common)
    told = [_relative(u, common) for u in finds.unreadable]
    ignored = [_relative(u, common) for u in finds.ignored]
    return Plan(tuple(bundles), tuple(told), tuple(ignored))


def _in_archives(finds: Finds, readers: Sequence[Reader], common: Path) -> list[Bundle]:
    """The runs in the archives that were met, named by the archive and by their place in it."""
    out: list[Bundle] = []
    if not finds.archives:
        return out
    from curvedoc.ingest.find.met_archives import opened  # few calls meet an archive

    for path, folder in opened(finds.archives, finds.unreadable):
        inside = Finds(roots=(Path(os.path.realpath(folder)),))
        drafts = gather(walk(folder, readers, inside), inside)
        for told, theirs in ((finds.unreadable, inside.unreadable), (finds.ignored, inside.ignored)):
            told += [
                Unreadable(str(path.parent / relative_name(Path(u.path), folder.parent)), u.reason) for u in theirs
            ]
        shares = Counter(up for d in drafts for up in _upwards(d.folder, folder))
        beside = relative_name(path.parent, common)
        for draft in drafts:
            bundle = _bundle(draft, _home(draft.folder, folder, shares), folder.parent, True, finds.newest)
            name = bundle.name if beside == "." else f"{beside}/{bundle.name}"
            out.append(replace(bundle, name=name))
    return out


def _left_out(links: int) -> str:
    lead = "a link that leads out of it was" if links == 1 else f"{links:,} links that lead out of it were"
    return f"{lead} not followed (--follow-links does)"


def _expand(path: Path) -> list[Path]:
    """The path itself, or what it matches where it is a pattern."""
    if os.path.lexists(path):
        return [path]
    found = matches(str(path)) if glob.has_magic(str(path)) else []
    if found:
        return found
    what, hint = absent(path)
    raise UsageError(what, "", hint)


def _leaves(match: Path, top: Path) -> bool:
    """Whether links lead a match of a pattern out of the folder that the pattern is looked for in."""
    if ".." in match.parts[len(top.parts) :]:  # the pattern itself leads out
        return False
    return lies_outside(match, [Path(os.path.realpath(top))])


def _opened(path: Path, lost: list[Unreadable]) -> Path:
    """The path, or the folder that stands for an archive that was given; what of it was left out goes to `lost`."""
    if not path.name.lower().endswith(ARCHIVES):
        return path
    from curvedoc.ingest.find.archives import is_archive, unpacked  # few calls meet an archive

    if not is_archive(path):
        return path
    folder, troubles = unpacked(path)
    lost += troubles
    return folder


def _outermost(paths: Sequence[Path]) -> list[Path]:
    """The paths as given, without repeats and without those that lie inside another."""
    real = [Path(os.path.realpath(p)) for p in paths]
    given = set(real)
    kept: dict[Path, Path] = {}
    for path, place in zip(paths, real, strict=True):
        if given.isdisjoint(place.parents):
            kept.setdefault(place, path)
    return list(kept.values())


def _common(roots: Sequence[Path]) -> Path:
    """What names are relative to: the one folder given, else the folder that holds all that was given."""
    if len(roots) == 1:
        return roots[0] if roots[0].is_dir() else roots[0].parent
    return Path(os.path.commonpath([os.path.abspath(r.parent) for r in roots])) if roots else Path()  # noqa: PTH100


def _alone(path: Path, readers: Sequence[Reader], finds: Finds) -> list[Draft]:
    """A file that was given by name: its own folder's configuration counts, its neighbors do not."""
    folder = Folder(path.parent)
    sort_file(path, folder, readers, finds, named=True)
    if not folder.files and finds.ignored:  # asked for by name, so its silence would be a lie
        finds.unreadable.append(finds.ignored.pop())
    drafts = gather(folder, finds)
    beside = walk_configs(path.parent, finds)
    return [replace(d, configs=beside) for d in drafts]


def _only(root: Path, readers: Sequence[Reader], finds: Finds) -> list[Draft]:
    """The one file of a folder of no logs that may be one, which was meant as if it was given by name; a table only
    where a name in it says what a training measures."""
    passed = (*finds.ignored, *finds.unreadable)
    rest = [u for u in passed if u.reason in (NOT_A_LOG, UNKNOWN_FORMAT) and root in Path(u.path).parents]
    if not passed:
        rest = _document(root)
    if len(rest) != 1 or Path(rest[0].path).suffix.lower() not in (*_LOG_SUFFIXES, *_DOCUMENTS):
        return []
    path, again = Path(rest[0].path), Finds(roots=finds.roots, follow_links=finds.follow_links, mapped=finds.mapped)
    folder = Folder(path.parent)
    sort_file(path, folder, readers, again, named=True)
    if not folder.files or (path.suffix.lower() in _TABLES and not _measures(folder.files[0].head)):
        return []
    for told in (finds.ignored, finds.unreadable):
        told[:] = [u for u in told if u != rest[0]]
    return [replace(d, configs=walk_configs(path.parent, finds)) for d in gather(folder, again)]


def _document(root: Path) -> list[Unreadable]:
    """The one file of a folder that holds nothing else, where it is a document, which a walk does not open."""
    with os.scandir(root) as scan:
        names = [e for _, e in zip(range(2), scan, strict=False)]
    told = len(names) == 1 and names[0].is_file(follow_symlinks=False) and names[0].name.lower().endswith(_DOCUMENTS)
    return [Unreadable(names[0].path, NOT_A_LOG)] if told else []


def _measures(head: bytes) -> bool:
    """Whether the first line of a table has a column that is called like what a training measures."""
    first = head.lstrip().partition(b"\n")[0].decode("utf-8", "replace").strip()
    return any(is_outcome(name.strip(' "')) for name in re.split(r"[,;\t]", first))


def walk_configs(folder: Path, finds: Finds) -> tuple[Path, ...]:
    """The configuration files that lie directly in a folder; a link in it may lead no further."""
    beside = Finds(roots=(Path(os.path.realpath(folder)),), follow_links=finds.follow_links)
    found = Folder(folder)
    if folder.is_dir() and os.access(folder, os.R_OK | os.X_OK):
        for path in sorted(folder.iterdir()):
            settings = path.suffix.lower() in (".json", ".yaml", ".yml", ".toml", ".txt")
            if settings and not (path.is_symlink() and beside.leads_out(path)):
                sort_file(path, found, (), beside)
    return tuple(found.configs)


def _upwards(folder: Path, root: Path) -> list[tuple[str, ...]]:
    """The folder and those above it up to the root, outermost first, by their parts."""
    parts, top = folder.parts, root.parts
    within = parts[: len(top)] == top
    return [parts[:n] for n in range(len(top) if within else len(parts), len(parts) + 1)]


def _home(folder: Path, root: Path, shares: Counter[tuple[str, ...]]) -> Path:
    """The outermost folder that holds nothing but this run."""
    alone = next((up for up in _upwards(folder, root) if shares[up] == 1), folder.parts)
    above = len(folder.parts) - len(alone)
    return folder.parents[above - 1] if above else folder


def _bundle(draft: Draft, home: Path, common: Path, is_folder: bool, newest: float) -> Bundle:
    members = tuple(Member(p.file.path, p.file.reader, p.file.size, p.prefix, p.rank, p.attempt) for p in draft.parts)
    configs = draft.configs
    if is_folder:
        configs = tuple(sorted(configs, key=lambda p: len(p.parts)))
    name = relative_name(home, common)
    written = max((p.file.modified for p in draft.parts), default=newest)
    base = home if is_folder else home.parent
    return Bundle(name, common, base, members, configs, not is_folder, _octave(newest - written))


def _octave(seconds: float) -> float:
    """The largest power of two that is no more; 0 below a second."""
    return 2.0 ** math.floor(math.log2(seconds)) if 1.0 <= seconds < math.inf else 0.0


def _relative(u: Unreadable, common: Path) -> Unreadable:
    return Unreadable(relative_name(Path(u.path), common), u.reason)
