"""Callback of the Trainer of Hugging Face (transformers; trl and others build on it)."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from transformers import TrainerCallback

from curvedoc.integrations.settings import scalars
from curvedoc.session import Session


class HuggingFaceCallback(TrainerCallback):  # type: ignore[misc]
    """Records what the Trainer logs.

    place: default `curvedoc` below the output folder
    stop: end the training on a fatal finding (one process only: others would wait for this one)
    """

    def __init__(self, place: Path | str | None = None, *, stop: bool = False, every: float = 60.0) -> None:
        self.place, self.stop, self.every = place, stop, every
        self.session: Session | None = None

    def on_train_begin(self, args: Any, state: Any, control: Any, **rest: Any) -> None:
        """Begin to record."""
        place = self.place or Path(args.output_dir) / "curvedoc"
        # what was asked for may contradict itself (both are given, one holds); the state has what holds
        length = {"max_steps": state.max_steps, "num_train_epochs": state.num_train_epochs}
        config = {**scalars(args.to_dict()), **length}
        self.session = Session(place, config, every=self.every, enabled=bool(state.is_world_process_zero))
        if self.stop and args.world_size > 1:
            warnings.warn("stop=True is for one process; this training goes on whatever is found", stacklevel=2)

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **rest: Any) -> None:
        """One record of what the Trainer logs."""
        if self.session is not None and logs:
            self.session.log(state.global_step, **logs)
            if self.stop and args.world_size == 1 and self.session.should_stop():
                self.session.say("WARNING", f"curvedoc ends the training: {self.session.headline}")
                control.should_training_stop = True

    def on_train_end(self, args: Any, state: Any, control: Any, **rest: Any) -> None:
        """Write the report."""
        if self.session is not None:
            self.session.say("INFO", "Training finished")
            self.session.close()
