"""Kinds of logs whose size can be doubled, for benchmarks/growth.py: each writes one folder of a size asked."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tree_writers import curves, event_file

Write = Callable[[Path, int, Random], None]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of log: what is doubled, the size it begins at, the smallest there is, whether its page is drawn too."""

    name: str
    write: Write
    base: int
    smallest: int = 8
    page: bool = False


def loss(at: float, rng: Random) -> float:
    """A healthy loss at a share of the run."""
    return 2.3 * math.exp(-4 * at) + 0.3 + rng.gauss(0, 0.03)


def rows(n: int, rng: Random) -> Iterable[dict[str, float]]:
    for i in range(n):
        yield {"step": i, "loss": loss(i / n, rng), "lr": 1e-3, "grad_norm": 1 + rng.random()}


def put(path: Path, records: Iterable[object]) -> None:
    path.write_text("".join(json.dumps(r) + "\n" for r in records))


def json_rows(folder: Path, n: int, rng: Random) -> None:
    put(folder / "log.jsonl", rows(n, rng))


def noisy_rows(folder: Path, n: int, rng: Random) -> None:
    put(folder / "log.jsonl", ({"step": i, "loss": 2 + rng.gauss(0, 0.5)} for i in range(n)))


def periodic_rows(folder: Path, n: int, rng: Random) -> None:
    put(folder / "log.jsonl", ({"step": i, "loss": loss(i / n, rng) + 0.3 * (i % 97 == 0)} for i in range(n)))


def csv_rows(folder: Path, n: int, rng: Random) -> None:
    with (folder / "log.csv").open("w", newline="") as file:
        out = csv.DictWriter(file, ["step", "loss", "lr", "grad_norm"])
        out.writeheader()
        out.writerows(rows(n, rng))


def text_rows(folder: Path, n: int, rng: Random) -> None:
    shown = (f"step {i}: train loss {loss(i / n, rng):.4f}, lr 1.0e-03, {rng.random() * 100:.1f}ms\n" for i in range(n))
    (folder / "train.log").write_text("".join(shown))


def bar(folder: Path, n: int, rng: Random) -> None:
    shown = (
        f"\rtrain: {100 * i // n}%|##   | {i}/{n} [00:10<00:10, 9.1it/s, loss={loss(i / n, rng):.3f}]" for i in range(n)
    )
    (folder / "train.log").write_text("".join(shown) + "\n")


def event_rows(folder: Path, n: int, rng: Random) -> None:
    event_file(folder / "events.out.tfevents.1700000000.host.1.0", curves(3, 4, n))


def metrics(folder: Path, n: int, rng: Random) -> None:
    names = [f"layer{k}/{part}" for k in range(max(1, n // 2)) for part in ("grad_norm", "weight_norm")]
    put(
        folder / "log.jsonl",
        ({"step": i, "loss": loss(i / 200, rng)} | {name: 1 + rng.random() for name in names} for i in range(200)),
    )


def rare_names(folder: Path, n: int, rng: Random) -> None:
    put(folder / "log.jsonl", ({"step": i, "loss": loss(i / n, rng), f"note_{i}": rng.random()} for i in range(n)))


def ranks(folder: Path, n: int, rng: Random) -> None:
    for rank in range(n):
        put(folder / f"rank_{rank}.jsonl", ({"rank": rank} | row for row in rows(100, rng)))


def runs(folder: Path, n: int, rng: Random) -> None:
    for k in range(n):
        (folder / f"run{k}").mkdir()
        put(folder / f"run{k}" / "log.jsonl", rows(60, rng))
        (folder / f"run{k}" / "config.json").write_text(json.dumps({"lr": rng.choice([1e-3, 1e-2]), "seed": k}))


def restarts(folder: Path, n: int, rng: Random) -> None:
    put(
        folder / "log.jsonl",
        ({"step": 50 * k + i - 10 * k, "loss": loss(k / n, rng)} for k in range(n) for i in range(50)),
    )


def epochs(folder: Path, n: int, rng: Random) -> None:
    put(
        folder / "log.jsonl",
        (
            {"epoch": e, "train_loss": loss(e / n, rng), "val_loss": loss(e / n, rng) + 0.1, "val_acc": e / n}
            for e in range(n)
        ),
    )


def spikes(folder: Path, n: int, rng: Random) -> None:
    every = 50
    put(
        folder / "log.jsonl",
        ({"step": i, "loss": loss(i / (every * n), rng) * (8 if i % every == 25 else 1)} for i in range(every * n)),
    )


def gaps(folder: Path, n: int, rng: Random) -> None:
    put(
        folder / "log.jsonl",
        ({"step": i, "loss": float("nan") if rng.random() < 0.3 else loss(i / n, rng)} for i in range(n)),
    )


def messages(folder: Path, n: int, rng: Random) -> None:
    kinds = (
        "UserWarning: Detected call of `lr_scheduler.step()` before `optimizer.step()`.",
        "WARNING: Gradient overflow. Skipping step, loss scaler 0 reducing loss scale to 32768.0",
        "RuntimeError: DataLoader worker (pid 31) is killed by signal: Killed.",
        "nothing to see here, only a line that somebody printed in a loop",
    )
    shown = (f"step {i} loss {loss(i / n, rng):.4f}\n{rng.choice(kinds)} [{i}]\n" for i in range(n))
    (folder / "train.log").write_text("".join(shown))


def tracebacks(folder: Path, n: int, rng: Random) -> None:
    frame = "".join(f'  File "train.py", line {k}, in f{k}\n    f{k + 1}(x)\n' for k in range(20))
    shown = (
        f"step {i} loss {loss(i / n, rng):.4f}\nTraceback (most recent call last):\n{frame}ValueError: bad {i}\n"
        for i in range(n)
    )
    (folder / "train.log").write_text("".join(shown))


def settings(folder: Path, n: int, rng: Random) -> None:
    put(folder / "log.jsonl", rows(60, rng))
    (folder / "config.json").write_text(json.dumps({f"group{k}": {f"key{j}": j for j in range(10)} for k in range(n)}))


def yaml_settings(folder: Path, n: int, rng: Random) -> None:
    put(folder / "log.jsonl", rows(60, rng))
    (folder / "config.yaml").write_text("".join(f"key{k}:\n  inner: {k}\n  text: word {k}\n" for k in range(n)))


def long_line(folder: Path, n: int, rng: Random) -> None:
    put(folder / "log.jsonl", rows(60, rng))
    (folder / "train.log").write_text("step 1 loss 2.3 " + "a=1 b-c:d " * n + "\nstep 2 loss 2.2\nstep 3 loss 2.1\n")


def preamble(folder: Path, n: int, rng: Random) -> None:
    code = "".join(f"    x = layer_{k}(x, size={k}, rate=0.{k})  # loss: {k}\n" for k in range(n))
    shown = (f"step:{i}/200 train_loss:{loss(i / 200, rng):.4f} train_time:{i * 60}ms\n" for i in range(200))
    (folder / "train.log").write_text(code + "=" * 80 + "\n" + "".join(shown))


def trainer_state(folder: Path, n: int, rng: Random) -> None:
    history = [{"step": i, "loss": loss(i / n, rng), "learning_rate": 1e-3, "epoch": i / n} for i in range(n)]
    (folder / "trainer_state.json").write_text(json.dumps({"log_history": history, "global_step": n, "max_steps": n}))


def plain_files(folder: Path, n: int, rng: Random) -> None:
    put(folder / "log.jsonl", rows(60, rng))
    for k in range(n):
        (folder / f"note{k}.txt").write_text(f"some words about item {k}, value {rng.random():.3f}\n" * 20)


#: Where kinds of rows begin. Picking a median takes a third of the time a value in rows that a processor has seen often
#: enough to foretell its branches, which is a step between 20,000 and 40,000 rows and no growth.
ROWS = 20_000
KINDS = (
    Kind("rows of JSON lines", json_rows, ROWS),
    Kind("rows of CSV", csv_rows, ROWS),
    Kind("rows of text", text_rows, ROWS),
    Kind("updates of a progress bar", bar, ROWS),
    Kind("rows of an event file", event_rows, ROWS),
    Kind("rows of trainer_state.json", trainer_state, ROWS),
    Kind("rows that are noise", noisy_rows, ROWS),
    Kind("rows with a period", periodic_rows, ROWS),
    Kind("rows a third NaN", gaps, ROWS),
    Kind("epochs", epochs, ROWS),
    Kind("metrics", metrics, 200),
    Kind("names used once", rare_names, 500),
    Kind("ranks", ranks, 32, smallest=2),
    Kind("runs", runs, 16, smallest=2),
    Kind("runs, with their page", runs, 16, smallest=2, page=True),
    Kind("restarts in a run", restarts, 800, smallest=1),
    Kind("spikes", spikes, 200),
    Kind("messages", messages, 500),
    Kind("tracebacks", tracebacks, 100),
    Kind("settings", settings, 1_000),
    Kind("settings in YAML", yaml_settings, 100),
    Kind("length of a line", long_line, 2_000),
    Kind("lines before the log", preamble, 2_000),
    Kind("files beside the log", plain_files, 50),
    Kind("rows, with the page", json_rows, 10_000, page=True),
    Kind("metrics, with the page", metrics, 20, page=True),
)
