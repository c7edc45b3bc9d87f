"""Small networks, with what faults need to reach: activations, norms, dropout, chains of layers."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from benchmarks.truth.setup import Setup


def activation(name: str) -> nn.Module:
    """The activation of that name."""
    return {"relu": nn.ReLU, "tanh": nn.Tanh, "sigmoid": nn.Sigmoid, "gelu": nn.GELU}[name]()


def wide(s: Setup, units: int) -> int:
    """Units of a layer under the width of a setup."""
    return max(1, round(units * s.width))


def mlp(s: Setup, inputs: int, hidden: tuple[int, ...], outputs: int) -> nn.Sequential:
    """Linear layers with activations between them."""
    layers: list[nn.Module] = []
    last = inputs
    units = [wide(s, h) for h in hidden]
    for h in (*units[:1], *units[:1] * s.deeper, *units[1:]):
        layers.append(nn.Linear(last, h))
        if s.norm:
            layers.append(nn.BatchNorm1d(h))
        layers.append(activation(s.activation))
        if s.dropout:
            layers.append(nn.Dropout(s.dropout))
        last = h
    return nn.Sequential(*layers, nn.Linear(last, outputs))


def convnet(s: Setup, channels: int, widths: tuple[int, ...], outputs: int, grid: int = 2) -> nn.Sequential:
    """Convolutions that halve the image, and a linear head."""
    layers: list[nn.Module] = []
    last = channels
    for i, w in enumerate(wide(s, w) for w in widths):
        for _ in range(1 + (s.deeper if i == 0 else 0)):
            layers.append(nn.Conv2d(last, w, 3, padding=1))
            if s.norm:
                layers.append(nn.BatchNorm2d(w))
            layers.append(activation(s.activation))
            last = w
        layers.append(nn.MaxPool2d(2))
    layers += [nn.AdaptiveAvgPool2d(grid), nn.Flatten()]
    if s.dropout:
        layers.append(nn.Dropout(s.dropout))
    return nn.Sequential(*layers, nn.Linear(last * grid * grid, outputs))


def pixelwise(s: Setup, channels: int, width: int, outputs: int) -> nn.Sequential:
    """Convolutions that keep the image, one answer a pixel."""
    w = wide(s, width)
    layers: list[nn.Module] = []
    last = channels
    for dilation in (1, 2, *(1,) * s.deeper, 1):
        layers.append(nn.Conv2d(last, w, 3, padding=dilation, dilation=dilation))
        if s.norm:
            layers.append(nn.BatchNorm2d(w))
        layers.append(activation(s.activation))
        if s.dropout:
            layers.append(nn.Dropout2d(s.dropout))
        last = w
    return nn.Sequential(*layers, nn.Conv2d(last, outputs, 1))


class Recurrent(nn.Module):
    """An embedding or a projection, a GRU or LSTM, and a head on every step or on the last."""

    def __init__(self, s: Setup, inputs: int, units: int, outputs: int, *, tokens: bool, last: bool, cell: str = "gru"):
        super().__init__()
        w = wide(s, units)
        self.embed = nn.Embedding(inputs, w) if tokens else nn.Linear(inputs, w)
        self.cell = {"gru": nn.GRU, "lstm": nn.LSTM, "rnn": nn.RNN}[cell](w, w, 1 + min(s.deeper, 2), batch_first=True)
        self.drop = nn.Dropout(s.dropout)
        self.head = nn.Linear(w, outputs)
        self.last = last

    def forward(self, x: Tensor) -> Tensor:
        """Outputs per step, or of the last step."""
        h, _ = self.cell(self.embed(x))
        h = self.drop(h)
        return self.head(h[:, -1] if self.last else h)


class Transformer(nn.Module):
    """A small encoder over tokens, causal where it predicts the next."""

    def __init__(self, s: Setup, vocab: int, length: int, outputs: int, *, causal: bool, width: int = 32):
        super().__init__()
        w = max(2, 2 * round(width * s.width / 2))
        self.embed = nn.Embedding(vocab, w)
        self.place = nn.Parameter(torch.randn(length, w) * 0.02)
        block = nn.TransformerEncoderLayer(
            w, 2, 2 * w, dropout=s.dropout, activation="gelu" if s.activation == "gelu" else "relu", batch_first=True
        )
        self.blocks = nn.TransformerEncoder(block, 1 + min(s.deeper, 3), enable_nested_tensor=False)
        self.head = nn.Linear(w, outputs)
        self.causal = causal

    def forward(self, x: Tensor) -> Tensor:
        """Logits per position, or of the mean over positions."""
        h = self.embed(x) + self.place[: x.shape[1]]
        mask = nn.Transformer.generate_square_subsequent_mask(x.shape[1]) if self.causal else None
        h = self.blocks(h, mask=mask, is_causal=self.causal)
        return self.head(h if self.causal else h.mean(1))
