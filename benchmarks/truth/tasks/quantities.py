"""Regression of all kinds, forecasting, graphs and an equation solved by a network."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Generator, Tensor, nn

from benchmarks.truth.nets import Recurrent, mlp, wide
from benchmarks.truth.problem import Batch, Problem, Result, Task, classified, traits
from benchmarks.truth.setup import Setup
from benchmarks.truth.tasks.classes import both, cut, teacher

F = nn.functional


def measured(loss, name: str = "mae"):
    """A regression loss and the mean absolute error beside it."""

    def score(out: Tensor, batch: Batch) -> Result:
        return Result(loss(out, batch[-1]), {}, {name: (out.detach() - batch[-1]).abs().mean()})

    return score


class Scaled(nn.Module):
    """A network whose answers are given in the unit of its targets."""

    def __init__(self, net: nn.Module, unit: float, center: float):
        super().__init__()
        self.net, self.unit, self.center = net, unit, center

    def forward(self, x: Tensor) -> Tensor:
        """Answers in the unit of the targets."""
        return self.net(x) * self.unit + self.center


def sine(s: Setup, g: Generator) -> Problem:
    """A wavy function of one variable."""
    x = 2 * torch.rand(both(s), 1, generator=g) - 1
    y = torch.sin(5 * x) + 0.3 * x + 0.1 * torch.randn(x.shape, generator=g)
    train, val = cut(s, x, y)
    return Problem(mlp(s, 1, (48, 48), 1), measured(F.mse_loss), train, val)


def table(loss, unit: float = 1.0, center: float = 0.0, noise: float = 0.2, outliers: float = 0.0):
    """A table whose targets a random network gives, in any unit."""

    def build(s: Setup, g: Generator) -> Problem:
        x = torch.randn(both(s), 10, generator=g)
        y = teacher(g, x, 1, sharp=1.5) + noise * torch.randn(both(s), 1, generator=g)
        if outliers:
            y = y + 15 * torch.randn(y.shape, generator=g) * (torch.rand(y.shape, generator=g) < outliers)
        train, val = cut(s, x, unit * y + center)
        net = mlp(s, 10, (64, 64), 1)
        return Problem(net if unit == 1.0 else Scaled(net, unit, center), measured(loss), train, val)

    return build


def uncertain(s: Setup, g: Generator) -> Problem:
    """Mean and spread of a target whose noise depends on the input: a likelihood that falls below zero."""

    def score(out: Tensor, batch: Batch) -> Result:
        mean, spread = out[:, :1], F.softplus(out[:, 1:]) + 1e-3
        loss = F.gaussian_nll_loss(mean, batch[-1], spread**2)
        return Result(loss, {}, {"mae": (mean - batch[-1]).abs().mean()})

    x = 2 * torch.rand(both(s), 3, generator=g) - 1
    y = torch.sin(3 * x[:, :1]) + x[:, 1:2] + (0.03 + 0.25 * x[:, 2:].abs()) * torch.randn(both(s), 1, generator=g)
    train, val = cut(s, x, y)
    return Problem(mlp(s, 3, (48, 48), 2), score, train, val)


def forecast(s: Setup, g: Generator) -> Problem:
    """The next value of a noisy oscillation from the last 20."""
    n, length = both(s), 20
    speed = 0.2 + 0.6 * torch.rand(n, 1, generator=g)
    phase = 6.2832 * torch.rand(n, 1, generator=g)
    t = torch.arange(length + 1).float()
    wave = (
        torch.sin(speed * t + phase) + 0.4 * torch.sin(2.7 * speed * t) + 0.05 * torch.randn(n, length + 1, generator=g)
    )
    train, val = cut(s, wave[:, :-1, None], wave[:, -1:])
    return Problem(Recurrent(s, 1, 32, 1, tokens=False, last=True, cell="lstm"), measured(F.mse_loss), train, val)


class Messages(nn.Module):
    """Two rounds of messages between the nodes of one fixed graph."""

    def __init__(self, s: Setup, links: Tensor, features: int, classes: int):
        super().__init__()
        w = wide(s, 32)
        self.register_buffer("links", links)
        self.register_buffer("nodes", torch.zeros(links.shape[0], features))
        self.first, self.next, self.head = nn.Linear(features, w), nn.Linear(w, w), nn.Linear(w, classes)
        self.drop = nn.Dropout(s.dropout)

    def forward(self, index: Tensor) -> Tensor:
        """Logits of the nodes of these numbers."""
        h = torch.relu(self.links @ self.first(self.nodes))
        h = self.drop(torch.relu(self.links @ self.next(h)))
        return self.head(h[index])


def graph(s: Setup, g: Generator) -> Problem:
    """Communities of a graph with weak features."""
    n = both(s)
    y = torch.randint(0, 5, (n,), generator=g)
    same = (y[:, None] == y[None]).float()
    links = (torch.rand(n, n, generator=g) < 0.02 * same + 0.004).float()
    links = ((links + links.T) > 0).float() + torch.eye(n)
    net = Messages(s, links / links.sum(1, keepdim=True), 12, 5)
    net.nodes.copy_(torch.randn(5, 12, generator=g)[y] + 2.5 * torch.randn(n, 12, generator=g))
    train, val = cut(s, torch.arange(n), y)
    return Problem(net, classified, train, val, 5)


def equation(s: Setup, g: Generator) -> Problem:
    """u'' = -9 u on [0, 2] with u(0) = 1, u'(0) = 0: residual and boundary."""

    def play(net: nn.Module, step: int) -> Result:
        x = (2 * torch.rand(s.batch, 1)).requires_grad_(True)
        u = net(x)
        du = torch.autograd.grad(u.sum(), x, create_graph=True)[0]
        residual = ((torch.autograd.grad(du.sum(), x, create_graph=True)[0] + 9 * u) ** 2).mean()
        zero = torch.zeros(1, 1, requires_grad=True)
        start = net(zero)
        slope = torch.autograd.grad(start.sum(), zero, create_graph=True)[0]
        boundary = 20 * ((start - 1) ** 2 + slope**2).mean()
        return Result(residual + boundary, {"residual_loss": residual, "boundary_loss": boundary})

    return Problem(mlp(replace(s, activation="tanh", norm=False, dropout=0.0), 1, (32, 32), 1), None, play=play)


PLAIN = traits("inputs labels data relu deep modes norm")
FLAT = Setup(steps=600, lr=2e-3)
TASKS = (
    Task("sine", "regression", sine, replace(FLAT, lr=4e-3), PLAIN, 0.05),
    Task("table-mae", "regression", table(F.l1_loss), replace(FLAT, samples=3000), PLAIN, 0.03),
    Task("table-huber", "regression", table(F.huber_loss, outliers=0.05), replace(FLAT, samples=3000), PLAIN, 0.05),
    Task("prices", "regression", table(F.mse_loss, 8e4, 2.5e5), replace(FLAT, samples=3000), PLAIN, 0.0),
    Task("currents", "regression", table(F.mse_loss, 2e-3, 0.0), replace(FLAT, samples=3000), PLAIN, 0.0),
    Task("uncertain", "likelihood", uncertain, replace(FLAT, lr=3e-3, samples=3000), PLAIN, 0.01),
    Task("forecast", "forecasting", forecast, replace(FLAT, steps=250, lr=6e-3), traits("inputs labels data"), 0.1),
    Task(
        "graph",
        "graphs",
        graph,
        replace(FLAT, samples=700, held_out=200, lr=3e-3, steps=160, batch=60, dropout=0.4),
        traits("classes labels data"),
        0.3,
    ),
    Task("equation", "equations", equation, replace(FLAT, lr=4e-3, steps=500, batch=64), traits("deep"), 0.0),
)
