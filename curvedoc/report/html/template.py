"""The templates of the page and the words they may use."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from curvedoc.core.source import Note
from curvedoc.report import abort, words
from curvedoc.report.charts.marks import legend
from curvedoc.report.escape import visible, visible_block
from curvedoc.report.event_order import in_order
from curvedoc.report.glossary import glossed
from curvedoc.report.redact import redact
from curvedoc.report.summary import sentence

if TYPE_CHECKING:
    from jinja2 import BaseLoader, Environment

_TEMPLATES = Path(__file__).parent / "templates"
_COMPILED = Path(__file__).parent / "assets" / "templates.json"
#: Longer texts are not held for another use.
_HELD = 2000


@functools.cache
def environment() -> Environment:
    """Templates whose every expression is freed of credentials, made visible and escaped, unless it is `Markup`."""
    from jinja2 import Environment, StrictUndefined

    env = Environment(
        loader=_loader(),
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
        "abort": abort.told,
        "abortcode": abort.code,
        "unit": words.unit,
        "glossed": lambda text: glossed(visible(redact(text))),
        "lastline": lambda text: next((x.strip() for x in reversed(text.splitlines()) if x.strip()), "")[:200],
        "in_order": in_order,
        "legend": lambda picture: legend(picture.bands, picture.pins),
        "key": lambda text: "k" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:10],
    }
    env.filters.update(filters)
    return env


def compiled() -> str:
    """Every template as the Python that Jinja makes of it, as JSON with Jinja's version: to compile them takes longer
    than all else of a page."""
    env = environment()
    sources = {path.name: path.read_text("utf-8") for path in sorted(_TEMPLATES.iterdir())}
    code = {name: env.compile(text, name, raw=True, defer_init=True) for name, text in sources.items()}
    return json.dumps({"jinja": _jinja(), "code": code}, indent=0) + "\n"


def _jinja() -> str:
    import jinja2

    return str(getattr(jinja2, "__version__", ""))


def _loader() -> BaseLoader:
    """Templates as they were compiled for the release, where this Jinja is of the line that compiled them."""
    from jinja2 import BaseLoader, FileSystemLoader

    shipped: dict[str, Any] = json.loads(_COMPILED.read_text("utf-8")) if _COMPILED.exists() else {"jinja": ""}
    if shipped["jinja"].rpartition(".")[0] != _jinja().rpartition(".")[0]:
        return FileSystemLoader(_TEMPLATES)

    class CompiledLoader(BaseLoader):
        def load(self, environment: Environment, name: str, globals: Any = None) -> Any:
            code = compile(shipped["code"][name], name, "exec")
            return environment.template_class.from_code(environment, code, globals or {})

    return CompiledLoader()


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
