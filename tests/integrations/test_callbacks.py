"""Each callback in a real training of its library: one that finishes, one that dies, one that is stopped."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.record.test_session import awaited

HUGGING_FACE = """\
import torch
from transformers import Trainer, TrainingArguments
from curvedoc.integrations import HuggingFaceCallback
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net, self.calls = torch.nn.Linear(8, 2), 0
    def forward(self, x, labels):
        self.calls += 1
        if MODE == "raise" and self.calls == 120: raise KeyError("batch")
        logits = self.net(x)
        loss = torch.nn.functional.cross_entropy(logits, labels)
        return {"loss": loss * (float("nan") if MODE == "nan" and self.calls > 100 else 1.0), "logits": logits}
torch.manual_seed(0)
x = torch.randn(400, 8); y = (x[:, 0] > 0).long()
data = [{"x": a, "labels": b} for a, b in zip(x, y)]
callback = HuggingFaceCallback(stop=True, every=0.3)
args = TrainingArguments("out", max_steps=200, logging_steps=1, per_device_train_batch_size=16,
                         learning_rate=0.01, report_to=[], save_strategy="no", logging_nan_inf_filter=False,
                         use_cpu=True, disable_tqdm=True)
trainer = Trainer(Net(), args, train_dataset=data, callbacks=[callback])
if MODE == "nan":
    from transformers import TrainerCallback
    class Wait(TrainerCallback):
        def on_step_end(self, args, state, control, **named):
            if state.global_step == 110: callback.session.look()
    trainer.add_callback(Wait())
trainer.train()
print("STEPS", trainer.state.global_step)
"""
LIGHTNING = """\
import torch
import lightning as L
from curvedoc.integrations import LightningCallback
class Net(L.LightningModule):
    def __init__(self, width=8):
        super().__init__()
        self.save_hyperparameters()
        self.net, self.calls = torch.nn.Linear(width, 2), 0
    def training_step(self, batch, i):
        self.calls += 1
        if MODE == "raise" and self.calls == 120: raise KeyError("batch")
        if MODE == "nan" and self.calls == 110: callback.session.look()
        loss = torch.nn.functional.cross_entropy(self.net(batch[0]), batch[1])
        loss = loss * (float("nan") if MODE == "nan" and self.calls > 100 else 1.0)
        self.log("train_loss", loss)
        return loss
    def validation_step(self, batch, i):
        self.log("val_loss", torch.nn.functional.cross_entropy(self.net(batch[0]), batch[1]))
    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.05)
torch.manual_seed(0)
x = torch.randn(400, 8); y = (x[:, 0] > 0).long()
data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), batch_size=16, shuffle=True)
callback = LightningCallback(stop=True, every=0.3)
trainer = L.Trainer(max_epochs=8, default_root_dir="out", logger=False, callbacks=[callback],
                    enable_checkpointing=False, enable_progress_bar=False, log_every_n_steps=1, accelerator="cpu")
trainer.fit(Net(), data, data)
print("STEPS", trainer.global_step)
"""
KERAS = """\
import numpy as np
import keras
from curvedoc.integrations import KerasCallback
keras.utils.set_random_seed(0)
x = np.random.randn(400, 8).astype("float32"); y = (x[:, 0] > 0).astype("int32")
class Trouble(keras.callbacks.Callback):
    seen = 0
    def on_train_batch_begin(self, batch, logs=None):
        self.seen += 1
        if MODE == "raise" and self.seen == 120: raise KeyError("batch")
        if MODE == "nan" and self.seen == 100: self.model.optimizer.learning_rate = float("nan")
        if MODE == "nan" and self.seen == 110: callback.session.look()
trouble, callback = Trouble(), KerasCallback("out/curvedoc", stop=True, every=0.3)
model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(2, activation="softmax")])
model.compile(keras.optimizers.SGD(0.05), "sparse_categorical_crossentropy")
model.fit(x, y, batch_size=16, epochs=8, verbose=0, validation_split=0.2,
          callbacks=[callback, trouble])
print("STEPS", trouble.seen)
"""
LIBRARIES = {"transformers": HUGGING_FACE, "lightning": LIGHTNING, "keras": KERAS}


def trained(library: str, mode: str, place: Path) -> subprocess.CompletedProcess[str]:
    """The library's training in a process of its own."""
    for needed in (library, "torch"):
        if find_spec(needed) is None:
            pytest.skip(f"{needed} is not installed")
    surroundings = {
        **os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p), "KERAS_BACKEND": "torch",
        "CUDA_VISIBLE_DEVICES": "", "PYTHONWARNINGS": "ignore", "HF_HUB_OFFLINE": "1",
    }  # fmt: skip
    code = f"MODE = {mode!r}\n{LIBRARIES[library]}"
    return subprocess.run(
        [sys.executable, "-c", code], cwd=place, timeout=300, check=False, capture_output=True, text=True,
        env=surroundings,
    )  # fmt: skip


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_training_that_finishes(library: str, tmp_path: Path) -> None:
    done = trained(library, "pass", tmp_path)
    assert done.returncode == 0, done.stderr
    run = awaited(tmp_path / "out" / "curvedoc" / "curvedoc-report.json")
    assert (run["verdict"], run["ending"]["value"]) == ("healthy", "finished"), run["headline"]
    assert run["signals"]["loss"]["points"] >= 152 and "lr" in run["signals"], run["signals"]
    if library != "transformers":
        assert run["signals"]["val_loss"]["points"] == 8


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_training_that_dies(library: str, tmp_path: Path) -> None:
    done = trained(library, "raise", tmp_path)
    assert done.returncode == 1 and "KeyError" in done.stderr
    run = awaited(tmp_path / "out" / "curvedoc" / "curvedoc-report.json")
    assert (run["verdict"], run["ending"]["value"]) == ("failed", "crash"), run["headline"]
    assert "KeyError" in run["headline"]


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_training_that_is_lost_is_stopped(library: str, tmp_path: Path) -> None:
    done = trained(library, "nan", tmp_path)
    assert done.returncode == 0, done.stderr
    steps = int(done.stdout.rpartition("STEPS")[2])
    run = awaited(tmp_path / "out" / "curvedoc" / "curvedoc-report.json")
    assert run["verdict"] == "failed" and 100 < steps < 200, (steps, run["headline"])
