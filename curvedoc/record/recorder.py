"""The recorder: one JSON object a line, written at once, so that a process that is killed leaves all it logged."""

from __future__ import annotations

import json
import time
import traceback
import warnings
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any, TypeVar

from curvedoc.record.machine import memory
from curvedoc.record.origin import origin
from curvedoc.record.torch_signals import TorchSignals

FILE = "curvedoc.jsonl"
_Item = TypeVar("_Item")


class Recorder:
    """Writes `place/curvedoc.jsonl`, or the file of that name where `place` ends in .jsonl.

    config: settings of the run. Versions, seed, git revision and command line are added to it.
    layers_every: records from one that has the layers' norms to the next, 0 for none

    What cannot be written (a full disk) is warned of once and costs the record, never the training.
    """

    def __init__(self, place: Path | str, config: Mapping[str, Any] | None = None, *, layers_every: int = 50) -> None:
        self.path = Path(place) if str(place).endswith(".jsonl") else Path(place) / FILE
        self._layers_every = layers_every
        self._signals: TorchSignals | None = None
        self._waited: float | None = None
        self._records = self._deep_at = 0
        self._file: IO[str] | None = None
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self.path.open("a", encoding="utf-8", buffering=1)
        except OSError as e:
            self._lost(e)
        self._put({"config": {**origin(), **(config or {})}, "time": time.time()})

    def attach(self, model: Any, optimizer: Any = None) -> None:
        """Log the gradient norm of a torch model with every record, its layers' now and then, and the rate."""
        self._signals = TorchSignals(model, optimizer)

    def timed(self, loader: Iterable[_Item]) -> Iterator[_Item]:
        """The items; how long each was waited for is in the next record, as `data_time`."""
        items = iter(loader)
        while True:
            begun = time.perf_counter()
            try:
                item = next(items)
            except StopIteration:
                return
            self._waited = (self._waited or 0.0) + time.perf_counter() - begun
            yield item

    def log(self, step: int | None = None, /, **values: Any) -> None:
        """One record. Call it behind backward() and before the gradients are zeroed, for their norms."""
        record: dict[str, Any] = {} if step is None else {"step": step}
        record["time"] = time.time()
        record.update(values)
        if self._waited is not None:
            record["data_time"], self._waited = self._waited, None
        if self._signals is not None:
            deep = self._layers_every > 0 and self._records >= self._deep_at
            record = {**self._signals.values(layers=deep), **memory(), **record}
            if deep:
                self._deep_at = self._records + self._layers_every
            self._signals.watch_zeros(self._records + 1 == self._deep_at)
        self._records += 1
        self._put(record)

    def say(self, level: str, message: str, **more: str) -> None:
        """A line of text: what happened, beside what was measured."""
        self._put({"time": time.time(), "level": level, "message": message, **more})

    def failed(self, error: BaseException) -> None:
        """Record how an exception ended the training."""
        if isinstance(error, KeyboardInterrupt):
            self.say("ERROR", "KeyboardInterrupt")
            return
        lines = traceback.format_exception(error)
        self.say("ERROR", lines[-1].strip(), exception="".join(lines))

    def close(self) -> None:
        """No more records; what hooks the model is taken off."""
        if self._signals is not None:
            self._signals.close()
            self._signals = None
        if self._file is not None:
            self._file.close()
            self._file = None

    def __enter__(self) -> Recorder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None or (isinstance(error, SystemExit) and not error.code):
            self.say("INFO", "Training finished")
        else:
            self.failed(error)
        self.close()

    def _put(self, record: Mapping[str, Any]) -> None:
        if self._file is None:
            return
        try:
            line = json.dumps(record, default=_plain)
        except (TypeError, ValueError):  # a key that is no text, a value that holds itself
            line = json.dumps({str(k): _plain(v) for k, v in record.items()}, default=str)
        try:
            self._file.write(line + "\n")
        except OSError as e:
            self._lost(e)

    def _lost(self, error: OSError) -> None:
        self._file = None
        warnings.warn(f"curvedoc records no more: {self.path}: {error.strerror or error}", stacklevel=3)


def _plain(value: Any) -> float | int | str | None:
    """A number of numpy or torch as a number, everything else as its text."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    item = getattr(value, "item", None)
    try:
        number = item() if callable(item) else float(value)
    except (TypeError, ValueError, RuntimeError):  # a tensor of many numbers says RuntimeError
        return str(value)[:1000]
    return number if isinstance(number, bool | int | float) else str(number)[:1000]
