"""Learning from relations: contrastive, metric, distilled, recommended; and fine-tuning of what was learned before."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Generator, Tensor, nn

from benchmarks.truth.nets import mlp
from benchmarks.truth.problem import Batch, Problem, Result, Task, classified, mean_correct, traits
from benchmarks.truth.setup import Setup
from benchmarks.truth.tasks.classes import both, cut, teacher

F = nn.functional


def clouds(s: Setup, g: Generator, classes: int = 12, dims: int = 24) -> tuple[Tensor, Tensor]:
    """Points around centers, and which."""
    y = torch.randint(0, classes, (both(s),), generator=g)
    return torch.randn(classes, dims, generator=g)[y] + 0.6 * torch.randn(both(s), dims, generator=g), y


def contrastive(s: Setup, g: Generator) -> Problem:
    """Two noisy views of one thing are to be told from the views of all others."""
    x = torch.tanh(torch.randn(both(s), 8, generator=g) @ torch.randn(8, 24, generator=g))
    other = x + 0.5 * torch.randn(x.shape, generator=g)
    x = x + 0.5 * torch.randn(x.shape, generator=g)

    def forward(net: nn.Module, batch: Batch) -> Tensor:
        n = len(batch[0]) // 32 * 32 or len(batch[0])
        a, b = F.normalize(net(batch[0][:n]), dim=1), F.normalize(net(batch[1][:n]), dim=1)
        size = min(32, n)
        return torch.cat([p @ q.T / 0.2 for p, q in zip(a.split(size), b.split(size), strict=True)])

    def score(out: Tensor, batch: Batch) -> Result:
        target = torch.arange(len(out)) % out.shape[1]
        return Result(F.cross_entropy(out, target), {}, {"top1": mean_correct(out, target)})

    train, val = cut(s, x, other)
    return Problem(mlp(s, 24, (48,), 16), score, train, val, forward=forward)


def triplets(s: Setup, g: Generator) -> Problem:
    """Things of one kind closer than things of another, by a margin."""
    x, y = clouds(s, g)
    order = torch.randperm(both(s), generator=g)
    like = torch.stack([torch.nonzero(y == c)[0, 0] for c in y])
    far = torch.where(y[order] == y, order.roll(1), order)

    def forward(net: nn.Module, batch: Batch) -> Tensor:
        return torch.stack([F.normalize(net(b), dim=1) for b in batch[:3]], 1)

    def score(out: Tensor, batch: Batch) -> Result:
        loss = F.triplet_margin_loss(out[:, 0], out[:, 1], out[:, 2], margin=0.6)
        near = (out[:, 0] - out[:, 1]).norm(dim=1) < (out[:, 0] - out[:, 2]).norm(dim=1)
        return Result(loss, {}, {"recall": near.float().mean()})

    train, val = cut(s, x, x[like], x[far])
    return Problem(mlp(s, 24, (48,), 16), score, train, val, forward=forward)


def distilled(s: Setup, g: Generator) -> Problem:
    """True classes and the softened answers of a teacher."""
    x = torch.randn(both(s), 16, generator=g)
    soft = teacher(g, x, 6)
    y = soft.argmax(1)

    def score(out: Tensor, batch: Batch) -> Result:
        ce = F.cross_entropy(out, batch[-1])
        kd = 4 * F.kl_div(F.log_softmax(out / 2, 1), F.softmax(batch[1] / 2, 1), reduction="batchmean")
        return Result(0.5 * ce + 0.5 * kd, {"ce_loss": ce, "kd_loss": kd}, {"accuracy": mean_correct(out, batch[-1])})

    train, val = cut(s, x, soft, y)
    return Problem(mlp(s, 16, (48, 48), 6), score, train, val)


class Tastes(nn.Module):
    """Users and things as vectors; a match is their product."""

    def __init__(self, s: Setup, users: int, things: int):
        super().__init__()
        w = max(1, round(12 * s.width))
        self.users, self.things = nn.Embedding(users, w), nn.Embedding(things, w)
        nn.init.normal_(self.users.weight, std=0.3)
        nn.init.normal_(self.things.weight, std=0.3)

    def forward(self, pair: Tensor) -> Tensor:
        """The log-odds that this user takes this thing."""
        return (self.users(pair[:, 0]) * self.things(pair[:, 1])).sum(1)


def recommended(s: Setup, g: Generator) -> Problem:
    """Which thing a user takes."""
    pairs = torch.stack(
        [torch.randint(0, 60, (both(s),), generator=g), torch.randint(0, 80, (both(s),), generator=g)], 1
    )
    taste = torch.randn(60, 3, generator=g) @ torch.randn(3, 80, generator=g)
    y = (taste[pairs[:, 0], pairs[:, 1]] > 0).float()

    def score(out: Tensor, batch: Batch) -> Result:
        loss = F.binary_cross_entropy_with_logits(out, batch[-1])
        return Result(loss, {}, {"accuracy": ((out > 0) == (batch[-1] > 0.5)).float().mean()})

    train, val = cut(s, pairs, y)
    return Problem(Tastes(s, 60, 80), score, train, val)


def finetuned(s: Setup, g: Generator) -> Problem:
    """A network that learned a like task before goes on with a new head of its own."""
    x = torch.randn(both(s), 16, generator=g)
    w = torch.randn(16, 24, generator=g) / 4
    first, second = torch.randn(24, 5, generator=g), torch.randn(24, 5, generator=g)
    hidden = torch.tanh(2 * x @ w)
    old, new = (hidden @ first).argmax(1), (hidden @ (first + 0.35 * second)).argmax(1)
    net = mlp(s, 16, (48, 48), 5)
    optimizer = torch.optim.Adam(net.parameters(), 4e-3)
    for _ in range(250):
        rows = torch.randint(0, both(s), (64,))
        optimizer.zero_grad()
        F.cross_entropy(net(x[rows]), old[rows]).backward()
        optimizer.step()
    train, val = cut(s, x, new)
    return Problem(net, classified, train, val, 5)


PLAIN = traits("inputs data relu deep modes norm")
TASKS = (
    Task("contrastive", "contrastive", contrastive, Setup(steps=500, lr=2e-3), PLAIN, 0.1),
    Task("triplets", "metric learning", triplets, Setup(steps=500, lr=1e-3), PLAIN, 0.05),
    Task("distilled", "distillation", distilled, Setup(steps=600, lr=2e-3, samples=3000), PLAIN | {"labels"}, 0.05),
    Task(
        "recommended",
        "recommendation",
        recommended,
        Setup(steps=800, lr=1e-2, samples=4000, batch=64),
        traits("labels data"),
        0.0,
    ),
    Task(
        "finetuned",
        "fine-tuning",
        finetuned,
        replace(Setup(steps=400, lr=4e-4), samples=3000),
        PLAIN | {"labels", "classes"},
        0.01,
    ),
)
