"""What was not logged, and how to log it in the run after this one: one line of code per role."""

from __future__ import annotations

from collections.abc import Sequence

from curvedoc.core.diagnosis import RunDiagnosis

#: The signals that every run should log; asked for before any other.
_CORE = ("loss", "val_loss", "lr", "grad_norm")
#: What only one kind of training has: games and policies. Another cannot log it.
_OF_ITS_KIND = frozenset(("game_loss", "reward", "entropy", "kl"))
#: A cause this likely is as good as known: more signals would say little about it.
_AS_KNOWN = 0.9
#: Role -> a line that logs it. `log` stands for the user's own logger.
HOW_TO_LOG: dict[str, str] = {
    "loss": 'log({"loss": loss.item()}, step)',
    "val_loss": 'log({"val_loss": evaluate(model, val_loader)}, step)',
    "accuracy": 'log({"accuracy": (logits.argmax(-1) == y).float().mean().item()}, step)',
    "val_accuracy": 'log({"val_accuracy": accuracy(model, val_loader)}, step)',
    "grad_norm": 'log({"grad_norm": torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm).item()}, step)',
    "lr": 'log({"lr": optimizer.param_groups[0]["lr"]}, step)',
    "layer_grad_norm": 'log({f"grad_norm/{n}": p.grad.norm().item() for n, p in model.named_parameters()}, step)',
    "weight_norm": 'log({"weight_norm": sum(p.norm() ** 2 for p in model.parameters()).sqrt().item()}, step)',
    "layer_weight_norm": 'log({f"weight_norm/{n}": p.norm().item() for n, p in model.named_parameters()}, step)',
    "loss_scale": 'log({"loss_scale": scaler.get_scale()}, step)',
    "memory": 'log({"memory": torch.cuda.memory_allocated()}, step)',
    "gpu_utilization": 'log({"gpu_utilization": torch.cuda.utilization()}, step)',
    "throughput": 'log({"samples_per_s": batch_size / (time.perf_counter() - t0)}, step)',
    "wall_time": 'log({"time": time.time()}, step)',
    "zero_fraction": 'log({"zero_fraction": (activation == 0).float().mean().item()}, step)',
    "saturation_fraction": 'log({"saturated": (activation.abs() > 0.99).float().mean().item()}, step)',
    "clip_rate": 'log({"clipped": float(norm > max_norm)}, step)',
    "attention_entropy": 'log({"attention_entropy": -(p * p.log()).sum(-1).mean().item()}, step)',
    "step_time": 'log({"step_time": time.perf_counter() - t0}, step)',
    "data_time": 'log({"data_time": time_until_the_batch_came}, step)',
    "update_ratio": 'log({"update_ratio": (lr * p.grad.norm() / p.norm()).item()}, step)',
    "config": "save the configuration beside the log: config.yaml or hparams.yaml",
    "log_text": "keep the console output: python train.py 2>&1 | tee train.log",
    "epoch": 'log({"epoch": epoch}, step)',
    "num_classes": "save num_classes in the configuration",
}
#: What curvedoc's own recorder logs by itself once it is attached.
RECORDED = frozenset(
    ("loss", "lr", "grad_norm", "layer_grad_norm", "layer_weight_norm", "zero_fraction", "memory", "wall_time",
     "data_time", "config")
)  # fmt: skip
RECORDER = 'rec = curvedoc.record.Recorder("runs/next", config); rec.attach(model, optimizer); rec.log(step, loss=loss)'


def signal_name(role: str) -> str:
    """A role in words where its id is not one.

    >>> signal_name("log_text"), signal_name("config.max_steps"), signal_name("grad_norm")
    ('console output', 'max_steps in the configuration', 'grad_norm')
    """
    if role == "log_text":
        return "console output"
    return f"{role.removeprefix('config.')} in the configuration" if role.startswith("config.") else role


def how_to_log(role: str) -> str:
    """The line that logs a role, "" where there is no advice.

    >>> how_to_log("config.weight_decay")
    'save weight_decay in the configuration'
    """
    if role.startswith("config."):
        return f"save {role.removeprefix('config.')} in the configuration"
    return HOW_TO_LOG.get(role, "")


def recorder_line(roles: Sequence[str]) -> str:
    """The line that logs most of these roles at once, "" where it would log fewer than two of them."""
    return RECORDER if sum(r in RECORDED or r.startswith("config.") for r in roles) > 1 else ""


def missing(run: RunDiagnosis) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Signals that were not logged, each with what it decides.

    Of a run in trouble those that would tell its first two causes apart, the one that decides most first; where none
    would, the usual ones of a fault that curves show, and none where a message tells it or its cause is as good as
    known. Of others all that some symptom needs, the usual ones first.
    """
    troubled = run.verdict in ("failed", "warning", "ended-early")
    if run.verdict in ("failed", "warning"):
        lead = next((f for f in run.findings if f.kind == "pathology"), None)
        known = bool(run.causes) and run.causes[0].probability >= _AS_KNOWN
        if known or (telling := _telling(run)) or lead is None or lead.metric is None:
            return () if known else telling
    logged = {s.role for s in run.signals}  # too short for a rule or not of the kind it wants, but there
    table: dict[str, list[str]] = {}
    for row in run.not_judged:
        for need in row.needs:
            # "several ranks" is no signal that one could log
            if need in logged or need in _OF_ITS_KIND or " " in need or (troubled and need not in _CORE):
                continue
            table.setdefault(need, []).append(row.symptom)

    def key(role: str) -> tuple[object, ...]:
        core = _CORE.index(role) if role in _CORE else len(_CORE)
        return core, role.startswith(("config", "log_text")), -len(table[role]), role

    return tuple((k, tuple(table[k])) for k in sorted(table, key=key))


def _telling(run: RunDiagnosis) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Signals that would tell the first two causes apart, each with the questions that it answers."""
    table: dict[str, list[str]] = {}
    gain: dict[str, float] = {}
    for cause in run.causes[:2]:
        for check in cause.checks:
            for need in check.needs:
                table.setdefault(need, []).append(check.ask)
                # the variance that a yes or a no to it takes away
                gain[need] = gain.get(need, 0.0) + cause.probability * (1.0 - cause.probability)
    ranked = sorted(table, key=lambda role: (-gain[role], _CORE.index(role) if role in _CORE else len(_CORE), role))
    return tuple((k, tuple(dict.fromkeys(table[k]))) for k in ranked)
