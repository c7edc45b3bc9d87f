"""Drawn healthy runs of every kind: what no rule may alarm at.

Each kind is one way in which a sound training looks odd: slow laws, floors of noise, sums, distillation, rewards,
running averages, logs that begin late or change their interval, falls over in two rows, fine-tuning, adapters,
preferences, runs taken up again, short logs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from helpers.simulate import LAWS, Floats, noise

from curvedoc.core.series import Series

SEED = 20_262
Signals = dict[str, Series]


@dataclass(frozen=True, slots=True)
class HealthyRun:
    """One run. signals: role -> series; settings: canonical settings that the log tells."""

    kind: str
    signals: Mapping[str, Series]
    settings: Mapping[str, float]


def _rows(r: np.random.Generator, low: int = 60, high: int = 3_000) -> int:
    return round(float(np.exp(r.uniform(np.log(low), np.log(high)))))


def _noisy(level: Floats, r: np.random.Generator, low: float = 0.005, high: float = 0.08) -> Floats:
    """The level with relative noise of any law."""
    law, phi = LAWS[int(r.integers(4))], float(r.choice([0.0, 0.0, 0.2]))
    return np.asarray(level * np.maximum(1.0 + r.uniform(low, high) * noise(len(level), law, r, phi), 0.05))


def _series(value: Floats, every: int = 1, start: int = 0) -> Series:
    return Series(np.arange(len(value), dtype=np.int64) * every + start, np.asarray(value, dtype=np.float64))


def _validated(loss: Floats, level: Floats, r: np.random.Generator, every: int, gap: float) -> Signals:
    """Training, and a validation loss that follows it at 6 to 40 places a little above."""
    n, m = len(loss), int(r.integers(6, 41))
    at = np.unique(np.linspace(n / m, n - 1, m).astype(np.int64))
    val = _noisy(level[at] * (1.0 + gap), r, 0.002, 0.02)
    return {"loss": _series(loss, every), "val_loss": Series(at * every, val)}


def power_law(r: np.random.Generator) -> Signals:
    """A language model from scratch: the loss falls like a power of the step and never stops."""
    n = _rows(r)
    t = np.arange(n) + r.uniform(1.0, 0.02 * n + 2.0)
    floor = r.uniform(1.2, 2.5)
    level = floor + (r.uniform(6.0, 11.0) - floor) * (t / t[0]) ** -r.uniform(0.25, 0.7)
    loss = _noisy(level, r, 0.005, 0.03)
    return _validated(loss, level, r, 10, r.uniform(0.0, 0.05)) if r.random() < 0.5 else {"loss": _series(loss, 10)}


def logarithm(r: np.random.Generator) -> Signals:
    """A loss that loses the same in every decade of steps."""
    n = _rows(r)
    t = np.log10(np.arange(n) + 1.0)
    level = r.uniform(3.0, 8.0) * (1.0 - r.uniform(0.5, 0.8) * t / t[-1])
    return {"loss": _series(_noisy(level, r, 0.005, 0.03), 50)}


def classifier(r: np.random.Generator) -> Signals:
    """Classes learned to a few percent of errors, with accuracies and a validation that stays a little behind."""
    n, chance = _rows(r, 40, 1_500), float(np.log(r.integers(2, 200)))
    t = np.arange(n) / n
    end = r.uniform(0.01, 0.3)
    level = chance * (end + (1.0 - end) * np.exp(-t / r.uniform(0.03, 0.2)))
    right = 1.0 - (1.0 - np.exp(-chance)) * level / chance
    found = _validated(_noisy(level, r, 0.02, 0.2), level, r, 5, r.uniform(0.0, 0.15))
    at = found["val_loss"].step // 5
    found["accuracy"] = _series(np.clip(right + 0.02 * r.standard_normal(n), 0.0, 1.0), 5)
    found["val_accuracy"] = Series(at * 5, np.clip(right[at] - 0.01 + 0.005 * r.standard_normal(len(at)), 0.0, 1.0))
    return found


def noise_floor(r: np.random.Generator) -> Signals:
    """A regression, a denoising or a preference loss: most of it is noise in the targets, learned within a tenth."""
    n = _rows(r)
    t = np.arange(n) / n
    end = r.uniform(0.3, 0.45)
    level = end + (1.0 - end) * np.exp(-t / r.uniform(0.005, 0.05))
    return {"loss": _series(_noisy(level * r.uniform(0.05, 2.0), r, 0.02, 0.15), 10)}


def summed_parts(r: np.random.Generator) -> Signals:
    """A detector: the sum of three parts, each with a pace and a floor of its own."""
    n = _rows(r, 60, 1_000)
    t = np.arange(n) / n
    parts = [
        r.uniform(0.2, 3.0) * (f + (1.0 - f) * np.exp(-t / r.uniform(0.02, 0.25))) for f in r.uniform(0.1, 0.4, size=3)
    ]
    return {"loss": _series(_noisy(np.sum(parts, axis=0), r), 20)}


def distillation(r: np.random.Generator) -> Signals:
    """A student: the entropy of the teacher stays in the loss, so it ends high above zero."""
    n = _rows(r)
    t = np.arange(n) / n
    end = r.uniform(0.3, 0.5)
    level = r.uniform(1.0, 8.0) * (end + (1.0 - end) * (1.0 + t / r.uniform(0.005, 0.05)) ** -r.uniform(0.6, 1.2))
    return _validated(_noisy(level, r, 0.005, 0.04), level, r, 10, r.uniform(-0.05, 0.05))


def policy(r: np.random.Generator) -> Signals:
    """Reinforcement learning: the reward rises, the losses of actor and critic go up and down."""
    n = _rows(r, 60, 600)
    t = np.arange(n) / n
    low, high = r.uniform(-200.0, 20.0), r.uniform(100.0, 500.0)
    reward = low + (high - low) / (1.0 + np.exp(-(t - r.uniform(0.2, 0.6)) * r.uniform(6.0, 15.0)))
    swing = 1.0 + 0.5 * np.sin(t * r.uniform(3.0, 20.0)) + 2.0 * t
    return {
        "reward": _series(reward + 0.03 * (high - low) * r.standard_normal(n), 2_048),
        "aux_loss": _series(_noisy(10.0 * swing, r, 0.1, 0.4), 2_048),
        "game_loss": _series(_noisy(5.0 * swing, r, 0.1, 0.4), 2_048),
    }


def averaged(r: np.random.Generator) -> Signals:
    """A logger that writes an exponential running average."""
    n = _rows(r, 200, 3_000)
    t = np.arange(n) / n
    raw = _noisy(r.uniform(1.0, 7.0) * (0.1 + 0.9 * np.exp(-t / r.uniform(0.03, 0.2))), r, 0.05, 0.2)
    keep, out = float(r.choice([0.9, 0.98, 0.99])), np.empty(n)
    state = float(raw[0])
    for i, x in enumerate(raw.tolist()):
        state = keep * state + (1.0 - keep) * x
        out[i] = state
    return {"loss": _series(out, 1)}


def logged_late(r: np.random.Generator) -> Signals:
    """The log of a resumed run: it begins long after the first step, at the level of its end."""
    n = _rows(r, 60, 1_000)
    level = r.uniform(0.2, 3.0) * (1.0 - r.uniform(0.0, 0.05) * np.arange(n) / n)
    return {"loss": _series(_noisy(level, r, 0.01, 0.08), 10, 50_000)}


def dense_then_sparse(r: np.random.Generator) -> Signals:
    """Every step for the first hundred, then one in a hundred or more."""
    late, gap = _rows(r, 40, 300), int(r.choice([100, 250, 500]))
    step = np.concatenate([np.arange(100), 100 + gap * np.arange(1, late)])
    floor = r.uniform(1.0, 2.0)
    level = floor + r.uniform(3.0, 8.0) * (1.0 + step / r.uniform(20.0, 200.0)) ** -r.uniform(0.4, 1.0)
    return {"loss": Series(step.astype(np.int64), _noisy(level, r, 0.005, 0.04))}


def fast_fall(r: np.random.Generator) -> Signals:
    """Over by the second or third row: a small task, or rows that are means of many steps."""
    n = int(r.integers(15, 200))
    level = r.uniform(0.05, 1.0) * (1.0 + r.uniform(4.0, 20.0) * np.exp(-np.arange(n) / r.uniform(0.3, 0.8)))
    return {"loss": _series(_noisy(level, r, 0.01, 0.08), 100)}


def fine_tuned(r: np.random.Generator) -> Signals:
    """A pretrained model that gains a tenth to a third and is done."""
    n = _rows(r, 40, 800)
    t = np.arange(n) / n
    level = r.uniform(0.8, 1.8) * (1.0 - r.uniform(0.1, 0.35) * (1.0 - np.exp(-t / r.uniform(0.05, 0.2))))
    found = _validated(_noisy(level, r, 0.02, 0.1), level, r, 10, r.uniform(0.0, 0.1))
    found["perplexity"] = Series(found["loss"].step, np.exp(found["loss"].value))
    return found


def few_epochs(r: np.random.Generator) -> Signals:
    """What many people have: seven to twelve epochs, training and validation, both falling."""
    n = int(r.integers(7, 13))
    t = np.arange(n)
    end, chance = r.uniform(0.05, 0.3), float(np.log(r.integers(3, 50)))
    level = chance * r.uniform(0.5, 0.9) * (end + (1.0 - end) * np.exp(-t / r.uniform(1.0, 3.0)))
    return {
        "loss": _series(_noisy(level, r, 0.002, 0.02), 1, 1),
        "val_loss": _series(_noisy(level * r.uniform(1.0, 1.2), r, 0.005, 0.03), 1, 1),
    }


def adapter(r: np.random.Generator) -> Signals:
    """A few adapted weights of a large language model: a tenth to a third lost at once, then batches of mixed tasks."""
    n = _rows(r, 20, 400)
    t = np.arange(n) / n
    level = r.uniform(0.9, 1.9) * (1.0 - r.uniform(0.05, 0.3) * (1.0 - np.exp(-t / r.uniform(0.02, 0.15))))
    rate = 2e-4 * np.minimum(1.0, (t + 1e-3) / 0.03) * np.clip(1.0 - t, 0.0, 1.0)
    seen = 10.0 * np.arange(1, n + 1) * r.integers(2_000, 200_000)
    return {
        "loss": _series(_noisy(level, r, 0.05, 0.2), 10, 10),
        "lr": _series(rate, 10, 10),
        "tokens": _series(seen, 10, 10),
    }


def preference(r: np.random.Generator) -> Signals:
    """Pairs of answers: the loss begins at ln 2, as the model is its own reference; the better is told apart."""
    n = _rows(r, 20, 500)
    t = np.arange(n) / n
    gain = (1.0 - np.exp(-t / r.uniform(0.1, 0.4))) * r.uniform(0.2, 0.8)
    right = np.clip(0.5 + 0.45 * gain / gain.max() * r.uniform(0.5, 1.0) + 0.04 * r.standard_normal(n), 0.0, 1.0)
    return {
        "loss": _series(_noisy(np.log(2.0) * (1.0 - gain), r, 0.03, 0.12), 10, 10),
        "accuracy": _series(right, 10, 10),
    }


def rewarmed(r: np.random.Generator) -> Signals:
    """Pretraining that goes on from a checkpoint with a rate warmed up anew: the loss rises a little first."""
    n, first = _rows(r, 100, 1_500), int(r.integers(20_000, 500_000))
    t = np.arange(n) / n
    bump = r.uniform(0.01, 0.05) * np.exp(-(((t - 0.08) / 0.06) ** 2))
    level = r.uniform(1.8, 3.0) * (1.0 + bump - r.uniform(0.02, 0.08) * t)
    rate = 1e-4 * np.minimum(1.0, (t + 1e-3) / 0.05) * 0.5 * (1.0 + np.cos(np.pi * t))
    found = _validated(_noisy(level, r, 0.01, 0.03), level, r, 10, r.uniform(-0.02, 0.02))
    found["lr"] = _series(rate, 10)
    return {role: Series(s.step + first, s.value) for role, s in found.items()}


def taken_up_again(r: np.random.Generator) -> Signals:
    """The log of the second half of a run, from the step of its checkpoint on."""
    n, first = _rows(r, 40, 1_000), int(r.integers(2_000, 200_000))
    t = np.arange(n) / n
    level = r.uniform(0.05, 2.5) * (1.0 + r.uniform(0.5, 3.0) * t) ** -r.uniform(0.02, 0.15)
    found = _validated(_noisy(level, r, 0.02, 0.15), level, r, 10, r.uniform(0.0, 0.2))
    return {role: Series(s.step + first, s.value) for role, s in found.items()}


def tuned_classifier(r: np.random.Generator) -> Signals:
    """A pretrained encoder with a new head, three to ten epochs: right within the first, level on validation after."""
    n, epochs = _rows(r, 30, 300), int(r.integers(4, 11))
    t = np.arange(n) / n
    end = r.uniform(0.05, 0.3)
    level = end + (np.log(r.integers(2, 30)) - end) * np.exp(-t / r.uniform(0.02, 0.08))
    at = np.linspace(n / epochs, n - 1, epochs).astype(np.int64)
    floor = r.uniform(1.1, 1.5) * end
    val = floor * (1.0 + 0.5 * np.exp(-np.arange(epochs)) + 0.02 * r.standard_normal(epochs))
    right = 1.0 - 0.3 * val
    return {
        "loss": _series(_noisy(level, r, 0.1, 0.3), 50),
        "val_loss": Series(at * 50, val),
        "val_accuracy": Series(at * 50, np.clip(right, 0.0, 1.0)),
    }


def mastered(r: np.random.Generator) -> Signals:
    """A policy that masters its task within a few evaluations and falls short of the ceiling now and then."""
    n, ceiling = _rows(r, 40, 600), float(r.choice([1.0, 200.0, 500.0, 1_000.0]))
    short = r.random(n) < 0.05
    level = ceiling * (1.0 - np.exp(-(np.arange(n) + r.uniform(0.3, 1.5)) / r.uniform(0.5, 3.0)))
    return {"reward": _series(level * np.where(short, r.uniform(0.6, 0.99, n), 1.0 - 0.004 * r.random(n)), 10_000)}


KINDS: Mapping[str, Callable[[np.random.Generator], Signals]] = {
    f.__name__.replace("_", " "): f
    for f in (
        power_law, logarithm, classifier, noise_floor, summed_parts, distillation, policy, averaged, logged_late,
        dense_then_sparse, fast_fall, fine_tuned, few_epochs, adapter, preference, rewarmed, taken_up_again,
        tuned_classifier, mastered,
    )
}  # fmt: skip


def healthy_run(i: int, seed: int = SEED) -> HealthyRun:
    """The i-th run; the kinds take turns."""
    kind = list(KINDS)[i % len(KINDS)]
    r = np.random.default_rng([seed, i])
    return HealthyRun(kind, KINDS[kind](r), {"pretrained": 1.0} if kind == "fine tuned" and r.random() < 0.5 else {})
