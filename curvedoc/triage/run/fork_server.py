"""The process that workers are forked from, and how processes begin."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from curvedoc.triage.run.interrupts import ctrl_c_later

#: One thread each: the parallelism is over runs, and threads of every worker would only fight for the same cores.
_ENVIRONMENT = {
    name: "1" for name in ("POLARS_MAX_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
}
_PRELOADED = ["curvedoc.triage.run.preload"]
#: A tree without files in this many folders is left: it was to be a quick look.
_MOST_FOLDERS = 1000


def warm_up() -> bool:
    """Have what workers are made of imported in the background; whether they can be forked from there (Linux).

    The server that forks has imported everything and run nothing, so that no lock of a library is held in it.
    """
    if not sys.platform.startswith("linux"):
        return False
    from multiprocessing import forkserver, get_context

    try:
        get_context("forkserver").set_forkserver_preload(_PRELOADED)
        with quiet_start():
            forkserver.ensure_running()
    except OSError:  # no place for its socket, for one
        return False
    return True


@contextmanager
def quiet_start() -> Iterator[None]:
    """Children inherit one thread each, and Ctrl-C blocked until they ignore it (an import would be interrupted).

    The tracker of resources, which every start asks for, is started first: it blocks Ctrl-C for its own start and then
    lets it through again, in the middle of ours.
    """
    if os.name == "posix":
        from multiprocessing import resource_tracker

        resource_tracker.ensure_running()
    before = {name: os.environ.get(name) for name in _ENVIRONMENT}
    os.environ.update(_ENVIRONMENT)
    try:
        with ctrl_c_later():
            yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


class _Late(ModuleType):
    """Stands for a module, which is imported when something of it is first asked for."""

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(importlib.import_module(self.__name__), name)


def import_polars_late() -> None:
    """Have `import polars` of this process wait until something of it is asked for: who leaves all reading and judging
    to workers never asks."""
    sys.modules.setdefault("polars", _Late("polars"))


def crowded(paths: Sequence[Path], many: int) -> bool:
    """Whether at least so many folders with files lie below the paths; looks no further than it takes to tell."""
    todo = [str(p) for p in paths if p.is_dir()]
    seen = found = 0
    while todo and found < many and seen < _MOST_FOLDERS:
        seen += 1
        try:
            with os.scandir(todo.pop()) as entries:
                folders = [e.is_dir(follow_symlinks=False) and e.path for e in entries]
        except OSError:
            continue
        todo += [f for f in folders if f]
        found += not all(folders)
    return found >= many
