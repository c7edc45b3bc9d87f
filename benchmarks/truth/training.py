"""The loop: trains a problem under a setup with a fault in it, and writes down every channel."""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch
from torch import Tensor, nn

from benchmarks.truth.faults.fault import Fault
from benchmarks.truth.history import History, Row
from benchmarks.truth.problem import Batch, Problem, Task, numbers
from benchmarks.truth.setup import Setup

ROWS = 160  # rows that are written down at most, so that every channel costs little


def optimizer(s: Setup, params: list[nn.Parameter]) -> torch.optim.Optimizer:
    """The optimizer of a setup."""
    o = torch.optim
    match s.optimizer:
        case "sgd":
            return o.SGD(params, s.lr, momentum=s.momentum, weight_decay=s.weight_decay, fused=True)
        case "rmsprop":
            return o.RMSprop(params, s.lr, weight_decay=s.weight_decay)
        case "adamw":
            return o.AdamW(params, s.lr, (s.momentum, s.beta2), s.epsilon, s.weight_decay, fused=True)
        case _:
            return o.Adam(params, s.lr, (s.momentum, s.beta2), s.epsilon, s.weight_decay, fused=True)


def batches(p: Problem, s: Setup, fault: Fault) -> Iterator[Batch]:
    """Batches for ever, each epoch in a new order."""
    while True:
        if not p.train:
            yield ()
            continue
        n = len(p.train[0])
        order = fault.order(p, torch.randperm(n))
        size = min(s.batch, n)
        for i in range(0, n - size + 1, size):
            rows = order[i : i + size]
            yield tuple(t[rows] for t in p.train)


def norms(params: list[Tensor]) -> float:
    """The norm over all tensors."""
    return float(torch.linalg.vector_norm(torch.stack(torch._foreach_norm(params)))) if params else 0.0


class Watch:
    """Norms of gradients and weights per layer, and the share of units that are off."""

    def __init__(self, net: nn.Module) -> None:
        weights = [(n, p) for n, p in net.named_parameters() if p.dim() > 1]
        self.layers = [(n.removesuffix(".weight"), p) for n, p in weights[:8]]
        self.off: dict[str, float] = {}
        self.on = False
        for n, m in list(net.named_modules()):
            if isinstance(m, nn.ReLU):
                m.register_forward_hook(self._hook(n))

    def _hook(self, name: str):
        def note(module: nn.Module, args: object, out: Tensor) -> None:
            if self.on:
                self.off[name] = float((out == 0).float().mean())

        return note

    def row(self) -> Row:
        """What is seen of the layers now."""
        out: Row = {}
        for n, p in self.layers:
            out[f"weights/{n}"] = float(p.detach().norm())
            out[f"gradients/{n}"] = 0.0 if p.grad is None else float(p.grad.norm())
        return out | {f"off/{n}": v for n, v in self.off.items()}


def evaluate(p: Problem, net: nn.Module) -> Row:
    """Loss and quality on what was held out."""
    with torch.no_grad():
        result = p.result(p.val, 0)
    return {"val_loss": float(result.loss)} | {f"val_{k}": v for k, v in numbers(result.quality | result.parts).items()}


def train(task: Task, s: Setup, fault: Fault) -> History:
    """One training, from its seed."""
    torch.manual_seed(s.seed)
    g = torch.Generator().manual_seed(s.seed + 1)
    p = task.build(s, g)
    torch.manual_seed(s.seed + 2)
    fault.problem(p, s, g)
    params = [q for q in p.net.parameters() if q.requires_grad]
    held = fault.optimized(params)
    opt = optimizer(s, held)
    feed = batches(p, s, fault)
    watch = Watch(p.net)
    out = History(layers=[n for n, _ in watch.layers], classes=p.classes)
    every = max(1, s.steps // ROWS)
    check = max(1, s.steps // s.evaluations)
    since: list[float] = []
    done = shift = 0
    states: dict[str, Tensor] = {}
    for k in range(s.steps):
        back = fault.resumes(k, s)
        if back:
            opt = optimizer(s, held)
            if back > 0:
                shift += back
                p.net.load_state_dict(states)
        if type(fault).resumes is not Fault.resumes and k % 20 == 0:
            states = {n: t.clone() for n, t in p.net.state_dict().items()}
        rate = fault.rate(k, s, s.rate(k))
        for group in opt.param_groups:
            group["lr"] = rate
        watch.on = k % every == 0
        fault.mode(p.net, True, done)
        if not fault.keeps_gradients():
            for q in params:
                q.grad = None
        total = 0.0
        for _ in range(s.accumulate):
            batch = fault.batch(k, s, next(feed))
            result = p.result(batch, k)
            loss = fault.loss(k, s, result.loss, p.net) / s.accumulate
            if loss.requires_grad:
                loss.backward()
            total += float(loss.detach())
        fault.gradients(k, s, p.net)
        grads = [q.grad for q in params if q.grad is not None]
        row: Row = {"step": k - shift, "loss": fault.shown(k, s, total)}
        norm = norms(grads) if k % every == 0 or s.clip else 0.0
        if s.clip and grads and math.isfinite(norm):
            torch._foreach_mul_(grads, min(1.0, s.clip / (norm + 1e-6)))
        since.append(row["loss"])
        if k % every == 0:
            row |= numbers(result.parts | result.quality)
            row |= {"lr": rate, "grad_norm": norm, "weight_norm": norms([q.detach() for q in params])}
            row |= {"mean_loss": sum(since) / len(since)} | watch.row()
            out.rows.append(row)
            since = []
        watch.on = False
        if not fault.skips(k, s):
            opt.step()
        if p.val and (k + 1) % check == 0:
            fault.mode(p.net, False, done)
            out.evaluations.append({"step": k - shift} | evaluate(p, p.net))
            done += 1
    return out
