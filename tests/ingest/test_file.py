"""What lies on disk comes out as text: packed, torn, mangled or only a pointer to it."""

import gzip
import os
import time
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curvedoc.ingest.bytes import compression
from curvedoc.ingest.bytes import file as file_bytes
from curvedoc.ingest.find.plan import plan

zstandard = pytest.importorskip("zstandard")

LOG = b"".join(b'{"step": %d, "loss": %f}\n' % (i, 2.0 / (1 + i)) for i in range(20_000))


def kinds(notes):
    return [n.kind for n in notes]


def put(tmp_path: Path, data: bytes, name: str = "log") -> Path:
    path = tmp_path / name
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstandard.compress])
def test_plain_gzip_and_zstd_give_the_same_bytes_whatever_the_name(tmp_path, pack):
    path = put(tmp_path, pack(LOG))
    assert file_bytes.read_bytes(path) == (LOG, ())
    assert file_bytes.read_head(path, 1000) == LOG[:1000]


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_members_written_one_after_the_other_are_all_read(tmp_path, pack):
    path = put(tmp_path, pack(LOG) + pack(b"tail\n") + bytes(512))
    assert file_bytes.read_bytes(path) == (LOG + b"tail\n", ())


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_a_torn_archive_keeps_everything_before_the_tear(tmp_path, pack):
    packed = pack(LOG)
    data, notes = file_bytes.read_bytes(put(tmp_path, packed[: len(packed) * 3 // 4]))
    assert kinds(notes) == ["truncated"]
    assert LOG.startswith(data) and len(data) > len(LOG) // 3  # zstd loses whole blocks of 128 KiB


def test_a_gzip_log_of_a_killed_writer_keeps_all_but_the_last_bytes(tmp_path):
    z = zlib.compressobj(wbits=31)
    packed = z.compress(LOG) + z.flush(zlib.Z_SYNC_FLUSH)
    data, notes = file_bytes.read_bytes(put(tmp_path, packed))
    assert data == LOG and kinds(notes) == ["truncated"]


def test_damage_inside_a_gzip_stream_keeps_what_came_before_it(tmp_path):
    packed = bytearray(gzip.compress(os.urandom(1 << 20), 1))
    whole = gzip.decompress(bytes(packed))
    packed += gzip.compress(b"x" * 1000)
    broken = packed[: len(packed) - 30] + b"\xff" * 30
    data, notes = file_bytes.read_bytes(put(tmp_path, bytes(broken)))
    assert data.startswith(whole) and kinds(notes) == ["damaged"]


def test_a_decompression_bomb_stops_early_with_a_note(tmp_path, monkeypatch):
    monkeypatch.setattr(compression, "FREE_BYTES", 1 << 20)
    for pack in (gzip.compress, zstandard.compress):
        bomb = pack(bytes(64 << 20))
        data, notes = file_bytes.read_bytes(put(tmp_path, bomb))
        assert kinds(notes) == ["too-large"]
        assert len(data) <= max(1 << 20, compression.MAX_RATIO * len(bomb))


def test_a_plain_file_past_the_limit_is_read_to_the_limit(tmp_path):
    data, notes = file_bytes.read_bytes(put(tmp_path, LOG), limit=1000)
    assert data == LOG[:1000] and kinds(notes) == ["too-large"]


def test_pipes_folders_and_missing_files_are_notes_and_are_never_opened(tmp_path):
    os.mkfifo(tmp_path / "pipe.jsonl")
    for path in (tmp_path / "pipe.jsonl", tmp_path, tmp_path / "gone"):
        data, notes = file_bytes.read_bytes(path)
        assert data == b"" and kinds(notes) == ["unreadable"]


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\r\r\n"])
def test_every_encoding_and_line_end_gives_the_same_text(codec, end):
    lines = ["step 1 loss 2.5", "step 2 loss 2.25", ""]
    text, notes = file_bytes.decode(end.join(lines).encode(codec))
    assert text == "\n".join(lines) and notes == ()


def test_a_progress_bar_keeps_its_carriage_returns_among_real_lines():
    assert file_bytes.decode(b"10%\r20%\r30%\nstep 1\r\n")[0] == "10%\r20%\r30%\nstep 1\n"


def test_holes_of_zero_bytes_fall_out_with_their_place():
    text, notes = file_bytes.decode(b'{"a": 1}\n' + bytes(64) + b'{"a": 2}\n')
    assert text == '{"a": 1}\n{"a": 2}\n'
    assert (notes[0].kind, notes[0].offset, notes[0].count) == ("nul-bytes", 9, 64)


def test_a_hole_inside_a_line_does_not_join_two_numbers_into_one():
    assert file_bytes.decode(b"loss 1" + bytes(9) + b"25\n")[0] == "loss 1\ufffd25\n"


def test_bytes_that_are_not_utf8_are_replaced_and_counted():
    text, notes = file_bytes.decode(b'{"a": "\xff\xfe"}\n')
    assert text == '{"a": "\ufffd\ufffd"}\n'
    assert (notes[0].kind, notes[0].offset, notes[0].count) == ("not-utf8", 7, 2)


def test_a_written_replacement_character_is_not_called_damage():
    assert file_bytes.decode("loss \ufffd 1\n".encode())[1] == ()


def test_pointers_and_error_pages_are_told_from_logs():
    lfs = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"
    annex = b"../../.git/annex/objects/xX/yY/MD5-s12--abc\n"
    page = b"<!DOCTYPE html><html><body>404</body></html>"
    found = [file_bytes.pointer(x) for x in (lfs, annex, page)]
    assert [n.kind for n in found if n] == ["lfs-pointer", "lfs-pointer", "not-a-log"]
    assert file_bytes.pointer(LOG) is None


@settings(max_examples=50, deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes_decode_without_an_error_or_a_surrogate(data):
    text, _ = file_bytes.decode(data)
    text.encode()
    assert "\x00" not in text


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 400), st.integers(0, 255), st.sampled_from([gzip.compress, zstandard.compress]))
def test_one_changed_byte_of_an_archive_never_raises(tmp_path_factory, at, value, pack):
    packed = bytearray(pack(LOG[:20_000]))
    packed[at % len(packed)] = value
    path = tmp_path_factory.mktemp("z") / "x"
    path.write_bytes(packed)
    file_bytes.read_bytes(path)
    file_bytes.read_head(path)


@pytest.mark.parametrize("inside", [b"\x00", b"\r", b"\x00\r", b"\n\x00", b"\r\x00\x00"])
def test_a_long_run_of_zeros_or_returns_inside_a_line_takes_no_time(inside):
    start = time.process_time()
    file_bytes.decode(b"loss 1" + inside * 200_000 + b"25\n")
    assert time.process_time() - start < 5.0


def test_a_zst_file_without_its_library_is_told_as_that(tmp_path, monkeypatch):
    log = tmp_path / "metrics.jsonl.zst"
    log.write_bytes(zstandard.compress(b'{"step": 1, "loss": 2.0}\n' * 60))
    monkeypatch.setattr(compression, "_zstd_frames", lambda: None)
    lost = plan([tmp_path]).unreadable
    assert [u.reason for u in lost] == ["a .zst file: install `curvedoc[zstd]` to read it"]
    monkeypatch.undo()
    assert len(plan([tmp_path]).bundles) == 1
