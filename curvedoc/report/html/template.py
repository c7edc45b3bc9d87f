"""The templates of the page and the words they may use."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from curvedoc.core.source import Note
from curvedoc.report import abort, words
from curvedoc.report.escape import visible, visible_block
from curvedoc.report.event_order import in_order
from curvedoc.report.glossary import glossed
from curvedoc.report.inbox import cause_words
from curvedoc.report.redact import redact
from curvedoc.report.summary import sentence

if TYPE_CHECKING:
    from jinja2 import Environment

#: Longer texts are not held for another use.
_HELD = 2000


@functools.cache
def environment() -> Environment:
    """Templates whose every expression is freed of credentials, made visible and escaped, unless it is `Markup`."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    env = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters: dict[str, Callable[..., Any]] = {
        "name": visible,
        "block": visible_block,
        "secret": redact,
        "sentence": sentence,
        "cap": words.cap,
        "run": lambda name: visible(words.run_name(name)),
        "step": words.step,
        "value": words.value,
        "size": words.size,
        "count": words.count,
        "cost": lambda c: words.COSTS.get(c, ""),
        "note": _note,
        "fact": words.fact,
        "percent": words.percent,
        "causewords": cause_words,
        "abort": abort.told,
        "abortcode": abort.code,
        "unit": words.unit,
        "glossed": lambda text: glossed(visible(redact(text))),
        "lastline": lambda text: next((x.strip() for x in reversed(text.splitlines()) if x.strip()), "")[:200],
        "in_order": in_order,
        "legend": lambda bands: dict.fromkeys((b.text, b.kind) for b in bands),
        "key": lambda text: "k" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:10],
    }
    env.filters.update(filters)
    return env


def _note(n: Note) -> str:
    where = f", line {n.line:,}" if n.line is not None else f", byte {n.offset:,}" if n.offset is not None else ""
    return n.text + where + (f" ({n.count:,} times)" if n.count > 1 else "")


def _shown(value: Any) -> Any:
    if isinstance(value, Markup):
        return value
    text = str(value)
    return _cleaned(text) if len(text) <= _HELD else visible_block(redact(text))


@functools.lru_cache(maxsize=8192)
def _cleaned(text: str) -> str:
    # the runs of a tree say mostly the same: causes, checks, fixes
    return visible_block(redact(text))
