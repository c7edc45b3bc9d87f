"""Targets of time, memory and sameness: every statistic a rule may call on one series.

Times are processor times and differ between machines, so each is asked for in units of something plain that runs
beside it: a Fourier transform of as many values, importing numpy and polars.
"""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from simulate import curve, step_change
from targets import Row, fact, figure, some

from curvedoc.core.series import Floats, Series
from curvedoc.stats.vocabulary import VOCABULARY

#: Fourier transforms of as many values that all statistics of one series may take together, a few for each.
TRANSFORMS = {1_000: 8_000.0, 10_000: 2_000.0, 100_000: 1_500.0, 1_000_000: 500.0}
ARRAYS = 20.0  # of the length of the series, beside it
IMPORTS = 1.5  # times what importing numpy and polars takes


def statistics() -> tuple[Callable[[Series], Any], ...]:
    """Every word of the rule language that takes one series and nothing else."""
    out = []
    for word in VOCABULARY:
        needed = [p for p in inspect.signature(word).parameters.values() if p.default is p.empty]
        if len(needed) == 1 and needed[0].annotation in ("Series", Series):
            out.append(word)
    return tuple(out)


def answers(value: Floats) -> list[tuple[str, Any]]:
    """What every statistic says of a fresh series, which keeps nothing of an earlier call."""
    s = Series(np.arange(len(value), dtype=np.int64), value.copy())
    return [(f.__name__, f(s)) for f in statistics()]


def _spent(work: Callable[[], object], takes: int = 3) -> float:
    """Least processor time of a few takes, in seconds."""
    best = float("inf")
    for _ in range(takes):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def times(share: float) -> Iterator[Row]:
    """A curve with a jump, in Fourier transforms of its length."""
    for n, most in TRANSFORMS.items():
        if n > 100_000 and share < 1.0:
            continue
        c = curve(n, np.random.default_rng([301, n]))
        value = c.plus(step_change(n, n // 2, 5.0 * c.sigma[n // 2])).value
        times = max(1, 1_000_000 // n)
        unit = _spent(partial(_transforms, value, times)) / times
        spent = _spent(partial(answers, value))
        name = f"all {len(statistics())} statistics of {n:,} rows ({1e3 * spent:,.0f} ms here)"
        yield figure(name, spent / unit, most, "transforms")


def _transforms(value: Floats, times: int) -> None:
    for _ in range(times):
        np.fft.rfft(value)


def memory(share: float) -> Iterator[Row]:
    """Most memory beside the series itself."""
    n = 1_000_000 if share >= 1.0 else 100_000
    value = curve(n, np.random.default_rng(302)).value
    s = Series(np.arange(n, dtype=np.int64), value)
    tracemalloc.start()
    for f in statistics():
        f(s)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    yield figure(f"memory beside a series of {n:,} rows (aim: 12)", most / (8.0 * n), ARRAYS, "arrays of its length")


def imports(share: float) -> Iterator[Row]:
    """The command line, beside what numpy and polars take."""
    ours, plain = (
        _started(words, some(5, share)) for words in (["-m", "curvedoc", "--version"], ["-c", "import numpy, polars"])
    )
    yield figure(
        f"start of the command line ({1e3 * ours:.0f} ms here)", ours / plain, IMPORTS, "times numpy and polars"
    )


def _started(words: list[str], takes: int) -> float:
    best = float("inf")
    for _ in range(takes):
        before = os.times()
        subprocess.run([sys.executable, *words], check=True, capture_output=True)
        after = os.times()
        best = min(best, after.children_user + after.children_system - before.children_user - before.children_system)
    return best


def sameness(share: float) -> Iterator[Row]:
    """Twice in one process, and in others with other hash seeds: the same to the last bit."""
    value = curve(2_000, np.random.default_rng(303)).value
    yield fact("answers are the same twice", "yes", repr(answers(value)) == repr(answers(value)))
    code = (
        "import sys; sys.path[:0] = sys.argv[1:]; import numpy as np; from simulate import curve; "
        "from targets_cost import answers; import hashlib; "
        "print(hashlib.sha256(repr(answers(curve(2_000, np.random.default_rng(303)).value)).encode()).hexdigest())"
    )
    said = [
        subprocess.run(
            [sys.executable, "-c", code, *sys.path], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True
        ).stdout
        for seed in ("1", "2")
    ]
    yield fact("and in processes with other hash seeds", "yes", said[0] == said[1] and len(said[0]) > 60)


TARGETS = (times, memory, imports, sameness)
