"""What a probe prints is read back: probe -> log -> the answer to a check of its cause."""

from __future__ import annotations

import io
import traceback
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from curvedoc import analyze
from curvedoc.rulebook.load import load

CALM = "".join(f"step {i}: loss {0.3 + 2.0 / (1 + i / 50):.4f} grad_norm {1 + 0.1 * (i % 3):.2f}\n" for i in range(400))
LOST = "".join(f"step {i}: loss nan grad_norm nan\n" for i in range(400, 440))


def probe(cause: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(load().causes[cause].probe or "", names)
    return names


def printed(run: Callable[[], object]) -> str:
    """What a call prints, and the traceback that it dies of."""
    out = io.StringIO()
    with redirect_stdout(out):
        try:
            run()
        except FloatingPointError:
            out.write(traceback.format_exc())
    return out.getvalue()


def answers(place: Path, text: str, cause: str) -> list[str]:
    """The answers to the checks of a cause that the analysis of a log holds."""
    (place / "train.log").write_text(text)
    (run,) = analyze([place]).runs
    return [check.answer for c in run.causes if c.cause == cause for check in c.checks]


@pytest.fixture(scope="module")
def torch() -> Any:
    return pytest.importorskip("torch", reason="torch is not installed")


def test_the_layer_that_the_hooks_name_is_the_place(tmp_path: Path, torch: Any) -> None:
    class Root(torch.nn.Module):
        def forward(self, x: Any) -> Any:
            return (x - 10.0).sqrt()

    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Sequential(torch.nn.ReLU(), Root()), torch.nn.ReLU())
    named = torch.nn.ModuleDict({"encoder": model})
    probe("numerical-instability")["watch_non_finite"](named)
    said = printed(lambda: model(torch.zeros(2, 4)))
    assert "non-finite output of encoder.1.1" in said
    assert answers(tmp_path, CALM + said + LOST, "numerical-instability")[0] == "yes"
