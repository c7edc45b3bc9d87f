"""Titles above the names of a table, and names in several lines."""

from __future__ import annotations

from pathlib import Path

import pytest
from folder_of_files import ACC, EPOCHS, LOSS, VAL, runs, table, values

from curvedoc.ingest.csv.header_lines import tidied

pytestmark = pytest.mark.fast

NAMES = ["Epoch", "Train loss", "Val loss"]
COMMAS = [[str(v).replace(".", ",") for v in column] for column in (LOSS, VAL)]
ABOVE = {
    "settings": ("r.csv", "Experiment 12\nModel,ResNet18\n\n" + table(NAMES, EPOCHS, LOSS, VAL)),
    "a spreadsheet's": ("r.csv", "Versuch 3;;\nNetz: 2x LSTM;;\n;;\n" + table(NAMES, EPOCHS, *COMMAS, sep=";")),
    "tabs": ("r.tsv", "Report\t\t\nDate\t2024-03-05\t\n\t\t\n" + table(NAMES, EPOCHS, LOSS, VAL, sep="\t")),
    "what tells the separator": ("r.csv", "sep=;\n" + table(NAMES, EPOCHS, LOSS, VAL, sep=";")),
    "comments": ("r.csv", "% model: cnn\n% lr: 0.1\n" + table(NAMES, EPOCHS, LOSS, VAL)),
    "lines of words": ("r.csv", "\ufeffModel: CNN\nLR: 0.001\n" + table(NAMES, EPOCHS, LOSS, VAL)),
    "on its side, in German": ("r.csv", "\n".join(";".join([n, *map(str, c)]) for n, c in (
        ("Epoche", EPOCHS), ("Verlust", COMMAS[0]), ("Verlust Val", COMMAS[1]))) + "\n"),
    "on its side, with tabs": ("r.tsv", "\n".join("\t".join([n, *map(str, c)]) for n, c in (
        ("step", EPOCHS), ("loss", LOSS), ("val_loss", VAL))) + "\n"),
}  # fmt: skip


@pytest.mark.parametrize("form", ABOVE)
def test_a_table_below_other_lines(tmp_path: Path, form: str) -> None:
    name, text = ABOVE[form]
    (run,) = runs(tmp_path, {name: text})
    assert (values(run, "loss"), values(run, "val_loss")) == (LOSS, VAL)


@pytest.mark.parametrize(
    "upper, lower",
    [
        (["Epoch", "Train", "Train", "Validation", "Validation"], ["", "Loss", "Acc", "Loss", "Acc"]),
        (["", "Train", "", "Validation", ""], ["Epoch", "Loss", "Acc", "Loss", "Acc"]),
        (["", "train", "train", "val", "val"], ["", "loss", "acc", "loss", "acc\nepoch,,,,"]),
    ],
)
def test_names_in_several_lines(tmp_path: Path, upper: list[str], lower: list[str]) -> None:
    text = ",".join(upper) + "\n" + table(lower, EPOCHS, LOSS, ACC, VAL, ACC)
    (run,) = runs(tmp_path, {"r.csv": text})
    assert (values(run, "loss"), values(run, "val_loss")) == (LOSS, VAL)
    assert values(run, "val_accuracy") == values(run, "accuracy") == ACC


@pytest.mark.parametrize(
    "text",
    [
        table(["epoch", "loss"], EPOCHS, LOSS),
        table(["name", "city", "age"], ["a"] * 9, ["b"] * 9, range(9)),
        "epoch,loss\n[-],[nats]\n1,2.3\n2,2.1\n3,2.0\n4,1.9\n",
        "a,b\n1,2\n\nepoch,loss\n1,2.3\n2,2.1\n3,2.0\n4,1.9\n",
        "loss\n2.3\n2.1\n2.0\n1.9\n",
        "",
    ],
)
def test_other_tables_stay_as_they_are(text: str) -> None:
    assert tidied(text.encode()) == text.encode()
