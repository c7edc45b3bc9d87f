"""From the template of a line to a plan: which of its numbers is the step, which are metrics, and their names."""

from __future__ import annotations

import re
from dataclasses import replace

from curvedoc.core.frozen import dataclass
from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.naming.log_words import MEASURES, QUALITIES, is_outcome, is_rate, is_usual, spaced
from curvedoc.ingest.naming.split_words import SCOPES, has_scope, scope_of
from curvedoc.ingest.text.line.body import read_body
from curvedoc.ingest.text.line.codes import decoded, with_plain_split
from curvedoc.ingest.text.line.order import apart, name_first
from curvedoc.ingest.text.line.prefix import Prefix, read_prefix
from curvedoc.ingest.text.line.sentences import in_pairs
from curvedoc.ingest.text.line.slots import COUNTERS, EPOCH, INNER, METRIC, RANK, STEP, NumberSlot, named
from curvedoc.ingest.text.line.template import CLOCK, FRACTION, NUMBER

#: A sentence with an outcome that is said so often is a record.
HABIT = 5
#: So many names with their numbers make a row.
_MANY = 3
#: Values that are no number; the pair says nothing.
_NO_VALUE = late_regex(
    r"['\"]?[\w./-]{1,60}['\"]? ?[=:] ?(?:None|null|n/a|N/A|--|True|False|true|false)\b"
    rf"|\b[\w./-]{{1,60}}=(?:\"[^\"{NUMBER}{FRACTION}]{{0,200}}\"|[A-Za-z_][\w./:-]{{0,60}}(?![\w(./:{NUMBER}{FRACTION}-]))"
)
#: What every record with more than one number holds: a counter or a measure, or a position at its head. Running text is
#: told from records by this alone most of the time, a hundred times faster than by reading it.
_COULD = late_regex(
    rf"(?i:step|iter|epoch|batch|update|episode|round|schritt|pass?o|train(?:ing)? ?[=:]|\bep\b|\bit\b|\bba\b)"
    rf"|(?i:{MEASURES})"
    rf"|(?i:train(?:ing)?|tr|fit) +{NUMBER}"
    rf"|^\[?{NUMBER}|^\[? {{0,4}}{FRACTION}|\|\||(?i:{QUALITIES.replace(' ', '[ _-]')})"
)
#: What the description of a bar may say when the bar is the training's own.
_TRAINING = late_regex(r"(?i)epochs?|task|experience|train(?:ing)?|steps?|iter(?:ation)?s?|batch(?:es)?|of")
#: What is measured may stand in the description too ("d: 0.98;gen: 0.12:   0%|").
_PAIR = late_regex(rf"[A-Za-z_][\w./-]*\s*[:=]\s*{NUMBER}")
_BAR = late_regex("\\|\\||\u2592")
#: Names and values by turns ("iteration,100,test_loss,2.06").
_LISTED = late_regex(
    rf"(?:{NUMBER}[,;] ?)?(?:[A-Za-z_][\w./: -]{{0,60}}([,;]){NUMBER}[,;]?)"
    rf"(?:[,;]? ?[A-Za-z_][\w./: -]{{0,60}}\1{NUMBER})+"
)
#: A line of a command that is printed over several lines.
_OPTION = late_regex(r"\s*--[a-z][\w-]*[ =]")
#: What a probe prints at its end ("check bad-data 2: no").
_ANSWER = late_regex(rf"check [a-z-]+ {NUMBER}: (?:yes|no)\b")
#: The numbers of columns and their names: "# 1:epoch 2:loss".
_COLUMNS = late_regex(rf"[#%!\s]*(?:{NUMBER}[:.)] ?[A-Za-z_][\w./-]*[\s,]*){{2,}}")
_ELEMENT = late_regex(r"\[\d+\]$|(?:task|split|experience|domain)_(?!1\b)\d+")
#: "Epoch 3: (2.31, 2.40, 0.11)"
_UNNAMED = late_regex(
    rf"[A-Za-z]+[ :=]{{1,2}}[{NUMBER}{FRACTION}][ :,|>-]{{1,4}}[(\[]?({NUMBER}(?:[ ,;|]+{NUMBER})+)[)\]]?"
)
#: "--- Round 3 of 400: Training 10 clients ---": it counts whatever stands behind it.
_HEADED = late_regex(
    rf"[^\w{NUMBER}{FRACTION}]{{0,40}}(?i:epoch|round)[ :#]{{1,3}}(?:{FRACTION}|{NUMBER} of {NUMBER})[^\w%]"
)
_MARK = late_regex(f"[{NUMBER}{FRACTION}]")
#: A clock with its name, which is none that counts ("0.5 loss  100 step  10:27").
_CLOCK_PAIR = late_regex(
    rf"(?:(?<!\w)(?!(?:steps?|epochs?|iter(?:ation)?s?|batch|updates?)\b)[A-Za-z][\w ]{{0,40}})?"
    rf"[:=]?(?: ?\({CLOCK}\)|[ \[<]{{0,8}}{CLOCK})"
)


@dataclass(frozen=True, slots=True)
class LinePlan:
    """What to do with every line of one template.

    kind: "record"; "loose" (outcomes without a counter); "spoken" (outcomes within a sentence: a record only where it
          is said again and again); "anchor" (a counter alone: context for what follows);
          "best" (the best so far of unseen data alone: loose where nothing else tells of these);
          "pairs" (of any names, behind a step: a record where they come again and again and nothing else is one);
          "member" (one `key=value`, a record only right after an anchor); "bar" (progress without metrics); "" (text)
    keep: the line is a message as well
    running: it tells means of the evaluation so far, in brackets behind the values of the last batch
    """

    kind: str
    slots: tuple[NumberSlot, ...]
    prefix: Prefix
    scope: str = ""
    bar: bool = False
    averaged: bool = False
    samples: bool = False
    keep: bool = False
    running: bool = False

    @property
    def counted(self) -> bool:
        """Whether the line names a counter."""
        return any(s.role in (STEP, INNER, EPOCH) for s in self.slots)


def _bar_scope(body: str) -> str:
    """The scope of a progress bar: "other" where its description speaks of something else than the training."""
    return scope_of(" ".join(_described(body))) or ("" if _of_training(body) else "other")


def _described(body: str) -> list[str]:
    """The words before a progress bar."""
    return re.findall(r"[A-Za-z]{2,}", _PAIR.sub(" ", _BAR.split(body, maxsplit=1)[0]))


def _of_training(body: str) -> bool:
    """Whether a bar counts steps of training: a scan of the training data is described by more words."""
    return all(_TRAINING.fullmatch(w) or is_usual(w) for w in _described(body))


#: "Saved the best model, validation accuracy: 0.93", in Chinese, Japanese and Russian.
_BEST_SO_FAR = late_regex("最佳|最优|最好|最高|最良|ベスト|[Лл]учш")


def _is_best(metrics: list[NumberSlot]) -> bool:
    """Whether the line only tells of the best value so far."""
    return all("best" in spaced(s.name).split() for s in metrics)


def _of_splits(metrics: list[NumberSlot]) -> bool:
    """Whether the values are told by two splits alone ("train=2.31 valid=2.40")."""
    return len({SCOPES[s.name.lower()] for s in metrics if s.name.lower() in SCOPES}) > 1


def _alone(name: str) -> bool:
    """Whether a name says enough without a mark before its number: that of a rate, or a split ("Valid  2.31")."""
    return is_rate(name) or name.lower() in SCOPES


def _leads(first: NumberSlot) -> bool:
    """Whether a number counts steps or epochs: rounds and episodes are of games as well."""
    return first.role == STEP or (
        first.role == EPOCH and spaced(first.name).startswith("ep") and first.name[2:3] != "i"
    )


def _nested(found: list[NumberSlot], marks: str) -> list[NumberSlot]:
    """The slots, of which an iteration that says no total ahead of a step that does counts the epochs, and of two that
    count epochs at the head of a line ("Round 3 | Local epoch 1") the second what is within the first."""
    if len(found) > 2 and found[0].role == found[1].role == EPOCH and spaced(found[0].name) != spaced(found[1].name):
        role = METRIC if any(s.role == INNER for s in found) else INNER
        return [found[0], replace(found[1], role=role), *found[2:]]
    steps = [s for s in found if s.role == STEP]
    if len(steps) != 2 or not spaced(steps[0].name).startswith("iter") or not spaced(steps[1].name).endswith("step"):
        return found
    outer, inner = steps
    if marks[outer.slot] == FRACTION or marks[inner.slot] != FRACTION:
        return found
    roles = {outer.slot: EPOCH, inner.slot: INNER}
    return [replace(s, role=roles[s.slot]) if s in steps else s for s in found]


def plan_of(template: str) -> LinePlan:
    """The plan of one template; kind "" where the line is running text."""
    prefix = read_prefix(template)
    body = apart(template[prefix.end :])
    numbers = body.count(NUMBER) + body.count(FRACTION)
    body = with_plain_split(decoded(body) if numbers > 1 else body)
    if (
        not numbers
        or (numbers > 1 and body.isascii() and not _COULD.search(body))
        or _OPTION.match(body)
        or _ANSWER.match(body)
        or _COLUMNS.fullmatch(body)
    ):
        return LinePlan("", (), prefix)
    by_turns = _LISTED.fullmatch(body)
    if by_turns is not None:
        body = body.replace(f"{by_turns[1]}{NUMBER}", f"={NUMBER}")
        body = f"step={body}" if body[0] == NUMBER else body
    body = _NO_VALUE.sub("|", _CLOCK_PAIR.sub(" | ", body))
    state = read_body(name_first(in_pairs(body)), prefix.slots)
    state.found = _nested(state.found, "".join(c for c in template if c in (NUMBER, FRACTION)))
    slots = named(state)
    metrics = [s for s in slots if s.role == METRIC]
    counters = [s for s in slots if s.role in COUNTERS]
    outcome = any(is_outcome(s.name) for s in metrics) or _of_splits(metrics)
    scope = "train" if "train" in state.scopes else state.scopes[-1] if state.scopes else ""
    if state.bar and not scope:
        scope = _bar_scope(body)
    printed = (body.lstrip("| ").startswith("{") and len(metrics) > 1) or ("{'" in body and outcome)
    kind = ""
    if state.late and not printed:
        kind = "spoken" if counters and outcome and is_outcome(metrics[0].name) else ""
    elif counters and metrics:
        usual = outcome or any(is_usual(s.name) for s in metrics)
        # of what stands behind an epoch and a batch, the name may be any
        placed = len(counters) > 1 and not state.prose and not state.stray
        # and of many that stand each beside its number, behind a counter
        listed = len(metrics) >= _MANY and not state.prose and not state.stray
        fits = usual or placed or listed or (state.strong and not state.plural)
        if fits and (state.prose <= len(metrics) + 1 or (printed and outcome)):
            kind = "record"
        elif state.bar:
            kind = "bar"
        elif outcome:
            kind = "spoken"
        elif _leads(slots[0]) and len(metrics) > 1 and not state.prose and not state.stray:
            kind = "pairs"
    elif counters and state.bar:
        kind = "bar"
    elif counters and _leads(slots[0]) and (values := _UNNAMED.fullmatch(body.strip())) is not None:
        kind = "pairs"
        first = slots[-1].slot + 1
        slots = (*slots, *(NumberSlot(METRIC, first + i, f"column {i + 1}") for i in range(values[1].count(NUMBER))))
    elif counters and state.prose <= 1 and not state.stray and not state.spoken:
        kind = "anchor"
    elif metrics and outcome:
        kind = "record" if printed else "loose" if state.prose <= 1 else "spoken"
        if kind == "loose" and not state.strong and state.stray:
            kind = ""  # a row of some table that has a word like "gradient" in it
        short = not state.prose and len(metrics) == 1  # "Mean loss was 0.5" says nothing else
        kind = "spoken" if state.spoken and kind and not short else kind
        if not printed and (_is_best(metrics) or _BEST_SO_FAR.search(body)):
            kind = "best" if len(metrics) == 1 and has_scope(metrics[0].name) else ""
            slots = tuple(replace(s, name=s.name.removeprefix("best ")) for s in slots)
    elif len(metrics) == 1 and (state.strong or _alone(metrics[0].name)) and not state.prose and not state.stray:
        kind = "member"
    if state.led and state.stray and not state.strong:
        kind = ""  # a row of some table
    if not kind and counters and slots[0].role == EPOCH and _HEADED.match(body):
        kind = "anchor"
    if kind == "bar" and scope == "train" and not _of_training(body):
        scope = "other"
    if kind in ("bar", "anchor"):
        slots = tuple(s for s in slots if s.role != METRIC)
    running = scope not in ("", "train", "other") and any(s.role == INNER for s in slots)
    told = _meant(slots, template) if running else slots
    running, slots = running and told != slots, told
    if prefix.rank_slot >= 0:
        slots = (*slots, NumberSlot(RANK, prefix.rank_slot, ""))
    return LinePlan(
        kind, slots, prefix, scope, state.bar,
        averaged="/step" in body and ("\u2592" in body or body.startswith(FRACTION)),
        samples=any(s.role == INNER and s.name == "samples" for s in slots)
        or (re.search(rf"\[ *{FRACTION} \( *{NUMBER}%\)\]", body) is not None and "rain Epoch" in body),
        keep=(kind == "record" and (state.prose >= 2 or prefix.level in ("WARNING", "ERROR", "CRITICAL")))
        or (kind == "anchor" and state.prose > 0)
        or kind == "best",
        running=running,
    )  # fmt: skip


def _meant(slots: tuple[NumberSlot, ...], template: str) -> tuple[NumberSlot, ...]:
    """The slots, with the mean so far for the value of one batch: that of "Loss 0.5 (0.6)"."""
    behind = _MARK.split(template)[1:]
    means = {i for i, text in enumerate(behind[:-1]) if text.strip() == "(" and behind[i + 1].startswith(")")}
    return tuple(replace(s, slot=s.slot + 1) if s.role == METRIC and s.slot in means else s for s in slots)


def shape_of(plan: LinePlan) -> tuple[str, ...]:
    """The names of what a line holds, of a list that may grow that of its first element alone."""
    return tuple(s.name for s in plan.slots if not _ELEMENT.search(s.name))
