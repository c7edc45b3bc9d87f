"""Nothing is wrong with these runs, so no pathology may be told: dozens of healthy pictures, each at several seeds."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import polars as pl
import pytest
import simulate
from numpy.typing import NDArray

from curvedoc.core.run import ASSEMBLED, RoleMatch, Run, Scalar, Source, empty_messages
from curvedoc.diagnose.run import diagnose
from curvedoc.rulebook.load import load
from curvedoc.rulebook.rule import Rulebook

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
SEEDS = (0, 1)


@dataclass
class Log:
    """Curves by role (each with its steps) and the configuration of a made-up run."""

    curves: dict[str, tuple[Ints, Floats]] = field(default_factory=dict)
    config: dict[str, Scalar] = field(default_factory=dict)
    axis: str = "step"

    def add(self, role: str, value: Floats, every: int = 1, start: int = 0) -> Log:
        self.curves[role] = (np.arange(len(value), dtype=np.int64) * every + start, np.asarray(value, dtype=np.float64))
        return self


def run_of(log: Log, name: str) -> Run:
    parts = []
    for role, (step, value) in log.curves.items():
        n = len(step)
        columns = {
            "metric": [role] * n, "step": step, "value": value, "time": step * 0.5, "rank": [0] * n, "flags": [0] * n,
            "segment": [0] * n, "superseded": [False] * n,
        }  # fmt: skip
        parts.append(pl.DataFrame(columns, schema=dict(ASSEMBLED)))
    points = pl.concat(parts)
    roles = tuple(RoleMatch(role, role, "", "made up") for role in log.curves)
    source = Source("made up", "made up", len(points), 0)
    return Run(name, points, empty_messages(), roles, log.config, log.config, (source,), axis=log.axis)


@cache
def book() -> Rulebook:
    return load(())


def power(n: int, top: float, floor: float, knee: float, slope: float = 0.5) -> Floats:
    """A power law from `top` towards `floor` over n rows."""
    t = np.arange(n, dtype=np.float64)
    return floor + (top - floor) * (1 + t / knee) ** -slope


def exponential(n: int, top: float, floor: float, tau: float) -> Floats:
    return floor + (top - floor) * np.exp(-np.arange(n) / tau)


def warm_cosine(n: int, peak: float, warmup: int, low: float = 0.0) -> Floats:
    t = np.arange(n, dtype=np.float64)
    down = low + (1 - low) * (1 + np.cos(np.pi * (t - warmup) / max(1, n - warmup))) / 2
    return peak * np.where(t < warmup, (t + 1) / max(1, warmup), down)


def grad_like(loss: Floats, rng: np.random.Generator, scale: float = 1.0) -> Floats:
    """A gradient norm that sinks a little with the loss, log-normal from row to row."""
    level = scale * (0.4 + 0.6 * np.abs(loss - loss.min()) / max(float(np.ptp(loss)), 1e-300))
    return level * np.exp(0.25 * rng.standard_normal(len(loss)))


def noisy(
    value: Floats, rng: np.random.Generator, share: float, law: simulate.Law = "gauss", phi: float = 0.0
) -> Floats:
    """With noise in proportion to the level."""
    return value * (1 + share * simulate.noise(len(value), law, rng, phi))


def evals(smooth: Floats, every: int, rng: np.random.Generator, gap: float = 0.03, share: float = 0.01) -> Floats:
    """The validation curve of a run that generalizes: a little above training, a little noisy."""
    picked = smooth[::every]
    return picked * (1 + gap * np.linspace(0, 1, len(picked))) * (1 + share * rng.standard_normal(len(picked)))


Maker = Callable[[np.random.Generator], Log]
PICTURES: dict[str, Maker] = {}


def picture(make: Maker) -> Maker:
    PICTURES[make.__name__] = make
    return make


def whole(smooth: Floats, rng: np.random.Generator, share: float = 0.03, rate: Floats | None = None) -> Log:
    """Loss, validation loss, rate and gradient norm of a run with this smooth loss."""
    n = len(smooth)
    every = max(1, n // 25)
    log = Log(config={"batch_size": 64, "seed": 1})
    log.add("loss", noisy(smooth, rng, share)).add("val_loss", evals(smooth, every, rng), every)
    log.add("lr", warm_cosine(n, 1e-3, n // 20, 0.1) if rate is None else rate)
    return log.add("grad_norm", grad_like(smooth, rng))


@picture
def a_power_law(rng: np.random.Generator) -> Log:
    return whole(power(800, 7.0, 1.8, 15), rng)


@picture
def a_power_law_with_student_noise(rng: np.random.Generator) -> Log:
    smooth = power(1000, 5.0, 1.0, 20)
    log = whole(smooth, rng)
    return log.add("loss", noisy(smooth, rng, 0.04, "t3"))


@picture
def a_power_law_with_correlated_noise(rng: np.random.Generator) -> Log:
    smooth = power(1000, 4.0, 0.8, 30)
    return whole(smooth, rng).add("loss", noisy(smooth, rng, 0.03, "gauss", 0.5))


@picture
def an_exponential_down_to_its_floor(rng: np.random.Generator) -> Log:
    return whole(exponential(600, 2.3, 0.2, 60), rng, 0.05)


@picture
def a_cosine_tail_that_gains_at_the_end(rng: np.random.Generator) -> Log:
    n = 1000
    smooth = power(n, 6.0, 2.0, 20) - 0.25 * (1 - np.cos(np.pi * np.arange(n) / n)) / 2
    return whole(smooth, rng, 0.02, warm_cosine(n, 3e-4, 50))


@picture
def a_warm_up_with_a_slow_start(rng: np.random.Generator) -> Log:
    n = 900
    rate = warm_cosine(n, 6e-4, 90, 0.1)
    smooth = 1.5 + 8.0 * (1 + np.cumsum(rate) / rate.max() / 15) ** -0.6
    return whole(smooth, rng, 0.02, rate)


@picture
def a_constant_rate_without_a_schedule(rng: np.random.Generator) -> Log:
    return whole(power(600, 2.3, 0.25, 25, 0.9), rng, 0.06, np.full(600, 1e-3))


@picture
def a_staircase_decay(rng: np.random.Generator) -> Log:
    n = 900
    t = np.arange(n)
    rate = 0.1 * 0.1 ** np.searchsorted([300, 600], t, side="right")
    smooth = exponential(n, 2.3, 0.9, 40)
    for at, gain in ((300, 0.4), (600, 0.12)):
        smooth = smooth - np.where(t >= at, gain * (1 - np.exp(-(t - at) / 10.0)), 0.0)
    log = whole(smooth, rng, 0.04, rate)
    log.config |= {"lr_scheduler": "multistep", "lr": 0.1}
    return log


@picture
def warm_restarts_that_were_asked_for(rng: np.random.Generator) -> Log:
    n, cycle = 1200, 300
    t = np.arange(n)
    phase = (t % cycle) / cycle
    rate = 0.05 * (1 + np.cos(np.pi * phase)) / 2 + 1e-5
    smooth = power(n, 2.3, 0.3, 40) * (1 + 0.12 * (1 + np.cos(np.pi * phase)) / 2 * (t >= cycle))
    log = whole(smooth, rng, 0.03, rate)
    log.config |= {"lr_scheduler": "CosineAnnealingWarmRestarts", "T_0": cycle, "lr": 0.05}
    return log


@picture
def a_one_cycle_schedule(rng: np.random.Generator) -> Log:
    n = 800
    t = np.arange(n)
    rate = np.where(t < 240, 0.004 + 0.096 * t / 240, 0.1 * (1 + np.cos(np.pi * (t - 240) / 560)) / 2)
    log = whole(power(n, 2.3, 0.15, 30, 0.9), rng, 0.05, rate)
    log.config |= {"lr_scheduler": "OneCycleLR"}
    return log


@picture
def warm_up_stable_decay(rng: np.random.Generator) -> Log:
    n = 1000
    t = np.arange(n)
    rate = 3e-4 * np.where(t < 50, (t + 1) / 50, np.where(t < 800, 1.0, (n - t) / 200))
    smooth = power(n, 8.0, 2.4, 10) - np.where(t > 800, 0.2 * (1 - np.exp(-(t - 800) / 70.0)), 0.0)
    return whole(smooth, rng, 0.02, rate)


@picture
def a_negative_log_likelihood_below_zero(rng: np.random.Generator) -> Log:
    n = 700
    smooth = -4.0 + 5.5 * (1 + np.arange(n) / 20.0) ** -0.8
    log = Log(config={"loss": "gaussian_nll", "lr": 1e-3})
    log.add("loss", smooth + 0.08 * rng.standard_normal(n)).add("lr", np.full(n, 1e-3))
    return log.add("val_loss", smooth[::28] + 0.05 + 0.02 * rng.standard_normal(25), 28)


@picture
def a_bound_that_starts_at_minus_a_thousand(rng: np.random.Generator) -> Log:
    n = 600
    smooth = -1800.0 + 800.0 * np.exp(-np.arange(n) / 80.0)
    return Log(config={"lr": 1e-3}).add("loss", smooth + 12 * rng.standard_normal(n)).add("lr", np.full(n, 1e-3))


@picture
def losses_of_a_millionth(rng: np.random.Generator) -> Log:
    return whole(1e-6 * power(700, 9.0, 0.8, 20, 0.9), rng, 0.08)


@picture
def losses_of_ten_thousand(rng: np.random.Generator) -> Log:
    return whole(1e4 * power(700, 6.0, 1.1, 25), rng, 0.05)


@picture
def losses_that_fall_by_eight_decades(rng: np.random.Generator) -> Log:
    n = 1000
    smooth = 10.0 ** np.linspace(0.5, -7.5, n)
    log = Log(config={"lr": 1e-3}).add("loss", smooth * np.exp(0.3 * rng.standard_normal(n)))
    return log.add("lr", np.full(n, 1e-3))


@picture
def noisy_small_batches(rng: np.random.Generator) -> Log:
    n = 1500
    smooth = power(n, 2.3, 0.35, 60, 0.8)
    log = whole(smooth, rng)
    return log.add("loss", smooth * rng.gamma(4.0, 0.25, n))


@picture
def batches_of_one(rng: np.random.Generator) -> Log:
    n = 1500
    smooth = power(n, 2.3, 0.5, 80, 0.8)
    log = whole(smooth, rng)
    return log.add("loss", smooth * rng.exponential(1.0, n))


@picture
def fine_tuning_close_to_its_floor(rng: np.random.Generator) -> Log:
    n = 600
    smooth = exponential(n, 1.32, 1.18, 90)
    rate = 2e-5 * np.minimum((np.arange(n) + 1) / 30, 1) * np.linspace(1, 0.02, n)
    log = whole(smooth, rng, 0.06, rate)
    log.config |= {"lr_scheduler_type": "linear", "pretrained": True, "lr": 2e-5}
    return log.add("val_loss", 1.2 + 0.06 * np.exp(-np.arange(12) / 2.0) + 0.002 * rng.standard_normal(12), 50)


@picture
def converged_and_flat_for_most_of_the_run(rng: np.random.Generator) -> Log:
    return whole(exponential(1500, 1.1, 0.012, 60), rng, 0.12, np.full(1500, 1e-3))


@picture
def converged_to_a_noise_floor_of_regression(rng: np.random.Generator) -> Log:
    n = 1200
    smooth = exponential(n, 3.0, 0.25, 50)
    log = whole(smooth, rng)
    return log.add("loss", smooth * rng.gamma(16.0, 1 / 16.0, n))


def by_epoch(train: Floats, val: Floats, rng: np.random.Generator, share: float = 0.01) -> Log:
    log = Log(axis="epoch", config={"batch_size": 128, "epochs": len(train)})
    return log.add("loss", noisy(train, rng, share)).add("val_loss", noisy(val, rng, share))


@picture
def twenty_epochs(rng: np.random.Generator) -> Log:
    smooth = exponential(20, 1.8, 0.3, 4.0)
    return by_epoch(smooth, smooth * 1.08, rng)


@picture
def twenty_epochs_with_accuracy(rng: np.random.Generator) -> Log:
    smooth = exponential(20, 1.6, 0.25, 5.0)
    log = by_epoch(smooth, smooth + 0.05, rng)
    log.add("accuracy", np.clip(1 - smooth / 3.2 + 0.004 * rng.standard_normal(20), 0, 1))
    return log.add("val_accuracy", np.clip(1 - (smooth + 0.05) / 3.2 + 0.006 * rng.standard_normal(20), 0, 1))


@picture
def eight_epochs(rng: np.random.Generator) -> Log:
    smooth = exponential(8, 0.9, 0.2, 2.0)
    return by_epoch(smooth, smooth + 0.03, rng)


@picture
def a_hundred_epochs_of_dropout(rng: np.random.Generator) -> Log:
    smooth = power(100, 2.0, 0.4, 6, 0.9)
    return by_epoch(smooth, smooth * 0.85, rng, 0.015)


@picture
def a_validation_loss_that_levels_above_training(rng: np.random.Generator) -> Log:
    train = exponential(40, 1.5, 0.35, 7.0)
    return by_epoch(train, exponential(40, 1.55, 0.47, 6.0), rng, 0.012)


@picture
def a_small_validation_set(rng: np.random.Generator) -> Log:
    smooth = power(900, 2.3, 0.4, 25, 0.8)
    log = whole(smooth, rng)
    return log.add("val_loss", noisy(smooth[::30], rng, 0.06), 30)


@picture
def training_loss_alone(rng: np.random.Generator) -> Log:
    return Log().add("loss", noisy(power(500, 4.0, 0.9, 15), rng, 0.05))


@picture
def logged_every_five_hundred_steps(rng: np.random.Generator) -> Log:
    n = 120
    smooth = power(n, 9.0, 2.9, 2)
    return Log(config={"lr": 3e-4}).add("loss", noisy(smooth, rng, 0.01), 500).add("lr", warm_cosine(n, 3e-4, 4), 500)


@picture
def a_classifier_that_learns_at_once(rng: np.random.Generator) -> Log:
    smooth = exponential(500, np.log(10), 0.05, 12)
    log = whole(smooth, rng, 0.15)
    log.config |= {"num_classes": 10}
    return log.add("accuracy", np.clip(1 - smooth / 2.5 + 0.02 * rng.standard_normal(500), 0, 1))


@picture
def a_language_model_with_clipping(rng: np.random.Generator) -> Log:
    n = 1000
    smooth = power(n, 10.4, 2.9, 8, 0.45)
    log = whole(smooth, rng, 0.015)
    log.config |= {"vocab_size": 32768, "max_grad_norm": 1.0, "model": "gpt"}
    norm = 0.35 * np.exp(0.2 * rng.standard_normal(n)) + 1.6 * np.exp(-np.arange(n) / 25.0)
    return log.add("grad_norm", norm)


@picture
def steady_system_metrics(rng: np.random.Generator) -> Log:
    log = whole(power(600, 4.0, 1.0, 20), rng)
    log.add("memory", 11.2e9 + 2e6 * rng.standard_normal(600)).add(
        "throughput", 5200 * (1 + 0.03 * rng.standard_normal(600))
    )
    return log.add("gpu_utilization", np.clip(94 + 3 * rng.standard_normal(600), 0, 100))


@picture
def weights_that_grow_and_level(rng: np.random.Generator) -> Log:
    log = whole(power(800, 4.0, 1.0, 20), rng)
    return log.add("weight_norm", 30 + 12 * (1 - np.exp(-np.arange(800) / 150.0)) + 0.01 * rng.standard_normal(800))


@picture
def a_dynamic_loss_scale_that_probes(rng: np.random.Generator) -> Log:
    n = 800
    log = whole(power(n, 4.0, 1.0, 20), rng)
    scale = np.full(n, 65536.0)
    scale[:3] = (2.0**18, 2.0**17, 65536.0)
    scale[400:404] = 131072.0
    return log.add("loss_scale", scale)


@picture
def one_mild_outlier_batch(rng: np.random.Generator) -> Log:
    log = whole(power(900, 3.0, 0.6, 25), rng, 0.05)
    log.curves["loss"][1][500] *= 1.25
    return log


@picture
def a_run_stopped_early_by_hand(rng: np.random.Generator) -> Log:
    log = whole(power(300, 6.0, 1.5, 20), rng, 0.03, warm_cosine(1000, 3e-4, 50)[:300])
    return log


@picture
def two_networks_that_play_against_each_other(rng: np.random.Generator) -> Log:
    n = 1200
    generator = 0.7 + 0.9 * (1 - np.exp(-np.arange(n) / 300)) + 0.25 * rng.standard_normal(n)
    log = Log().add("game_loss", generator).add("accuracy", np.clip(0.5 + 0.1 * rng.standard_normal(n), 0, 1))
    return log.add("grad_norm", 0.05 * np.exp(np.arange(n) / 300) * np.exp(0.2 * rng.standard_normal(n)))


@picture
def training_and_validation_that_both_give_back_a_little(rng: np.random.Generator) -> Log:
    n = 1500
    smooth = 0.6 * np.exp(-np.arange(n) / 25) + 0.011 + 0.004 * (1 - np.exp(-np.arange(n) / 500))
    log = whole(smooth, rng, 0.05)
    return log.add("val_loss", evals(smooth, 30, rng, 0.0, 0.01), 30)


@picture
def fine_tuning_of_a_classifier_that_knew_much(rng: np.random.Generator) -> Log:
    n = 600
    smooth = 0.72 + 0.07 * np.exp(-np.arange(n) / 100)
    log = whole(smooth, rng, 0.1).add("val_loss", evals(smooth, 20, rng, 0.0, 0.004), 20)
    right = 0.71 - 0.02 * np.exp(-np.arange(30) / 5)
    log.add("val_accuracy", right + 0.003 * rng.standard_normal(30), 20)
    log.config["num_classes"] = 6
    return log


def simulated(base: simulate.Base, law: simulate.Law) -> Maker:
    def make(rng: np.random.Generator) -> Log:
        c = simulate.curve(700, rng, base, law)
        return Log(config={"lr": 1e-3}).add("loss", c.value).add("lr", np.full(700, 1e-3))

    return make


for _base in simulate.BASES:
    for _law in simulate.LAWS:
        PICTURES[f"simulated_{_base}_{_law}"] = simulated(_base, _law)

#: Pictures and seeds that still raise an alarm, with the reason.
KNOWN: Mapping[tuple[str, int], str] = {}


def alarms(name: str, seed: int) -> list[str]:
    # seeded by the picture's own name, so that adding one never changes another
    rng = np.random.default_rng([zlib.crc32(name.encode()), seed])
    told = diagnose(run_of(PICTURES[name](rng), name), book())
    assert not [n for n in told.notes if n.kind == "rule-failed"], told.notes
    return [
        f"{f.symptom}: " + "; ".join(e.text for e in f.evidence) + f" {dict(f.measures)}"
        for f in told.findings
        if f.kind == "pathology"
    ]


def pictures() -> list[Any]:
    out = []
    for key in product(PICTURES, SEEDS):
        out.append(pytest.param(*key, marks=[pytest.mark.xfail(reason=KNOWN[key])] if key in KNOWN else []))
    return out


@pytest.mark.parametrize(("name", "seed"), pictures())
def test_a_healthy_run_raises_no_alarm(name: str, seed: int) -> None:
    assert alarms(name, seed) == []


def test_the_same_runs_with_a_fault_do_raise_one() -> None:
    """The builder does not hide faults: each of these healthy pictures, spoiled, is told."""
    for name in ("a_power_law", "losses_of_a_millionth", "losses_of_ten_thousand", "noisy_small_batches"):
        log = PICTURES[name](np.random.default_rng(5))
        step, value = log.curves["loss"]
        spoiled = value.copy()
        spoiled[len(value) // 2 :] = np.nan
        log.curves["loss"] = (step, spoiled)
        assert diagnose(run_of(log, name), book()).verdict == "failed", name
