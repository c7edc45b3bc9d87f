"""What lies behind a URL: one listing, reduced to the files that may be logs or configurations."""

from __future__ import annotations

import hashlib
import importlib.util
import logging
import math
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

from curvedoc.core.errors import UsageError
from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.find.file_names import HIDDEN_FOLDERS, skipped
from curvedoc.ingest.find.path_words import SKIP_FOLDERS

#: Requests at once: the round trip, not the bandwidth, is what small files take.
REQUESTS = 16
#: The package that a scheme needs, and what brings it.
_NEEDS: Mapping[str, tuple[str, str]] = {
    "s3": ("s3fs", "pip install 'curvedoc[remote]'"),
    "s3a": ("s3fs", "pip install 'curvedoc[remote]'"),
    "gs": ("gcsfs", "pip install 'curvedoc[gs]'"),
    "gcs": ("gcsfs", "pip install 'curvedoc[gs]'"),
    "hf": ("huggingface_hub", "pip install 'curvedoc[hf]'"),
    "http": ("aiohttp", "pip install 'curvedoc[remote]'"),
    "https": ("aiohttp", "pip install 'curvedoc[remote]'"),
    "memory": ("fsspec", "pip install 'curvedoc[remote]'"),
}
_CREDENTIALS: Mapping[str, str] = {
    "s3": "set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; FSSPEC_S3_ANON=true for a public bucket",
    "gs": "run gcloud auth application-default login, or set GOOGLE_APPLICATION_CREDENTIALS; "
    "FSSPEC_GS_TOKEN=anon for a public bucket",
    "hf": "run hf auth login, or set HF_TOKEN",
}
#: Where stores keep the time of change and the mark of the content.
_TIMES = ("LastModified", "last_modified", "mtime", "updated", "timeModified", "Last-Modified", "created")
_TAGS = ("ETag", "etag", "md5Hash", "blob_id", "sha256", "generation", "crc32c", "VersionId")
#: Clients that log what they raise as well, with a traceback; whoever set up logging still sees it.
_LOUD = ("gcsfs", "s3fs", "fsspec", "aiobotocore", "huggingface_hub")
#: A query may hold a signature, and a client's message the whole URL.
_QUERY = late_regex(r"\?[^\s'\"]+")
_CONFIGS = (".json", ".yaml", ".yml", ".toml", ".txt")


@dataclass(frozen=True, slots=True)
class Item:
    """One remote file. parts: its path below the root, safe to use on this disk; modified: ns since the epoch.

    Two listings of one content give one `modified`: its fraction of a second is a hash of the store's content mark.
    """

    remote: str
    parts: tuple[str, ...]
    size: int
    modified: int


@dataclass(frozen=True, slots=True)
class Listing:
    """What lies below one root. name: of the root; single: the root is a file itself; refused: paths that cannot be."""

    root: str
    name: str
    single: bool
    items: tuple[Item, ...]
    refused: tuple[str, ...]


def opened(url: str) -> tuple[Any, str]:
    """The file system and the path in it. Raises UsageError where the package for the scheme is missing."""
    scheme = url.partition(":")[0]
    package, install = _NEEDS[scheme]
    for name in ("fsspec", package):
        if importlib.util.find_spec(name) is None:
            raise UsageError(f"{scheme}:// needs the package {name}, which is not installed", place(url), install)
    import fsspec

    for name in _LOUD:
        logging.getLogger(name).addHandler(logging.NullHandler())
    try:
        fs, path = fsspec.core.url_to_fs(url)
    except Exception as e:  # each store raises its own kind for a name or credentials that it does not take
        raise trouble(e, url) from e
    return fs, path


def listings(fs: Any, path: str, url: str) -> list[Listing]:
    """One listing for the path, or one for each that a pattern matches. Raises UsageError where there is nothing."""
    try:
        fs.invalidate_cache()
        web = url.startswith("http")
        roots = sorted(fs.glob(path)) if not web and any(c in path for c in "*?[") else [path]
        found = [x for x in (_listing(fs, root, web) for root in roots) if x is not None]
    except UsageError:
        raise
    except Exception as e:  # each store raises its own kind; what it means is told
        raise trouble(e, url) from e
    if not found:
        raise UsageError("there is nothing", place(url), "check the bucket and the prefix")
    return found


def _listing(fs: Any, root: str, web: bool) -> Listing | None:
    found: dict[str, Any] = fs.find(root, detail=True)
    if not found and web:  # a walk over pages takes what does not answer for empty; asking for it tells why
        found = {root: fs.info(root)}
    if not found:
        return None
    plain = urlsplit(root).path if web else root
    name = plain.rstrip("/").rpartition("/")[2] or urlsplit(root).netloc or "root"
    single = set(found) == {root} and (not web or not root.endswith("/"))
    if single and not web:
        found |= _beside(fs, root)
    base = root.rpartition("/")[0] if single else root.rstrip("/")
    named = {r: (name,) if single and r == root else _parts(r, base) for r in found}
    refused = tuple(r for r, parts in named.items() if parts is None)
    chosen = {r: parts for r, parts in named.items() if parts is not None and (single or wanted(parts))}
    items = [
        Item(remote, chosen[remote], int(info["size"]), _modified(remote, info))
        for remote, info in _sized(fs, {r: found[r] for r in chosen})
    ]
    return Listing(root, name, single, tuple(items), refused)


def _beside(fs: Any, root: str) -> dict[str, Any]:
    """Configuration files in the folder of a file that was asked for by name; none where it cannot be listed."""
    try:
        rows = fs.ls(root.rpartition("/")[0], detail=True)
    except (OSError, ValueError):
        return {}
    return {r["name"]: r for r in rows if r["type"] == "file" and r["name"].lower().endswith(_CONFIGS)}


def _sized(fs: Any, found: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Every file with its size; a web page lists names alone, so each is asked for."""
    bare = [name for name, info in found.items() if info.get("size") is None]
    asked: dict[str, Any] = {}
    if bare:
        with ThreadPoolExecutor(REQUESTS) as pool:
            asked = dict(zip(bare, pool.map(lambda name: _asked(fs, name), bare), strict=True))
    for name, info in found.items():
        info = asked.get(name, info)
        if info.get("type", "file") == "file":
            yield name, {**info, "size": info.get("size") or 0}


def _asked(fs: Any, name: str) -> Any:
    try:
        return fs.info(name)
    except (OSError, ValueError):
        return {}  # copying it will tell why


def _parts(remote: str, base: str) -> tuple[str, ...] | None:
    """The path below the base as names for this disk; None for one that would lead elsewhere or cannot be a name."""
    if not remote.startswith(base):
        return None
    parts = tuple(remote[len(base) :].strip("/").split("/"))
    bad = any(p in ("", ".", "..") or len(p.encode()) > 240 or any(c in p for c in "\\\0") for p in parts)
    return None if bad or len(parts) > 60 else parts


def wanted(parts: tuple[str, ...]) -> bool:
    """Whether a walk over the tree would look at this file: by its name and folders alone."""
    *folders, name = parts
    for folder in folders:
        hidden = folder.startswith(".") and folder not in HIDDEN_FOLDERS
        if hidden or folder in SKIP_FOLDERS or folder.endswith(".egg-info"):
            return False
    return not skipped(name, parts[:-1])


def _modified(remote: str, info: Mapping[str, Any]) -> int:
    when = next((t for k in _TIMES if (t := _seconds(info.get(k))) is not None), 0)
    tag = "|".join(str(info[k]) for k in _TAGS if info.get(k))
    mark = int.from_bytes(hashlib.sha256(f"{remote}|{tag}".encode("utf-8", "surrogatepass")).digest()[:6], "big")
    # hundreds of nanoseconds, which is what every file system of the day keeps
    return when * 1_000_000_000 + mark % 10_000_000 * 100


def _seconds(value: object) -> int | None:
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            try:
                value = parsedate_to_datetime(value)  # type: ignore[arg-type]
            except ValueError:
                return None
    if isinstance(value, datetime):
        value = value.timestamp()
    if isinstance(value, int | float) and math.isfinite(value) and 0 <= value < 1 << 33:
        return int(value)
    return None


def trouble(e: Exception, url: str) -> UsageError:
    """What a failure to list means and what to do, whatever the store calls it."""
    scheme = {"s3a": "s3", "gcs": "gs"}.get(s := url.partition(":")[0], s)
    if scheme.startswith("http") and isinstance(e, FileNotFoundError) and isinstance(e.__cause__, Exception):
        e = e.__cause__  # the client calls every failure so
    kind, text = type(e).__name__, _QUERY.sub("?...", str(e).strip().split("\n")[0])[:200]
    hint = _CREDENTIALS.get(scheme, "")
    if "Credential" in kind or "TokenNotFound" in kind or "credentials" in text.lower() or kind == "RefreshError":
        return UsageError("there are no valid credentials", place(url), hint)
    if isinstance(e, PermissionError) or getattr(e, "status", 0) in (401, 403):
        return UsageError(f"access denied: {text}", place(url), hint or "check that you may read it")
    if isinstance(e, FileNotFoundError) or getattr(e, "status", 0) == 404:
        return UsageError("there is no such bucket or path", place(url), "check its spelling and region")
    told = f"{kind}: {text}" if text else kind
    return UsageError(f"it cannot be listed: {told}", place(url), "check the network and the address")


def place(url: str) -> str:
    """The URL without what may be secret: user, password and query."""
    parts = urlsplit(url)
    if not url.startswith("http"):
        return url
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
