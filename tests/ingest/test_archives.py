"""Archives of runs that are given by name are read as folders, within limits, and nothing leaves its place."""

from __future__ import annotations

import io
import stat
import tarfile
import zipfile
from pathlib import Path

import pytest

from curvedoc.ingest import read_runs
from curvedoc.ingest.find import archives, met_archives
from curvedoc.rulebook.location import signals_file

CSV = "step,loss\n" + "".join(f"{i},{2.0 / i:.4f}\n" for i in range(1, 40))


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CURVEDOC_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def zipped(path: Path, members: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
        for name, text in members.items():
            z.writestr(name, text)
    return path


def tarred(path: Path, members: dict[str, str], mode: str = "w:gz") -> Path:
    with tarfile.open(path, mode) as t:  # type: ignore[call-overload]
        for name, text in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            t.addfile(member, io.BytesIO(text.encode()))
    return path


@pytest.mark.parametrize("name", ["runs.zip", "runs.tar.gz", "runs.tgz"])
def test_each_run_of_an_archive_is_read(tmp_path: Path, name: str) -> None:
    members = {"a/metrics.csv": CSV, "b/metrics.csv": CSV, "b/weights.pt": "x", "b/notes.md": "hello"}
    path = (zipped if name.endswith("zip") else tarred)(tmp_path / name, members)
    for _ in range(2):  # the second time from what was unpacked
        found = read_runs([path], signals_file=signals_file())
        assert [r.name for r in found.runs] == ["a", "b"]
        assert all(len(r.series("loss") or ()) == 39 for r in found.runs)


def test_no_member_is_written_outside(tmp_path: Path, cache: Path) -> None:
    bad = ["../out.csv", "/tmp/out.csv", "a/../../out.csv", "C:\\out.csv", "x/" * 60 + "out.csv"]
    path = zipped(tmp_path / "runs.zip", dict.fromkeys(bad, CSV) | {"good.csv": CSV})
    found = read_runs([path], signals_file=signals_file())
    assert len(found.runs) == 1
    assert [p.name for p in cache.rglob("*.csv")] == ["good.csv"] and not list(tmp_path.glob("*.csv"))
    assert "5 members with names that lead out" in found.unreadable[0].reason


def test_links_and_devices_are_no_members(tmp_path: Path, cache: Path) -> None:
    path = tmp_path / "runs.tar"
    tarred(path, {"good.csv": CSV}, "w")
    with tarfile.open(path, "a") as t:
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE):
            member = tarfile.TarInfo(f"{kind!r}.csv")
            member.type, member.linkname = kind, "/etc/passwd"
            t.addfile(member)
    with zipfile.ZipFile(tmp_path / "links.zip", "w") as z:
        entry = zipfile.ZipInfo("link.csv")
        entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        z.writestr(entry, "/etc/passwd")
    found = read_runs([path, tmp_path / "links.zip"], signals_file=signals_file())
    assert len(found.runs) == 1 and [p.name for p in cache.rglob("*.csv")] == ["good.csv"]


def test_a_bomb_stops_at_the_limit_and_is_told(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_BYTES", 1 << 20)
    path = zipped(tmp_path / "runs.zip", {"a.csv": CSV, "bomb.log": "0" * (64 << 20), "z.csv": CSV})
    found = read_runs([path], signals_file=signals_file())
    assert len(found.runs) == 1 and any("more than 1 MB" in u.reason for u in found.unreadable)
    assert sum(p.stat().st_size for p in cache.rglob("*") if p.is_file()) < 4 << 20
    monkeypatch.setattr(archives, "MAX_MEMBERS", 2)
    path = tarred(tmp_path / "many.tgz", {f"{i}/metrics.csv": CSV for i in range(5)})
    found = read_runs([path], signals_file=signals_file())
    assert len(found.runs) == 2 and "first 2 files" in found.unreadable[0].reason


def test_a_damaged_archive_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    whole = tarred(tmp_path / "a.tar.gz", {f"{i}/metrics.csv": CSV + "#" * 5_000 * i for i in range(9)}).read_bytes()
    torn = tmp_path / "torn.tar.gz"
    torn.write_bytes(whole[: len(whole) * 3 // 4])
    found = read_runs([torn], signals_file=signals_file())
    assert found.runs and any("damaged" in u.reason for u in found.unreadable)
    (tmp_path / "broken.zip").write_bytes(b"PK\x03\x04" + bytes(99))
    assert not read_runs([tmp_path / "broken.zip"], signals_file=signals_file()).runs


def test_an_archive_within_an_archive_stays_closed(tmp_path: Path) -> None:
    inner = zipped(tmp_path / "inner.zip", {"metrics.csv": CSV})
    with zipfile.ZipFile(tmp_path / "outer.zip", "w") as z:
        z.write(inner, "inner.zip")
    assert not read_runs([tmp_path / "outer.zip"], signals_file=signals_file()).runs


def test_a_header_that_is_a_bomb_is_not_read(tmp_path: Path) -> None:
    path = tarred(tmp_path / "runs.tar.gz", {"a.csv": CSV, "b.csv": CSV})
    with tarfile.open(tmp_path / "bomb.tgz", "w:gz") as t:
        for name in ("a.csv", "x" * (8 << 20)):
            member = tarfile.TarInfo(name)
            member.size = len(CSV)
            t.addfile(member, io.BytesIO(CSV.encode()))
    found = read_runs([path, tmp_path / "bomb.tgz"], signals_file=signals_file())
    assert len(found.runs) == 2 and any("too large" in u.reason for u in found.unreadable)


def test_an_archive_met_on_the_way_is_read_where_it_holds_logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = tmp_path / "tree"
    (tree / "old").mkdir(parents=True)
    (tree / "metrics.csv").write_text(CSV)
    zipped(tree / "old" / "runs.zip", {"a/metrics.csv": CSV, "b/metrics.csv": CSV})
    tarred(tree / "one.tar.gz", {"train.log": "".join(f"step {i} loss {2 / i:.4f}\n" for i in range(1, 30))})
    zipped(tree / "data.zip", {"images/1.png": "x", "labels/1.txt": "0 0.5 0.5"})
    zipped(tree / "settings.zip", {"a.csv": "name,age\nx,3\n"})
    (tree / "old" / "copied").mkdir()
    zipped(tree / "old" / "copied.zip", {"metrics.csv": CSV})
    found = read_runs([tree], signals_file=signals_file())
    assert sorted(r.name for r in found.runs) == [".", "old/runs.zip/a", "old/runs.zip/b", "one.tar.gz"]
    assert all(len(r.series("loss") or ()) > 20 for r in found.runs) and not found.unreadable
    sources = {s.path for r in found.runs for s in r.sources}
    assert sources == {"metrics.csv", "runs.zip/a/metrics.csv", "runs.zip/b/metrics.csv", "one.tar.gz/train.log"}
    monkeypatch.setattr(met_archives, "MAX_MET", 1)
    few = read_runs([tree], signals_file=signals_file())
    assert len(few.runs) == 2 and "name it to read it" in few.unreadable[0].reason
    monkeypatch.setattr(met_archives, "MAX_SIZE", 10)
    assert len(read_runs([tree], signals_file=signals_file()).runs) == 1


def test_what_cannot_be_read_in_an_archive_met_on_the_way_is_told(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    zipped(tree / "runs.zip", {"a/metrics.csv": CSV, "b/metrics.jsonl": "hello\n" * 40})
    found = read_runs([tree], signals_file=signals_file())
    assert len(found.runs) == 1
    assert [u.path for u in found.unreadable] == ["runs.zip/b/metrics.jsonl"]


def test_archives_met_on_the_way_share_what_they_may_unpack_to(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(met_archives, "MAX_EACH", 3 << 20)
    monkeypatch.setattr(met_archives, "MAX_ALL", 8 << 20)
    tree = tmp_path / "tree"
    tree.mkdir()
    bomb = zipped(tree / "a.zip", {"metrics.csv": CSV, "bomb.log": "0" * (32 << 20)})
    for name in "bcdef":
        zipped(tree / f"{name}.zip", {"metrics.csv": CSV, "said.log": "nothing to see here\n" * 100_000})
    found = read_runs([tree], signals_file=signals_file())
    assert {r.name for r in found.runs} == {"b.zip", "c.zip"}
    assert [u.path for u in found.unreadable] == ["a.zip", "d.zip", "e.zip", "f.zip"]
    assert all("name it to read it" in u.reason for u in found.unreadable)
    assert sum(p.stat().st_size for p in cache.rglob("*") if p.is_file()) < 8 << 20
    assert read_runs([bomb], signals_file=signals_file()).runs
    again = read_runs([tree], signals_file=signals_file())
    assert {r.name for r in again.runs} == {"b.zip", "c.zip", "d.zip", "e.zip"}
    assert "too large" in again.unreadable[0].reason
