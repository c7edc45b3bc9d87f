"""Evidence sentences: fields filled in, and the marks that show them on the curves."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from curvedoc.diagnosis import Evidence, Mark
from curvedoc.rulebook.rule import MarkSpec, Sentence
from curvedoc.series import Series

_FIELD = re.compile(r"\{([^{}]*)\}")


def fill(text: str, env: Mapping[str, Any], texts: Mapping[str, str]) -> str | None:
    """The sentence with its numbers in, None when one of them is unknown."""
    out: list[str] = []
    end = 0
    for match in _FIELD.finditer(text):
        name, _, form = match[1].partition(":")
        if name in texts:
            word = texts[name]
        else:
            value = env.get(name)
            if value is None or isinstance(value, Series):
                return None
            word = f"{round(value):,}" if form == "step" else format(value, form or ".4g")
        out += [text[end : match.start()], word]
        end = match.end()
    return "".join([*out, text[end:]])


def _mark(spec: MarkSpec, env: Mapping[str, Any]) -> Mark | None:
    series = env.get(spec.metric)
    if not isinstance(series, Series):
        return None

    def step(name: str | None) -> int | None:
        value = None if name is None else env.get(name)
        return None if value is None else round(value)

    level = None if spec.level is None else env.get(spec.level)
    point = step(spec.point)
    mark = Mark(series.metric, point if point is not None else step(spec.start), step(spec.end), level)
    return None if mark.start is None and mark.end is None and mark.level is None else mark


def evidence(sentences: Iterable[Sentence], env: Mapping[str, Any], texts: Mapping[str, str]) -> tuple[Evidence, ...]:
    """The sentences that hold: their `given` is true and every number in them is known."""
    out = []
    for sentence in sentences:
        if sentence.given is not None and env.get(sentence.given) is not True:
            continue
        text = fill(sentence.text, env, texts)
        if text is None:
            continue
        mark = None if sentence.mark is None else _mark(sentence.mark, env)
        out.append(Evidence(text, mark.metric if mark else None, (mark,) if mark else ()))
    return tuple(out)
