# ruff: noqa: E501 (prose and a traceback, as they are logged)
"""Example diagnoses, as rich as an engine would hand over: what the tests of every view are drawn from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from curvedoc.core.diagnosis import (
    Check,
    Contrast,
    Curve,
    Diagnosis,
    Evidence,
    Finding,
    Group,
    Mark,
    Message,
    NextAction,
    NextCheck,
    NotJudged,
    RankedCause,
    RunDiagnosis,
    Signal,
    Unreadable,
    Waste,
)
from curvedoc.core.run import Note, Source

BUCKETS = 420
HOSTILE = '</script><script>window.PWN=1</script><img src=x onerror="window.PWN=1">{{7*7}}${1}\u202egnp.\u2028`[red]\x1b[31m|@me'

TRACEBACK = """Traceback (most recent call last):
  File "train.py", line 212, in <module>
    main(config)
  File "train.py", line 161, in main
    loss.backward()
  File "site-packages/torch/_tensor.py", line 581, in backward
    torch.autograd.backward(self, gradient, retain_graph, create_graph, inputs=inputs)
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has a total capacity of 79.15 GiB of which 1.13 GiB is free."""


def curve(
    role: str,
    metric: str,
    step: ArrayLike,
    value: ArrayLike,
    label: str = "",
    near: tuple[int, int] | None = None,
) -> Curve:
    """A curve thinned into buckets of equal count, raw points kept between the two steps of `near`."""
    s, v = np.asarray(step, dtype=np.int64), np.asarray(value, dtype=np.float64)
    first, mean, low, high = [], [], [], []
    for part in np.array_split(np.arange(len(s)), min(BUCKETS, len(s))):
        ok = v[part][np.isfinite(v[part])]
        first.append(int(s[part[0]]))
        mean.append(float(ok.mean()) if len(ok) else float("nan"))
        low.append(float(ok.min()) if len(ok) else float("nan"))
        high.append(float(ok.max()) if len(ok) else float("nan"))
    keep = (s >= near[0]) & (s <= near[1]) if near else np.zeros(len(s), dtype=bool)
    raw = (tuple(int(x) for x in s[keep]), tuple(float(x) for x in v[keep]))
    return Curve(
        metric,
        role,
        label,
        tuple(first),
        tuple(mean),
        tuple(low),
        tuple(high),
        len(s),
        nonfinite_spans(s, v),
        raw if near else ((), ()),
    )


def nonfinite_spans(s: NDArray[np.int64], v: NDArray[np.float64]) -> tuple[tuple[int, int], ...]:
    """First and last step of every stretch without a finite value."""
    bad = np.concatenate([[False], ~np.isfinite(v), [False]]).astype(np.int8)
    starts, ends = np.flatnonzero(np.diff(bad) == 1), np.flatnonzero(np.diff(bad) == -1) - 1
    return tuple((int(s[a]), int(s[b])) for a, b in zip(starts, ends, strict=True))


def signals(curves: Sequence[Curve]) -> tuple[Signal, ...]:
    """The signal table of some curves."""
    return tuple(
        Signal(c.role, c.metric, c.points, c.step[0], c.step[-1], _last(c), c.label)
        for c in sorted(curves, key=lambda c: c.role)
    )


def _last(c: Curve) -> float | None:
    return c.mean[-1] if np.isfinite(c.mean[-1]) else None


def _lr(s: NDArray[np.int64], peak: float, total: int = 18_000, warmup: int = 2_000) -> NDArray[np.float64]:
    decay = 0.5 * (1 + np.cos(np.pi * np.clip((s - warmup) / (total - warmup), 0, 1)))
    return peak * np.minimum(s / warmup, 1.0) * np.where(s < warmup, 1.0, decay)


def _loss(
    s: NDArray[np.int64], rng: np.random.Generator, floor: float = 2.05, noise: float = 0.035
) -> NDArray[np.float64]:
    trend = floor + 8.4 * np.exp(-s / 420) + 1.1 * np.exp(-s / 4200)
    return trend * (1 + noise * rng.standard_normal(len(s)))


def _evaluated(
    s: NDArray[np.int64], loss: NDArray[np.float64], gap: float = 0.03
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    at = np.arange(250, len(s), 250)
    smooth = np.array([np.median(loss[max(0, i - 40) : i + 1]) for i in at])
    return s[at], smooth * (1 + gap)


def nan_run(
    name: str = "lr3e-3-bs256-s1", onset: int = 7412, last: int = 12_959, peak: float = 3e-3, seed: int = 1
) -> RunDiagnosis:
    """A run that diverged at a peak rate too high, went to NaN and kept on running."""
    rng = np.random.default_rng(seed)
    s = np.arange(last + 1)
    first_nan, climb = onset + 96, onset - 812
    loss = _loss(s, rng)
    loss[5180:5440] += 1.6 * np.exp(-np.arange(260) / 60)
    loss[onset:first_nan] *= np.exp(np.linspace(0, 1.6, first_nan - onset))
    loss[first_nan:] = np.nan
    grad = 0.55 * np.exp(0.13 * rng.standard_normal(len(s))) + 2.4 * np.exp(-s / 300)
    grad[5180:5300] *= 9 * np.exp(-np.arange(120) / 40) + 1
    grad[climb:onset] *= np.exp(np.linspace(0, 3.7, onset - climb))
    grad[onset:first_nan] *= np.exp(np.linspace(3.7, 8.5, first_nan - onset))
    grad[first_nan:] = np.nan
    vs, vv = _evaluated(s[:onset], loss[:onset])
    near = (onset - 1200, first_nan + 200)
    curves = (
        curve("loss", "train/loss", s, loss, near=near),
        curve("val_loss", "val/loss", vs, vv),
        curve("grad_norm", "train/grad_norm", s, grad, near=near),
        curve("lr", "train/lr", s, _lr(s, peak)),
    )
    rise = Evidence(
        f"The gradient norm grew 40-fold over steps {climb:,} to {onset:,}, while the loss stayed at 2.43 ± 0.04",
        "train/grad_norm",
        (Mark("train/grad_norm", climb, onset),),
    )
    findings = (
        Finding(
            "nan-after-blowup",
            "Loss became NaN after a blow-up",
            "pathology",
            "fatal",
            0.97,
            first_nan,
            last,
            "train/loss",
            {},
            (
                Evidence(
                    f"The loss left its trend at step {onset:,} and was NaN from step {first_nan:,} to the end",
                    "train/loss",
                    (Mark("train/loss", onset), Mark("train/loss", first_nan, last)),
                ),
                rise,
            ),
            {"rise": 4.95, "grad_norm_rise": 40.2, "recovered": False},
            None,
            (("lr-too-high", 0.78), ("missing-clipping", 0.14), ("bad-batch", 0.06), ("no-warmup", 0.02)),
        ),
        Finding(
            "grad-norm-growth",
            "Gradient norm climbs",
            "pathology",
            "warning",
            0.9,
            climb,
            onset,
            "train/grad_norm",
            {},
            (rise,),
            {"fold": 40.2},
            "nan-after-blowup",
        ),
        Finding(
            "loss-spike-recovered",
            "Loss spike, recovered",
            "notice",
            "note",
            0.6,
            5180,
            5440,
            "train/loss",
            {},
            (Evidence("The loss jumped by 1.6 at step 5,180 and was back on its trend 260 steps later", "train/loss"),),
        ),
    )
    ask = "Does it survive from the last good checkpoint at half the rate?"
    probe = "optimizer.param_groups[0]['lr'] *= 0.5  # resume from the last checkpoint before the onset"
    causes = (
        RankedCause(
            "lr-too-high",
            "learning rate too high",
            0.78,
            "Each step overshoots along the sharpest direction, so the gradient grows until the update leaves the region where the loss is defined.",
            (
                Evidence("3 of 3 runs with a peak rate of 2e-3 or more diverged; 0 of 9 below did"),
                rise,
                Evidence("Clipping was active on 61 % of the steps before the onset", "train/grad_norm"),
            ),
            (
                Evidence(
                    "The run survived 5,400 steps after warm-up at almost the same rate",
                    "train/lr",
                    (Mark("train/lr", 2000, onset),),
                ),
            ),
            (
                Check(
                    "Did the gradient norm move before the loss did?",
                    "Compare the first step at which each leaves its noise",
                    "look",
                    "confirmed",
                    "bad-batch",
                    "yes",
                    "The gradient norm left its noise 812 steps before the loss",
                ),
                Check(
                    "Was the learning rate near its peak?",
                    "Read the schedule at the onset",
                    "look",
                    "confirmed",
                    "ruled-out",
                    "leaning-yes",
                    "The rate was 2.4e-3 at the onset, 80 % of its peak",
                ),
                Check(
                    ask,
                    "Resume 400 steps before the onset and run 1,200 steps",
                    "short-run",
                    "confirmed",
                    "missing-clipping",
                ),
                Check(
                    "Do attention logits grow without bound?",
                    "Log the largest logit",
                    "code",
                    "missing-clipping",
                    "ruled-out",
                    "unanswerable",
                    "attention logits were not logged",
                ),
            ),
            (
                "Halve the peak learning rate to 1.5e-3, or keep it with twice the batch size",
                "Lengthen the warm-up from 2,000 to 4,000 steps",
                "Stop the run when the gradient norm passes 20 times its running median",
            ),
            probe,
            ("nan-after-blowup", "grad-norm-growth"),
        ),
        RankedCause(
            "missing-clipping",
            "no gradient clipping",
            0.14,
            "Without a bound one large gradient moves the weights far in a single step.",
            (Evidence("The gradient norm passed 1,000 before the first NaN", "train/grad_norm"),),
            (Evidence("The configuration sets max_grad_norm = 1.0"),),
            (Check("Is clipping called after unscaling?", "Read the training loop", "look", "confirmed", "ruled-out"),),
            ("Clip the global norm at 1.0 after unscaling",),
        ),
        RankedCause(
            "bad-batch",
            "bad batch",
            0.06,
            "",
            (
                Evidence(
                    "One isolated spike at step 5,180, recovered in 260 steps",
                    "train/loss",
                    (Mark("train/loss", 5180),),
                ),
            ),
            (Evidence("Two seeds with another order of data fail within 243 steps of each other"),),
        ),
        RankedCause(
            "no-warmup", "no warm-up", 0.02, "", (), (Evidence("The rate warmed up over 2,000 steps", "train/lr"),)
        ),
    )
    return RunDiagnosis(
        name,
        "failed",
        f"The loss left its trend at step {onset:,} and was NaN from step {first_nan:,}; very likely the learning rate is too high.",
        (
            Source(
                f"{name}/metrics.jsonl",
                "jsonl",
                len(s) * 3,
                2_310_442,
                (Note("bad-json", "record is not JSON, left out", 812, None, 2),),
            ),
        ),
        signals(curves),
        findings,
        causes,
        (
            NotJudged("attention-entropy-collapse", "attention entropy was not logged", ("attention_entropy",)),
            NotJudged("dead-layer", "gradient norms per layer were not logged", ("layer_grad_norm", "zero_fraction")),
            NotJudged("loss-scale-collapse", "the loss scale was not logged", ("loss_scale",)),
        ),
        NextCheck(
            "lr-too-high",
            ask,
            "Resume 400 steps before the onset and run 1,200 steps",
            "short-run",
            "confirmed",
            "missing-clipping",
            probe,
        ),
        Waste(onset, last - onset, (last - onset) * 0.0079),
        curves,
        (Message(f"{name}/train.log", 40_112, "WARNING", first_nan, "Non-finite loss encountered, skipping step"),),
        (Note("looks-sampled", "steps 9,000 to 9,004 were logged twice, the later kept", None, None, 5),),
        {"optimizer.lr": peak, "batch_size": 256, "seed": seed, "model.name": "gpt-small", "fp16": False},
        next_action=NextAction(
            "Resume from the last good checkpoint at half the learning rate, 1.2e-3.", code=probe, tests="lr-too-high"
        ),
    )


def overfit_run(name: str = "lr1e-3-wd0-s1", seed: int = 5) -> RunDiagnosis:
    """A run whose validation loss turned up while training went on."""
    rng = np.random.default_rng(seed)
    s = np.arange(18_000)
    loss = _loss(s, rng, floor=1.9)
    vs, vv = _evaluated(s, loss)
    vv = vv + np.where(vs > 8250, (vs - 8250) * 5.3e-5, 0)
    curves = (
        curve("loss", "loss", s, loss),
        curve("val_loss", "eval_loss", vs, vv),
        curve("val_loss", "eval_other_loss", vs, vv * 1.1, label="other"),
        curve("grad_norm", "grad_norm", s, 0.5 * np.exp(0.15 * rng.standard_normal(len(s)))),
        curve("lr", "lr", s, _lr(s, 1e-3)),
        curve("accuracy", "acc", s[::50], 1 - 1 / (1 + s[::50] / 3000)),
        curve("val_accuracy", "eval_acc", vs, 0.7 - 0.3 * np.exp(-vs / 3000)),
    )
    gap = Evidence(
        "The gap between validation and training loss grew from 0.06 to 0.52 (noise 0.01)",
        "eval_loss",
        (Mark("eval_loss", 8250, 17_999), Mark("eval_loss", None, None, 2.11)),
    )
    return RunDiagnosis(
        name,
        "warning",
        "Validation loss was best at step 8,250 and has risen since, while the training loss kept falling; likely weight decay is missing.",
        (Source(f"{name}/trainer_state.json", "hf-trainer", 90_000, 4_103_111),),
        signals(curves),
        (
            Finding(
                "overfitting-crossover",
                "Overfitting: validation loss turned up",
                "pathology",
                "warning",
                0.86,
                8250,
                17_999,
                "eval_loss",
                {},
                (gap,),
                {"gap": 0.52},
                None,
                (("missing-weight-decay", 0.66), ("train-set-too-small", 0.34)),
            ),
        ),
        (
            RankedCause(
                "missing-weight-decay",
                "no weight decay",
                0.66,
                "",
                (gap, Evidence("weight_decay = 0 here, 0.1 in the other 11 runs")),
                (),
                (
                    Check(
                        "Is weight decay off?",
                        "Read the configuration",
                        "look",
                        "confirmed",
                        "ruled-out",
                        "yes",
                        "weight_decay = 0",
                    ),
                    Check(
                        "Does a decay of 0.1 close the gap?",
                        "Repeat with weight_decay = 0.1",
                        "full-run",
                        "confirmed",
                        "train-set-too-small",
                    ),
                ),
                ("Use the checkpoint of step 8,250", "Set weight_decay to 0.1"),
                "",
                ("overfitting-crossover",),
            ),
            RankedCause(
                "train-set-too-small",
                "training set too small",
                0.34,
                "",
                (Evidence("Training went through the data 11 times"),),
            ),
        ),
        (),
        NextCheck(
            "missing-weight-decay",
            "Does a decay of 0.1 close the gap?",
            "Repeat with weight_decay = 0.1",
            "full-run",
            "confirmed",
            "train-set-too-small",
        ),
        Waste(8250, 9749, 40.9),
        curves,
        (),
        (),
        {"optimizer.lr": 1e-3, "weight_decay": 0.0, "seed": seed},
        next_action=NextAction("Repeat with a weight decay of 0.1 instead of 0.", tests="missing-weight-decay"),
    )


def healthy_run(name: str = "lr1e-3-bs256-s1", seed: int = 9) -> RunDiagnosis:
    """A run with nothing to say about."""
    rng = np.random.default_rng(seed)
    s = np.arange(18_000)
    loss = _loss(s, rng)
    vs, vv = _evaluated(s, loss)
    curves = (
        curve("loss", "train/loss", s, loss),
        curve("val_loss", "val/loss", vs, vv),
        curve("grad_norm", "train/grad_norm", s, 0.5 * np.exp(0.15 * rng.standard_normal(len(s)))),
        curve("lr", "train/lr", s, _lr(s, 1e-3)),
    )
    return RunDiagnosis(
        name,
        "healthy",
        "No problem found: the loss fell to 2.11 and had flattened by the end.",
        (Source(f"{name}/metrics.jsonl", "jsonl", 54_072, 3_120_990),),
        signals(curves),
        (),
        (),
        (),
        None,
        Waste(),
        curves,
        (),
        (),
        {"optimizer.lr": 1e-3, "seed": seed},
    )


def oom_run(name: str = "lr1e-3-bs256-s3", seed: int = 3) -> RunDiagnosis:
    """A run that ended in an out-of-memory error after its memory had crept up."""
    rng = np.random.default_rng(seed)
    s = np.arange(6133)
    memory = 61.0 + np.where(s > 4000, (s - 4000) * 0.0082, 0) + 0.05 * rng.standard_normal(len(s))
    curves = (
        curve("loss", "loss", s, _loss(s, rng)),
        curve("lr", "lr", s, _lr(s, 1e-3)),
        curve("memory", "sys/gpu_mem_gb", s, memory),
    )
    creep = Evidence(
        "GPU memory rose from 61.0 to 78.5 GB over steps 4,000 to 6,132, 8.2 MB a step",
        "sys/gpu_mem_gb",
        (Mark("sys/gpu_mem_gb", 4000, 6132), Mark("sys/gpu_mem_gb", None, None, 79.15)),
    )
    return RunDiagnosis(
        name,
        "failed",
        "Out of memory at step 6,132, after GPU memory had risen for 2,132 steps; possibly a memory leak.",
        (
            Source(f"{name}/metrics.csv", "csv", 18_399, 411_002),
            Source(
                f"{name}/train.log", "text", 6133, 803_113, (Note("truncated", "the last line is cut off", 40_131),)
            ),
        ),
        signals(curves),
        (
            Finding(
                "out-of-memory",
                "Ended early: out of memory",
                "pathology",
                "fatal",
                1.0,
                6132,
                6132,
                None,
                {},
                (Evidence('train.log, line 40,112: "CUDA out of memory. Tried to allocate 2.50 GiB"'),),
                {},
                None,
                (("memory-leak", 0.46), ("batch-too-large", 0.3)),
            ),
            Finding(
                "memory-growth",
                "GPU memory grows",
                "pathology",
                "warning",
                0.9,
                4000,
                6132,
                "sys/gpu_mem_gb",
                {},
                (creep,),
                {"per_step_mb": 8.2},
                "out-of-memory",
            ),
            Finding(
                "missing-signal",
                "Gradient norm was not logged",
                "gap",
                "note",
                1.0,
                None,
                None,
                None,
                {"metric": "grad_norm"},
                (Evidence("No metric matched the role grad_norm"),),
            ),
        ),
        (
            RankedCause(
                "memory-leak",
                "GPU memory leak",
                0.46,
                "Something keeps the graph of every step alive, most often a loss stored without detaching it.",
                (creep,),
                (),
                (
                    Check(
                        "Does memory stay flat with metrics off?",
                        "Run 400 steps with metrics off and log the memory",
                        "short-run",
                        "confirmed",
                        "batch-too-large",
                    ),
                ),
                ("Detach a metric before storing it: metrics.append(loss.detach())",),
                "torch.cuda.memory._record_memory_history()\n# ... 200 steps ...\ntorch.cuda.memory._dump_snapshot('memory.pickle')",
                ("out-of-memory", "memory-growth"),
            ),
            RankedCause(
                "batch-too-large", "batch too large", 0.3, "", (), (Evidence("6,132 steps of the same size fitted"),)
            ),
        ),
        (NotJudged("exploding-gradients", "no gradient norm was logged", ("grad_norm",)),),
        NextCheck(
            "memory-leak",
            "Does memory stay flat with metrics off?",
            "Run 400 steps with metrics off and log the memory",
            "short-run",
            "confirmed",
            "batch-too-large",
            "torch.cuda.memory._record_memory_history()\n# ... 200 steps ...\ntorch.cuda.memory._dump_snapshot('memory.pickle')",
        ),
        Waste(6132, 0, 0.3),
        curves,
        (Message(f"{name}/train.log", 40_112, "TRACEBACK", 6132, TRACEBACK),),
        (),
        {"optimizer.lr": 1e-3, "seed": seed},
        next_action=NextAction(
            "Run 400 steps with metrics off and log the memory.",
            code="torch.cuda.memory._record_memory_history()\n# ... 200 steps ...\ntorch.cuda.memory._dump_snapshot('memory.pickle')",
            tests="memory-leak",
        ),
    )


def blind_run(name: str = "old/stdout-only") -> RunDiagnosis:
    """A run of which too little was logged to judge it."""
    curves = (curve("accuracy", "acc", [1, 2, 3], [0.1, 0.4, 0.3]),)
    return RunDiagnosis(
        name,
        "inconclusive",
        "Too little was logged to judge this run: no training loss.",
        (Source(f"{name}/out.txt", "text", 3, 310),),
        signals(curves),
        (),
        (),
        tuple(
            NotJudged(s, "no training loss was logged", ("loss",))
            for s in ("divergence", "nan-sudden", "plateau-from-start")
        ),
        None,
        Waste(),
        curves,
        (),
        (Note("step-from-epoch", "no step was logged, epochs stand in for steps"),),
        {},
        "epoch",
    )


def hostile_run() -> RunDiagnosis:
    """The NaN run with every piece of foreign text crafted."""
    run = nan_run(HOSTILE)
    evil = f"<img src=x onerror=window.PWN=2> {HOSTILE}"
    worst = replace(
        run.findings[0],
        title=f"<b>{evil}",
        metric=HOSTILE,
        scope={"layer": HOSTILE},
        evidence=(Evidence(evil, HOSTILE, (Mark(HOSTILE, 7412), Mark(HOSTILE, 7412, 7600))),),
        measures={HOSTILE: 1.0},
    )
    check = Check(evil, evil, "look", evil, evil, "yes", evil)
    cause = replace(
        run.causes[0],
        title=evil,
        mechanism=evil,
        supports=(Evidence(evil, HOSTILE),),
        against=(Evidence(evil),),
        checks=(check, replace(check, answer="open")),
        fix=(evil,),
        probe=f"```\n{evil}\n```",
    )
    return replace(
        run,
        headline=f"<svg onload=window.PWN=3>{evil}",
        findings=(worst, *run.findings[1:]),
        causes=(cause, *run.causes[1:]),
        curves=(replace(run.curves[0], metric=HOSTILE, label=HOSTILE), *run.curves[1:]),
        messages=(Message(HOSTILE, 1, "TRACEBACK", 7, evil + "\n" + evil),),
        notes=(Note("garbage-lines", evil, 3),),
        config={HOSTILE: HOSTILE},
        sources=(Source(HOSTILE, "jsonl", 3, 9, (Note("truncated", evil, None, 12),)),),
        not_judged=(NotJudged("dead-layer", evil, (HOSTILE,)),),
        signals=(Signal("loss", HOSTILE, 3, 0, 9, None, HOSTILE), *run.signals[1:]),
    )


def of(*runs: RunDiagnosis, **more: object) -> Diagnosis:
    """A diagnosis of some runs."""
    return Diagnosis("0.1.0", "9f2c41ab53e07d", runs, **more)  # type: ignore[arg-type]


def sweep() -> Diagnosis:
    """Twelve runs: three that failed alike, one out of memory, one overfit, one unjudged, six healthy."""
    alike = (
        nan_run(),
        nan_run("lr3e-3-bs256-s2", 7655, 9399, seed=2),
        nan_run("lr2e-3-bs128-s1", 11_020, 14_199, 2e-3, seed=4),
    )
    healthy = tuple(healthy_run(f"lr1e-3-bs256-h{i}", 20 + i) for i in range(6))
    runs = (*healthy[:2], *alike, oom_run(), overfit_run(), *healthy[2:], blind_run())
    return of(
        *runs,
        groups=(
            Group("A", ("nan-after-blowup", "lr-too-high"), tuple(r.run for r in alike), alike[0].run),
            Group("B", ("out-of-memory", "memory-leak"), ("lr1e-3-bs256-s3",), "lr1e-3-bs256-s3"),
        ),
        contrasts=(
            Contrast(
                "optimizer.lr",
                "3 of 3 runs with optimizer.lr at or above 2e-3 failed, 1 of 9 below",
                0.018,
                (3, 3),
                (1, 9),
            ),
        ),
        unreadable=(Unreadable("lr9/events.out.tfevents.1", "no complete record in 24 bytes"),),
    )


EXAMPLES = {
    "nan": lambda: of(nan_run()),
    "overfit": lambda: of(overfit_run()),
    "healthy": lambda: of(healthy_run()),
    "oom": lambda: of(oom_run()),
    "blind": lambda: of(blind_run()),
    "hostile": lambda: of(hostile_run(), nan_run("twin")),
    "sweep": sweep,
    "empty": lambda: of(),
}
