"""Foreign text made harmless: what a log, a configuration or a file name says is shown and never obeyed."""

from __future__ import annotations

import re

from curvedoc.core.late_regex import late_regex

#: Characters that steer a terminal, hide themselves or turn the reading direction around: C0 and C1 controls, soft
#: hyphen, zero-width and bidirectional marks, line and paragraph separators, interlinear marks, tags, and lone
#: surrogates (undecodable bytes of file names), which cannot be written as UTF-8 at all.
_UNSEEN = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\U000e0000-\U000e0fff"
)
_BLOCK = late_regex(f"[{_UNSEEN}]")
_LINE = late_regex(f"[\t\n{_UNSEEN}]")
_MARKDOWN = late_regex(r"([\\`*_{}\[\]<>|#~$&])")
_LIST_MARK = late_regex(r"^(\s*\d*)([-+.)=])")
_AUTOLINK = late_regex(r"(?i)(@|#|\bGH-|\bwww|:(?=//))(?=[\w./])")
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _spell(match: re.Match[str]) -> str:
    code = ord(match[0])
    return _SHORT.get(match[0]) or (f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}")


def visible(text: object) -> str:
    """One line: every control, invisible or direction-changing character spelled as its escape.

    >>> visible("run\\u202egnp.exe\\x1b[31m\\n")
    'run\\\\u202egnp.exe\\\\u001b[31m\\\\n'
    """
    plain = str(text)
    return plain if _harmless(plain) else _LINE.sub(_spell, plain)


def visible_block(text: object) -> str:
    """As `visible`, but newlines and tabs stay: for tracebacks and code."""
    plain = str(text)
    return plain if _harmless(plain) else _BLOCK.sub(_spell, plain.replace("\r\n", "\n"))


def _harmless(text: str) -> bool:
    # what most of a page is, told much sooner than by a search
    return text.isascii() and text.isprintable()


def clip(text: str, width: int, mark: str = "…") -> str:
    """At most `width` characters, an ellipsis in the middle where some were cut: both ends of a path tell something.

    >>> clip("experiments/lr-sweep/run-17", 14)
    'experim…run-17'
    """
    if len(text) <= width:
        return text
    tail = (width - len(mark)) // 2 if width >= 8 else 0
    head = max(0, width - len(mark) - tail)
    return text[:head] + mark + text[len(text) - tail :]


def to_ascii(text: str) -> str:
    """The same text for an encoding without Unicode: known signs replaced, the rest escaped."""
    return text.translate(_ASCII).encode("ascii", "backslashreplace").decode("ascii")


_ASCII = str.maketrans(
    {
        "✕": "x", "▲": "!", "✓": "ok", "…": "...", "−": "-", "–": "-", "—": "-", "×": "x", "·": ".", "≈": "~",
        "≥": ">=", "≤": "<=", "→": "->", "’": "'", "‘": "'", "“": '"', "”": '"', "±": "+/-", "\u00a0": " ",
        "\u202f": " ", "▁": "_", "▂": "_", "▃": ".", "▄": "-", "▅": "=", "▆": "+", "▇": "*", "█": "#", "│": "|",
        "•": "*", "σ": "sigma",
    }
)  # fmt: skip


def markdown(text: object) -> str:
    """Text that GitHub shows as it stands: no emphasis, link, mention, image, tag, formula, table cell.

    >>> markdown("a|b <img> #12 $x$")
    'a\\\\|b \\\\<img\\\\> \\\\#<!-- -->12 \\\\$x\\\\$'
    """
    plain = _MARKDOWN.sub(r"\\\1", visible(text))
    plain = _LIST_MARK.sub(r"\1\\\2", plain)
    # GitHub makes links of @names, #12 and bare addresses in the finished text, so a backslash does not stop it; an
    # empty comment between the two halves does.
    return _AUTOLINK.sub(r"\1<!-- -->", plain)


def markdown_code(text: object) -> str:
    """A code span for a name: a fence longer than any run of backticks inside, and no cell border.

    >>> markdown_code("a`b")
    '`` a`b ``'
    """
    plain = visible(text).replace("|", "\\u007c")
    run = max((len(m) for m in re.findall("`+", plain)), default=0)
    fence = "`" * (run + 1)
    pad = " " if run or plain.strip() != plain or not plain else ""
    return f"{fence}{pad}{plain or ' '}{pad}{fence}"


def markdown_block(text: object, language: str = "") -> str:
    """A fenced code block that its own text cannot close."""
    plain = visible_block(text)
    run = max((len(m) for m in re.findall("`+", plain)), default=0)
    fence = "`" * max(3, run + 1)
    return f"{fence}{language}\n{plain}\n{fence}"
