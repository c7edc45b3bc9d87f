"""Dense answers: segmentation, detection as a sum of parts, autoencoders."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Generator, Tensor, nn

from benchmarks.truth.nets import convnet, mlp, pixelwise, wide
from benchmarks.truth.problem import Batch, Problem, Result, Task, traits
from benchmarks.truth.setup import Setup
from benchmarks.truth.tasks.classes import both, cut

F = nn.functional


def discs(n: int, size: int, kinds: int, g: Generator) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Images with a disc or square each: image, mask of its kind (0: ground), kind, box."""
    at = (0.25 + 0.5 * torch.rand(n, 2, generator=g)) * size
    radius = (0.12 + 0.13 * torch.rand(n, generator=g)) * size
    kind = torch.randint(0, kinds, (n,), generator=g)
    line = torch.arange(size).float()
    dy = (line[None, :, None] - at[:, 0, None, None]).abs()
    dx = (line[None, None, :] - at[:, 1, None, None]).abs()
    inside = torch.where(kind[:, None, None] % 2 == 0, (dx**2 + dy**2).sqrt(), torch.maximum(dx, dy))
    inside = inside < radius[:, None, None]
    bright = 1.0 + 0.7 * (kind // 2).float()
    image = inside * bright[:, None, None] + 0.4 * torch.randn(n, size, size, generator=g)
    mask = inside.long() * (kind[:, None, None] + 1)
    return image[:, None], mask, kind, torch.cat([at, radius[:, None]], 1) / size


def dice(share: Tensor, truth: Tensor) -> Tensor:
    """Overlap of soft and true masks, mean over classes."""
    both_ = (share * truth).sum((0, 2, 3))
    return ((2 * both_ + 1) / (share.sum((0, 2, 3)) + truth.sum((0, 2, 3)) + 1)).mean()


def segments(s: Setup, g: Generator) -> Problem:
    """Four kinds of things on ground: cross-entropy and Dice."""

    def score(out: Tensor, batch: Batch) -> Result:
        ce = F.cross_entropy(out, batch[-1])
        overlap = dice(out.softmax(1), F.one_hot(batch[-1], 5).permute(0, 3, 1, 2).float())
        return Result(ce + 1 - overlap, {"ce_loss": ce, "dice_loss": 1 - overlap}, {"dice": overlap})

    image, mask, _, _ = discs(both(s), 14, 4, g)
    train, val = cut(s, image, mask)
    return Problem(pixelwise(s, 1, 12, 5), score, train, val)


def foreground(s: Setup, g: Generator) -> Problem:
    """Thing or ground: binary cross-entropy and Dice."""

    def score(out: Tensor, batch: Batch) -> Result:
        truth = (batch[-1] > 0).float()[:, None]
        bce = F.binary_cross_entropy_with_logits(out, truth)
        overlap = dice(out.sigmoid(), truth)
        return Result(bce + 1 - overlap, {"bce_loss": bce, "dice_loss": 1 - overlap}, {"dice": overlap})

    image, mask, _, _ = discs(both(s), 14, 2, g)
    train, val = cut(s, image, mask)
    return Problem(pixelwise(s, 1, 8, 1), score, train, val)


def detection(s: Setup, g: Generator) -> Problem:
    """Where a thing is, whether there is one, and its kind: three parts."""

    def score(out: Tensor, batch: Batch) -> Result:
        kind, box, there = batch[-3], batch[-2], batch[-1]
        obj = F.binary_cross_entropy_with_logits(out[:, 0], there)
        cls = (F.cross_entropy(out[:, 1:5], kind, reduction="none") * there).sum() / there.sum().clamp(min=1)
        loc = (F.l1_loss(out[:, 5:], box, reduction="none").mean(1) * there).sum() / there.sum().clamp(min=1)
        right = ((out[:, 1:5].argmax(1) == kind).float() * there).sum() / there.sum().clamp(min=1)
        parts = {"box_loss": 5 * loc, "cls_loss": cls, "obj_loss": obj}
        return Result(5 * loc + cls + obj, parts, {"mAP": right})

    image, _, kind, box = discs(both(s), 14, 4, g)
    there = (torch.rand(both(s), generator=g) < 0.7).float()
    empty = 0.4 * torch.randn(image.shape, generator=g)
    image = torch.where(there[:, None, None, None] > 0, image, empty)
    train, val = cut(s, image, kind, box, there)
    return Problem(convnet(s, 1, (8, 16), 8), score, train, val)


def waves(s: Setup, g: Generator) -> Tensor:
    """Signals of few hidden variables."""
    hidden = torch.randn(both(s), 4, generator=g)
    return torch.tanh(hidden @ torch.randn(4, 30, generator=g)) + 0.1 * torch.randn(both(s), 30, generator=g)


def autoencoder(s: Setup, g: Generator) -> Problem:
    """Signals through a bottleneck and back, by squared error."""
    train, val = cut(s, waves(s, g))
    net = nn.Sequential(mlp(s, 30, (48,), wide(s, 5)), mlp(s, wide(s, 5), (48,), 30))

    def score(out: Tensor, batch: Batch) -> Result:
        return Result(F.mse_loss(out, batch[0]))

    return Problem(net, score, train, val)


class Variational(nn.Module):
    """A variational autoencoder: what it returns is reconstruction, mean and log-variance side by side."""

    def __init__(self, s: Setup):
        super().__init__()
        self.encoder, self.decoder = mlp(s, 30, (48,), 8), mlp(s, 4, (48,), 30)

    def forward(self, x: Tensor) -> Tensor:
        """Reconstruction and the parameters of the hidden variables."""
        mean, log_var = self.encoder(x).chunk(2, 1)
        sample = mean + torch.randn_like(mean) * (0.5 * log_var).exp() if self.training else mean
        return torch.cat([self.decoder(sample), mean, log_var], 1)


def variational(s: Setup, g: Generator) -> Problem:
    """Reconstruction and divergence of a variational autoencoder."""

    def score(out: Tensor, batch: Batch) -> Result:
        shown, mean, log_var = out[:, :30], out[:, 30:34], out[:, 34:]
        recon = 10 * F.mse_loss(shown, batch[0], reduction="none").sum(1).mean()
        kl = -0.5 * (1 + log_var - mean**2 - log_var.exp()).sum(1).mean()
        return Result(recon + kl, {"recon_loss": recon, "kl_loss": kl})

    train, val = cut(s, waves(s, g))
    return Problem(Variational(s), score, train, val)


DENSE = Setup(steps=260, lr=6e-3, batch=16, samples=600, held_out=120)
PLAIN = traits("inputs labels data relu deep modes norm")
TASKS = (
    Task("segments-5", "segmentation", segments, DENSE, PLAIN, 0.1),
    Task("foreground", "segmentation", foreground, DENSE, PLAIN, 0.1),
    Task("detection", "detection", detection, replace(DENSE, steps=400, samples=1200), PLAIN, 0.03),
    Task(
        "autoencoder", "autoencoders", autoencoder, Setup(steps=600, lr=3e-3), traits("inputs data relu deep norm"), 0.3
    ),
    Task("variational", "autoencoders", variational, Setup(steps=600, lr=3e-3), traits("inputs data relu deep"), 0.0),
)
