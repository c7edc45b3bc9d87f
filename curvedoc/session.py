"""A training that is watched from inside: records go to a file, a process beside it judges them and writes the report.

The training itself pays for one line of JSON a record. Nothing heavy is imported into it; all reading and judging is
done by the companion at a low priority, which also survives the training's death and then writes the report.
"""

from __future__ import annotations

import atexit
import contextlib
import faulthandler
import json
import math
import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from curvedoc.record import Recorder

#: A look may take a tenth of one core at most.
_REST = 10
#: How long the end of a training waits for its report.
_PATIENCE = 120.0
FAULTS = "faults.log"


class Session(Recorder):
    """Records that are judged while they are written. Use it as a context manager, or close it.

    place: a folder of its own for the records and the report
    every: seconds between two looks, at the least; a loss that is not finite is looked at at once
    enabled: None: in the first process of several only

    `should_stop()` says whether a look saw a fatal finding; `verdict` and `headline` are those of the last look.
    """

    def __init__(
        self,
        place: Path | str = "curvedoc-run",
        config: Mapping[str, Any] | None = None,
        *,
        every: float = 60.0,
        layers_every: int = 50,
        enabled: bool | None = None,
    ) -> None:
        self.enabled = is_first_process() if enabled is None else enabled
        self.folder = Path(place)
        self.verdict = self.headline = ""
        self._fatal = False
        self._every, self._due = every, time.time() + every
        self._looking = self._urgent = self._bad_seen = False
        self._owner = os.getpid()
        self._companion: subprocess.Popen[bytes] | None = None
        self._faults: IO[str] | None = None
        self._answer = b""
        if not self.enabled:
            self._file, self._signals, self._waited = None, None, None
            self._records = self._deep_at = 0
            return
        super().__init__(self.folder / "curvedoc.jsonl", config, layers_every=layers_every)
        self._begin()

    @property
    def report(self) -> Path:
        """The page, which is there when the session is closed."""
        return self.folder / "curvedoc-report.html"

    def log(self, step: int | None = None, /, **values: Any) -> None:
        """One record, as a Recorder writes it, and a look at all of them when it is time."""
        if self._file is None:
            return
        super().log(step, **values)
        loss = values.get("loss")
        if type(loss) is float and not math.isfinite(loss) and not self._bad_seen:
            self._bad_seen = self._urgent = True
        if not self._looking and (self._urgent or time.time() >= self._due):
            self._urgent = False
            self._looking = self._tell(b"look\n")

    def attach(self, model: Any, optimizer: Any = None) -> None:
        """As a Recorder's."""
        if self.enabled:
            super().attach(model, optimizer)

    def should_stop(self) -> bool:
        """Whether a finding is fatal: the run is lost, and every further step is wasted."""
        self._listen()
        return self._fatal

    def look(self, patience: float = _PATIENCE) -> str:
        """Judge what was recorded so far, now; the verdict."""
        if not self._looking:
            self._looking = self._tell(b"look\n")
        self._wait(patience)
        return self.verdict

    def close(self, patience: float = _PATIENCE) -> None:
        """No more records; the report is written. A second call does nothing."""
        if os.getpid() != self._owner:  # a forked worker of a loader that ends is not the training
            return
        super().close()
        atexit.unregister(self._at_exit)
        self._end_guards()
        self._wait(patience)
        self._looking = self._tell(b"end\n")
        self._wait(patience)
        self._let_go(self._looking)

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        super().__exit__(kind, error, trace)

    def _begin(self) -> None:
        """Start the companion, and see to it that no way to die leaves no word."""
        call = [sys.executable, "-m", "curvedoc.companion", str(self.folder), self.path.name, FAULTS]
        self._companion = subprocess.Popen(
            call, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True, bufsize=0,
            env={**os.environ, "POLARS_MAX_THREADS": "1", "OMP_NUM_THREADS": "1"},
        )  # fmt: skip
        assert self._companion.stdout is not None
        os.set_blocking(self._companion.stdout.fileno(), False)
        if not faulthandler.is_enabled():
            self._faults = (self.folder / FAULTS).open("w", encoding="utf-8")
            faulthandler.enable(self._faults)
        atexit.register(self._at_exit)
        if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            signal.signal(signal.SIGTERM, self._terminated)

    def _terminated(self, number: int, frame: object) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        if os.getpid() == self._owner and self._file is not None:
            self.say("ERROR", f"Received SIGTERM: {number}")
            self.close(patience=20.0)
        os.kill(os.getpid(), signal.SIGTERM)

    def _at_exit(self) -> None:
        """The interpreter ends and nobody closed: by an exception that nobody caught, or without one."""
        error = getattr(sys, "last_value", None)
        if error is not None and os.getpid() == self._owner:
            self.failed(error)
        self.close()

    def _end_guards(self) -> None:
        """Give back the signal and the fault handler."""
        main = threading.current_thread() is threading.main_thread()
        if main and signal.getsignal(signal.SIGTERM) == self._terminated:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
        if self._faults is not None:
            faulthandler.disable()
            self._faults.close()
            self._faults = None
            with contextlib.suppress(OSError):
                (self.folder / FAULTS).unlink()

    def _tell(self, word: bytes) -> bool:
        if self._companion is None or self._companion.stdin is None:
            return False
        try:
            self._companion.stdin.write(word)
        except OSError:
            self._let_go(False)
            warnings.warn(f"nothing judges the records any more; curvedoc analyze {self.folder} does", stacklevel=3)
            return False
        return True

    def _let_go(self, busy: bool) -> None:
        """Part from the companion, which ends with its input; one that is busy writes the report yet."""
        companion, self._companion = self._companion, None
        if companion is None or companion.stdin is None or companion.stdout is None:
            return
        companion.stdin.close()
        if busy:
            warnings.warn(f"the report takes long; it will be {self.report}", stacklevel=4)
        else:
            companion.wait()
        companion.stdout.close()

    def _wait(self, patience: float) -> None:
        until = time.monotonic() + patience
        while self._looking and self._companion is not None and time.monotonic() < until:
            self._listen()
            if self._looking:
                time.sleep(0.01)

    def _listen(self) -> None:
        """Take the companion's answer if there is one, without waiting for it."""
        if not self._looking or self._companion is None or self._companion.stdout is None:
            return
        heard = self._companion.stdout.read()
        if heard == b"":  # it ended: None is said where there is nothing yet
            self._looking = False
            self._let_go(False)
            warnings.warn(f"nothing judges the records any more; curvedoc analyze {self.folder} does", stacklevel=3)
            return
        self._answer += heard or b""
        line, end, rest = self._answer.partition(b"\n")
        if not end:
            return
        self._answer = rest
        told = json.loads(line)
        self._looking = False
        self.verdict, self.headline = told.get("verdict", self.verdict), told.get("headline", self.headline)
        self._fatal = bool(told.get("fatal", self._fatal))
        self._due = time.time() + max(self._every, _REST * told.get("seconds", 0.0))
        if told.get("trouble"):
            warnings.warn(f"curvedoc could not judge the records: {told['trouble']}", stacklevel=3)


def watching(
    place: Path | str = "curvedoc-run",
    config: Mapping[str, Any] | None = None,
    *,
    every: float = 60.0,
    layers_every: int = 50,
    enabled: bool | None = None,
) -> Session:
    """Watch a training: `with curvedoc.watching("runs/a") as watch: ... watch.log(step, loss=loss)`.

    See Session. The report is written when the block ends, by an exception too, and when the process is killed.
    """
    return Session(place, config, every=every, layers_every=layers_every, enabled=enabled)


def is_first_process() -> bool:
    """Whether this is the only process of a training or the first of several, by what launchers set."""
    ranks = (os.environ.get(name) for name in ("RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "LOCAL_RANK"))
    return next((rank for rank in ranks if rank is not None), "0") == "0"
