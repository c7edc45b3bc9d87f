"""Settings in whatever text they were logged, as flat dotted keys and scalars."""

from __future__ import annotations

import ast
import json
import re
import shlex
import warnings
from collections.abc import Mapping
from typing import Any

from curvedoc.core.late_regex import late_regex
from curvedoc.core.run import Scalar

#: A configuration has hundreds of keys; what has more is not one.
MAX_KEYS = 5000
#: Longer strings (prompts, module listings) say nothing about a setting.
MAX_STRING = 1000
#: Longer texts are not read as settings.
MAX_TEXT = 1 << 20
_MAX_DEPTH = 20

#: A longer line is no setting, and a longer command line no command line.
_MAX_LINE = 1 << 14
_FENCE_MARK = "```"
_LINE = late_regex(r"(?:[-*] )?`?([A-Za-z_][\w./\-]{0,99})`? {0,40}(?::\s|=|:$)(.*)")
_NUMBER = late_regex(r"[+-]?(\d[\d_]*)(\.\d*)?([eE][+-]?\d+)?|[+-]?\.\d+([eE][+-]?\d+)?")


def flatten(value: object, prefix: str = "") -> dict[str, Scalar]:
    """Dotted keys of nested mappings; a list becomes its JSON text, null is left out.

    >>> flatten({"optim": {"lr": 0.1, "betas": [0.9, 0.99]}, "seed": None})
    {'optim.lr': 0.1, 'optim.betas': '[0.9, 0.99]'}
    """
    out: dict[str, Scalar] = {}
    _into(out, value, prefix, 0)
    return out


def _into(out: dict[str, Scalar], value: object, key: str, depth: int) -> None:
    if len(out) >= MAX_KEYS or value is None:
        return
    if isinstance(value, Mapping) and depth < _MAX_DEPTH:
        for k, v in value.items():
            name = valid(str(k))
            _into(out, v, f"{key}.{name}" if key else name, depth + 1)
    elif isinstance(value, (bool, int, float)):
        out[key] = value
    elif isinstance(value, str):
        out[key] = valid(value[:MAX_STRING])
    else:
        out[key] = json.dumps(value, default=str)[:MAX_STRING]


def valid(text: str) -> str:
    """The text without lone surrogates (JSON may spell them), which no file or frame can hold."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def scalar(text: str) -> Scalar | None:
    """The value that a word stands for; None for a null.

    >>> scalar("3e-4"), scalar("True"), scalar("adamw"), scalar("None")
    (0.0003, True, 'adamw', None)
    """
    text = text.strip().strip("`")
    low = text.lower()
    if low in ("true", "false"):
        return low == "true"
    if low in ("none", "null", "~", ""):
        return None
    if low.lstrip("+-") in ("nan", "inf", "infinity") or (found := _NUMBER.fullmatch(text)) is None:
        quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "'\""
        return (text[1:-1] if quoted else text)[:MAX_STRING]
    whole = found[1] is not None and found[2] is None and found[3] is None and len(text) < 40
    return int(text) if whole else float(text)


def settings(text: str) -> dict[str, Scalar]:
    """Flat settings, where a text is a JSON object, a dict or Namespace as Python prints it, a Markdown table of two
    columns, a command line of options, or lines of `key: value`; empty where it is none of these.

    >>> settings("|param|value|\\n|-|-|\\n|lr|0.1|\\n|env|CartPole|")
    {'lr': 0.1, 'env': 'CartPole'}
    >>> settings("train.py --lr 0.1 --amp --name=a")
    {'lr': 0.1, 'amp': True, 'name': 'a'}
    """
    if len(text) > MAX_TEXT:
        return {}
    text = text.strip()
    if text.startswith(_FENCE_MARK) and text.endswith(_FENCE_MARK) and "\n" in text:
        text = text[text.index("\n") : -len(_FENCE_MARK)].strip()
    for take in (_json, _python, _table, _options, _lines):
        if found := take(text):
            return found
    return {}


def _json(text: str) -> dict[str, Scalar]:
    if not text.startswith("{"):
        return {}
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return flatten(value) if isinstance(value, dict) else {}


def _python(text: str) -> dict[str, Scalar]:
    """A dict literal, or the printed form of a Namespace or dataclass whose values are literals."""
    if not re.match(r"\{|[A-Za-z_][\w.]*\(\w+=", text) or len(text) > 1 << 16:
        return {}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes and comparisons in a text that is no program of ours
            node = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    if isinstance(node, ast.Dict):
        return flatten(_literal(node)) if isinstance(_literal(node), dict) else {}
    if not isinstance(node, ast.Call):
        return {}
    pairs = {k.arg: _literal(k.value) for k in node.keywords if k.arg is not None}
    return flatten(pairs)


def _literal(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, RecursionError, MemoryError):
        return ast.unparse(node) if not isinstance(node, ast.Dict) else None


def _table(text: str) -> dict[str, Scalar]:
    rows = [line.strip() for line in text.splitlines() if line.strip()]
    if len(rows) < 3 or not all(r.startswith("|") for r in rows) or set(rows[1]) - set("|:- \t") or "-" not in rows[1]:
        return {}
    out: dict[str, Scalar] = {}
    for row in rows[2 : MAX_KEYS + 2]:
        cells = [c.strip() for c in row.strip("|").split("|", 1)]
        if len(cells) == 2 and cells[0] and (value := scalar(cells[1])) is not None:
            out[cells[0].strip("`* ")] = value
    return out


def _options(text: str) -> dict[str, Scalar]:
    """The options of one command line, at least two of them."""
    if text.count("--") < 2 or len(text) > _MAX_LINE or "\n" in text.replace("\\\n", " "):
        return {}
    try:
        words = shlex.split(text)
    except ValueError:
        return {}
    out: dict[str, Scalar] = {}
    for i, word in enumerate(words[:MAX_KEYS]):
        if not word.startswith("--") or len(word) < 3:
            continue
        key, has, value = word[2:].partition("=")
        if not has and i + 1 < len(words) and not words[i + 1].startswith("--"):
            value, has = words[i + 1], "="
        found = scalar(value) if has else True
        if found is not None:
            out[key] = found
    return out if len(out) > 1 else {}


def _lines(text: str) -> dict[str, Scalar]:
    """Lines of `key: value` or `key=value`, at least two and all of the text; not a dialog or other prose."""
    rows = [line for line in text.splitlines() if line.strip()]
    if len(rows) < 2:
        return {}
    out: dict[str, Scalar] = {}
    for row in rows[:MAX_KEYS]:
        found = _LINE.fullmatch(row.strip()) if len(row) <= _MAX_LINE else None
        if found is None:
            return {}
        if (value := scalar(found[2])) is not None:
            out[found[1]] = value
    wordy = sum(isinstance(v, str) and " " in v for v in out.values())
    exact = sum(not isinstance(v, str) for v in out.values())
    return out if exact and 2 * wordy <= len(out) else {}
