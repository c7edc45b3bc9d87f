"""Sample runs that ended before their time: each trains, writes logs into a folder and says what it is about."""

from __future__ import annotations

import re
import resource
import traceback
from pathlib import Path

import make_samples_logs as logs
import torch
from make_samples_tasks import (
    TEXT_SYMBOLS,
    Reader,
    Row,
    Task,
    blobs,
    chars,
    cosine,
    evaluate,
    mlp,
    train,
)
from torch import Tensor, nn

START = 1_772_000_000.0


def _told(error: BaseException) -> str:
    """The traceback of an error without the machine's paths."""
    text = "".join(traceback.format_exception(error))
    text = re.sub(r'File "[^"]*site-packages/', 'File "site-packages/', text)
    text = re.sub(r'File "[^"]*(make_samples\w*)\.py"', 'File "train.py"', text)
    return re.sub(r'File "[^"]*/lib/python3', 'File "lib/python3', text)


def shape(out: Path) -> str:
    """The validation batch has one feature less than the model takes, as print lines."""
    task = Task(
        mlp([9, 32, 4]),
        blobs(1200, 4, 9, 0.8, 24),
        (blobs(300, 4, 9, 0.8, 25)[0][:, :8], blobs(300, 4, 9, 0.8, 25)[1]),
        260,
        40,
        3e-3,
        16,
    )
    text = "Namespace(lr=0.003, batch_size=40, steps=260, seed=16)\n"
    try:
        for r in train(task):
            if r["step"] % 10 == 0:
                text += f"step {r['step']} | loss {r['loss']:.4f} | lr {r['lr']:.1e} | grad_norm {r['grad_norm']:.3f}\n"
            if r["step"] == 199:
                text += "running validation\n"
                evaluate(task)
    except RuntimeError as error:
        text += _told(error)
    (out / "train.log").write_text(text)
    return "The first validation batch lacks a feature; the run ends in a shape error."


class Attention(nn.Module):
    """One full attention over the characters, so that memory grows with the square of the length."""

    def __init__(self, symbols: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(symbols, 32)
        self.mix = nn.Linear(32, 96)
        self.head = nn.Linear(32, symbols)

    def forward(self, x: Tensor) -> Tensor:
        """Logits [batch, symbols, length] of codes [batch, length]."""
        h = self.embed(x)
        q, k, v = self.mix(h).chunk(3, -1)
        score = (q @ k.transpose(1, 2)) / 32**0.5
        late = torch.ones(score.shape[1:], dtype=torch.bool).triu(1)
        out: Tensor = self.head(h + score.masked_fill(late, -1e9).softmax(-1) @ v).transpose(1, 2)
        return out


def memory(out: Path) -> str:
    """One batch of sequences three thousand times too long meets an attention, as nanoGPT-like lines."""
    symbols = len(TEXT_SYMBOLS)
    # the kernel may promise memory that it does not have, and then kill us instead of refusing
    resource.setrlimit(resource.RLIMIT_AS, (16 << 30, resource.getrlimit(resource.RLIMIT_AS)[1]))

    def spoil(step: int, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        return (x.repeat(1, 3000), y) if step == 430 else (x, y)

    task = Task(Attention(symbols), chars(800, 32, 26), chars(100, 32, 27), 600, 8, 3e-3, 17, spoil=spoil)
    text = (
        f"tokens per iteration will be: 256\nnumber of parameters: {sum(p.numel() for p in task.model.parameters())}\n"
    )
    try:
        for r in train(task):
            if r["step"] % 100 == 0:
                text += f"step {r['step']}: train loss {r['loss']:.4f}, val loss {evaluate(task)[0]:.4f}\n"
            if r["step"] % 5 == 0:
                text += f"iter {r['step']}: loss {r['loss']:.4f}, time {3 + r['step'] % 7 * 0.11:.2f}ms, mfu 0.02%\n"
    except RuntimeError as error:
        text += _told(error)
    (out / "out.txt").write_text(text)
    return "One document was not cut to length; its attention matrix does not fit into memory at iteration 430."


def killed(out: Path) -> str:
    """A run that ends in half a line, in flat JSON lines."""
    model = Reader(len(TEXT_SYMBOLS), 24, 48)
    task = Task(model, chars(900, 24, 28), chars(150, 24, 29), 700, 24, 5e-3, 18, rate=cosine(2000, 40), limit=1.0)
    rows: list[Row] = []
    for r in train(task):
        if r["step"] % 2 == 0:
            row = {"step": r["step"], "loss": r["loss"], "lr": r["lr"], "grad_norm": r["grad_norm"]}
            if r["step"] % 100 == 0:
                row["eval_loss"] = evaluate(task)[0]
            rows.append(row)
    path = out / "train_log.jsonl"
    logs.jsonl(path, rows)
    path.write_bytes(path.read_bytes()[:-37])
    logs.config_yaml(
        out / "config.yaml",
        {
            "lr": 5e-3,
            "lr_scheduler": "cosine",
            "warmup_steps": 40,
            "max_steps": 2000,
            "max_grad_norm": 1.0,
            "batch_size": 24,
            "seed": 18,
        },
    )
    return "Killed at step 698 of 2000 in the middle of a line; what it logged until then is healthy."
