# ruff: noqa: E501 (files as people write them)
"""Vectors in sources and dumps: MATLAB, R, C, Mathematica, HDF5 and netCDF."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from folder_of_files import EPOCHS, LOSS, VAL, runs, values

from curvedoc.ingest.bytes.written_vectors import bracketed

pytestmark = pytest.mark.fast


def cells(value: Sequence[float], between: str = ", ") -> str:
    return between.join(map(str, value))


def dataset(name: str, value: Sequence[float]) -> str:
    rows = ",\n".join(f"({i}): {cells(value[i : i + 6])}" for i in range(0, len(value), 6))
    space = "DATATYPE H5T_IEEE_F64LE\nDATASPACE SIMPLE { ( 20 ) / ( 20 ) }\n"
    return f'DATASET "{name}" {{\n{space}DATA {{\n{rows}\n}}\n}}\n'


def pairs(value: Sequence[float]) -> str:
    return ", ".join(f"{{{e}, {v}}}" for e, v in zip(EPOCHS, value, strict=True))


def both(form: str, between: str = ", ") -> str:
    """The loss where the form has A, the validation loss where it has B."""
    return form.replace("A", cells(LOSS, between)).replace("B", cells(VAL, between))


FILES = {
    "MATLAB, a value a line": ("h.m", both("% x\nepochs = 1:20;\ntrain_loss = [...\n A ...\n];\nval_loss = [...\n B ...\n];\n",
                                           " ...\n ")),
    "MATLAB, semicolons": ("h.m", both("loss = [A];\nval_loss = [B];\n", "; ")),
    "MATLAB, semicolons alone": ("h.m", both("loss=[A];\nval_loss=[B];\n", ";")),
    "MATLAB, a row": ("h.m", both("loss = [A];\nval_loss = [B];\nplot(loss)\n", " ")),
    "R, dput": ("h.R", both("h <-\nstructure(list(loss = c(A),\nval_loss = c(B)), class = 'x', row.names = c(NA, -20L))\n",
                            ",\n")),
    "R, a frame": ("h.R", both("df <- data.frame(epoch = 1:20,\n  loss = c(A),\n  val_loss = c(B))\n")),
    "C": ("loss_log.txt", both("static const float train_loss[20] = {\n A\n};\nfloat val_loss[] = { B, };\n")),
    "Mathematica": ("h.txt", f"trainLoss = {{{pairs(LOSS)}}};\nvalLoss = {{{pairs(VAL)}}};\n"),
    "h5dump": ("h.txt", 'HDF5 "h.h5" {\nGROUP "/" {\n' + dataset("loss", LOSS) + dataset("val_loss", VAL) + "}\n}\n"),
    "ncdump": ("h.cdl", both("netcdf h {\nvariables:\n\tdouble x(n) ;\ndata:\n\n loss = A ;\n\n val_loss = B ;\n}\n")),
    "TOML": ("h.toml", both("[history]\nloss = [A]\nval_loss = [B]\n")),
    "properties": ("h.properties", both("epochs=20\nloss=A\nval_loss=B\n", ",")),
}  # fmt: skip


@pytest.mark.parametrize("form", FILES)
def test_a_training_in_vectors(tmp_path: Path, form: str) -> None:
    name, text = FILES[form]
    (run,) = runs(tmp_path, {name: text})
    assert (values(run, "loss"), values(run, "val_loss")) == (LOSS, VAL)


@pytest.mark.parametrize(
    "piece", ["[1 ", "{1, ", "a = {{1, 2}, ", 'DATASET "a" { DATA { 1, ', "a = 1, 2, ", "loss = c(1, 2, ", "[1" + " " * 999]
)  # fmt: skip
def test_long_texts_of_marks_take_no_longer_than_their_length(piece: str) -> None:
    text = ";..." + piece * (200_000 // len(piece))
    began = time.process_time()
    bracketed(text)
    assert time.process_time() - began < 5.0


@pytest.mark.parametrize(
    "text",
    ["def f(x, y): return x[1], x[2];\n", "if (a == 1) { b = c[3]; }\n", "shape = (3, 4, x)\n", "loss = 0.5 ;\n"],
)
def test_other_sources_stay_as_they_are(text: str) -> None:
    assert bracketed(text) == text
