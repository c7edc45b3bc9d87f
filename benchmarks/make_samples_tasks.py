"""Small tasks, small models and one training loop: what every sample run is made of."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

Row = dict[str, Any]
Pair = tuple[Tensor, Tensor]


def blobs(n: int, classes: int, dims: int, spread: float, seed: int, flip: float = 0.0) -> Pair:
    """A gaussian mixture: points [n, dims], labels [n]; `flip` of the labels are drawn anew."""
    rng = np.random.default_rng(seed)
    center = np.random.default_rng(977).normal(size=(classes, dims))
    label = rng.integers(classes, size=n)
    point = center[label] + spread * rng.normal(size=(n, dims))
    wrong = rng.random(n) < flip
    label[wrong] = rng.integers(classes, size=int(wrong.sum()))
    return torch.tensor(point, dtype=torch.float32), torch.tensor(label)


def spirals(n: int, arms: int, jitter: float, seed: int) -> Pair:
    """Interleaved spirals in the plane: points [n, 2], labels [n]."""
    rng = np.random.default_rng(seed)
    label = rng.integers(arms, size=n)
    radius = np.sqrt(rng.random(n))
    angle = 2 * math.pi * (label / arms + 0.9 * radius)
    point = np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1) * 2 + jitter * rng.normal(size=(n, 2))
    return torch.tensor(point, dtype=torch.float32), torch.tensor(label)


def waves(n: int, noise: float, seed: int) -> Pair:
    """Regression of two sines over [-2, 2]: x [n, 1], y [n, 1]."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(-2, 2, size=(n, 1))
    y = np.sin(3 * x) + 0.4 * np.sin(7 * x + 1) + noise * rng.normal(size=(n, 1))
    return torch.tensor(x, dtype=torch.float32), torch.tensor(y, dtype=torch.float32)


_WHO = [
    "the gardener",
    "a tall sailor",
    "my cousin",
    "the night train",
    "an old kettle",
    "the river",
    "somebody",
    "the clockmaker",
]
_DOES = ["carries", "forgets", "paints", "counts", "waits for", "hums to", "follows", "repairs"]
_WHAT = [
    "seven lanterns",
    "the harbor wall",
    "a paper map",
    "cold tea",
    "the last bell",
    "wet stones",
    "a borrowed coat",
]
_WHEN = ["before the rain", "at noon", "without a word", "twice a week", "under the bridge", "until spring"]
TEXT_SYMBOLS = sorted(set("".join(_WHO + _DOES + _WHAT + _WHEN) + " .\n"))


def chars(n: int, length: int, seed: int) -> Pair:
    """Character windows of a text that a small grammar writes: codes [n, length] and the next codes [n, length]."""
    rng = np.random.default_rng(seed)
    text = ""
    while len(text) < n * 8 + length + 1:
        text += " ".join(p[rng.integers(len(p))] for p in (_WHO, _DOES, _WHAT, _WHEN)) + ".\n"
    code = {c: i for i, c in enumerate(TEXT_SYMBOLS)}
    stream = np.array([code[c] for c in text])
    start = rng.integers(len(stream) - length - 1, size=n)
    window = stream[start[:, None] + np.arange(length + 1)]
    return torch.tensor(window[:, :-1]), torch.tensor(window[:, 1:])


def copies(n: int, symbols: int, length: int, seed: int) -> Pair:
    """Sequences to repeat after a blank (code 0): inputs and targets [n, 2 * length], -100 where unscored."""
    rng = np.random.default_rng(seed)
    word = rng.integers(1, symbols + 1, size=(n, length))
    blank = np.zeros_like(word)
    return torch.tensor(np.hstack([word, blank])), torch.tensor(np.hstack([np.full_like(word, -100), word]))


def mlp(sizes: list[int], act: Callable[[], nn.Module] = nn.ReLU) -> nn.Sequential:
    """Linear layers with an activation between each two."""
    parts: list[nn.Module] = []
    for a, b in pairwise(sizes):
        parts += [nn.Linear(a, b), act()]
    return nn.Sequential(*parts[:-1])


class Reader(nn.Module):
    """Embedding, GRU, linear head over every position."""

    def __init__(self, symbols: int, width: int, hidden: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(symbols, width)
        self.rnn = nn.GRU(width, hidden, batch_first=True)
        self.head = nn.Linear(hidden, symbols)

    def forward(self, x: Tensor) -> Tensor:
        """Logits [batch, symbols, length] of codes [batch, length]."""
        out: Tensor = self.head(self.rnn(self.embed(x))[0]).transpose(1, 2)
        return out


def cross_entropy(logits: Tensor, label: Tensor) -> Tensor:
    """Cross-entropy over the second axis."""
    return F.cross_entropy(logits, label)


def batches(data: Pair, size: int, seed: int) -> Iterator[tuple[int, Tensor, Tensor]]:
    """(epoch, x, y) for ever, each epoch in a new order, the short last batch left out."""
    x, y = data
    rng = np.random.default_rng(seed)
    epoch = 0
    while True:
        order = torch.tensor(rng.permutation(len(x)))
        for i in range(0, len(x) - size + 1, size):
            take = order[i : i + size]
            yield epoch, x[take], y[take]
        epoch += 1


@dataclass
class Task:
    """One training job. `spoil` may change a batch, `limit` clips, `each` sees the model after backward."""

    model: nn.Module
    data: Pair
    held: Pair
    steps: int
    size: int
    lr: float
    seed: int
    loss: Callable[[Tensor, Tensor], Tensor] = cross_entropy
    optimizer: str = "adam"
    momentum: float = 0.0
    decay: float = 0.0
    rate: Callable[[int], float] = field(default=lambda step: 1.0)
    spoil: Callable[[int, Tensor, Tensor], Pair] = field(default=lambda step, x, y: (x, y))
    limit: float | None = None
    each: Callable[[nn.Module], Row] = field(default=lambda model: {})


def grad_norm(model: nn.Module) -> float:
    """The global L2 norm of the gradients."""
    total = sum(float((p.grad.double() ** 2).sum()) for p in model.parameters() if p.grad is not None)
    return total**0.5


def accuracy(logits: Tensor, label: Tensor) -> float:
    """The share of right answers over axis 1."""
    return float((logits.argmax(1) == label).float().mean())


@torch.no_grad()
def evaluate(task: Task) -> tuple[float, float | None]:
    """Loss and (for classifiers) accuracy on the held-out pair."""
    task.model.eval()
    out = task.model(task.held[0])
    loss = float(task.loss(out, task.held[1]))
    right = accuracy(out, task.held[1]) if task.held[1].dtype == torch.int64 else None
    task.model.train()
    return loss, right


def train(task: Task) -> Iterator[Row]:
    """One row a step: step, epoch, loss, lr, grad_norm, acc, and what `each` adds."""
    weights = [p for p in task.model.parameters() if p.requires_grad]
    kind = {"adam": torch.optim.AdamW, "sgd": torch.optim.SGD}[task.optimizer]
    more: Row = {"momentum": task.momentum} if task.optimizer == "sgd" else {}
    optimizer = kind(weights, lr=task.lr, weight_decay=task.decay, **more)
    stream = batches(task.data, task.size, task.seed)
    for step in range(task.steps):
        epoch, x, y = next(stream)
        x, y = task.spoil(step, x, y)
        lr = task.lr * task.rate(step)
        for group in optimizer.param_groups:
            group["lr"] = lr
        out = task.model(x)
        loss = task.loss(out, y)
        optimizer.zero_grad()
        loss.backward()
        norm = grad_norm(task.model)
        seen = task.each(task.model)
        if task.limit is not None:
            nn.utils.clip_grad_norm_(task.model.parameters(), task.limit)
        optimizer.step()
        right = accuracy(out, y) if y.dtype == torch.int64 else None
        yield {"step": step, "epoch": epoch, "loss": loss.item(), "lr": lr, "grad_norm": norm, "acc": right, **seen}


def cosine(steps: int, warmup: int = 0, floor: float = 0.0) -> Callable[[int], float]:
    """Linear warm-up, then half a cosine down to `floor`, as a factor of the rate."""

    def factor(step: int) -> float:
        if step < warmup:
            return (step + 1) / warmup
        share = (step - warmup) / max(1, steps - warmup)
        return floor + (1 - floor) * (1 + math.cos(math.pi * share)) / 2

    return factor
