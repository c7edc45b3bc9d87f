"""Trees behind URLs: copied once, bounded, and every way in which a store can refuse told with what to do."""

from __future__ import annotations

import json
import math
import os
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from curvedoc.cli.app import app
from curvedoc.core.errors import UsageError
from curvedoc.ingest import plan
from curvedoc.ingest.find import remote_copy
from curvedoc.ingest.find.remote import title_of, url_of
from curvedoc.ingest.find.remote_list import place, trouble, wanted
from curvedoc.options import Options
from curvedoc.pipeline import analyze
from curvedoc.report.exchange.json_document import to_json
from curvedoc.triage import SweepOptions, sweep
from curvedoc.triage.store.outcomes import Store

fsspec = pytest.importorskip("fsspec", reason="fsspec is not installed (curvedoc[remote])")
QUICK = Options(select=("nan-sudden", "divergence"))
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:(boto|moto|aiobotocore|s3fs|werkzeug|flask).*")


def lines(nan: bool) -> str:
    values = [2.3 * math.exp(-i / 15) + 0.2 for i in range(60)]
    rows = [{"step": i, "loss": math.nan if nan and i > 30 else v, "lr": 1e-3} for i, v in enumerate(values)]
    return "".join(json.dumps(r) + "\n" for r in rows)


FILES = {
    "exp/run1/metrics.jsonl": lines(False),
    "exp/run1/config.json": json.dumps({"lr": 1e-3}),
    "exp/run2/metrics.jsonl": lines(True),
    "exp/run2/model.safetensors": "x" * 100,
    "exp/run2/.git/objects/metrics.jsonl": lines(True),
    "exp/run3/metrics.jsonl": lines(False),
    "exp/README.md": "words",
}


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CURVEDOC_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def local(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / "local" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "local" / name).write_text(text)
    return tmp_path / "local" / "exp"


@pytest.fixture
def memory() -> Iterator[Any]:
    fs = fsspec.filesystem("memory")
    for name, text in FILES.items():
        fs.pipe_file(f"/bucket/{name}", text.encode())
    yield fs
    fs.rm("/bucket", recursive=True)


class Counting:
    """A file system that counts what is fetched and fails where it is told to."""

    def __init__(self, fs: Any, fail: dict[str, Exception] | None = None) -> None:
        self._fs, self.fetched, self.fail = fs, [], fail or {}  # type: ignore[var-annotated]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._fs, name)

    def get_file(self, remote: str, here: str) -> None:
        self.fetched.append(remote)
        for part, error in self.fail.items():
            if part in remote:
                raise error
        self._fs.get_file(remote, here)


@pytest.fixture
def counted(memory: Any, monkeypatch: pytest.MonkeyPatch) -> Counting:
    fs = Counting(memory)
    monkeypatch.setattr(remote_copy, "opened", lambda url: (fs, url.removeprefix("memory:/")))
    return fs


def told(root: str | Path) -> list[tuple[str, str]]:
    return [(r.run, r.verdict) for r in analyze(root, QUICK).runs]


def test_a_tree_in_a_store_is_told_as_the_same_tree_on_disk(memory: Any, local: Path) -> None:
    assert to_json(analyze("memory://bucket/exp", QUICK)) == to_json(analyze(local, QUICK))
    assert told("memory://bucket/exp/") == [("run1", "healthy"), ("run2", "failed"), ("run3", "healthy")]
    d = sweep([Path("memory://bucket/exp")], QUICK).diagnosis
    assert [r.run for r in d.runs] == ["run1", "run2", "run3"]


def test_one_file_and_a_pattern_name_what_is_meant(memory: Any) -> None:
    run = analyze("memory://bucket/exp/run1/metrics.jsonl", QUICK).runs[0]
    assert (run.run, run.config.get("lr")) == ("metrics.jsonl", 1e-3)
    assert len(told("memory://bucket/exp/run[12]")) == 2


def test_only_what_may_be_a_log_or_a_configuration_is_fetched_and_only_once(counted: Counting) -> None:
    told("memory://bucket/exp")
    want = ["/bucket/exp/run1/config.json", *(f"/bucket/exp/run{i}/metrics.jsonl" for i in (1, 2, 3))]
    assert sorted(counted.fetched) == want
    counted.fetched.clear()
    told("memory://bucket/exp")
    assert counted.fetched == []


def test_a_file_that_changed_is_fetched_again_and_one_that_is_gone_is_dropped(counted: Counting) -> None:
    told("memory://bucket/exp")
    counted.fetched.clear()
    counted.rm("/bucket/exp/run3/metrics.jsonl")
    counted.pipe_file("/bucket/exp/run1/metrics.jsonl", lines(True).encode())
    assert told("memory://bucket/exp") == [("run1", "failed"), ("run2", "failed")]
    assert counted.fetched == ["/bucket/exp/run1/metrics.jsonl"]


def test_a_second_triage_takes_outcomes_of_unchanged_remote_runs_from_the_store(memory: Any, tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    assert sweep([Path("memory://bucket/exp")], QUICK, SweepOptions(store=store)).kept == 0
    assert sweep([Path("memory://bucket/exp")], QUICK, SweepOptions(store=store)).kept == 3


def test_files_that_cannot_be_had_are_told_and_the_others_go_on(counted: Counting) -> None:
    counted.fail = {"run1/metrics": FileNotFoundError("x"), "run3": PermissionError("x")}
    d = analyze("memory://bucket/exp", QUICK)
    assert [r.run for r in d.runs] == ["run2"] or [r.run for r in d.runs] == ["."]
    reasons = {u.path: u.reason for u in d.unreadable}
    assert reasons == {
        "run1/metrics.jsonl": "it is gone since the tree was listed",
        "run3/metrics.jsonl": "access denied by the remote store",
    }
    counted.fail = {}
    counted.fetched.clear()
    assert len(told("memory://bucket/exp")) == 3
    assert sorted(counted.fetched) == ["/bucket/exp/run1/metrics.jsonl", "/bucket/exp/run3/metrics.jsonl"]


def test_an_interrupted_copy_goes_on_where_it_was(counted: Counting, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_copy, "REQUESTS", 1)

    def stop(phase: str, done: int, of: int) -> None:
        if phase == "copy" and done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        plan([Path("memory://bucket/exp")], progress=stop)
    had = len(counted.fetched)
    assert 2 <= had <= 4
    told("memory://bucket/exp")
    assert len(counted.fetched) == 4


def test_a_large_file_that_is_no_log_is_not_fetched_whole(counted: Counting) -> None:
    counted.pipe_file("/bucket/exp/run1/corpus.txt", b"no log at all \x00\x01\x02" * 100_000)
    counted.pipe_file(
        "/bucket/exp/run1/history.csv", b"step,loss\n" + b"".join(b"%d,1.5\n" % i for i in range(200_000))
    )
    told("memory://bucket/exp")
    assert "/bucket/exp/run1/corpus.txt" not in counted.fetched
    assert "/bucket/exp/run1/history.csv" in counted.fetched


def test_copies_stay_within_the_limit(memory: Any, own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    big = b"step,loss\n" + b"".join(b"%d,1.5\n" % i for i in range(150_000))
    for i in range(3):
        memory.pipe_file(f"/bucket/big{i}/history.csv", big)
    monkeypatch.setenv("CURVEDOC_REMOTE_LIMIT", "3")
    for i in range(3):
        assert told(f"memory://bucket/big{i}")
        held = sum(p.stat().st_size for p in (own_cache / "remote").rglob("*") if p.is_file())
        assert held <= 3 << 20
    monkeypatch.setenv("CURVEDOC_REMOTE_LIMIT", "1")
    with pytest.raises(Exception, match="CURVEDOC_REMOTE_LIMIT"):
        analyze("memory://bucket/big0", QUICK)
    monkeypatch.setenv("CURVEDOC_REMOTE_LIMIT", "lots")
    with pytest.raises(UsageError, match="no number of MB"):
        analyze("memory://bucket/big1", QUICK)


def test_a_key_that_leads_out_of_the_tree_is_refused(
    memory: Any, own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = memory.find

    def find(root: str, **more: Any) -> Any:
        return {**real(root, **more), f"{root}/../../evil.jsonl": {"size": 5, "type": "file", "name": "evil"}}

    fs = Counting(memory)
    fs.find = find  # type: ignore[attr-defined]
    monkeypatch.setattr(remote_copy, "opened", lambda url: (fs, url.removeprefix("memory:/")))
    d = analyze("memory://bucket/exp", QUICK)
    assert [u.reason for u in d.unreadable] == ["its remote path cannot be one of this disk"]
    assert not list(own_cache.rglob("evil.jsonl"))


def test_a_prefix_without_anything_and_a_missing_extra_are_told(memory: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match=r"nothing|no such bucket or path"):
        analyze("memory://bucket/none", QUICK)
    monkeypatch.setattr("curvedoc.ingest.find.remote_list.importlib.util.find_spec", lambda name: None)
    for url, extra in (("s3://b/x", "remote"), ("gs://b/x", "gs"), ("hf://b/x", "hf"), ("https://b/x", "remote")):
        result = CliRunner().invoke(app, ["triage", url])
        assert result.exit_code == 2
        assert f"pip install 'curvedoc[{extra}]'" in result.output


def test_paths_of_this_machine_are_no_urls() -> None:
    for name in ("runs/s3", "s3", "C:/runs", "s3:", "memory", "file:///tmp/x", "./http:/x/y"[2:].replace(":", "")):
        assert url_of(Path(name)) is None
    assert url_of(Path("https://host/a/m.csv?sig=1")) == "https://host/a/m.csv?sig=1"
    assert title_of([Path("https://host/a/m.csv?sig=1")]) == "m.csv"
    assert place("https://me:pw@host/a/m.csv?sig=1") == "https://host/a/m.csv"
    assert not wanted(("a", "node_modules", "x.log")) and not wanted(("x.safetensors",)) and wanted(("a", "x.log"))


def test_no_path_without_a_scheme_imports_anything_that_opens_the_network(local: Path) -> None:
    import subprocess

    code = (
        "import sys; from curvedoc.pipeline import analyze; analyze(sys.argv[1]);"
        "assert not {'fsspec', 's3fs', 'aiohttp', 'distributed', 'requests'} & set(sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code, str(local)], timeout=60, check=False).returncode == 0


@pytest.fixture
def web(local: Path) -> Iterator[str]:
    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *args: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(local.parent)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_folder_and_a_file_of_a_web_server_are_read(web: str) -> None:
    pytest.importorskip("aiohttp", reason="aiohttp is not installed (curvedoc[remote])")
    assert told(f"{web}/exp/") == [("run1", "healthy"), ("run2", "failed"), ("run3", "healthy")]
    assert told(f"{web}/exp/run2/metrics.jsonl?signature=secret") == [("metrics.jsonl", "failed")]
    with pytest.raises(UsageError, match="no such bucket or path"):
        analyze(f"{web}/none.jsonl", QUICK)
    with pytest.raises(UsageError, match="it cannot be listed"):
        analyze("http://127.0.0.1:9/none.jsonl", QUICK)


@pytest.fixture(scope="module")
def s3() -> Iterator[Any]:
    """A server on this machine that answers as S3 does."""
    pytest.importorskip("s3fs", reason="s3fs is not installed (curvedoc[remote])")
    server = pytest.importorskip("moto.server", reason="moto[server] is not installed (dev extra)")
    running = server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    running.start()
    host, port = running.get_host_and_port()
    patch = pytest.MonkeyPatch()
    for key, value in {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}", "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_DEFAULT_REGION": "us-east-1", "AWS_EC2_METADATA_DISABLED": "true",
    }.items():  # fmt: skip
        patch.setenv(key, value)
    import s3fs

    fs = s3fs.S3FileSystem(skip_instance_cache=True)
    fs.mkdir("bucket")
    for name, text in FILES.items():
        fs.pipe_file(f"bucket/{name}", text.encode())
    yield fs
    patch.undo()
    running.stop()


def test_a_bucket_is_told_as_the_same_tree_on_disk_and_fetched_once(
    s3: Any, local: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert to_json(analyze("s3://bucket/exp", QUICK)) == to_json(analyze(local, QUICK))

    def never(*args: Any) -> None:
        raise AssertionError("fetched twice")

    monkeypatch.setattr(remote_copy, "_fetch", never)
    result = CliRunner().invoke(app, ["triage", "s3://bucket/exp", "--select", "nan-sudden", "-f", "csv"])
    assert result.exit_code == 0 and result.stdout.count("\n") == 4


def test_objects_that_vanish_or_are_denied_while_they_are_copied_cost_themselves(
    s3: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = remote_copy._fetch

    def fetch(fs: Any, item: Any, path: Path, of_store: bool) -> str:
        if "run1/metrics" in item.remote:
            s3.rm(item.remote)
        return whole(fs, item, path, of_store)

    deny = {"Effect": "Deny", "Principal": "*", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::bucket/exp/run3/*"}
    s3.call_s3("put_bucket_policy", Bucket="bucket", Policy=json.dumps({"Version": "2012-10-17", "Statement": [deny]}))
    monkeypatch.setattr(remote_copy, "_fetch", fetch)
    try:
        d = analyze("s3://bucket/exp", QUICK)
    finally:
        s3.call_s3("delete_bucket_policy", Bucket="bucket")
        s3.pipe_file("bucket/exp/run1/metrics.jsonl", FILES["exp/run1/metrics.jsonl"].encode())
    assert {u.path: u.reason for u in d.unreadable} == {
        "run1/metrics.jsonl": "it is gone since the tree was listed",
        "run3/metrics.jsonl": "access denied by the remote store",
    }
    monkeypatch.setattr(remote_copy, "_fetch", whole)
    assert len(told("s3://bucket/exp")) == 3


def test_a_denied_and_an_absent_bucket_and_absent_credentials_say_what_to_do(
    s3: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    import urllib.request

    def look_at_keys_after(calls: bytes) -> None:
        url = f"{os.environ['AWS_ENDPOINT_URL']}/moto-api/reset-auth"
        urllib.request.urlopen(urllib.request.Request(url, calls, {"Content-Type": "text/plain"})).close()

    look_at_keys_after(b"0")
    try:
        with pytest.raises(UsageError, match="access denied") as denied:
            analyze("s3://bucket/exp", QUICK)
    finally:
        look_at_keys_after(b"inf")
    assert "AWS_PROFILE" in denied.value.hint
    with pytest.raises(UsageError, match=r"no such bucket or path|nothing") as absent:
        analyze("s3://no-such-bucket/exp", QUICK)
    assert "check" in absent.value.hint
    import s3fs

    s3fs.S3FileSystem.clear_instance_cache()
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", os.devnull)
    with pytest.raises(UsageError, match="credentials") as bare:
        analyze("s3://bucket/exp", QUICK)
    assert "AWS_PROFILE" in bare.value.hint
    s3fs.S3FileSystem.clear_instance_cache()


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (PermissionError("Forbidden"), "access denied"),
        (FileNotFoundError("x"), "no such bucket or path"),
        (ConnectionRefusedError("refused"), "cannot be listed"),
        (type("NoCredentialsError", (Exception,), {})("x"), "no valid credentials"),
    ],
)
def test_each_way_to_be_refused_says_what_to_do(error: Exception, said: str) -> None:
    made = trouble(error, "s3://bucket/x")
    secret = trouble(type(error)("url='http://host/x?X-Signature=abc'"), "http://host/x?X-Signature=abc")
    assert "abc" not in str(secret)
    assert said in made.what and made.where == "s3://bucket/x" and made.hint
