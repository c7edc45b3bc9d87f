"""One walk over what the user pointed at: the folders, and in each the files that some reader claims."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from curvedoc.core.diagnosis import Unreadable
from curvedoc.ingest.bytes import file as file_bytes
from curvedoc.ingest.contract import Reader
from curvedoc.ingest.find.file_names import (
    AIM,
    AIM_FOLDER,
    AIM_INDEX,
    ARCHIVES,
    LOG_NAME,
    entered,
    foreign,
    natural,
    skipped,
    told_again,
)
from curvedoc.ingest.settings import files as settings_files
from curvedoc.ingest.stores import mlflow_files

#: What is kept of a head once the file is claimed (folding looks at the first tags): a tree may hold a million files.
KEPT_HEAD = 4096
#: A record of thousands of layers does not fit into the usual head, and half a record tells nothing.
_LONG_RECORD = 4 << 20
#: Names of tables and stores, for which zeros alone are damage.
_TABLES = (".csv", ".tsv", ".json", ".db")
#: A folder with this file holds an environment of Python.
_VENV = "pyvenv.cfg"
#: Why a file was left out: what is called like no log, and what is called like one.
NOT_A_LOG, UNKNOWN_FORMAT = "not a log", "its contents are of no known log format"
#: The reader of series of files, of which the first stands for all.
_SERIES, _SERIES_ENDS = "json-epochs", (".json", ".yaml", ".yml", ".txt", ".csv")
#: What a run logged beside its metrics, in MLflow's own folder of files.
_MLFLOW_ARTIFACTS = "artifacts"


@dataclass(frozen=True, slots=True)
class File:
    """One file that a reader claims."""

    path: Path
    reader: str
    head: bytes = field(repr=False)
    size: int
    modified: float = 0.0  # seconds since the epoch


@dataclass(slots=True)
class Folder:
    """One folder with its claimed files, its configuration files and the folders below it."""

    path: Path
    files: list[File] = field(default_factory=list)
    configs: list[Path] = field(default_factory=list)
    folders: list[Folder] = field(default_factory=list)


@dataclass(slots=True)
class Finds:
    """What a walk brings along: troubles to tell, files that were left out, and the inodes that were seen.

    archives: files called like archives, which stay closed here; see `find.met_archives`.
    roots: what the user pointed at, all links resolved. Links that lead out of them are counted in `links_out` and not
    followed unless follow_links says so: a folder of logs must not bring a private key into a report.
    """

    unreadable: list[Unreadable] = field(default_factory=list)
    ignored: list[Unreadable] = field(default_factory=list)
    archives: list[Path] = field(default_factory=list)
    seen: set[tuple[int, int]] = field(default_factory=set)
    newest: float = 0.0  # when the file last written to was written to
    roots: tuple[Path, ...] = ()
    follow_links: bool = False
    mapped: bool = False  # the user says which column is what
    links_out: int = 0

    def leads_out(self, path: Path) -> bool:
        """Whether a link leads out of what the user pointed at, and is not to be followed; counts it."""
        if self.follow_links:
            return False
        out = lies_outside(path, self.roots)
        self.links_out += out
        return out


def lies_outside(path: Path, roots: Iterable[Path]) -> bool:
    """Whether a path, all links followed, lies in none of the roots, which hold no link."""
    try:
        real = Path(os.path.realpath(path))
    except OSError:  # where the links of another user's process lead, /proc tells nobody
        return True
    return not any(root == real or root in real.parents for root in roots)


def walk(root: Path, readers: Sequence[Reader], finds: Finds) -> Folder:
    """The tree below `root`, in name order. Follows no symlink to a folder unless `finds` says so, takes a file once
    (by inode), opens only regular files and of those only the first 64 KiB; what cannot be listed or opened goes to
    `finds.unreadable`."""
    top = Folder(root)
    todo = [top]
    while todo:
        folder = todo.pop()
        try:
            with os.scandir(folder.path) as scan:
                entries = sorted(scan, key=lambda e: natural(e.name))
            names = {e.name for e in entries}
        except OSError as e:
            finds.unreadable.append(Unreadable(str(folder.path), _reason(e)))
            continue
        if folder.path.name == AIM_FOLDER:
            if AIM_INDEX not in names or not find_spec("rocksdict"):
                finds.unreadable.append(Unreadable(str(folder.path), AIM))
                continue
            entries = [e for e in entries if e.name == AIM_INDEX]
        if _VENV in names and folder is not top:
            continue
        if mlflow_files.is_store_folder(names):
            _mlflow_run(folder, finds)
            entries = [e for e in entries if e.name == _MLFLOW_ARTIFACTS]
        again = told_again(folder.path.name, names)
        for entry in entries:
            if entry.name in again:
                continue
            if _is_folder(entry, finds.follow_links):
                if entered(entry.name) and not (entry.is_symlink() and _been_there(entry, finds)):
                    folder.folders.append(Folder(Path(entry.path)))
            elif entry.name.lower().endswith(ARCHIVES):
                if not entry.is_symlink():
                    finds.archives.append(Path(entry.path))
            elif not skipped(entry.name, folder.path.parts):
                if entry.is_symlink() and finds.leads_out(Path(entry.path)):
                    continue
                sort_file(Path(entry.path), folder, readers, finds)
        todo.extend(reversed(folder.folders))
    return top


def _is_folder(entry: os.DirEntry[str], follow_links: bool) -> bool:
    try:
        return entry.is_dir(follow_symlinks=follow_links)
    except OSError:  # a link into what may not be entered; opening it as a file says so
        return False


def _been_there(entry: os.DirEntry[str], finds: Finds) -> bool:
    """Whether a linked folder was entered before, from wherever; remembers it."""
    try:
        info = entry.stat()
    except OSError:  # gone since it was listed
        return True
    key = (info.st_dev, info.st_ino)
    above = any(key == (s.st_dev, s.st_ino) for s in (p.stat() for p in Path(entry.path).parents))
    if above or key in finds.seen:
        return True
    finds.seen.add(key)
    return False


def sort_file(path: Path, folder: Folder, readers: Sequence[Reader], finds: Finds, named: bool = False) -> None:
    """Put one file where it belongs: a configuration, a claimed log, or a line in `finds`.

    named: somebody pointed at this very file, so that less is asked of it to be a log
    """
    try:
        info = path.stat()
    except OSError as e:
        if LOG_NAME.fullmatch(path.name):
            finds.unreadable.append(Unreadable(str(path), "a broken link" if path.is_symlink() else _reason(e)))
        return
    if stat.S_ISDIR(info.st_mode):  # a link to a folder: what it shows stands elsewhere in the tree, or is not ours
        return
    if not stat.S_ISREG(info.st_mode):
        if LOG_NAME.fullmatch(path.name):
            finds.unreadable.append(Unreadable(str(path), "not a regular file (a pipe, socket or device)"))
        return
    key = (info.st_dev, info.st_ino)
    if key in finds.seen:
        return
    finds.seen.add(key)
    finds.newest = max(finds.newest, info.st_mtime)
    reason = foreign(path.name)
    if reason:
        finds.unreadable.append(Unreadable(str(path), reason))
        return
    if _stood_for(path, folder):
        return
    head = file_bytes.read_head(path, info=info)
    if not head and not os.access(path, os.R_OK):
        finds.unreadable.append(Unreadable(str(path), "permission denied"))
        return
    if len(head) >= file_bytes.HEAD_BYTES and b"\n" not in head and head.lstrip()[:1] == b"{":
        head = file_bytes.read_head(path, _LONG_RECORD)
    if settings_files.is_config(path, head):
        folder.configs.append(path)
        return
    name = claimant(path, head, readers) or (guesser(path, head, readers, named) if head else None)
    if name is None and named and finds.mapped:
        from curvedoc.ingest.find.pointed_at import reader_of  # it reads tables, which other logs need not wait for

        name = reader_of(head)
    if name is not None and head:
        folder.files.append(File(path, name, head[:KEPT_HEAD], info.st_size, info.st_mtime))
        return
    stands_for = file_bytes.pointer(head)  # records of text, not of numbers, are a data set
    if not info.st_size:
        finds.ignored.append(Unreadable(str(path), "an empty file"))
    elif not head.strip(b"\x00") and (LOG_NAME.fullmatch(path.name) or path.suffix.lower() in _TABLES):
        finds.unreadable.append(Unreadable(str(path), file_bytes.why_nothing(path) or "nothing but zero bytes"))
    elif LOG_NAME.fullmatch(path.name) and not (head.lstrip()[:1] == b"{" and b"\n" in head and stands_for is None):
        reason = stands_for.text if stands_for else UNKNOWN_FORMAT
        finds.unreadable.append(Unreadable(str(path), reason))
    else:
        finds.ignored.append(Unreadable(str(path), stands_for.text if stands_for else NOT_A_LOG))


def _stood_for(path: Path, folder: Folder) -> bool:
    """Whether a file of a numbered series is read with the one before it."""
    if path.suffix not in _SERIES_ENDS or not any(f.reader == _SERIES for f in folder.files):
        return False
    from curvedoc.ingest.json.numbered import same_series  # most trees hold no series

    return any(f.reader == _SERIES and same_series(f.path, path) for f in folder.files)


def claimant(path: Path, head: bytes, readers: Sequence[Reader]) -> str | None:
    """The NAME of the first reader that takes the file."""
    return next((r.NAME for r in readers if r.claims(path, head)), None)


def guesser(path: Path, head: bytes, readers: Sequence[Reader], named: bool) -> str | None:
    """The NAME of the first reader that takes a file of no known words by its values. named: it was pointed at."""
    asked = [(r.NAME, getattr(r, "guesses", None)) for r in readers]
    return next((name for name, guesses in asked if guesses is not None and guesses(path, head, named)), None)


def _mlflow_run(folder: Folder, finds: Finds) -> None:
    """The one file that stands for a run of MLflow's store, at the size of the whole run. A damaged one still does;
    that of a deleted run or of a model is left out."""
    path = folder.path / mlflow_files.META
    head = file_bytes.read_head(path)
    left_out = mlflow_files.left_out(head)
    if left_out:
        finds.ignored.append(Unreadable(str(folder.path), left_out))
    else:
        folder.files.append(File(path, mlflow_files.NAME, head, mlflow_files.stored_bytes(folder.path)))


def _reason(e: OSError) -> str:
    return (e.strerror or type(e).__name__).lower()
