"""Units that stand in the name of a metric, as they read behind its values."""

from __future__ import annotations

from curvedoc.core.late_regex import late_regex

_UNIT = late_regex(
    r"(?i:(?<![a-z])(?P<unit>[gmk]i?b|bytes|ms|perc|percent|pct|msec|millis|milliseconds|s|sec|secs|seconds)"
    r"(?![a-z]))|%|(?<=[a-z])(?:[GMK]i?B)(?![A-Za-z])"
)
_READ = {
    **dict.fromkeys(("perc", "percent", "pct"), "%"),
    **dict.fromkeys(("ms", "msec", "millis", "milliseconds"), "ms"),
    **dict.fromkeys(("s", "sec", "secs", "seconds"), "s"),
    "bytes": "bytes",
}


def unit_of(metric: str) -> str:
    """The unit that a name ends in, with a space before it; "" where it names none.

    >>> unit_of("cpu_mem_gb"), unit_of("GPU memory (MiB)"), unit_of("gpu_mem_pct"), unit_of("step_ms"), unit_of("rssMB")
    (' GB', ' MiB', ' %', ' ms', ' MB')
    >>> unit_of("max memory"), unit_of("gb_loss/memory")
    ('', '')
    """
    found = [m[0] for m in _UNIT.finditer(metric.rsplit("/", 1)[-1])]
    if not found:
        return ""
    word = found[-1]
    return f" {_READ.get(word.lower()) or (word[:-1].upper() + 'B').replace('I', 'i')}"
