"""Faults and lookalikes of messages and of the log itself."""

from __future__ import annotations

import json
from pathlib import Path

from reenact import Plan, only, write_csv, write_jsonl, write_text
from reenact_cases import TEN, Maker, both, fault, healthy, lookalike

# --- messages --------------------------------------------------------------------------------

HEAD = 'Traceback (most recent call last):\n  File "/home/user/train.py", line 214, in <module>\n    main()\n'
HEAD += '  File "/home/user/train.py", line 180, in main\n    loss.backward()\n'
OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.65 GiB"
OOM += " of which 1.12 GiB is free. Including non-PyTorch memory, this process has 22.52 GiB memory in use."

#: symptom -> (what ends the log, a line of a run that goes on)
ENDS: dict[str, tuple[str, str]] = {
    "shape-mismatch": (
        HEAD + "RuntimeError: mat1 and mat2 shapes cannot be multiplied (32x64 and 128x10)",
        "INFO input shape (32, 64) matches target shape (32, 64)",
    ),
    "autograd-leaf-inplace": (
        HEAD + "RuntimeError: a leaf Variable that requires grad is being used in an in-place operation.",
        "INFO in-place ReLU is on, leaf modules: 12",
    ),
    "autograd-inplace": (
        HEAD + "RuntimeError: one of the variables needed for gradient computation has been modified by an inplace "
        "operation: [torch.FloatTensor [32, 64]], which is output 0 of ReluBackward0, is at version 1; expected "
        "version 0 instead. Hint: enable anomaly detection to find the operation that failed to compute its gradient, "
        "with torch.autograd.set_detect_anomaly(True).",
        "INFO inplace=True for all activations",
    ),
    "autograd-double-backward": (
        HEAD + "RuntimeError: Trying to backward through the graph a second time (or directly access saved tensors "
        "after they have already been freed). Saved intermediate values of the graph are freed when you call "
        ".backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the graph a second "
        "time or if you need to access saved tensors after calling backward.",
        "INFO second backward pass for the discriminator is on",
    ),
    "no-grad-error": (
        HEAD + "RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn",
        "INFO 12 of 148 parameters require grad",
    ),
    "dtype-mismatch": (
        HEAD + "RuntimeError: mat1 and mat2 must have the same dtype, but got Double and Float",
        "INFO inputs float32, parameters float32",
    ),
    "device-mismatch": (
        HEAD + "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 "
        "and cpu! (when checking argument for argument mat1 in method wrapper_CUDA_addmm)",
        "INFO found 2 devices: cuda:0, cuda:1",
    ),
    "label-out-of-range": (
        "../aten/src/ATen/native/cuda/Loss.cu:250: nll_loss_forward_reduce_cuda_kernel_2d: block: [0,0,0], thread: "
        "[4,0,0] Assertion `t >= 0 && t < n_classes` failed.\n" + HEAD + "RuntimeError: CUDA error: device-side assert "
        "triggered\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below"
        " might be incorrect.",
        "INFO labels range from 0 to 9, 10 classes",
    ),
    "nan-reported": (
        HEAD + "RuntimeError: Function 'LogBackward0' returned nan values in its 0th output.",
        "INFO features were cleaned with nan_to_num, no NaN found in inputs",
    ),
    "worker-died": (
        HEAD + "RuntimeError: DataLoader worker (pid 4242) is killed by signal: Killed. ",
        "INFO 8 DataLoader workers started",
    ),
    "collective-timeout": (
        "[E ProcessGroupNCCL.cpp:475] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=120, "
        "OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=1800000) ran for 1800123 milliseconds before timing out.",
        "INFO process group nccl is up, timeout 0:30:00",
    ),
    "crash-traceback": (
        HEAD + "KeyError: 'input_ids'",
        "INFO keys of a batch: ['input_ids', 'labels']",
    ),
    "broadcast-warning": (
        "/usr/lib/python3/site-packages/torch/nn/modules/loss.py:535: UserWarning: Using a target size "
        "(torch.Size([32])) that is different to the input size (torch.Size([32, 1])). This will likely lead to "
        "incorrect results due to broadcasting. Please ensure they have the same size.\n"
        "  return F.mse_loss(input, target, reduction=self.reduction)",
        "INFO target size 32, input size 32",
    ),
    "oom-later": (HEAD + OOM, "INFO expandable segments on, to avoid out of memory"),
}


def told(place: Path, steps: int, end: str, lines: dict[int, str] | None = None) -> None:
    write_text(place, only(healthy(Plan(steps=steps)), "loss", "lr"), TEN, lines, end)


def ends_with(text: str) -> Maker:
    return lambda place: told(place, 60, text)


def goes_on(text: str) -> Maker:
    return lambda place: told(place, 60, "INFO training finished", {30: text})


for _symptom, (_end, _line) in ENDS.items():
    fault(_symptom)(ends_with(_end))
    lookalike(_symptom)(goes_on(_line))


@fault("oom-at-start")
def _(place: Path) -> None:
    told(place, 1, HEAD + OOM)


@lookalike("oom-at-start")
def _(place: Path) -> None:
    told(place, 60, HEAD + OOM)


# --- the log itself --------------------------------------------------------------------------


@fault("missing-signal")
def _(place: Path) -> None:
    write_csv(place, only(healthy(), "loss"), TEN)


@lookalike("missing-signal")
def _(place: Path) -> None:
    write_csv(place, only(healthy(), "loss", "lr", "grad_norm", "val_loss"), TEN)


@fault("epoch-only-logging")
def _(place: Path) -> None:
    rows = [row for row in healthy() if "val_loss" in row]
    per_epoch = [{"epoch": i + 1, "loss": r["loss"], "val_loss": r["val_loss"]} for i, r in enumerate(rows)]
    (place / "history.json").write_text(json.dumps(per_epoch), encoding="utf-8")


@lookalike("epoch-only-logging")
def _(place: Path) -> None:
    write_jsonl(place, both(healthy()), TEN)


@fault("missing-provenance")
def _(place: Path) -> None:
    write_jsonl(place, both(healthy()))


@lookalike("missing-provenance")
def _(place: Path) -> None:
    write_jsonl(place, both(healthy()), TEN)


@fault("step-rewind")
def _(place: Path) -> None:
    """Resumed from the checkpoint of step 200 after a crash at step 260."""
    rows = only(healthy(), "loss", "lr")
    write_jsonl(place, rows[:260] + rows[200:], TEN)


@lookalike("step-rewind")
def _(place: Path) -> None:
    """A logger that skips steps never goes back."""
    write_jsonl(place, only(healthy(), "loss", "lr")[::7], TEN)


@fault("ended-early")
def _(place: Path) -> None:
    """The scheduler says that the time was over."""
    write_jsonl(place, only(healthy(), "loss", "lr"), TEN)
    said = "slurmstepd: error: *** JOB 1234 ON node1 CANCELLED AT 2024-05-01T12:00:00 DUE TO TIME LIMIT ***"
    (place / "slurm-1234.out").write_text(f"{said}\n", encoding="utf-8")


@lookalike("ended-early")
def _(place: Path) -> None:
    """Early stopping ended it on purpose."""
    write_jsonl(place, only(healthy(), "loss", "lr"), TEN)
    said = "Monitored metric val_loss did not improve in the last 3 records. Signaling Trainer to stop."
    (place / "train.log").write_text(f"{said}\n", encoding="utf-8")


@fault("truncated-log")
def _(place: Path) -> None:
    write_jsonl(place, only(healthy(), "loss", "lr"), TEN)
    path = place / "metrics.jsonl"
    path.write_bytes(path.read_bytes()[:-23])


@lookalike("truncated-log")
def _(place: Path) -> None:
    """No line break at the end, but the record is whole."""
    write_jsonl(place, only(healthy(), "loss", "lr"), TEN)
    path = place / "metrics.jsonl"
    path.write_bytes(path.read_bytes()[:-1])
