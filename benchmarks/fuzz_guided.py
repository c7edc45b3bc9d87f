"""Coverage-guided fuzzing of one reader by atheris: new paths through the code, no exception and no hang.

    pip install atheris
    python benchmarks/fuzz_guided.py csv -max_total_time=60 [options of libFuzzer] [folder of inputs]

An input that raises is written by libFuzzer and told; move it to `tests/corpus_bad` with its story. Without atheris it
says so and ends well, so that a job may call it anywhere.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

try:
    import atheris
except ImportError:
    print("atheris is not installed here: nothing was fuzzed")
    sys.exit(0)

with atheris.instrument_imports(include=["curvedoc.ingest", "curvedoc.rulebook"]):
    from fuzz_targets import targets


def main() -> None:
    by_name = {t.name: t for t in targets()}
    if len(sys.argv) < 2 or sys.argv[1] not in by_name:
        sys.exit(f"which reader? {', '.join(by_name)}")
    target = by_name[sys.argv.pop(1)]
    folder = Path(tempfile.mkdtemp(prefix="fuzz-seeds"))
    for seed in target.seeds:
        (folder / seed.name.replace(" ", "-")).write_bytes(seed.data)

    def one(data: bytes) -> None:
        target.run(data)

    atheris.Setup([*sys.argv, "-timeout=5", "-max_len=65536", str(folder)], one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
