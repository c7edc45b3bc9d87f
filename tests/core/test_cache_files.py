"""Files of a cache: whole or absent, damaged ones absent, old ones dropped once a day."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curvedoc.core.files.cache_files import KEEP_SECONDS, drop_old, read_entry, replacing, write_entry

MAGIC = b"curvedoc-test/1"


@given(st.binary(max_size=60), st.binary(max_size=40), st.integers(0, 100))
def test_an_entry_comes_back_as_it_was_or_not_at_all(body: bytes, noise: bytes, at: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a" / "entry"
        assert read_entry(path, MAGIC, 1000) is None
        write_entry(path, MAGIC, body)
        assert read_entry(path, MAGIC, 1000) == body
        assert read_entry(path, b"curvedoc-test/2", 1000) is None
        good = path.read_bytes()
        assert read_entry(path, MAGIC, len(good)) == body
        assert read_entry(path, MAGIC, len(good) - 1) is None
        path.write_bytes(good[:at] + noise + good[at + len(noise) :])
        assert read_entry(path, MAGIC, 1000) in (None, body)


def test_a_file_that_cannot_be_finished_leaves_the_one_before(tmp_path: Path) -> None:
    path = tmp_path / "entry"
    write_entry(path, MAGIC, b"before")
    with pytest.raises(OSError, match="full"), replacing(path) as file:
        file.write(b"half")
        raise OSError("the disk is full")
    assert read_entry(path, MAGIC, 1000) == b"before"
    assert [p.name for p in tmp_path.iterdir()] == ["entry"]


def test_old_files_go_once_a_day_and_new_ones_stay(tmp_path: Path) -> None:
    now = 2e9

    def put(name: str, age: float) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")
        os.utime(path, (now - age, now - age))
        return path

    old, new, other = put("v1/old", KEEP_SECONDS + 9), put("v2/new", 60), put("top", KEEP_SECONDS + 9)
    drop_old(tmp_path, ("*/*",), now)
    assert not old.parent.exists() and new.exists() and other.exists()
    late = put("v3/late", KEEP_SECONDS + 9)
    os.utime(tmp_path / "pruned", (now, now))
    drop_old(tmp_path, ("*/*",), now + 3600)
    assert late.exists()
    drop_old(tmp_path, ("*/*",), now + 2 * 86400)
    assert not late.exists() and new.exists()
    drop_old(new / "no-folder", ("*",), now)  # a file stands there: nothing is dropped, nothing raised
