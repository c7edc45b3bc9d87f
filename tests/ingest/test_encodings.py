"""Logs in older encodings are read as they were written; a few broken bytes are still UTF-8."""

from __future__ import annotations

import pytest

from curvedoc.ingest.bytes.file import decode

TEXTS = {
    "gb18030": "第3轮 损失: 0.5\n验证损失 0.6\n训练完成\n╒═══╤═══╕\n│ 0 │ 1 │\n",
    "cp932": "エポック 3 損失: 0.5\n検証損失 0.6\n",
    "euc_kr": "손실 0.5\n정확도 0.3\n검증\n",
    "big5": "損失 0.5\n訓練 0.3\n驗證\n",
    "cp1252": "température 3°\nétape 3 : perte = 0.4 µs\n",
}


@pytest.mark.parametrize("codec", TEXTS)
def test_text_in_an_older_encoding_is_read_as_written(codec: str) -> None:
    text, notes = decode(TEXTS[codec].encode(codec) * 20)
    assert text == TEXTS[codec] * 20
    assert [n.kind for n in notes] == ["legacy-encoding"]


@pytest.mark.parametrize("codec", TEXTS)
def test_a_head_cut_within_a_character_changes_nothing(codec: str) -> None:
    data = (TEXTS[codec] * 50).encode(codec)
    for cut in range(len(data) - 6, len(data)):
        assert decode(data[:cut])[0].startswith(TEXTS[codec] * 40)


def test_broken_bytes_in_utf8_are_no_other_encoding() -> None:
    data = "étape 3 : perte = 0.4\n".encode() * 200
    text, notes = decode(data[:100] + b"\xff\x00\xfe" + data[100:])
    assert [n.kind for n in notes] == ["not-utf8", "nul-bytes"]
    assert text.count("étape") >= 199


@pytest.mark.parametrize("mark", [b"\xff\xfe", b"\xfe\xff"])
def test_a_stray_mark_before_text_of_one_byte_a_character_costs_nothing(mark: bytes) -> None:
    text, _ = decode(mark + b'{"step": 1, "loss": 0.5}\n' * 9)
    assert text.count('"loss": 0.5') == 9
    wide = "loss 0.5\n" * 9
    assert decode(mark + wide.encode("utf-16-le" if mark == b"\xff\xfe" else "utf-16-be"))[0] == wide
