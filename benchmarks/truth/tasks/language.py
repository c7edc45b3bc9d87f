"""Language models of characters and tokens, and one sequence turned into another."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Generator, Tensor, nn

from benchmarks.truth.nets import Recurrent, Transformer
from benchmarks.truth.problem import Batch, Problem, Result, Task, mean_correct, traits
from benchmarks.truth.setup import Setup
from benchmarks.truth.tasks.classes import both, cut


def per_token(out: Tensor, batch: Batch) -> Result:
    """Cross-entropy over all positions that count (targets of -100 do not)."""
    truth = batch[-1]
    loss = nn.functional.cross_entropy(out.flatten(0, 1), truth.flatten(), ignore_index=-100)
    counts = truth != -100
    return Result(loss, {}, {"accuracy": mean_correct(out[counts], truth[counts])})


def chain(vocab: int, order: int, n: int, length: int, sharp: float, g: Generator) -> Tensor:
    """Sequences of a random Markov chain with the skewed frequencies of words."""
    states = vocab**order
    frequent = -1.1 * torch.log(torch.arange(1, vocab + 1).float())
    table = torch.softmax(frequent + sharp * torch.randn(states, vocab, generator=g), 1)
    x = torch.randint(0, vocab, (n, order), generator=g)
    for _ in range(length - order):
        state = x[:, -1] if order == 1 else x[:, -2] * vocab + x[:, -1]
        x = torch.cat([x, torch.multinomial(table[state], 1, generator=g)], 1)
    return x


def model(kind: str, vocab: int, order: int, length: int, sharp: float):
    """A language model over a random language."""

    def build(s: Setup, g: Generator) -> Problem:
        x = chain(vocab, order, both(s), length + 1, sharp, g)
        train, val = cut(s, x[:, :-1], x[:, 1:])
        if kind == "transformer":
            net: nn.Module = Transformer(s, vocab, length, vocab, causal=True)
        else:
            net = Recurrent(s, vocab, 40, vocab, tokens=True, last=False, cell=kind)
        return Problem(net, per_token, train, val, vocab)

    return build


def reverse(s: Setup, g: Generator) -> Problem:
    """A sequence of 12 letters and its reverse, written after a sign."""
    x = torch.randint(1, 13, (both(s), 6), generator=g)
    whole = torch.cat([x, torch.zeros(both(s), 1, dtype=torch.long), x.flip(1)], 1)
    target = whole[:, 1:].clone()
    target[:, :6] = -100
    train, val = cut(s, whole[:, :-1], target)
    return Problem(Transformer(s, 13, 12, 13, causal=True), per_token, train, val, 13)


WORDS = Setup(steps=260, lr=6e-3, batch=16, samples=900, held_out=120)
ATTENTIVE = traits("classes labels data modes tokens")
TASKS = (
    Task("letters", "language", model("gru", 26, 2, 16, 1.6), WORDS, traits("classes labels data tokens"), 0.0),
    Task("letters-lstm", "language", model("lstm", 40, 1, 16, 1.6), WORDS, traits("classes labels data tokens"), 0.0),
    Task("words-97", "language", model("transformer", 97, 1, 16, 1.8), replace(WORDS, lr=4e-3), ATTENTIVE, 0.0),
    Task("words-400", "language", model("transformer", 400, 1, 12, 2.5), replace(WORDS, lr=4e-3), ATTENTIVE, 0.0),
    Task("reverse", "seq2seq", reverse, replace(WORDS, steps=500, lr=3e-3, batch=32, samples=3000), ATTENTIVE, 0.0),
)
