"""Logs in XML: records as elements, their values as attributes or as elements within them."""

from __future__ import annotations

from pathlib import Path

import pytest

from curvedoc import read
from curvedoc.core.errors import CurvedocError

pytestmark = pytest.mark.fast

LOSS = [round(0.3 + 2.0 * 0.9**i, 5) for i in range(20)]


def attributes(e: int, v: float) -> str:
    return f'<epoch n="{e}" train_loss="{v}" val_loss="{v * 1.1:.5f}"/>\n'


def elements(e: int, v: float) -> str:
    return f"<entry>\n<epoch>{e}</epoch>\n<train_loss>{v}</train_loss>\n<val_loss>{v * 1.1:.5f}</val_loss>\n</entry>\n"


def nested(e: int, v: float) -> str:
    return f'<epoch number="{e}"><train loss="{v}"/><valid loss="{v * 1.1:.5f}"/></epoch>\n'


def named(e: int, v: float) -> str:
    pairs = (("train_loss", v), ("val_loss", round(v * 1.1, 5)))
    return (
        f'<step id="{e}">' + "".join(f'<metric name="{name}" value="{value}"/>' for name, value in pairs) + "</step>\n"
    )


def write(path: Path, form: object, end: str = "</training>\n") -> Path:
    assert callable(form)
    path.write_text(
        '<?xml version="1.0"?>\n<training>\n<config lr="0.1"/>\n'
        + "".join(form(e, v) for e, v in enumerate(LOSS, 1))
        + end
    )
    return path


@pytest.mark.parametrize("form", [attributes, elements, nested, named])
@pytest.mark.parametrize("end", ["</training>\n", ""])
def test_records(tmp_path: Path, form: object, end: str) -> None:
    (run,) = read(write(tmp_path / "train.xml", form, end))
    roles = {m.role: run.metric(m.metric) for m in run.roles}
    loss, val = roles["loss"], roles["val_loss"]
    assert loss is not None and val is not None
    assert loss.step.tolist() == list(range(1, 21)) and loss.value.tolist() == pytest.approx(LOSS)
    assert val.value.tolist() == pytest.approx([1.1 * v for v in LOSS], abs=1e-5)


def test_a_torn_file_is_read_up_to_the_tear(tmp_path: Path) -> None:
    path = write(tmp_path / "train.xml", attributes)
    path.write_text(path.read_text()[:-60])
    (run,) = read(path)
    loss = run.series("loss")
    assert loss is not None and len(loss) in (18, 19)


@pytest.mark.parametrize(
    "text",
    [
        "<suite>" + '<case name="a" time="0.1" errors="0"/>' * 9 + "</suite>",
        "<annotation>"
        + "".join(f"<object><name>cat</name><score>0.{i}</score></object>" for i in range(9))
        + "</annotation>",
        '<!DOCTYPE x [<!ENTITY a "aaaa">]><log>' + "".join(attributes(i, 0.5) for i in range(9)) + "</log>",
        "<p>epoch 3: loss 0.5" * 9,
    ],
)
def test_other_xml_is_no_log(tmp_path: Path, text: str) -> None:
    path = tmp_path / "results.xml"
    path.write_text(text)
    with pytest.raises(CurvedocError):
        read(path)
