"""One pass over the numbers in the body of a log line: counters, metrics, running text."""

from __future__ import annotations

import re

from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.naming.log_words import is_outcome, is_usual, spaced
from curvedoc.ingest.naming.split_words import SCOPES, has_scope, scope_of
from curvedoc.ingest.naming.word_set import word_set
from curvedoc.ingest.text.line import words
from curvedoc.ingest.text.line.key import ALLOWED_REST, SCORES, counter_of, is_dirty, leads, split_key
from curvedoc.ingest.text.line.phrases import keys_first
from curvedoc.ingest.text.line.slots import COUNTERS, EPOCH, INNER, METRIC, PLACE, STEP, Body, NumberSlot
from curvedoc.ingest.text.line.template import FRACTION, NAN_WORD, NUMBER

#: A split in brackets holds for the line whatever else it says.
_TAGGED = late_regex(r"\[([A-Za-z][A-Za-z _()/-]{2,30})\]")
#: Behind the last number, after a mark of its own: "> saved as the best model", "*** best".
_BEHIND = late_regex(r"\s*(?:[>*!#|<{\u2190-\u2bff\U0001f300-\U0001faff\[-]|=>|  |\t)")
#: A remark on the number before, after which nothing else is named.
_ASIDE = late_regex(r" *\((?![^)]*\)[ ,;|:]+[A-Za-z])")
#: Another split and its number.
_OTHER_SPLIT = late_regex(rf"(?i:\b(?:train\w*|val\w*|test|dev|eval) ?[:=] *{NUMBER})")
#: What no text between two positions has in it.
_WORDLESS = late_regex(r"[^\[\](),; ]")
_DONE = late_regex(r"% ?(?:done|completed?|finished)\b")
#: "12.5% loss 0.71", "[12%] | train loss: 0.71"; in "95% accuracy, 0.3 loss" it is the accuracy.
_SHARE_DONE = late_regex(rf"%[\])>]?[ |:;,>-]{{1,6}}([A-Za-z_][\w ./-]{{0,30}}?)[ :=~>-]{{1,4}}{NUMBER}")
#: What a bar says behind its position when it counts epochs: "1/10 [00:26<04:01, 26.86s/epoch".
_EPOCHS = late_regex(rf"[^A-Za-z\]]{{0,16}}(?:{NUMBER}|\?) ?(?:s/(?:epoch|ep)|(?:epoch|ep)s?/s)\b")
#: "Evaluation result (greedy): loss 0.5"
_BEFORE_COLON = late_regex(r" \([a-z ]{1,20}\)(?=: *$)")
#: What takes a time that is told without the word.
_TIMES = frozenset(("s", "ms", "sec", "secs"))
_TIMED = word_set(
    "cost data load loading io forward fwd backward bwd fetch compute comm total remaining elapsed passed"
)
_LONG = frozenset(("m", "min", "mins", "h", "hr", "hours"))
_COUNTERS = frozenset((*words.STEP_WORDS, *words.INNER_WORDS, *words.EPOCH_WORDS))
_SCOPE_ONLY = late_regex(
    r"set|sets|results?|metrics?|split|subset|on|dataset|data|phase|summary|average|final|loop|performance|stats"
)
#: What opens a line of source code is no reward: "return 2", "return n + 1".
_STATEMENT = late_regex(r"return\b(?! (?:mean|std|min|max|avg|median)\b)", re.IGNORECASE)


def _keyless(state: Body, gap: str, tail: str, mark: str, sep: str, slot: int) -> None:
    """A number without a key of its own: a position, an element of a list, the loss of "Loss at step 5: 2.3"."""
    bare = gap.strip(" '\"")
    if not state.found and not bare.strip("[(<") and (_DONE.match(tail) or _is_progress(tail)):
        return  # how far it is, in percent
    last = state.found[-1] if state.found else None
    last_name = last.name if last is not None and last.role == METRIC else ""
    if gap.rstrip(" ").endswith("||") and mark == FRACTION:
        # bars overwritten without a line end stand on one line: the last one is the state of things
        counts = (EPOCH, "epoch") if _EPOCHS.match(tail) else (INNER, "batch")
        state.found = [*(s for s in state.found if s.role != INNER), NumberSlot(counts[0], slot, counts[1])]
        state.bar = True
    elif state.listed and bare == ",":
        state.count += 1
        state.found.append(NumberSlot(METRIC, slot, f"{state.listed}[{state.count}]"))
    elif state.found and mark == NUMBER and words.pace(gap, tail):
        state.found.append(NumberSlot(METRIC, slot, words.pace(gap, tail), words.unit_of(tail.lstrip(" "))))
    elif state.found and mark == NUMBER and words.took(gap, tail):
        return
    elif sep and state.rest:
        key = " ".join(w for w in state.rest.split() if w.lower() not in ALLOWED_REST)
        if key and (is_outcome(key) or key.lower() in SCORES):
            state.found.append(NumberSlot(METRIC, slot, key, words.unit_of(tail)))
            state.strong, state.rest = True, ""
    elif (
        last is not None
        and last.role == EPOCH
        and (mark == FRACTION or bare.startswith("][") or bare == "[" or (bare == "," and tail.startswith("]")))
    ):
        state.found.append(NumberSlot(INNER, slot, "batch"))
    elif _is_place(state, gap) and (mark == FRACTION or tail[:1] in (")", "]")):
        # of two positions at the head of a line ("[0/25][50/782]") the first is that of the epoch
        state.found = [NumberSlot(EPOCH, state.found[0].slot, "epoch"), NumberSlot(INNER, slot, "batch")]
    elif mark == FRACTION and bare == "[" and tail == "]" and len(state.found) == 1 and "loss" in spaced(last_name):
        state.found.append(NumberSlot(INNER, slot, "samples"))  # PyTorch's tutorial: "loss: 2.3  [   64/60000]"
    elif not state.found and not bare.strip("[(#<"):
        if mark == FRACTION:
            state.found.append(NumberSlot(INNER, slot, "batch"))
            state.bar = "\u2592" in tail[:8]
        elif bare == "[" and re.match(rf", *{NUMBER}\]", tail):
            state.found.append(NumberSlot(EPOCH, slot, "epoch"))  # PyTorch's tutorial: "[1,  2000] loss: 2.173"
        elif (
            (bare == "[" and tail[:2] in ("] ", "]"))
            or (bare == "#" and tail[:1] in ("", " "))
            or (bare == "<" and tail.startswith("> "))
            or tail.startswith((":  ", " ["))
        ):
            state.found.append(NumberSlot(PLACE, slot, "iteration"))
        elif leads(gap, tail):
            state.found.append(NumberSlot(PLACE, slot, "iteration"))
            state.led = True
        else:
            state.stray += 1
    else:
        state.stray += 1


def _is_progress(tail: str) -> bool:
    """Whether a share at the head of a line, behind which a name and its number stand, is how far the training is."""
    said = _SHARE_DONE.match(tail) if tail.startswith("%") else None
    return said is not None and is_outcome(said[1])


def _is_place(state: Body, gap: str) -> bool:
    """Whether nothing but a position that no word names, and marks, stands before a number."""
    only = len(state.found) == 1 and not state.bar and not state.stray and not state.prose
    return only and state.found[0].role == INNER and state.found[0].name == "batch" and not _WORDLESS.search(gap)


def _keyed(state: Body, key: str, sep: str, opened: str, mark: str, unit: str, slot: int, tail: str) -> None:
    """A number after a key: a counter, a metric, or running text."""
    if key.endswith(" -"):  # "dice_loss - 0.45"
        key, sep = key[:-2], sep or "-"
    timed = key.lower() in _TIMED
    if (unit in _TIMES or (timed and unit in _LONG)) and (timed or spaced(key) in _COUNTERS):
        state.found.append(NumberSlot(METRIC, slot, f"{key} time", unit))  # "data 0.31s batch 0.37s"
        return
    counter = counter_of(key, mark == FRACTION, not state.found and not state.prose and (not sep or mark == FRACTION))
    if counter is not None:
        role, rest = counter
        if scope_of(rest):
            state.scopes.append(scope_of(rest))
        state.late = state.late or (bool(state.found) and any(w in ("at", "after") for w in rest.split()))
        state.rest = rest
        state.plural = spaced(key).endswith("s")
        state.prose += words.prose_words(" ".join(w for w in rest.split() if not is_outcome(w)))
        if role == INNER and _is_place(state, ""):  # "[3/20] it 150: loss 0.5"
            state.found = [NumberSlot(EPOCH, state.found[0].slot, "epoch")]
        state.found.append(NumberSlot(role, slot, key))
        return
    said = "" if sep or mark == FRACTION or state.found else words.counted_in(key)
    if said:
        # "Saved the model at epoch 3 with loss: 0.5": a sentence, which is a record at most where it comes again
        state.prose += words.prose_words(key.removesuffix(said))
        state.spoken = True
        state.found.append(NumberSlot(EPOCH if said.lower() in words.EPOCH_WORDS else STEP, slot, said))
        return
    if key.lower() in words.OF and not sep and state.found and state.found[-1].role in COUNTERS:
        return  # "Epoch 2 of 50"
    scope = SCOPES.get(key.lower())
    nested = opened == "[" and tail.startswith("][")  # "TRAIN [0][10/1938]"
    told = bool(opened or tail.strip()) or mark == FRACTION  # "Train: 129600" alone is the size of a set
    paired = sep == ":" and _OTHER_SPLIT.search(tail) is not None  # "Train: 2.31 | Val: 2.40"
    if (
        scope
        and told
        and not paired
        and (sep == ":" or mark == FRACTION or nested)
        and not state.found
        and opened in ("", "[")
    ):
        # timm's "Train: 0 [  10/1251 ...", "Test: [  10/196]": the scope stands where the counter's name should
        state.scopes.append(scope)
        bar = mark == FRACTION and "\u2592" in tail[:2]
        state.bar = state.bar or bar
        epoch = nested or (opened == "" and sep and not bar and not tail.startswith(")"))
        state.found.append(NumberSlot(EPOCH if epoch else INNER, slot, "epoch"))
        return
    if sep and " is " in key and has_scope(key.rpartition(" is ")[2]):  # "The result of the net is test acc: 0.5"
        state.prose += 1
        key = key.rpartition(" is ")[2]
    parts = key.split()
    while sep and len(parts) > 1 and words.is_prose(parts[0]):
        parts.pop(0)
        state.prose += 1
    key = " ".join(parts).replace(NAN_WORD, "nan")
    said = words.spoken(key) if not sep else ""
    if said:
        key, sep, state.spoken = said, "is", True
    count = len(key.split())
    if not words.KEY.fullmatch(key) or count > 6 or ("(" in opened and not sep) or key.count("(") > key.count(")"):
        state.prose += words.prose_words(key)
        return
    if not state.found and _STATEMENT.match(key) and (not sep or not key.isidentifier()):
        state.prose += len(key.split())
        return
    if words.is_running(key) or (not sep and (words.is_prose(key) or count > 3)):
        state.prose += words.prose_words(key)
        return
    if unit in ("s", "h") and not sep and not is_usual(key):
        state.prose += 1
    state.strong = state.strong or bool(sep)
    if state.label and sep == "=" and not has_scope(key) and not (is_usual(key) and "layer" not in state.label):
        key = f"{state.label}/{key}"
    state.found.append(NumberSlot(METRIC, slot, key, unit))
    if "[" in opened:
        state.listed, state.count = key, 0


def _leftover(state: Body, text: str) -> None:
    """Text that is no key: a scope when it says nothing else, prose otherwise."""
    first, bar, last = text.rpartition("| ")
    if bar and last.rstrip().endswith(":"):
        state.prose += words.prose_words(first)
        text = last
    text = _BEFORE_COLON.sub("", text)
    headed = text.rstrip().endswith(":")
    told = words.of_head(re.findall(r"[A-Za-z]{2,}(?:'[a-z]+)?", text), headed)
    if told and all(
        w.lower() in SCOPES or _SCOPE_ONLY.fullmatch(w.lower()) or (headed and is_outcome(w)) for w in told
    ):
        scope = scope_of(text)
        if scope:
            state.scopes.append(scope)
            return
    for m in _TAGGED.finditer(text):
        if scope_of(m.group(1)):
            state.scopes.append(scope_of(m.group(1)))
            break
    state.prose += words.prose_words(text)


def _label(before: str, label: str) -> str:
    """What a list of values is headed by: "grad norms: fc1=0.1 fc2=0.2", "layer fc1: grad_norm=0.1"."""
    text = before.rstrip()
    if not text.endswith(":"):
        return label
    m = re.search(r"(?:^|[|,;\]]|  )[ ]*([A-Za-z][\w./ -]{1,60}):$", text)
    head = m.group(1).strip() if m else ""
    named = is_outcome(head) or re.fullmatch(r"(?i)layers?[ ./]\S+", head)
    return head.lower().replace(" ", "_") if named and len(head.split()) <= 3 else ""


def read_body(body: str, first: int) -> Body:
    """What the numbers of a body are, slot by slot from `first` on; every number is looked at once."""
    state = Body()
    body, end, slot = keys_first(body), 0, first
    scoped: dict[int, str] = {}
    for pos, mark in ((i, c) for i, c in enumerate(body) if c in (NUMBER, FRACTION)):
        gap, tail = body[end:pos], body[pos + 1 : pos + 40]
        apart = words.unit_apart(tail)
        unit = apart or words.unit_of(tail)
        end = pos + 1 + len(unit) + bool(apart)
        if "]" in gap or ")" in gap:
            state.listed = ""
        if tail.startswith("%||"):
            _leftover_bar(state, gap, slot)
        elif slot > first and _ASIDE.match(gap) and not _counts_aside(state, gap, mark):
            state.stray += ")" in gap  # "loss 2.3 (avg 2.4)": a remark on the number before
        elif not apart and is_dirty(tail, unit):
            state.stray += 1
            _leftover(state, gap)
        else:
            before, key, sep, opened = split_key(gap)
            if before.strip():
                _leftover(state, before)
                state.label = _label(before, state.label)
            seen = len(state.scopes)
            if key.lower() in words.SPEAKS and state.rest:  # "loss at step 5 is 2.3"
                key, sep = "", "is"
            if key:
                _keyed(state, key, sep, opened, mark, unit, slot, tail)
            else:
                _keyless(state, gap, tail, mark, sep, slot)
            if seen and state.found and state.found[-1].slot == slot:
                scoped[slot] = state.scopes[seen - 1]
        slot += 1
    _leftover(state, "" if _BEHIND.match(body[end:]) else re.sub(r"\([^()]{0,60}\)", " ", body[end:]))
    measured = [s.slot in scoped for s in state.found if s.role == METRIC]
    led = next(
        (has_scope(s.name) for s in state.found if s.role == METRIC), False
    )  # "Test samples=3 cost=0.5 Eval: ..."
    if len(set(state.scopes)) == 1 and any(measured) and not all(measured) and not led:
        # "loss=0.3 | val: loss=0.4": what stands before the one scope is the training's
        state.scopes.insert(0, "train" if state.scopes[0] != "train" else "")
    if len(set(state.scopes)) > 1:
        state.found = [
            NumberSlot(s.role, s.slot, f"{scoped[s.slot]} {s.name}", s.unit)
            if s.role == METRIC and s.slot in scoped and not has_scope(s.name) else s
            for s in state.found
        ]  # fmt: skip
    return state


def _counts_aside(state: Body, gap: str, mark: str) -> bool:
    """Whether a remark on the number before has a key, or counts where nothing has so far ("dev L=0.5 (epoch 3)")."""
    said = gap.strip(" (")
    if said.endswith((":", "=")):
        return True
    best = any("best" in s.name.lower() for s in state.found)
    counter = counter_of(said, mark == FRACTION)
    roles = {s.role for s in state.found} - {METRIC}
    return not best and counter is not None and (not roles or (roles == {EPOCH} and counter[0] == STEP))


def _leftover_bar(state: Body, gap: str, slot: int) -> None:
    """The description before a progress bar: an epoch, a scope, or nothing of use."""
    if gap.strip() in (":", "|", "-") and _is_place(state, ""):
        state.found = [NumberSlot(EPOCH, state.found[0].slot, "epoch")]  # "3/200:  50%|"
    m = re.search(rf"(?i:epoch|ep)\s*:?\s*\[?([{NUMBER}{FRACTION}])", gap)
    if m is None and scope_of(gap):
        state.scopes.append(scope_of(gap))
