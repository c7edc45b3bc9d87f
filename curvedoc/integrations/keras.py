"""Callback of Keras, whatever its backend."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import keras

from curvedoc.session import Session


class KerasCallback(keras.callbacks.Callback):  # type: ignore[misc]
    """Records the loss of each batch, and what Keras tells at the end of each epoch.

    Keras tells the mean since the epoch began; what a batch added to it is recorded, so that a spike is not smoothed.

    place: default `curvedoc` in the working folder
    stop: end the training on a fatal finding
    """

    def __init__(self, place: Path | str = "curvedoc", *, stop: bool = False, every: float = 60.0) -> None:
        super().__init__()
        self.place, self.stop, self.every = place, stop, every
        self.session: Session | None = None
        self._step = 0
        self._mean = 0.0

    def on_train_begin(self, logs: Any = None) -> None:
        """Begin to record."""
        params = self.params or {}
        config: dict[str, Any] = {"optimizer": type(self.model.optimizer).__name__}
        if params.get("epochs"):
            config["epochs"] = params["epochs"]
        if params.get("steps"):
            config["steps_per_epoch"] = params["steps"]
        self.session = Session(self.place, config, every=self.every)

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """One record of the batch."""
        if self.session is None or not logs or "loss" not in logs:
            return
        mean = float(logs["loss"])
        own = mean if batch == 0 else (batch + 1) * mean - batch * self._mean
        self._mean, self._step = mean, self._step + 1
        if batch + 1 != (self.params or {}).get("steps"):  # the last one may be smaller, and weighs less
            self.session.log(self._step, loss=own, lr=self._rate())
        if self.stop and self.session.should_stop():
            self.session.say("WARNING", f"curvedoc ends the training: {self.session.headline}")
            self.model.stop_training = True

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """One record of the epoch, with its validation."""
        if self.session is not None:
            means = {f"epoch_{k}" if k == "loss" else k: float(v) for k, v in (logs or {}).items()}
            self.session.log(self._step, epoch=epoch, **{**means, "lr": self._rate()})

    def on_train_end(self, logs: Any = None) -> None:
        """Write the report."""
        if self.session is not None:
            self.session.say("INFO", "Training finished")
            self.session.close()

    def _rate(self) -> float:
        return float(self.model.optimizer.learning_rate)
