"""Phrases about numbers, said anew with the name of each number before it: "Loss after 100 steps: 0.3"."""

from __future__ import annotations

import re

from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.naming.log_words import is_outcome
from curvedoc.ingest.naming.split_words import SCOPES
from curvedoc.ingest.text.line.template import FRACTION, NUMBER

#: Keras' tutorial: "Training loss (for one batch) at step 100: 0.3".
_REMARK = late_regex(r" \([a-z ]{1,40}\)(?= (?:at|after) )")
#: "the loss so far 0.3"; the best so far is something else
_SO_FAR = late_regex(rf"(?<!best) so far(?= ?[:=]? ?{NUMBER})")
#: "0.3 as training loss", "0.3 is the loss at step 100"
_AS = late_regex(
    rf"({NUMBER}%?) as (?:the |our |an? )?([A-Za-z][\w -]{{2,30}}?)(?=$|[.,;!]| (?:and|in|at|after|with)\b)"
)
_IS_OF = late_regex(
    rf"^({NUMBER}%?) (?:(?:is|was) )?(?:the |our )?([A-Za-z][\w -]{{2,30}}?) (?:at|after|in|of|for)"
    rf"(?= (?:epoch|step|iteration|batch|round|episode) #?[{NUMBER}{FRACTION}])"
)
#: "Episode 3 finished after 120 steps with reward 0.3"
_WITH = late_regex(
    rf"(?<=[a-z{NUMBER}{FRACTION}]) with (?:an? |the |our )?([A-Za-z][\w -]{{1,30}}?)(?: of| =|:)? ?(?={NUMBER})"
)
_COUNTING = late_regex(rf"(?i:epoch|episode|step|iteration|round|game)s? #?[{NUMBER}{FRACTION}]")
#: "The network's error is 0.3"
_ITS = late_regex(
    r"\b(?:[Tt]he |[Oo]ur |[Mm]y )?(?:network|net|model|classifier|learner|agent|machine|perceptron)'s (?=[a-z])"
)
#: "the mean of the epoch's losses: 0.3"
_OF_EPOCH = late_regex(
    r"\b(?:the )?(?:mean|average|avg) of (?:the |this |all )*(?:epoch'?s? )?(?:batch |step |training |train )?losses"
    r"(?: (?:of|in|over) (?:the|this) epoch)?", re.IGNORECASE,
)  # fmt: skip
#: "Loss after 100 iterations: 0.3"
_AFTER = late_regex(
    rf"\b([Aa]fter|[Aa]t) ({NUMBER}) (iterations?|steps?|epochs?|updates?"
    r"|(?:episode|round|generation|(?:mini)?batch|timestep)"
    r"(?=(?:e?s)?\b))(?:e?s)?\b"
)
#: "Avg reward last 100 episodes: 3.5"
_OVER = late_regex(
    rf"([A-Za-z][\w ]{{2,40}}?) \(?(?:over |of |in |for )?(?:the )?(?:last|past|previous) ({NUMBER})"
    r"(?: (?:episodes?|steps?|iterations?|epochs?|games?|batches|updates?)\)?|\))?(?= ?[:=]| (?:is|was) )"
)
#: A measure, and a dictionary of its parts.
_PRINTED = late_regex(r"\W*([A-Za-z]\w{1,20})[ :=]{1,3}\{ ?'")
_ITEM = late_regex(rf"'([^'{NUMBER}]{{1,40}})': ?(?={NUMBER})")
#: "Loss at 100: 0.3"; "precision at 5" is of so many.
_AT = late_regex(
    rf"((?:[A-Za-z]+ )?(?:loss|cost|objective|energy)) (?:at|@) ({NUMBER})(?= ?[:=] ?{NUMBER})", re.IGNORECASE
)
_COUNT = rf"(?:global )?(?:epochs?|steps?|iter(?:ation)?s?|batch(?:es)?|rounds?|episodes?|updates?) #?{NUMBER}"
#: "The average loss for epoch 3 is 0.5", "Loss at epoch 3 and iteration 100 is 0.5"
_TOLD = late_regex(
    rf"([A-Za-z][\w /-]{{1,40}}?) (?:at|after|for|in|of) (?:the )?({_COUNT}(?:(?:,| and|, and) {_COUNT})?)"
    r"(?: (?:is|was)(?=[: ])| ?= ?| ?:|(?<= and)$)", re.IGNORECASE,
)  # fmt: skip
#: "loss and accuracy: 0.5 0.8", "Value and grad norm: 0.69 (rel: 0.02) 0.15"
_BOTH_NAMED = late_regex(
    rf"([A-Za-z][\w-]*(?: [A-Za-z][\w-]*){{0,2}}) (?:and|&) ([A-Za-z][\w-]*(?: [A-Za-z][\w-]*){{0,2}}?)"
    rf"(?: ?[:=]+| (?:is|are|was|were))[: ]*[(\[]?({NUMBER}%?(?: ?\([^()]{{0,40}}\))?)(?: ?[,/|;]| and)? ?({NUMBER})"
)
_COUNTED = late_regex(rf"(?:[a-z] #?{NUMBER}(?: (?:is|was) | ?= |,? and ))|lobal [a-z]+ #?{NUMBER} ?:")
#: "train(loss=0.5, acc=0.8) val(loss=0.6, acc=0.7)"
_OF_SPLIT = late_regex(
    rf"\b((?:{'|'.join(w for w in SCOPES if w.isascii())})) ?[(\[{{] ?(?=[A-Za-z_][\w ]{{0,30}}[:=] ?{NUMBER})",
    re.IGNORECASE,
)
#: "L=0.5 | A=0.8" within a split's brackets.
_LETTERS = late_regex(rf"\bL( ?[=:] ?{NUMBER} *[|,;]? *)A(?= ?[=:] ?{NUMBER})")


def keys_first(body: str) -> str:
    """The body of a line with its counters and splits where those of other lines stand."""
    printed = _PRINTED.match(body)
    if printed is not None and is_outcome(printed[1]) and not any(map(is_outcome, _ITEM.findall(body))):
        name = printed[1].lower().replace("losses", "loss")  # "Losses {'ner': 2.3}"
        body = _ITEM.sub(rf"'{name}/\1': ", body)
    if "'s " in body:
        body = _ITS.sub("", body)
    if " of " in body and "losses" in body:
        body = _OF_EPOCH.sub("| epoch loss", body)
    if " so far" in body:
        body = _SO_FAR.sub("", body)
    if " as " in body:
        body = _AS.sub(lambda m: f"| {m[2]}: {m[1]}" if is_outcome(m[2]) else m[0], body)
    if body[:1] == NUMBER:
        body = _IS_OF.sub(lambda m: f"{m[2]}: {m[1]} | " if is_outcome(m[2]) else m[0], body)
    if " with " in body and _COUNTING.search(body) is not None:
        body = _WITH.sub(lambda m: f" | {m[1]}: " if is_outcome(m[1]) else m[0], body)
    body = _AFTER.sub(r"\1 \3 \2", _REMARK.sub("", body))
    if f"at {NUMBER}" in body or f"@ {NUMBER}" in body:
        body = _AT.sub(r"step \2 \1", body)
    if "last " in body or "past " in body or "previous " in body:
        body = _OVER.sub(r"\2 \1", body)
    if _COUNTED.search(body):
        body = _TOLD.sub(lambda m: f"{m[2]} {m[1]}:" if is_outcome(m[1]) else m[0], body)
    if " and " in body or " & " in body:
        body = _BOTH_NAMED.sub(_each, body)
    if "(" in body or "[" in body or "{" in body:
        body = _LETTERS.sub(r"loss\1acc", _OF_SPLIT.sub(r"| \1: ", body))
    return body


def _each(m: re.Match[str]) -> str:
    """The pairs of two names and two numbers; what stands beside the gradient of it is the objective."""
    first, second = m[1], m[2]
    if first.lower() in ("val", "value", "f", "fun", "obj") and "grad" in second.lower():
        first = "objective"
    return f"{first}: {m[3]} | {second}: {m[4]}" if is_outcome(first) and is_outcome(second) else m[0]
