"""Archives that a walk came by: those that hold logs, opened as folders, within limits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from curvedoc.core.diagnosis import Unreadable
from curvedoc.core.errors import UsageError
from curvedoc.ingest.find.archives import holds_a_log, is_archive, size_of, unpacked
from curvedoc.ingest.find.file_names import ARCHIVES

#: One that is larger, and more of them, were not meant: whoever means one names it.
MAX_SIZE = 64 << 20
MAX_MET = 20
#: What one of them may unpack to, and all together, in this call or in one before.
MAX_EACH, MAX_ALL = 128 << 20, 512 << 20


def opened(met: Sequence[Path], told: list[Unreadable]) -> Iterator[tuple[Path, Path]]:
    """(archive, folder that stands for it) for those that hold logs. Left alone is one beside the folder that it was
    made of. What of them was left out goes to `told`."""
    count, room = 0, MAX_ALL
    for path in met:
        try:
            if path.stat().st_size > MAX_SIZE or _stem(path).is_dir() or not is_archive(path):
                continue
            if not holds_a_log(path):
                continue
            count += 1
            if count > MAX_MET:
                told.append(Unreadable(str(path), f"only {MAX_MET} archives are opened on the way: name it to read it"))
                return
            folder, troubles = unpacked(path, min(MAX_EACH, room))
            size = size_of(folder)
        except (OSError, UsageError) as e:
            told.append(Unreadable(str(path), f"the archive was not opened: {e}"))
            room -= min(MAX_EACH, room) if isinstance(e, UsageError) else 0
            continue
        if size > min(MAX_EACH, room):  # unpacked when it was named
            told.append(Unreadable(str(path), "the archive is too large to be opened on the way: name it to read it"))
            continue
        room -= size
        told += [Unreadable(str(path), t.reason) for t in troubles]
        yield path, folder


def _stem(path: Path) -> Path:
    suffix = max((s for s in ARCHIVES if path.name.lower().endswith(s)), key=len)
    return path.with_name(path.name[: -len(suffix)] or path.name)
