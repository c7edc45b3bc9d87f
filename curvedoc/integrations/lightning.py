"""Callback of Lightning's Trainer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

try:
    from lightning.pytorch import Callback
except ModuleNotFoundError:  # the same class under its older name
    from pytorch_lightning import Callback

from curvedoc.integrations.settings import scalars
from curvedoc.session import Session


class LightningCallback(Callback):  # type: ignore[misc]
    """Records loss, rates and what the module logs, every `log_every_n_steps` steps and after each validation.

    place: default `curvedoc` below the Trainer's root folder
    stop: end the training on a fatal finding (one process only: others would wait for this one)
    """

    def __init__(self, place: Path | str | None = None, *, stop: bool = False, every: float = 60.0) -> None:
        self.place, self.stop, self.every = place, stop, every
        self.session: Session | None = None

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        """Begin to record."""
        place = self.place or Path(trainer.default_root_dir) / "curvedoc"
        config = {**scalars(dict(pl_module.hparams)), "max_steps": trainer.estimated_stepping_batches}
        if trainer.max_epochs and trainer.max_epochs > 0:
            config["epochs"] = trainer.max_epochs
        if trainer.gradient_clip_val:
            config["gradient_clip_val"] = trainer.gradient_clip_val
        config["precision"] = str(trainer.precision)
        self.session = Session(place, config, every=self.every, enabled=bool(trainer.is_global_zero))

    def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
        """One record of the step, as often as the Trainer logs."""
        if self.session is None or (trainer.global_step - 1) % trainer.log_every_n_steps:
            return
        values = dict(trainer.logged_metrics)
        loss = outputs.get("loss") if isinstance(outputs, dict) else outputs
        if loss is not None and not any("loss" in name for name in values):
            values["loss"] = loss
        rates = [g["lr"] for o in trainer.optimizers for g in o.param_groups]
        values.update({"lr": rates[0]} if len(set(rates)) == 1 else {f"lr/group{i}": r for i, r in enumerate(rates)})
        self.session.log(trainer.global_step, epoch=trainer.current_epoch, **_numbers(values))
        if self.stop and trainer.world_size == 1 and self.session.should_stop():
            self.session.say("WARNING", f"curvedoc ends the training: {self.session.headline}")
            trainer.should_stop = True

    def on_validation_end(self, trainer: Any, pl_module: Any) -> None:
        """One record of what the validation logged."""
        if self.session is not None and not trainer.sanity_checking and trainer.logged_metrics:
            self.session.log(trainer.global_step, epoch=trainer.current_epoch, **_numbers(trainer.logged_metrics))

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        """Record how the training died, and write the report."""
        if self.session is not None:
            self.session.failed(exception)
            self.session.close()

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        """Write the report."""
        if self.session is not None:
            self.session.say("INFO", "Training finished")
            self.session.close()


def _numbers(values: Any) -> dict[str, float]:
    return {str(k): float(v) for k, v in values.items()}
