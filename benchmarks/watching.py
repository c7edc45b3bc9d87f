"""What a process and those below it take: memory and processor time (see triage.py)."""

from __future__ import annotations

import ctypes
import os
import resource
import sys
import threading
from pathlib import Path


class Watch:
    """The memory of this process and all below it, looked at several times a second (Linux)."""

    def __init__(self) -> None:
        self.most = 0.0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _look(self) -> None:
        while not self._done.wait(0.3):
            self.most = max(self.most, sum(map(_megabytes, _below(os.getpid()))))

    def stop(self) -> float:
        """The most that was seen."""
        self._done.set()
        self._thread.join()
        return self.most


def _below(pid: int) -> list[int]:
    """A process and all that it started."""
    parents: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has ended
        parents.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    found = [pid]
    for one in found:
        found += parents.get(one, [])
    return found


def _megabytes(pid: int) -> float:
    """Memory of a process, its part of shared pages counted in proportion."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0.0
    return next((int(row.split()[1]) / 1024 for row in text.splitlines() if row.startswith("Pss:")), 0.0)


def highest() -> float:
    """The most memory of this process in MB; what getrusage tells holds that of the one which started it."""
    try:
        text = Path("/proc/self/status").read_text()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return next(int(row.split()[1]) / 1024 for row in text.splitlines() if row.startswith("VmHWM:"))


def adopt() -> None:
    """Become the parent of what children leave behind (Linux): their processor time would be lost otherwise."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


def reap() -> None:
    while True:
        try:
            os.wait()
        except ChildProcessError:
            return


def processor() -> float:
    """Processor seconds of this process and of those that it waited for."""
    both = (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    return sum(u.ru_utime + u.ru_stime for u in both)
