"""Blocks of lines that are one message: tracebacks with their chained exceptions, warnings with their source line."""

from __future__ import annotations

from collections.abc import Sequence

from curvedoc.core.late_regex import late_regex

HEADER = "Traceback (most recent call last)"
#: Longer blocks are cut: no traceback has so many lines (a recursion error prints about 2,000).
BLOCK_CAP = 5_000
#: Lines of an error's own message after its first one.
_MORE = 40
#: How lines inside a block begin: frames, loguru's marked frame, rich's box.
_INSIDE = " \t>\u2502\u256d\u2570\u2500"
_CHAIN = ("During handling of the above exception", "The above exception was the direct cause", "Original Traceback")
_ERROR = late_regex(
    r"[A-Za-z_][\w.]{0,200}(?:Error|Exception|Interrupt|Exit|Timeout|Warning|Abort|Failure|Group|Unavailable|Fault)\w{0,40}"
    r"(?:\[[\w.]{1,80}\])?(?: \(\d+ sub-exceptions?\))?(?::|$)"
    r"|(?:[a-z_]\w{0,60}\.){1,8}[A-Z]\w{0,80}(?::|$)|[A-Z]\w{0,80}: "
)
_OTHER = late_regex(
    r"\d{4}-|\d{1,3}%|\[\S{0,40}\d|[IWEF]\d{4} |\w{1,20}:\s|srun|slurm|Epoch|===|---|\*\*\*"
    r"|/\S{1,200}Warning:|\S{1,200}: \w{0,40}Warning:|(?:INFO|WARNING|ERROR|DEBUG|CRITICAL)\b|Killed|Segmentation"
)
_WARNING = late_regex(r"(?:^|[\s:])[A-Z]\w{0,60}Warning:")


def tracebacks(texts: Sequence[str], plain: Sequence[bool]) -> list[tuple[int, int, int]]:
    """(first, past the last, characters of prefix) of each traceback block among the lines of one rank.

    plain: the line is running text, not a record. A block runs from its header to the error's last line; chained
    exceptions are one block. A log cut inside a block ends it. Every line is looked at a bounded number of times.
    """
    out: list[tuple[int, int, int]] = []
    i = 0
    while i < len(texts):
        at = texts[i].find(HEADER)
        if at < 0:
            i += 1
            continue
        cut = at if at and _prefixed(texts, i, at) else 0
        end = _end(texts, plain, i, cut)
        out.append((i, end, cut))
        i = end
    return out


def _prefixed(texts: Sequence[str], i: int, at: int) -> bool:
    """Whether the lines after the header carry a prefix of the same length."""
    following = texts[i + 1] if i + 1 < len(texts) else ""
    return following[at:].startswith("  File ") and bool(following[:at].strip())


def _end(texts: Sequence[str], plain: Sequence[bool], start: int, cut: int) -> int:
    stop = min(len(texts), start + BLOCK_CAP)
    j = start + 1
    while j < stop:
        text = texts[j][cut:]
        if not text.strip():
            k = _next(texts, j, stop, cut)
            if k is None:
                return j
            j = k
        elif text[0] in _INSIDE or text.startswith(_CHAIN) or HEADER in text:
            j += 1
        elif _ERROR.match(text):
            j = _message(texts, plain, j + 1, stop, cut)
            k = _next(texts, j, stop, cut, chained=True)
            if k is None:
                return j
            j = k
        else:
            return j
    return j


def _next(texts: Sequence[str], j: int, stop: int, cut: int, chained: bool = False) -> int | None:
    """The line after at most three blank ones, if it goes on with the block."""
    for k in range(j, min(j + 4, stop)):
        text = texts[k][cut:]
        if text.strip():
            known = text[0] in _INSIDE or HEADER in text or bool(_ERROR.match(text))
            goes_on = text.startswith(_CHAIN) or (not chained and known)
            return k if goes_on else None
    return None


def _message(texts: Sequence[str], plain: Sequence[bool], j: int, stop: int, cut: int) -> int:
    """The end of the message of an error that may take several lines."""
    for k in range(j, min(j + _MORE, stop)):
        text = texts[k][cut:]
        if not text.strip() or HEADER in text or text.startswith(_CHAIN):
            return k
        if text[0] not in " \t" and (not plain[k] or _OTHER.match(text)):
            return k
        if not plain[k] and cut == 0 and text[0] not in "\t":
            return k
    return min(j + _MORE, stop)


def warnings(texts: Sequence[str], plain: Sequence[bool], taken: Sequence[bool]) -> list[tuple[int, int]]:
    """(first, past the last) of each warning with the indented lines after it (source line, forward traceback)."""
    out: list[tuple[int, int]] = []
    i = 0
    while i < len(texts):
        if taken[i] or "Warning:" not in texts[i] or not _WARNING.search(texts[i]):
            i += 1
            continue
        j = i + 1
        while j < len(texts) and j - i < 100 and texts[j][:1] in (" ", "\t") and texts[j].strip() and not taken[j]:
            deep = texts[j].startswith(("  ", "\t", " ("))
            if not deep or not (plain[j] or j == i + 1):
                break
            j += 1
        out.append((i, j))
        i = j
    return out
