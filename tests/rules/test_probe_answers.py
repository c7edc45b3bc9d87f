# ruff: noqa: E501 (a case a line)
"""Each probe that decides a question is run, sound and broken, and the log that holds its print has the answer."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from curvedoc.core.run import Run
from curvedoc.diagnose.judge.trace import trace_cause
from curvedoc.ingest import read_runs
from curvedoc.rulebook.load import load
from curvedoc.rulebook.location import signals_file
from tests.rules.test_probe_round_trip import printed, probe

torch: Any = pytest.importorskip("torch", reason="torch is not installed")
nn = torch.nn
CALM = "".join(f"step {i}: loss {0.3 + 2.0 / (1 + i / 50):.4f}\n" for i in range(60))
#: Questions that need a GPU, several ranks or days.
ELSEWHERE = {"batch-too-large-for-memory", "rank-desync"}


def net(act: Any = None, out: int = 3) -> Any:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(6, 16), act or nn.Tanh(), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, out))


def data(n: int = 64, shift: float = 0.0) -> tuple[Any, Any]:
    g = torch.Generator().manual_seed(1)
    x = torch.randn(n, 6, generator=g) + shift
    return x, torch.arange(n) % 3


def batches(n: int = 8, sort: bool = False, shift: float = 0.0) -> list[tuple[Any, Any]]:
    x, y = data(16 * n, shift)
    y = y.sort()[0] if sort else y
    return list(zip(x.split(16), y.split(16), strict=True))


CE = nn.functional.cross_entropy


def loss_of(model: Any) -> Any:
    return CE(model(data()[0]), data()[1])


def changed(x: Any, at: Any, value: float) -> Any:
    x = x.clone()
    x[at] = value
    return x


def frozen() -> Any:
    model = net()
    model[0].requires_grad_(False)
    return model


def zeroed(layer: int = 0) -> Any:
    model = net()
    with torch.no_grad():
        model[layer].weight.mul_(1e-7)
    return model


def tiny() -> Any:
    model = net()
    with torch.no_grad():
        for p in model.parameters():
            p.mul_(1e-3)
    return model


def unused() -> Any:
    model = net()
    model.add_module("head", nn.Linear(2, 2))
    model.forward = lambda x: model[4](model[3](model[2](model[1](model[0](x)))))
    return model


def backward(model: Any) -> Any:
    loss_of(model).backward()
    return model


def sgd(model: Any, of: Any = None) -> Any:
    return torch.optim.SGD((of or model).parameters(), lr=0.1)


def schedule(factor: float) -> tuple[Any, Any]:
    optimizer = sgd(net())
    return optimizer, torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: factor)


class Pairs:
    """A made-up data set; `noisy`: each read differs."""

    def __init__(self, x: Any, noisy: bool = False) -> None:
        self.x, self.noisy = x, noisy

    def __len__(self) -> int:
        return len(self.x)

    def __getitem__(self, i: int) -> tuple[Any, int]:
        return self.x[i] + (torch.randn(6) if self.noisy else 0.0), 0


def dead() -> Any:
    model = net(nn.ReLU())
    with torch.no_grad():
        model[0].bias.fill_(-100.0)
    return model


def slow() -> Any:
    import time

    for b in batches(8):
        time.sleep(0.004)
        yield b


def no_reset() -> Any:
    optimizer = sgd(net())
    optimizer.zero_grad = lambda: None
    return optimizer


def zero_grad(connected: bool) -> None:
    model = net()
    optimizer = sgd(model)
    if not connected:
        optimizer.zero_grad = lambda: None
    probe("missing-zero-grad")["accumulation_test"](model, CE, data(), optimizer)


def dropped(mode: bool) -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Dropout(0.5), nn.Linear(6, 3)).train(mode)
    probe("missing-eval-mode")["evaluate_twice"](model, batches(), CE)


def raising(path: str) -> None:
    if path == "b":
        raise ValueError("torn")


def call(cause: str, name: str, *args: Any, **more: Any) -> Callable[[], object]:
    return lambda: probe(cause)[name](*args, **more)


X, Y = data()
OVER = (changed(X, (3, 0), float("nan")), Y)
#: (cause, question) -> what is called where the answer is yes, and where it is no.
CASES: dict[tuple[str, int], tuple[Callable[[], object] | None, Callable[[], object] | None]] = {
    ("bad-batch", 2): (
        lambda: probe("bad-batch")["loss_per_sample"](net(), CE, (changed(X, 3, float("nan")), Y)),
        lambda: probe("bad-batch")["loss_per_sample"](net(), CE, (X, Y)),
    ),
    ("bad-data", 2): (call("bad-data", "scan_data", [(X, Y)]), call("bad-data", "scan_data", [OVER])),
    ("bad-data", 3): (
        call("bad-data", "scan_data", [(X, Y)]), call("bad-data", "scan_data", [(changed(X, (0, 0), 1e7), Y)]),
    ),
    ("bad-init", 2): (
        lambda: probe("bad-init")["activation_scales"](net(), X),
        lambda: probe("bad-init")["activation_scales"](tiny(), X),
    ),
    ("capacity-too-low", 2): (
        lambda: probe("capacity-too-low")["overfit_test"](net(), CE, (X, Y)),
        lambda: probe("capacity-too-low")["overfit_test"](net(), CE, (X * 0, Y), steps=20),
    ),
    ("corrupt-data-file", 1): (
        call("corrupt-data-file", "unreadable", ["a", "b"], raising), call("corrupt-data-file", "unreadable", ["a"], raising),
    ),
    ("data-not-shuffled", 3): (
        call("data-not-shuffled", "label_mix", batches(9)), call("data-not-shuffled", "label_mix", batches(9, sort=True)),
    ),
    ("data-pipeline-bug", 2): (
        call("data-pipeline-bug", "describe_batches", batches()),
        call("data-pipeline-bug", "describe_batches", [(torch.ones(8, 6), Y[:8])]),
    ),
    ("dead-relu", 1): (
        lambda: probe("dead-relu")["silent_units"](dead(), X), lambda: probe("dead-relu")["silent_units"](net(nn.ReLU()), X),
    ),
    ("detached-graph", 2): (
        lambda: (m := net(), probe("detached-graph")["gradient_audit"](m, loss_of(m))),
        lambda: (m := frozen(), probe("detached-graph")["gradient_audit"](m, loss_of(m))),
    ),
    ("detached-graph", 3): (
        lambda: (m := net(), probe("detached-graph")["gradient_audit"](m, loss_of(m))),
        lambda: (m := net(), probe("detached-graph")["gradient_audit"](m, loss_of(m).detach())),
    ),
    ("distribution-shift", 3): (
        call("distribution-shift", "shift_by_feature", batches(), batches(shift=3.0)),
        call("distribution-shift", "shift_by_feature", batches(), batches()),
    ),
    ("double-softmax", 2): (
        lambda: probe("double-softmax")["softmax_check"](nn.Sequential(net(), nn.Softmax(-1)), X, 3),
        lambda: probe("double-softmax")["softmax_check"](net(), X, 3),
    ),
    ("frozen-layers", 2): (
        lambda: (m := net(), probe("frozen-layers")["parameter_audit"](m, sgd(m))),
        lambda: (m := frozen(), probe("frozen-layers")["parameter_audit"](m, sgd(m))),
    ),
    ("frozen-layers", 3): (
        lambda: (m := net(), probe("frozen-layers")["parameter_audit"](m, sgd(m))),
        lambda: (m := net(), probe("frozen-layers")["parameter_audit"](m, sgd(m, m[4]))),
    ),
    ("input-bottleneck", 1): (
        lambda: probe("input-bottleneck")["loading_share"](slow(), lambda b: None, count=8),
        lambda: probe("input-bottleneck")["loading_share"](batches(8), lambda b: [torch.randn(200, 200).mm(torch.randn(200, 200)) for _ in range(20)], count=8),
    ),
    ("label-encoding", 2): (call("label-encoding", "label_range", batches(), 3), call("label-encoding", "label_range", batches(), 2)),
    ("leakage", 2): (
        call("leakage", "shared_samples", Pairs(X), Pairs(X[:20])), call("leakage", "shared_samples", Pairs(X), Pairs(X + 1)),
    ),
    ("lr-zero", 2): (
        lambda: probe("lr-zero")["schedule_preview"](*schedule(1.0), steps=20),
        lambda: probe("lr-zero")["schedule_preview"](*schedule(0.0), steps=20),
    ),
    ("masked-nan", 1): (None, lambda: probe("masked-nan")["refuse_non_finite"](torch.tensor(float("nan")), net(), (X, Y), 3)),
    ("missing-eval-mode", 2): (lambda: dropped(False), lambda: dropped(True)),
    ("missing-zero-grad", 3): (lambda: zero_grad(True), lambda: zero_grad(False)),
    ("optimizer-not-connected", 2): (
        lambda: (m := net(), probe("optimizer-not-connected")["connection_audit"](m, sgd(m), loss_of(m))),
        lambda: (m := net(), probe("optimizer-not-connected")["connection_audit"](m, sgd(m, copy.deepcopy(m)), loss_of(m))),
    ),
    ("preprocessing-mismatch", 2): (
        call("preprocessing-mismatch", "compare_pipelines", batches(), batches()),
        call("preprocessing-mismatch", "compare_pipelines", batches(), batches(shift=5.0)),
    ),
    ("shape-bug", 2): (
        lambda: probe("shape-bug")["shape_trace"](net(), X),
        lambda: probe("shape-bug")["shape_trace"](net(), X[:, :4]),
    ),
    ("shrinking-gradients", 2): (
        lambda: (m := zeroed(4), probe("shrinking-gradients")["gradient_profile"](m, loss_of(m))),
        lambda: (m := net(), probe("shrinking-gradients")["gradient_profile"](m, loss_of(m))),
    ),
    ("silent-broadcast", 2): (
        None, lambda: probe("silent-broadcast")["strict_loss"](nn.functional.mse_loss)(torch.ones(8, 1), torch.ones(8)),
    ),
    ("unused-parameters", 2): (
        lambda: probe("unused-parameters")["without_gradient"](backward(unused())),
        lambda: probe("unused-parameters")["without_gradient"](backward(net())),
    ),
    ("val-augmentation", 2): (
        call("val-augmentation", "random_samples", Pairs(X)), call("val-augmentation", "random_samples", Pairs(X, noisy=True)),
    ),
    ("wrong-device", 2): (
        lambda: probe("wrong-device")["device_audit"](net(), (X, Y)),
        lambda: probe("wrong-device")["device_audit"](net().to("meta"), (X, Y)),
    ),
    ("wrong-dtype", 2): (
        lambda: probe("wrong-dtype")["dtype_audit"](net(), (X, Y)),
        lambda: probe("wrong-dtype")["dtype_audit"](net(), (X.double(), Y)),
    ),
    ("wrong-loss-function", 1): (
        lambda: probe("wrong-loss-function")["initial_loss"](net(), lambda o, y: CE(o, y, reduction="sum"), (X, Y), 3),
        lambda: probe("wrong-loss-function")["initial_loss"](net(), CE, (X, Y), 3),
    ),
}  # fmt: skip


def run_of(place: Path, said: str) -> Run:
    rows = CALM.splitlines(keepends=True)
    (place / "train.log").write_text("".join([*rows[:30], said, *rows[30:]]))
    (run,) = read_runs([place], signals_file=signals_file()).runs
    return run


@pytest.mark.parametrize("side", ["yes", "no"])
@pytest.mark.parametrize(("cause", "question"), list(CASES))
def test_what_a_probe_finds_answers_its_question(
    cause: str, question: int, side: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = CASES[cause, question][side == "no"]
    if made is None:
        pytest.skip("a probe that raises has one answer")
    monkeypatch.chdir(tmp_path)

    def swallowed() -> None:
        try:
            made()
        except (RuntimeError, ValueError) as e:
            print(f"{type(e).__name__}: {e}")

    run = run_of(tmp_path, printed(swallowed))
    checks = trace_cause(load().causes[cause], run).checks
    assert checks[question - 1].answer == side


def test_each_probe_that_prints_an_answer_is_tried() -> None:
    printing = {
        (name, int(n))
        for name, cause in load().causes.items()
        for n in re.findall(rf"check {name} (\d+):", cause.probe or "")
    }
    assert printing - {k for k in printing if k[0] in ELSEWHERE} == set(CASES)
