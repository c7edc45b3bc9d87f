"""Lines that say the number before its name ("2.31 loss, 0.001 lr"), or all names before all numbers, turned round."""

from __future__ import annotations

import re

from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.naming.log_words import is_outcome
from curvedoc.ingest.naming.split_words import ANY_SPLIT, SPLITS, scope_of
from curvedoc.ingest.text.line import words
from curvedoc.ingest.text.line.key import counter_of
from curvedoc.ingest.text.line.template import FRACTION, NUMBER

_ITEM = late_regex(rf"({NUMBER})([ ]?[A-Za-z%/]{{1,6}})? ([A-Za-z_][\w./-]{{0,40}}(?: [A-Za-z_][\w./-]{{0,40}})?)")
#: "2.44 (train)"
_NAMED_BEHIND = late_regex(rf"({NUMBER})(%?) ?\(([A-Za-z_][\w ./-]{{0,40}})\)")
_APART = late_regex(r"\s*[,;|&]\s*|\s+(?:vs\.?|and)\s+")
_LEAD = late_regex(rf"^\s*[\[(]?[{NUMBER}{FRACTION}][\])]?[:|]?\s+(?=[{NUMBER}])")
_COUNTED = late_regex(rf"\s*\[?(?:[Ee]poch|EPOCH|[Ss]tep|[Ii]ter(?:ation)?) *#?[{NUMBER}{FRACTION}]\]?")
_SAID = late_regex(rf"{NUMBER}(%)? ([A-Za-z][A-Za-z. _-]{{1,40}})")
#: "[epoch, train loss, val loss]: 3, 0.5, 0.6"
_LISTED = late_regex(
    rf"[\[(]([A-Za-z][^\[\](){NUMBER}{FRACTION}]{{2,200}})[\])] ?[:=] ?[\[(]?({NUMBER}(?:, ?{NUMBER})*)[\])]?"
)
#: "loss in epoch 1 iteration 9: 1.36"
_PLACED = late_regex(
    rf"([A-Za-z][\w -]{{1,40}}?) (?:in|at|of|after|for) "
    rf"((?:(?:epoch|iteration|iter|step|batch|round|update)s? #?[{NUMBER}{FRACTION}],? ?){{2,}})"
    rf"(?:is|was|[:=])? ?({NUMBER})",
    re.IGNORECASE,
)
#: Pairs that are told as sentences: "Walker. Step: 300. Time Elapsed: 3.7 s. Mean Reward: 1.2. Training."
_TOLD_IN_TURN = late_regex(
    rf"(?:^|(?<=\] ))(?!(?i:tr|trn|val|valid|avg|acc|num|no|max|min)\.)"  # "Val. Loss: 0.5" is one name
    rf"[A-Z]\w{{0,40}}(?: [A-Z]\w{{0,40}})?\. (?=[A-Z][a-z]+: ?{NUMBER})"
    rf"|(?<=[{NUMBER}{FRACTION}])( ?[a-z%]{{0,3}})\. (?=[A-Z][A-Za-z ]{{1,40}}(?:: ?{NUMBER}|\.))"
)
#: The same behind a name that begins with a digit: "3DBall. Step: 300."
_PLACE_FIRST = late_regex(rf"^({NUMBER})[A-Za-z]\w{{0,40}}\. (?=[A-Z][a-z]+: ?{NUMBER})")
#: Flower's "fit progress: (3, 0.52, {'accuracy': 0.8}, 41.5)" and the line ahead of its first round
_ROUND = late_regex(rf"\bprogress: \(({NUMBER}), ({NUMBER}), (?=\{{)")
_NO_ROUND = late_regex(rf"\(loss, other metrics\): (?={NUMBER}, )")
#: What class-incremental learners print behind each task: "CNN: {'total': 62.1, '00-09': 48.0, 'old': 48.0, 'new': 9}"
_OLD_NEW = late_regex(rf"'(total|old|new)': ?(?={NUMBER})")
#: And what Mammoth prints: "Accuracy for 2 task(s): [Class-IL]: 45.2 % [Task-IL]: 91.3 %", then the share of each task.
_FOR_TASKS = late_regex(rf"Accuracy for ({NUMBER}) task\(s\):\s*\[Class-IL\]: (?={NUMBER})")
_OF_TASKS = late_regex(rf"Raw accuracy values: Class-IL \[(?={NUMBER})")
#: "pass 3: 426 mistakes on 5000 examples"
_WRONG = late_regex(
    rf"(\W*(?:epoch|pass|iteration|round|step|sweep)[ :#]{{1,3}}[{NUMBER}{FRACTION}][ :,|>-]{{1,4}})"
    rf"(?:made )?({NUMBER}) "
    rf"(?:mistakes?|errors?|misclassified|misclassifications|wrong|incorrect)\b"
    rf"([a-z ]*?(?: (?:on|of|in|over|among|from)|/)(?: the| all)? {NUMBER}(?: [a-z]+)?)?\.?",
    re.IGNORECASE,
)
#: "mean return (100) 3.5": over so many
_WINDOW = late_regex(rf"([A-Za-z][\w. ]{{1,40}}?) ?\(({NUMBER})\)( ?[:=])?(?= ?{NUMBER})")
#: "|g| 0.5", "||w||=3.2"
_NORMED = "g|df|proj g|proj grad|pg|dw|grad|gradient|∇f?|w|p|theta|dx|dtheta|step"
_NORM = late_regex(rf"(?<![^ \t,;(])\|{{1,2}}({_NORMED})\|{{1,2}}(?= ?(?:[:=]>?)? ?{NUMBER})")
_GRADIENTS = frozenset(("g", "df", "proj g", "proj grad", "pg", "dw", "grad", "gradient", "∇", "∇f"))
#: "(train, val) loss = (0.5, 0.6)", "loss (train, val) = 0.5, 0.6"
_NAMES = r"[(\[]([A-Za-z]\w*(?: ?[,/] ?[A-Za-z]\w*){1,3})[)\]]"
_WHAT = r"([A-Za-z][\w -]{0,30}?)"
_VALUES = rf"[(\[]?({NUMBER}(?: ?, ?{NUMBER}){{1,3}})[)\]]?"
_IN_TUPLES = late_regex(rf"(?:{_NAMES} {_WHAT}|{_WHAT} ?{_NAMES}) ?[:=]? ?{_VALUES}")
#: "train_loss|0.5|val_loss|0.6", "loss<train>=0.5"
_BARRED = late_regex(rf"(?<![ \w])([A-Za-z_][\w.]*)\|(?=[{NUMBER}{FRACTION}](?:\||$))")
_ANGLED = late_regex(r"(\w)<([A-Za-z]\w*)>(?=[=:])")
#: "training loss ........ 0.5", "my loss is... 0.5"; three dots behind another word mean that something goes on
_LEADER = late_regex(
    rf"(?:(?<=[A-Za-z)])(?: \.{{3,}}|\.{{4,}}| ?\.{{2,3}} ?[:=])"
    rf"|(?<=[A-Za-z)]) (?:is|was|are|equals) ?\.+) ?[:=]? ?(?={NUMBER})"
)
#: "f(x_k) = 0.5", "J(theta): 0.5": the objective by its arguments
_FUNCTION = late_regex(rf"(?<!\w)[fFJL]\((?:[xwθ]|theta|params?|weights?)(?:_\w|\*)?\)(?= ?[:=]+ ?{NUMBER})")
#: "on test images: 56.6 % right", "got 91.2% of the dev set correct"
_RIGHT = late_regex(
    rf"(?P<ahead>[^{NUMBER}{FRACTION}|,;]*){NUMBER} ?%(?P<of> of (?:the |all |its |our )?[a-z -]{{2,30}}?)? ?"
    r"(?:are |is |were |was )?(?:right|correct(?:ly classified)?)\b"
)
#: What Julia and Lisp print of symbols: "(:epoch, 1, :trn, 0.5)"
_SYMBOLS, _SYMBOL = late_regex(rf"\(?:\w+, [{NUMBER}{FRACTION}]"), late_regex(rf":(\w+), (?=[{NUMBER}{FRACTION}])")
#: "[t] 0.5 [v] 0.6", "train(0.5) valid(0.6)"
_BOXED = late_regex(rf"\[([A-Za-z_][\w./-]{{0,30}})\] ?(?={NUMBER})")
_CALLED = late_regex(rf"(?<![\w(])((?i:train\w*|trn?|val\w*|va|vld?|dev|test|tst|te|best|loss|acc)) ?\(({NUMBER}%?)\)")
#: "split=dev; loss=0.5", "phase: train", "event=eval_metrics"
_NAMED_SPLIT = late_regex(
    r"(?<![\w.])['\"]?(?:set|split|phase|mode|stage|part|subset|partition|dataset|event|evt|type|kind|job|what)['\"]?"
    rf" ?[:=] ?['\"]?({ANY_SPLIT}|tr|va|te)"
    r"(?:_(?:metrics?|step|epoch|end|results?|loop|set|data|log|stats|done|scores?))?"
    r"['\"]?(?=[\s,;|)\]}])",
    re.IGNORECASE,
)
#: "ELBO = 12.3 (= recon 10.1 + KL 2.2)", "loss 0.7 = ce 0.5 + kl 0.2"
_TERM = rf"[A-Za-z][\w ]{{0,30}}?[ :=]{{1,3}}{NUMBER}"
_SUM = late_regex(rf"(?<={NUMBER}) ?(?:[(\[] ?=? ?|= ?)({_TERM}(?: ?\+ ?{_TERM})+)[)\]]?")
#: "Evaluation over 10 episodes: 3.5"
_PLAYED = late_regex(
    rf"\b(?:eval\w*|test\w*) (?:over|on|of|for) ({NUMBER}) (?:episodes|games)(?= ?[:=] ?{NUMBER})", re.IGNORECASE
)
#: "train (2.31, 0.12) dev (2.40, 0.10)", "train 2.31 12% | dev 2.40 10%"
_SPLIT_WORD = rf"(?:{ANY_SPLIT}|tr|trn|va|vl|te)"
_TWO_OF_SPLIT = late_regex(
    rf"\b({_SPLIT_WORD})(?: ?[:=] ?| )[(\[]? ?({NUMBER}) ?%?[ ,/;|]{{1,3}}({NUMBER}) ?%?[)\]]?"
    rf"(?=[ ,;|]*(?:{_SPLIT_WORD}\b|$))",
    re.IGNORECASE,
)
#: "91% accuracy and 0.5 loss in training, 88% accuracy and 0.6 loss in validation (epoch 3)"
_COUNT = late_regex(
    rf"[\[(]? ?\b(?:(?:after|at|in|of) )?"
    rf"((?:epoch|step|iteration|iter|round|update)s? ?#?[{NUMBER}{FRACTION}])[\])]?(?: ?[:,-])?",
    re.IGNORECASE,
)
_OF_SPLIT = rf"(?:in|on|for|during|over) (?:the )?({ANY_SPLIT})(?:[ -](?:set|data|samples|images|examples|phase|part))?"
_TOLD = late_regex(
    rf"(?:(?:with|an?|got|has|reached) )?({NUMBER} ?%?) (?:of )?([A-Za-z][\w-]*(?: (?!in |on |for )[A-Za-z][\w-]*)?)"
    rf"(?: {_OF_SPLIT})?",
    re.IGNORECASE,
)
_GROUPED = late_regex(rf"{NUMBER} ?%? [A-Za-z][\w -]{{1,30}} {_OF_SPLIT}", re.IGNORECASE)
#: "0.5  loss  100  step": whatever stands between the pairs
_TURNED = late_regex(
    rf"(?:{NUMBER}[ ]?%?\s+[A-Za-z_][\w./-]{{0,40}}(?: [A-Za-z_][\w./-]{{0,40}})?(?:\s*[,;|&]\s*|\s{{2,}}|$)){{2,12}}"
)
_TURN = late_regex(rf"({NUMBER}[ ]?%?)\s+([A-Za-z_][\w./-]*(?: [A-Za-z_][\w./-]*)?)")
#: So many items make it the habit of the line.
_ITEMS = 3


def _after_counter(body: str) -> str:
    """The same of what stands behind a counter and a colon ("Epoch 3 @ 10:27 PM : 0.98 C.E. Loss, 94.3% Accuracy")."""
    head, colon, tail = body.rpartition(": ")
    lead = _COUNTED.match(head)
    items = [i for i in _APART.split(tail.strip(" .")) if i]
    found = [_SAID.fullmatch(i) for i in items]
    if not colon or lead is None or NUMBER in head[lead.end() :] or not found or not all(found):
        return body
    names = [(m[2].replace(".", ""), f"{NUMBER}{m[1] or ''}") for m in found if m is not None]
    if not all(is_outcome(name) for name, _ in names):
        return body
    return lead.group() + " | " + ", ".join(f"{name}: {value}" for name, value in names)


def _named_behind(body: str) -> str:
    """The same of names in brackets behind their numbers ("epoch 3 | 2.44 (train) | 2.60 (val)")."""
    lead = _COUNTED.match(body) or _LEAD.match(body)
    items = [i for i in _APART.split(body[lead.end() :].strip(" :|>-")) if i] if lead is not None else []
    found = [m for i in items if (m := _NAMED_BEHIND.fullmatch(i)) is not None]
    if (
        lead is None
        or not found
        or len(found) < len(items)
        or not all(is_outcome(m[3]) or m[3].lower() in SPLITS for m in found)
    ):
        return body
    head = lead.group() if _COUNTED.match(body) or lead[0].strip()[:1] == "[" else f"step {lead[0].strip(' :|[]()')}"
    return head + " | " + ", ".join(f"{m[3]}: {m[1]}{m[2]}" for m in found)


def _by_split(body: str) -> str:
    """The same of numbers ahead of their names, and of several the split behind the last one."""
    parts = [p for p in _APART.split(_COUNT.sub(r", \1, ", body).strip(" .")) if p]
    told = [_TOLD.fullmatch(p) for p in parts]
    rest = [p for p, m in zip(parts, told, strict=True) if m is None]
    if any(_COUNT.fullmatch(p) is None for p in rest) or not any(m is not None and is_outcome(m[2]) for m in told):
        return body
    out: list[str] = []
    split = ""
    for part, m in zip(reversed(parts), reversed(told), strict=True):
        split = split if m is None else m[3] or split
        out.insert(0, part if m is None else f"{split} {m[2]}: {m[1]}".strip())
    return " | ".join(out)


def _tupled(m: re.Match[str]) -> str:
    """The pairs of a list of names and one of values, where one is what trainings log; else what was matched."""
    names = [n.strip() for n in re.split("[,/]", m[1] or m[4])]
    what = m[2] or m[3]
    if len(names) != m[5].count(NUMBER) or not (is_outcome(what) or is_outcome(names[0])):
        return m[0]
    return " | ".join(f"{n} {what}: {NUMBER}" for n in names)


def _shared(m: re.Match[str]) -> str:
    """The share of right answers by its name, with the split that is said beside it."""
    split = scope_of(m["of"] or "") or scope_of(m["ahead"])
    ahead = "" if split else m["ahead"].rstrip(" :=")
    return f"{ahead} | {split} accuracy: {NUMBER}%".replace("  ", " ")


def apart(body: str) -> str:
    """The body with bars between pairs that are told in sentences, and with the shares of right answers among old and
    new classes, or in each task, called so; windows behind names and lists of names in front of their values."""
    if _GROUPED.search(body) is not None and (grouped := _by_split(body)) != body:
        return grouped
    if body.count(NUMBER) > 3 and len(_TWO_OF_SPLIT.findall(body)) > 1:
        body = _TWO_OF_SPLIT.sub(r" | \1=[\2, \3] |", body)
    if f"] {NUMBER}" in body or f"]{NUMBER}" in body:
        body = _BOXED.sub(r"| \1: ", body) if len(_BOXED.findall(body)) > 1 else body
    if f"({NUMBER}" in body and len(_CALLED.findall(body)) > 1:
        body = _CALLED.sub(r"| \1: \2 ", body)
    if ("=" in body or ":" in body) and _NAMED_SPLIT.search(body) is not None:
        body = _NAMED_SPLIT.sub(r"[\1] ", body)
    if f"|{NUMBER}" in body:
        body = _BARRED.sub(r"\1: ", body)
    if f">={NUMBER}" in body or f">: {NUMBER}" in body:
        body = _ANGLED.sub(r"\1(\2)", body)
    if " :: " in body:
        body = (
            body.replace(f" :: {NUMBER} :: ", f": {NUMBER} | ")
            .replace(f" :: {NUMBER}", f": {NUMBER}")
            .replace(" :: ", " | ")
        )
    if body.startswith("~ ") and body.count(" ~ ") > 1:  # "loss ~ 0.5" is about as much
        body = body.strip(" ~").replace(" ~ ", " | ")
    if "+ " in body:
        body = _SUM.sub(lambda m: f" | {m[1].replace('+', '|')} | ", body)
    if " episodes" in body or " games" in body:
        body = _PLAYED.sub(r"over \1 | eval reward", body)
    if "(" in body and ")" in body:
        body = _FUNCTION.sub("objective", body)
    if ".." in body or "is." in body or "was." in body:
        body = _LEADER.sub(": ", body)
    if "right" in body or "correct" in body:
        body = _RIGHT.sub(_shared, body)
    if ":" in body and _SYMBOLS.match(body):
        body = _SYMBOL.sub(r"\1: ", body.strip("() "))
    if f"({NUMBER})" in body:
        body = _WINDOW.sub(lambda m: m[0] if counter_of(m[1], False) else f"{m[2]} {m[1]}{m[3] or ''}", body)
    if "|" in body:
        body = _NORM.sub(lambda m: "grad_norm" if m[1] in _GRADIENTS else f"{m[1]}_norm", body)
    if f"{NUMBER}," in body:
        body = _IN_TUPLES.sub(_tupled, body)
    if body.isascii() and (wrong := _WRONG.fullmatch(body)) is not None:
        body = f"{wrong[1]} | errors: {wrong[2]} | {NUMBER if wrong[3] else ''}"
    if ". " in body and ": " in body:
        body = _TOLD_IN_TURN.sub(lambda m: f"{m[1] or ''} | ", _PLACE_FIRST.sub(r"\1 | ", body))
    if "-IL" in body:
        body = _OF_TASKS.sub("test accuracy/task [", _FOR_TASKS.sub(r"\1 tasks | test accuracy: ", body))
        body = body.replace("[Task-IL]: ", "| task-il accuracy: ").replace("Task-IL [", "task-il accuracy [")
    return _OLD_NEW.sub(r"'test accuracy/\1': ", body) if "'old': " in body and "'new': " in body else body


def name_first(body: str) -> str:
    """The body with `name: number` in place of each `number name`, where all its items are of that kind and one is what
    trainings log; the body itself otherwise. Every number stays in its place."""
    if "{" in body:
        return _NO_ROUND.sub("| loss: ", _ROUND.sub(r"| round \1 | loss: \2 | ", body))
    listed = _LISTED.fullmatch(body.strip()) if "]" in body or ")" in body else None
    if listed is not None:
        names = [n.strip() for n in _APART.split(listed[1])]
        even = len(names) == listed[2].count(NUMBER) and any(map(is_outcome, names))
        return ", ".join(f"{n}: {NUMBER}" for n in names) if even else body
    placed = _PLACED.fullmatch(body.strip())
    if placed is not None and is_outcome(placed[1]):
        return f"{placed[2].strip(', ')} | {placed[1]}: {placed[3]}"
    if ")" in body and "=" not in body and (named := _named_behind(body)) != body:
        return named
    if ": " in body and "=" not in body and body.isascii():
        return _after_counter(body)
    if ":" in body or "=" in body or body.count(NUMBER) < 2:
        return body
    turned = body.rstrip(" |-")
    if turned[:1] == NUMBER and _TURNED.fullmatch(turned):
        pairs = _TURN.findall(turned)
        names = [name for _, name in pairs]
        if any(map(is_outcome, names)) and any(counter_of(n, False) for n in names):
            return " | ".join(f"{name}: {n}" for n, name in pairs)
    lead = _LEAD.match(body)
    head = lead.group() if lead is not None else ""
    items = [i for i in _APART.split(body[len(head) :].strip()) if i]
    found = [_ITEM.fullmatch(i) for i in items]
    if len(items) < _ITEMS or not all(found):
        return body
    parts = [(m[3], m[1], (m[2] or "").strip()) for m in found if m is not None]
    parts = [(f"{unit} {name}" if unit and words.unit_of(unit) != unit else name, n, unit) for name, n, unit in parts]
    if not any(is_outcome(name) for name, _, _ in parts):
        return body
    step = f"step {head.strip(' :|[]()')} " if head else ""
    return step + ", ".join(f"{name}: {n}{unit if words.unit_of(unit) == unit else ''}" for name, n, unit in parts)
