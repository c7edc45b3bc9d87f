"""Settings that a sentence of a log names."""

from __future__ import annotations

from pathlib import Path

import pytest
from text_log import read

RECORDS = "".join(f"step {i} loss {3 - 0.1 * i:.3f}\n" for i in range(1, 12))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("optimizer: SGD with lr=2e-2, batch size 48, 7 rounds", {"lr": 0.02, "batch_size": 48}),
        ("built 'wren' for 14 classes", {"num_classes": 14}),
        ("net(learning_rate_init=0.5, tries=3)", {"learning_rate_init": 0.5}),
        ("plan: steps [30, 60]  grad clip: 0.25", {"grad_clip": 0.25}),
        ("warmup lr=1e-6, then more", {}),
        ("3 tasks x 4 classes", {}),
        ("generator lr=0.1, discriminator lr=0.4", {}),
        ("Norm2d(8, eps=1e-05, momentum=0.1)", {}),
        ("dropout 40% of the units", {}),
    ],
)
def test_a_sentence_before_the_first_record_names_settings(
    tmp_path: Path, line: str, expected: dict[str, object]
) -> None:
    (run,) = read(tmp_path, f"{line}\n{RECORDS}")
    assert {k: v for k, v in run.config.items() if k != "epochs"} == expected


def test_a_sentence_after_the_first_record_names_none(tmp_path: Path) -> None:
    (run,) = read(tmp_path, f"{RECORDS}next time with lr=0.3\n")
    assert "lr" not in run.config
