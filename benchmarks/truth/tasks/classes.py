"""Classification of points, tables, images and sequences; 2 to 100 classes, balanced and not."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Generator, Tensor, nn

from benchmarks.truth.nets import Recurrent, Transformer, convnet, mlp
from benchmarks.truth.problem import Problem, Result, Task, classified, traits
from benchmarks.truth.setup import Setup


def cut(s: Setup, *tensors: Tensor) -> tuple[tuple[Tensor, ...], tuple[Tensor, ...]]:
    """Training and held-out parts of tensors that hold both."""
    return tuple(t[: s.samples] for t in tensors), tuple(t[s.samples : s.samples + s.held_out] for t in tensors)


def both(s: Setup) -> int:
    """Samples of training and validation together."""
    return s.samples + s.held_out


def teacher(g: Generator, x: Tensor, outputs: int, hidden: int = 24, sharp: float = 3.0) -> Tensor:
    """Scores that a random network gives: a task that a network can learn."""
    w = torch.randn(x.shape[1], hidden, generator=g) / x.shape[1] ** 0.5
    v = torch.randn(hidden, outputs, generator=g) / hidden**0.5
    return sharp * torch.tanh(2 * x @ w) @ v


def blobs(classes: int, dims: int, spread: float, weights: str = "even"):
    """Clouds of points around random centers."""

    def build(s: Setup, g: Generator) -> Problem:
        centers = torch.randn(classes, dims, generator=g)
        share = torch.ones(classes) if weights == "even" else torch.arange(1, classes + 1).float() ** -1.2
        y = torch.multinomial(share, both(s), True, generator=g)
        x = centers[y] + spread * torch.randn(both(s), dims, generator=g)
        train, val = cut(s, x, y)
        return Problem(mlp(s, dims, (48, 48), classes), classified, train, val, classes)

    return build


def rings(s: Setup, g: Generator) -> Problem:
    """Three rings around one another."""
    y = torch.randint(0, 3, (both(s),), generator=g)
    angle = 6.2832 * torch.rand(both(s), generator=g)
    radius = 0.5 + 0.7 * y + 0.13 * torch.randn(both(s), generator=g)
    x = torch.stack([radius * angle.cos(), radius * angle.sin()], 1)
    train, val = cut(s, x, y)
    return Problem(mlp(s, 2, (48, 48), 3), classified, train, val, 3)


def table(classes: int, dims: int):
    """A table whose classes a random network decides."""

    def build(s: Setup, g: Generator) -> Problem:
        x = torch.randn(both(s), dims, generator=g)
        y = teacher(g, x, classes).argmax(1)
        train, val = cut(s, x, y)
        return Problem(mlp(s, dims, (64, 64), classes), classified, train, val, classes)

    return build


def pictures(classes: int, size: int, noise: float, shift: int = 2):
    """Images of a pattern a class, moved about and noisy."""

    def build(s: Setup, g: Generator) -> Problem:
        patterns = torch.randn(classes, 1, size // 2, size // 2, generator=g)
        patterns = nn.functional.interpolate(patterns, size=size, mode="bilinear")
        y = torch.randint(0, classes, (both(s),), generator=g)
        moves = torch.randint(-shift, shift + 1, (both(s), 2), generator=g).tolist()
        x = torch.stack([torch.roll(patterns[c], (a, b), (1, 2)) for c, (a, b) in zip(y.tolist(), moves, strict=True)])
        x = x + noise * torch.randn(x.shape, generator=g)
        train, val = cut(s, x, y)
        return Problem(convnet(s, 1, (8, 16), classes), classified, train, val, classes)

    return build


def prototypes(s: Setup, g: Generator) -> Problem:
    """A hundred classes in 40 dimensions."""
    centers = torch.randn(100, 40, generator=g)
    y = torch.randint(0, 100, (both(s),), generator=g)
    x = centers[y] + 0.8 * torch.randn(both(s), 40, generator=g)
    train, val = cut(s, x, y)
    return Problem(mlp(s, 40, (96,), 100), classified, train, val, 100)


def signals(s: Setup, g: Generator) -> Problem:
    """Waves of six frequencies in noise, read step by step."""
    y = torch.randint(0, 6, (both(s),), generator=g)
    t = torch.arange(16).float()
    phase = 6.2832 * torch.rand(both(s), 1, generator=g)
    x = torch.sin(0.35 * (y[:, None] + 1) * t + phase) + 0.25 * torch.randn(both(s), 16, generator=g)
    train, val = cut(s, x[..., None], y)
    return Problem(Recurrent(s, 1, 32, 6, tokens=False, last=True), classified, train, val, 6)


def topics(s: Setup, g: Generator) -> Problem:
    """Texts of twenty topics as bags of words."""
    habit = torch.softmax(2.0 * torch.randn(20, 200, generator=g), 1)
    y = torch.randint(0, 20, (both(s),), generator=g)
    x = torch.multinomial(habit[y], 25, True, generator=g)
    train, val = cut(s, x, y)
    net = nn.Sequential(nn.EmbeddingBag(200, 24), mlp(s, 24, (48,), 20))
    return Problem(net, classified, train, val, 20)


def tokens(s: Setup, g: Generator) -> Problem:
    """Which of eight words occurs in a sentence, read by a transformer."""
    y = torch.randint(0, 8, (both(s),), generator=g)
    x = torch.randint(8, 40, (both(s), 12), generator=g)
    at = torch.randint(0, 12, (both(s), 1), generator=g)
    x.scatter_(1, at, y[:, None])
    train, val = cut(s, x, y)
    return Problem(Transformer(s, 40, 12, 8, causal=False), classified, train, val, 8)


def binary(dims: int, rare: float, labels: int):
    """One or several yes-or-no answers, by binary cross-entropy."""

    def score(out: Tensor, batch: tuple[Tensor, ...]) -> Result:
        loss = nn.functional.binary_cross_entropy_with_logits(out, batch[-1])
        return Result(loss, {}, {"accuracy": ((out > 0) == (batch[-1] > 0.5)).float().mean()})

    def build(s: Setup, g: Generator) -> Problem:
        x = torch.randn(both(s), dims, generator=g)
        raw = teacher(g, x, labels)
        y = (raw > raw.quantile(1 - rare, dim=0)).float()
        train, val = cut(s, x, y)
        return Problem(mlp(s, dims, (48, 48), labels), score, train, val)

    return build


FLAT = Setup(steps=600, lr=2e-3)
PLAIN = traits("classes inputs labels data relu deep modes norm")
YESNO = traits("inputs labels data relu deep modes norm")
TASKS = (
    Task("blobs-2", "points", blobs(2, 6, 1.0), FLAT, PLAIN, 0.05),
    Task("blobs-8-skewed", "points", blobs(8, 10, 0.8, "skewed"), FLAT, PLAIN, 0.05),
    Task("rings-3", "points", rings, replace(FLAT, lr=4e-3, steps=800), PLAIN, 0.1),
    Task("table-10", "tables", table(10, 16), replace(FLAT, samples=4000, steps=900), PLAIN, 0.05),
    Task("table-4", "tables", table(4, 30), replace(FLAT, samples=4000), PLAIN, 0.05),
    Task("pictures-10", "images", pictures(10, 12, 0.5), replace(FLAT, steps=350, lr=4e-3), PLAIN, 0.08),
    Task("pictures-4", "images", pictures(4, 10, 1.0), replace(FLAT, steps=350, lr=4e-3), PLAIN, 0.08),
    Task("prototypes-100", "many classes", prototypes, replace(FLAT, samples=4000, steps=800), PLAIN, 0.1),
    Task(
        "signals-6", "sequences", signals, replace(FLAT, steps=280, lr=8e-3), traits("classes inputs labels data"), 0.2
    ),
    Task("topics-20", "texts", topics, replace(FLAT, lr=6e-3), traits("classes labels data relu deep"), 0.0),
    Task("tokens-8", "texts", tokens, replace(FLAT, steps=350), traits("classes labels data modes"), 0.0),
    Task("binary", "yes or no", binary(12, 0.5, 1), replace(FLAT, samples=3000), YESNO, 0.1),
    Task("binary-rare", "yes or no", binary(12, 0.06, 1), replace(FLAT, samples=4000), YESNO, 0.1),
    Task("multilabel-12", "yes or no", binary(20, 0.2, 12), replace(FLAT, samples=4000), YESNO, 0.3),
)
