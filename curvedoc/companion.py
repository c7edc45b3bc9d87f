"""The process beside a watched training: it judges the records when asked, and writes the report at the end.

It reads words from its standard input and answers each with a line of JSON. When the input ends without the word
"end", the training died without one of its own: killed, or by a fault in native code, of which the fault handler left
a trace. That is written into the log before the report.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
import time
from pathlib import Path
from typing import Any

#: How often to see whether the training is still there: workers that it forked may hold the pipe open.
_POLL_SECONDS = 2.0


def main(folder: Path, log: str, faults: str) -> None:
    """Serve one training until it ends."""
    if hasattr(os, "nice"):
        os.nice(10)
    parent = os.getppid()
    words: queue.Queue[str] = queue.Queue()
    threading.Thread(target=_listen, args=(words,), daemon=True).start()
    while True:
        try:
            word = words.get(timeout=_POLL_SECONDS)
        except queue.Empty:
            word = "" if os.getppid() != parent else "wait"
        if word == "look":
            _answer(_judged(folder, final=False))
        elif word == "end":
            _answer(_judged(folder, final=True))
            return
        elif word != "wait":
            _bury(folder / log, folder / faults)
            told = _judged(folder, final=True)
            if told.get("trouble"):
                sys.stderr.write(f"curvedoc: {told['trouble']}\n")
            return


def _listen(words: queue.Queue[str]) -> None:
    for line in sys.stdin:
        words.put(line.strip())
    words.put("")


def _answer(told: dict[str, Any]) -> None:
    try:
        sys.stdout.write(json.dumps(told) + "\n")
        sys.stdout.flush()
    except BrokenPipeError:  # it died meanwhile: the end of the input says so too
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123


def _bury(log: Path, faults: Path) -> None:
    """Write into the log that the training is gone, unless its last words are there."""
    if faults.exists() and faults.stat().st_size:
        return
    faults.unlink(missing_ok=True)
    tail = log.read_bytes()[-4096:] if log.exists() else b""
    word = "Killed"
    if b'"level"' in tail.rstrip().rpartition(b"\n")[2]:
        return
    with log.open("a", encoding="utf-8") as out:
        lead = "" if not tail or tail.endswith(b"\n") else "\n"
        out.write(lead + json.dumps({"time": time.time(), "level": "ERROR", "message": word}) + "\n")


def _judged(folder: Path, final: bool) -> dict[str, Any]:
    """What a look gives; with final, the report and its JSON are written beside the log."""
    from curvedoc.analysis import analyze
    from curvedoc.core.errors import CurvedocError, NothingToAnalyse

    begun = time.monotonic()
    try:
        found = analyze(folder)
        if final:
            found.to_html(folder / "curvedoc-report.html")
            found.to_json(folder / "curvedoc-report.json")
    except NothingToAnalyse:
        return {"seconds": time.monotonic() - begun}
    except CurvedocError as error:
        return {"seconds": time.monotonic() - begun, "trouble": str(error)}
    run = found.runs[0]
    fatal = any(f.kind == "pathology" and f.severity == "fatal" for f in run.findings)
    return {
        "verdict": run.verdict, "headline": run.headline, "fatal": fatal, "seconds": time.monotonic() - begun,
    }  # fmt: skip


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3])
