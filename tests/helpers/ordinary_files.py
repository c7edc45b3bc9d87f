"""300 made-up files of the kinds that lie around in a project and are no log of a training."""

# ruff: noqa: E501  a row of a table stands on one line
from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from random import Random

WORDS = [
    "table",
    "river",
    "stone",
    "green",
    "quick",
    "house",
    "number",
    "light",
    "paper",
    "train",
    "market",
    "water",
    "cloud",
    "orange",
    "window",
    "engine",
    "model",
    "garden",
    "letter",
    "bridge",
    "harbor",
    "silver",
    "copper",
    "planet",
    "forest",
    "circle",
]
CITIES = ["Lyon", "Oslo", "Turin", "Porto", "Gdansk", "Ghent", "Cork", "Split", "Graz", "Brno"]


def _prose(r: Random) -> str:
    return " ".join(r.choice(WORDS) for _ in range(r.randint(4, 14))).capitalize() + "."


def readme(r: Random) -> str:
    lines = [
        f"# {r.choice(WORDS).title()}",
        *(_prose(r) for _ in range(40)),
        f"Version {r.random():.2f} costs {r.randint(2, 90)} euros.",
    ]
    return "\n".join(lines) + "\n"


def source(r: Random) -> str:
    body = [
        f"def {r.choice(WORDS)}_{i}(x, y, lr={r.random():.3f}):\n    loss = criterion(x[{i}], y)\n    return loss.mean()\n"
        for i in range(30)
    ]
    return "import torch\n\n\n" + "\n\n".join(body)


def settings(r: Random) -> str:
    return json.dumps(
        {
            "lr": 0.001,
            "layers": [64, 128],
            "epochs": r.randint(1, 99),
            "seed": 1,
            "nested": {"loss": "mse", "dropout": 0.1},
        },
        indent=2,
    )


def package(r: Random) -> str:
    return json.dumps(
        {"name": r.choice(WORDS), "version": "1.2.0", "dependencies": {w: f"^{r.randint(0, 9)}.1" for w in WORDS[:9]}}
    )


def vocabulary(r: Random) -> str:
    return json.dumps({f"{w}{i}": 10 * i + k for i in range(40) for k, w in enumerate(WORDS)})


def instructions(r: Random) -> str:
    rows = [{"instruction": _prose(r), "input": "", "output": _prose(r), "id": i} for i in range(60)]
    return "\n".join(map(json.dumps, rows)) + "\n"


def detections(r: Random) -> str:
    rows = [
        {"image_id": i // 3, "category_id": r.randint(0, 9), "score": round(r.random(), 4), "area": r.random() * 900}
        for i in range(90)
    ]
    return json.dumps(rows)


def annotations(r: Random) -> str:
    boxes = [
        {"id": i, "image_id": i // 4, "bbox": [r.random() for _ in range(4)], "area": r.random(), "iscrowd": 0}
        for i in range(80)
    ]
    return json.dumps({"images": [{"id": i, "file_name": f"{i}.jpg"} for i in range(20)], "annotations": boxes})


def places(r: Random) -> str:
    rows = [
        {"city": r.choice(CITIES), "lat": r.uniform(40, 60), "lon": r.uniform(-5, 20), "pop": r.randint(9_000, 900_000)}
        for _ in range(60)
    ]
    return "\n".join(map(json.dumps, rows)) + "\n"


def scores(r: Random) -> str:
    rows = [
        f"{m},{r.random():.3f},{r.random():.3f},{r.random():.3f}"
        for m in ("resnet18", "resnet50", "vit-s", "vit-b", "convnext", "mlp")
    ]
    return "\n".join(["model,accuracy,f1,loss", *rows]) + "\n"


def folds(r: Random) -> str:
    return (
        "\n".join(
            ["fold,accuracy,auc", *(f"{i},{r.uniform(0.7, 0.9):.4f},{r.uniform(0.8, 0.95):.4f}" for i in range(10))]
        )
        + "\n"
    )


def predictions(r: Random) -> str:
    rows = [f"img_{i:05d}.png,{r.randint(0, 9)},{r.randint(0, 9)},{r.random():.4f}" for i in range(200)]
    return "\n".join(["filename,label,prediction,loss", *rows]) + "\n"


def confusion(r: Random) -> str:
    names = WORDS[:8]
    rows = [",".join([n, *(str(r.randint(0, 50)) for _ in names)]) for n in names]
    return "\n".join([",".join(["", *names]), *rows]) + "\n"


def wandb_runs(r: Random) -> str:
    head = '"Name","State","Created","Runtime","epochs","lr","loss","val_loss"'
    rows = [
        f'"{r.choice(WORDS)}-{r.choice(WORDS)}-{i}","finished","2024-05-01T10:00:00.000Z","{r.randint(90, 900)}","10","{10 ** r.uniform(-5, -2):.6f}","{r.random():.4f}","{r.random():.4f}"'
        for i in range(30)
    ]
    return "\n".join([head, *rows]) + "\n"


def mlflow_runs(r: Random) -> str:
    head = "Start Time,Duration,Run ID,Name,Source Type,User,Status,lr,batch_size,val_loss,accuracy"
    rows = [
        f"2024-05-01 10:{i:02d}:00,{r.randint(5, 50)}s,{r.getrandbits(64):x},{r.choice(WORDS)}-{i},LOCAL,me,FINISHED,{r.random():.4f},32,{r.random():.4f},{r.random():.4f}"
        for i in range(25)
    ]
    return "\n".join([head, *rows]) + "\n"


def trials(r: Random) -> str:
    head = "number,value,datetime_start,datetime_complete,duration,params_lr,params_layers,state"
    rows = [
        f"{i},{r.random():.4f},2024-05-01 10:{i:02d}:00,2024-05-01 10:{i:02d}:30,0 days 00:00:30,{r.random():.5f},{r.randint(1, 4)},COMPLETE"
        for i in range(40)
    ]
    return "\n".join([head, *rows]) + "\n"


def shell(r: Random) -> str:
    return "".join(f"$ {r.choice(['ls', 'cd', 'make', 'git'])} {r.choice(WORDS)}\n{_prose(r)}\n" for _ in range(40))


def frequencies(r: Random) -> str:
    return "".join(f"{r.choice(WORDS)}\t{r.randint(1, 9000)}\n" for _ in range(120))


def letters(r: Random) -> str:
    return "\n\n".join(_prose(r) for _ in range(60))


def xyz(r: Random) -> str:
    return "".join(f"{r.gauss(0, 1):.5f} {r.gauss(0, 1):.5f} {r.gauss(0, 1):.5f}\n" for _ in range(200))


KINDS: dict[str, Callable[[Random], str]] = {
    "README.txt": readme, "notes.txt": letters, "module.txt": source, "settings.json": settings, "package.json": package,
    "vocab.json": vocabulary, "data.jsonl": instructions, "detections.json": detections, "annotations.json": annotations,
    "places.jsonl": places, "results.csv": scores, "cv.csv": folds, "predictions.csv": predictions,
    "confusion_matrix.csv": confusion, "wandb_export.csv": wandb_runs, "runs.csv": mlflow_runs, "study.csv": trials,
    "session.txt": shell, "counts.tsv": frequencies, "points.txt": xyz,
}  # fmt: skip

#: First columns that never fall, and what stands beside them.
COUNTED = (
    ("id", ("age", "income", "score")), ("index", ("height", "weight", "bmi")), ("row", ("x1", "x2", "target")),
    ("year", ("rainfall", "harvest")), ("order_id", ("price", "discount", "tax")), ("line", ("width", "depth")),
    ("n", ("alpha", "beta")), ("page", ("views", "clicks")), ("i", ("value", "error")), ("sample", ("ph", "salinity")),
    ("time", ("north", "east")), ("week", ("sales", "returns")),
)  # fmt: skip


def counted(r: Random, k: int) -> str:
    """A CSV of things, numbered from some start by ones, in which neighbors have nothing to do with each other."""
    name, columns = COUNTED[k % len(COUNTED)]
    first = 1990 if name == "year" else r.choice([0, 1, 100])
    rows = [",".join([str(first + i), *(f"{r.gauss(50, 12):.3f}" for _ in columns)]) for i in range(r.randint(25, 400))]
    return "\n".join([",".join([name, *columns]), *rows]) + "\n"


def ordinary() -> Iterator[tuple[str, str]]:
    """(name, text) of 300 files: 20 kinds twelve times, and 60 CSVs with a whole column that never falls."""
    for k in range(12):
        for at, (name, make) in enumerate(KINDS.items()):
            yield f"{at:02d}_{k}/{name}", make(Random(100 * at + k))
    for k in range(60):
        yield f"csv_{k}/table.csv", counted(Random(9_000 + k), k)
