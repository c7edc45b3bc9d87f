"""Files that results are written to: whole or not at all, never over what somebody else made, never through a trap.

A target that is no regular file (a device, a FIFO) is written in place; a symlink is followed to what it points at;
everything else is written to a new file of an unpredictable name in the same folder, then renamed.
"""

from __future__ import annotations

import os
import re
import stat
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from curvedoc.core.errors import UsageError
from curvedoc.core.late_regex import late_regex

#: What the files that curvedoc writes begin with, and what stands near their beginning or at their end. Both are asked
#: for, so that a note that quotes a diagnosis and a manifest that names curvedoc stay somebody else's.
_OWN = tuple(
    (head, late_regex(mark, re.DOTALL))
    for head, mark in (
        (b"<!doctype html>", rb'name="generator" content="curvedoc'),
        (b'<div class="curvedoc">', rb""),  # a fragment
        (b"{", rb'"schema":\s?"curvedoc[-\w]*/\d'),  # a diagnosis, an evaluation
        (b"{", rb'"\$schema":\s?"https://json\.schemastore\.org/sarif.*"name":\s?"curvedoc"'),
        (b"<?xml", rb'<testsuites name="curvedoc"'),  # JUnit
        (b"", rb"(?:\A|\n)_curvedoc [\d\\.\w]+, rules [^\n]{0,80}_\s*\Z"),  # Markdown
        (b"run,verdict,group,", rb""),
        (b"PAR1", rb"steps_wasted.{0,4096}PAR1\Z"),
    )
)
#: How much of either end is looked at: headings of a page and the last keys of a document stand within it.
_LOOK = 65_536


def is_own(path: Path) -> bool:
    """Whether curvedoc wrote the file, or nobody has yet: an empty one is free. Raises OSError."""
    with path.open("rb") as file:
        head = file.read(_LOOK)
        if not head:
            return True
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _LOOK))
        tail = file.read(_LOOK)
    both = head + tail if size > _LOOK else head
    return any(head.lstrip().startswith(first) and mark.search(both) for first, mark in _OWN)


def check(path: Path, force: bool = False, inputs: Iterable[Path] = ()) -> None:
    """Raises UsageError where `write` would fail or do harm, so that nobody learns it after an hour of work.

    An existing file that curvedoc did not write, and one of `inputs`, is only overwritten by force.
    """
    target = _target(path)
    try:
        found = target.stat()
    except FileNotFoundError:
        _check_folder(target.parent, path)
        return
    except OSError as error:
        raise _failed(error, path) from error
    if stat.S_ISDIR(found.st_mode):
        raise UsageError("is a folder", str(path), "name a file in it")
    if not os.access(target, os.W_OK):
        raise UsageError("cannot be written: permission denied", str(path), "give another name")
    if not stat.S_ISREG(found.st_mode):
        return
    _check_folder(target.parent, path)
    if force:
        return
    if any(_same(target, i) for i in inputs):
        raise UsageError("is what is being analyzed", str(path), "give another name or --force")
    try:
        own = is_own(target)
    except OSError as error:
        raise _failed(error, path) from error
    if not own:
        raise UsageError("exists and was not written by curvedoc", str(path), "give another name or --force")


def write(path: Path, content: str | bytes, force: bool = False) -> None:
    """Write the file whole or not at all. Raises UsageError, and then leaves what stood there as it was."""
    check(path, force)
    data = content.encode("utf-8") if isinstance(content, str) else content
    target = _target(path)
    try:
        if target.exists() and not target.is_file():
            with target.open("wb", buffering=0) as stream:
                _write_all(stream.fileno(), data)
        else:
            _replace(target, data)
    except OSError as error:
        raise _failed(error, path) from error


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _replace(target: Path, data: bytes) -> None:
    """A new file beside the target takes its place, with the rights that it had."""
    descriptor, name = tempfile.mkstemp(prefix=f".{target.name[:80]}.", dir=target.parent)
    made = Path(name)
    try:
        try:
            _write_all(descriptor, data)
            if hasattr(os, "fchmod"):
                os.fchmod(descriptor, _mode(target))
        finally:
            os.close(descriptor)
        made.replace(target)
    except BaseException:  # Ctrl-C as well leaves nothing behind, and goes on
        made.unlink(missing_ok=True)
        raise


def _mode(target: Path) -> int:
    try:
        return stat.S_IMODE(target.stat().st_mode)
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


def check_distinct(outputs: Mapping[str, Path | None]) -> None:
    """Raises UsageError where two outputs are to go to one file: the later would take the place of the earlier."""
    seen: dict[Path, str] = {}
    for name, path in outputs.items():
        if path is None or (path.exists() and not path.is_file()):
            continue
        other = seen.setdefault(_target(path), name)
        if other != name:
            raise UsageError(f"both {other} and {name} are to be written here", str(path), "give one another name")


@contextmanager
def folder_for(folder: Path) -> Iterator[Path]:
    """A folder for outputs, made where it is missing; where they fail, what was made for nothing goes again.

    Raises UsageError where it cannot be made.
    """
    made = [f for f in (folder, *folder.parents) if not f.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield folder
    except BaseException as error:
        for empty in made:
            with suppress(OSError):  # it holds an output that was written whole
                empty.rmdir()
        if isinstance(error, OSError):
            raise UsageError(f"cannot be made: {error.strerror or error}", str(folder), "name a directory") from error
        raise


def _target(path: Path) -> Path:
    """What the path stands for, all links followed; one that leads in a circle is nothing to write to.

    What is no regular file is opened by the name given: `/dev/stdout` leads to a pipe that has no name.
    """
    try:
        special = not (stat.S_ISREG(found := path.stat().st_mode) or stat.S_ISDIR(found))
    except OSError:
        special = False
    try:
        return path if special else path.resolve()
    except (OSError, RuntimeError) as error:
        raise UsageError("cannot be written: its links lead in a circle", str(path)) from error


def _check_folder(folder: Path, path: Path) -> None:
    if not folder.is_dir():
        raise UsageError("cannot be written: there is no such folder", str(path), f"mkdir -p {folder}")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise UsageError("cannot be written: its folder is read-only", str(path), "give another place")


def _same(target: Path, other: Path) -> bool:
    try:
        return target.samefile(other)
    except OSError:
        return False


def _failed(error: OSError, path: Path) -> UsageError:
    return UsageError(f"cannot be written: {error.strerror or error}", str(path), "give another place or make room")
