"""Data in memory as a file that the readers know: a frame, columns, records or lines are read as a log of theirs is."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from curvedoc.core.errors import UsageError
from curvedoc.core.late_regex import late_regex

#: More is no log of one training, and would fill the disk.
MOST_BYTES = 16 << 30
_CHUNK = 1 << 20
_UNSAFE = late_regex(r"[^\w.+=@-]+")
_HOW = (
    "give a path, several paths, a polars or pandas frame, a dict of lists, a list of dicts, or an iterator of lines "
    "or records"
)


@contextlib.contextmanager
def as_paths(data: object, name: str = "") -> Iterator[list[Path]]:
    """The paths to read: those given, or one file that holds what was given and lives as long as the context.

    A list of texts is a list of paths; lines come as an iterator or an open file. name: what to call a run that is
    handed over in memory. Raises UsageError for data of another kind.
    """
    named = paths_of(data)
    if named is not None:
        yield named
        return
    with tempfile.TemporaryDirectory(prefix="curvedoc-") as folder:
        yield [_file(data, Path(folder), _UNSAFE.sub("_", name)[:100].strip("._"))]


def paths_of(data: object) -> list[Path] | None:
    """The paths that were given, None where it is data."""
    if isinstance(data, str | os.PathLike):
        return [Path(data)]
    if isinstance(data, list | tuple | set | frozenset) and all(isinstance(p, str | os.PathLike) for p in data):
        return [Path(p) for p in data]
    return None


def spooled(stream: IO[bytes], path: Path) -> Path:
    """What comes through a pipe, as a file, for the readers look at a log's head and its end."""
    left = MOST_BYTES
    with path.open("wb") as out:
        while left > 0 and (chunk := stream.read(min(left, _CHUNK))):
            out.write(chunk)
            left -= len(chunk)
    return path


def _file(data: object, folder: Path, name: str) -> Path:
    if is_frame(data):
        path = folder / f"{name or 'frame'}.csv"
        _columns(data).write_csv(path)
        return path
    if isinstance(data, Mapping):
        path = folder / f"{name or 'history'}.json"
        path.write_text(json.dumps(_plain(data)), encoding="utf-8")
        return path
    if not isinstance(data, Iterable):
        raise UsageError(f"a {type(data).__name__} is no training log", hint=_HOW)
    items = iter(data)
    first = next(items, None)
    if first is None:
        raise UsageError("no line and no record was given", hint=_HOW)
    rest = itertools.chain((first,), items)
    if isinstance(first, Mapping):
        return _written(folder / f"{name or 'records'}.jsonl", (_record(r) for r in rest))
    if isinstance(first, str | bytes):
        return _written(folder / f"{name or 'lines'}.log", (_line(r) for r in rest))
    raise UsageError(f"a {type(data).__name__} of {type(first).__name__} is no training log", hint=_HOW)


def _written(path: Path, lines: Iterable[bytes]) -> Path:
    with path.open("wb") as out:
        out.writelines(lines)
    return path


def is_frame(data: object) -> bool:
    """Whether it is a table of polars, pandas, pyarrow or another library that hands its columns over as Arrow does."""
    return hasattr(data, "__arrow_c_stream__") or hasattr(data, "collect_schema") or hasattr(data, "iloc")


def _columns(data: Any) -> Any:
    """The table as a polars frame of plain columns. An index that counts is a column; nested values are left out."""
    import polars as pl
    from polars.exceptions import PolarsError

    if isinstance(data, pl.LazyFrame):
        data = data.collect()
    if not isinstance(data, pl.DataFrame):
        if hasattr(data, "iloc"):
            data = _of_pandas(data)
        try:
            data = pl.DataFrame(data, strict=False)
        except (PolarsError, TypeError, ValueError) as e:
            raise UsageError(f"the table cannot be read: {e}", hint=_HOW) from e
    flat = [c for c, kind in data.schema.items() if not kind.is_nested() and kind not in (pl.Object, pl.Binary)]
    return data.select(flat)


def _of_pandas(data: Any) -> dict[str, Sequence[Any]]:
    """The columns of a pandas frame, without pyarrow."""
    index = data.index
    counted = index.name is not None or type(index).__name__ != "RangeIndex"
    lists: dict[str, Sequence[Any]] = {}
    if counted and getattr(index, "nlevels", 1) == 1 and index.name not in data.columns:
        lists[str(index.name or "step")] = [_plain(v) for v in index.tolist()]
    for at, key in enumerate(data.columns):
        word = "/".join(map(str, key)) if isinstance(key, tuple) else str(key)
        lists[word if word not in lists else f"{word}_{at}"] = [_plain(v) for v in data.iloc[:, at].tolist()]
    return lists


def _record(record: object) -> bytes:
    shown = _plain(record) if isinstance(record, Mapping) else {"message": str(record)}
    return json.dumps(shown).encode("utf-8", "replace") + b"\n"


def _line(line: object) -> bytes:
    raw = line if isinstance(line, bytes) else str(line).encode("utf-8", "replace")
    return raw if raw.endswith(b"\n") else raw + b"\n"


def _plain(value: Any, depth: int = 0) -> Any:
    """The value in JSON's own kinds: numbers of numpy and torch as numbers, what JSON does not know as text."""
    if value is None:
        return None
    if isinstance(value, bool | int | float | str):
        return value if type(value) in (bool, int, float, str) else _base(value)
    if depth > 20:
        return str(value)
    if isinstance(value, Mapping):
        return {str(k): _plain(v, depth + 1) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v, depth + 1) for v in value]
    listed = getattr(value, "tolist", None)
    if callable(listed):
        return _plain(listed(), depth + 1)
    item = getattr(value, "item", None)
    return _plain(item(), depth + 1) if callable(item) else str(value)


def _base(value: bool | int | float | str) -> bool | int | float | str:
    """numpy.float64 is a float and an IntEnum an int: the plain number, which is what a log holds."""
    kinds: tuple[type[bool | int | float | str], ...] = (bool, int, float, str)
    return next(k(value) for k in kinds if isinstance(value, k))
