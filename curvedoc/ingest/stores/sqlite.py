"""SQLite files of strangers, opened without a trace: never written to, and nothing in them is run."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from curvedoc.core.run import Note

MAGIC = b"SQLite format 3\x00"
#: Seconds to wait for a writer; a training that logs holds its store for milliseconds.
_PATIENCE = 2.0
#: No cell of a log is longer; a row that claims so is an error to SQLite, not an allocation.
_MAX_CELL = 16 << 20
#: A store with a journal is copied to be read; a larger one is read without the journal.
_MAX_COPY = 2 << 30
_WAL = b"\x02\x02"
#: What reading a damaged store may raise; Python's own module fails to decode SQLite's message about a damaged name.
BROKEN = (sqlite3.Error, OSError, UnicodeDecodeError, OverflowError)


@contextmanager
def opened(path: Path) -> Iterator[tuple[sqlite3.Connection, tuple[Note, ...]]]:
    """A connection that can only read, and what had to be done for it.

    Values that a writer has only put into the journal (-wal) so far are seen: the store and its journal are copied, and
    the copy is opened. A locked store is read as it stands on disk.

    Raises one of `BROKEN` for what is no readable store.
    """
    journal = Path(f"{path}-wal")
    size = journal.stat().st_size if journal.is_file() else 0
    with path.open("rb") as f:
        wal = f.read(20)[18:20] == _WAL
    if size and size + path.stat().st_size <= _MAX_COPY:
        with tempfile.TemporaryDirectory(prefix="curvedoc-") as folder:
            copy = Path(folder, "store.db")
            shutil.copyfile(path, copy)
            shutil.copyfile(journal, f"{copy}-wal")
            with closing(_connect(copy, "mode=rw")) as conn:
                yield conn, ()
        return
    if size:
        notes: tuple[Note, ...] = (Note("journal-unread", "values that stand only in the -wal file were not read"),)
        with closing(_connect(path, "mode=ro&immutable=1")) as conn:
            yield conn, notes
        return
    conn, notes = _immutable(path, ()) if wal else _shared(path)  # without its journal a WAL store needs no lock
    with closing(conn):
        yield conn, notes


def _shared(path: Path) -> tuple[sqlite3.Connection, tuple[Note, ...]]:
    try:
        return _connect(path, "mode=ro"), ()
    except sqlite3.OperationalError as e:
        locked = "locked" in str(e) or "busy" in str(e)
        text = "another process holds the store" if locked else f"the store could not be opened for sharing ({e})"
        return _immutable(path, (Note("locked" if locked else "unshared", f"{text}; read as it stands on disk"),))


def _immutable(path: Path, notes: tuple[Note, ...]) -> tuple[sqlite3.Connection, tuple[Note, ...]]:
    return _connect(path, "mode=ro&immutable=1"), notes


def _connect(path: Path, options: str) -> sqlite3.Connection:
    place = quote(bytes(path.absolute()))
    conn = sqlite3.connect(f"file:{place}?{options}", uri=True, timeout=_PATIENCE)
    try:
        conn.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MAX_CELL)
        conn.text_factory = lambda raw: raw.decode("utf-8", "replace")
        conn.execute("PRAGMA trusted_schema = OFF")
        conn.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except BROKEN:
        conn.close()
        raise
    return conn


def tables(conn: sqlite3.Connection) -> dict[str, frozenset[str]]:
    """The columns of each plain table. Views, virtual tables and computed columns are left out: reading one runs what a
    stranger wrote."""
    rows = conn.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table' LIMIT 10000").fetchall()
    plain = [str(n) for n, sql in rows if isinstance(sql, str) and sql.lstrip()[:12].upper() == "CREATE TABLE"]
    return {name: frozenset(_columns(conn, name)) for name in plain}


def _columns(conn: sqlite3.Connection, name: str) -> list[str]:
    quoted = name.replace('"', '""')
    return [str(row[1]) for row in conn.execute(f'PRAGMA table_info("{quoted}")')]


def has_tables(path: Path, wanted: dict[str, frozenset[str]]) -> bool | None:
    """Whether a store has these tables with at least these columns; None where it cannot be opened."""
    try:
        with opened(path) as (conn, _):
            found = tables(conn)
    except BROKEN:
        return None
    return all(columns <= found.get(name, frozenset()) for name, columns in wanted.items())


def rows(
    conn: sqlite3.Connection, table: str, columns: tuple[str, ...], have: frozenset[str], notes: list[Note], most: int
) -> Iterator[tuple[object, ...]]:
    """The rows of a table in the order written, at most `most`; a column that it lacks is None. Damage ends them with
    a note."""
    what = ", ".join(f'"{c}"' if c in have else "NULL" for c in columns)
    count = 0
    try:
        # Without NOT INDEXED an index that covers the columns gives them in its own order.
        for row in conn.execute(f'SELECT {what} FROM "{table}" NOT INDEXED'):
            if count >= most:
                notes.append(Note("too-large", f"only the first {most} rows of table {table} were read"))
                return
            count += 1
            yield row
    except BROKEN as e:
        notes.append(Note("damaged", f"table {table} could be read up to row {count} only: {str(e)[:100]}"))
