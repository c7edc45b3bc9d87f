"""Evidence sentences: fields filled in, and the marks that show them on the curves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from curvedoc.core.diagnosis import Evidence, Mark
from curvedoc.core.late_regex import late_regex
from curvedoc.core.numbers import spelled
from curvedoc.core.series import Series
from curvedoc.diagnose.sentence.counter import STEPS, Counter
from curvedoc.rulebook.rule import MarkSpec, Sentence

_FIELD = late_regex(r"\{([^{}]*)\}")
#: A ratio below it keeps a second digit.
TOLD_APART = 10.0
#: What is counted in sentences: one of it loses its s.
_COUNTED = late_regex(
    r"^((?: logged| accumulated| finite)? (?:row|step|sample|point|evaluation|epoch|layer|micro-batch|class))(?:e?s)\b"
)
_STEP = late_regex(r"\bstep(s?) $")
_TIMES = " time(s)"
#: A course whose ends read alike, and what it says then; the words that each has, because most sentences have none.
_LEVEL = tuple(
    (words, late_regex(course + r"(?=[\s,;:)]|$)"), said)
    for words, course, said in (
        (
            " from ",
            r"\b(?:only )?(?:goes|went|moves|moved) from (about )?(\S+?) to (?:about )?\2",
            r"stays at \1\2",
        ),
        ("begins at ", r"\bbegins at (about )?(\S+?) and ends at (?:about )?\2", r"begins and ends at \1\2"),
        (
            " at the start, ",
            r"\b(about )?(\S+) at the start, (?:about )?\2 at the end",
            r"\1\2 at the start and at the end",
        ),
    )
)
_OPEN_PLURAL = late_regex(r"^((?: [a-z-]+){1,2})\(s\)")


def fill(text: str, env: Mapping[str, Any], texts: Mapping[str, str | None], count: Counter = STEPS) -> str | None:
    """The sentence with its numbers in, None when one of them is unknown.

    A counted noun agrees with its number: `{n:.0f} rows` gives "1 row", `{n:.0f} time(s)` gives "once" or "2 times".
    "step {s:step}" becomes what the run counts in: "epoch 12 (step 60)", "sample 1,280".
    """
    before, fields = _parts(text)
    out: list[str] = []
    for name, form, times, once, many, single in fields:
        one, word = False, texts.get(name)
        if word is None:
            value = env.get(name)
            if value is None or isinstance(value, Series) or (form == "step" and value < 0):
                return None  # what was written before the first logged step has no step
            # "1 times" of a ratio of 1.4 would say that nothing grew
            ratio = times and abs(value) < TOLD_APART
            word = spelled(value, ".2g" if ratio else form or ".4g")
            one = word == "1"
            if form == "step" and before.endswith("step "):
                said = "".join([*out, before])
                at = count.inside if said.count("(") > said.count(")") else count.at
                before, word = before[: -len("step ")], at(value)
            elif form == "step":
                before = _STEP.sub(count.noun + r"\1 ", before)
        out += (before, "once" if one and once else word)
        before = single if one else many
    out.append(before)
    return _level("".join(out))


#: A field: its name, its form, whether it counts how many times as high something is or how often it comes ("time(s)"),
#: and what follows it up to the next one, also where it is 1.
_Field = tuple[str, str, bool, bool, str, str]


# Sentences are those of the rule book, and the same for run after run.
@lru_cache(maxsize=4096)
def _parts(text: str) -> tuple[str, tuple[_Field, ...]]:
    """What stands before the fields of a sentence, and these."""
    found = list(_FIELD.finditer(text))
    if not found:
        return _agreeing(text, False), ()
    ends = [m.start() for m in found[1:]] + [len(text)]
    fields: list[_Field] = []
    for m, end in zip(found, ends, strict=True):
        name, _, form = m[1].partition(":")
        stop = m.end()
        times, once = form == ".0f" and text.startswith(" times", stop), text.startswith(_TIMES, stop)
        single = _agreeing(text[stop + len(_TIMES) * once : end], True)
        fields.append((name, form, times, once, _agreeing(text[stop:end], False), single))
    return _agreeing(text[: found[0].start()], False), tuple(fields)


def _level(text: str) -> str:
    """The sentence without a range whose ends are equal.

    >>> _level("its loss only goes from about 2.31 to about 2.31, see there")
    'its loss stays at about 2.31, see there'
    >>> _level("about 4.22 at the start, about 4.22 at the end")
    'about 4.22 at the start and at the end'
    """
    for words, course, said in _LEVEL:
        if words in text:
            text = course.sub(said, text)
    return text


def first_that_holds(
    sentences: Iterable[Sentence], env: Mapping[str, Any], texts: Mapping[str, str | None], count: Counter = STEPS
) -> tuple[int, str] | None:
    """The place and the text of the first sentence whose `given` is true and whose fields are known."""
    for i, sentence in enumerate(sentences):
        if sentence.given is None or env.get(sentence.given) is True:
            text = fill(sentence.text, env, texts, count)
            if text is not None:
                return i, text
    return None


def _agreeing(text: str, one: bool) -> str:
    """What follows a number, its noun in the singular after a one."""
    if "(s)" in text:
        text = _OPEN_PLURAL.sub(r"\1" if one else r"\1s", text)
    return _COUNTED.sub(r"\1", text) if one else text


def _mark(spec: MarkSpec, env: Mapping[str, Any]) -> Mark | None:
    series = env.get(spec.metric)
    if not isinstance(series, Series):
        return None

    def step(name: str | None) -> int | None:
        value = None if name is None else env.get(name)
        return None if value is None else round(value)

    level = None if spec.level is None else env.get(spec.level)
    point = step(spec.point)
    name = spec.called if level is not None else ""
    mark = Mark(series.metric, point if point is not None else step(spec.start), step(spec.end), level, name)
    return None if mark.start is None and mark.end is None and mark.level is None else mark


def evidence(
    sentences: Iterable[Sentence], env: Mapping[str, Any], texts: Mapping[str, str | None], count: Counter = STEPS
) -> tuple[Evidence, ...]:
    """The sentences that hold: their `given` is true and every number in them is known."""
    out = []
    for sentence in sentences:
        if sentence.given is not None and env.get(sentence.given) is not True:
            continue
        text = fill(sentence.text, env, texts, count)
        if text is None:
            continue
        mark = None if sentence.mark is None else _mark(sentence.mark, env)
        # a mark without a place still says on which curve the sentence can be seen
        curve = None if sentence.mark is None else env.get(sentence.mark.metric)
        metric = curve.metric if isinstance(curve, Series) else None
        out.append(Evidence(text, metric, (mark,) if mark else ()))
    return tuple(out)
