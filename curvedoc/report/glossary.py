"""Words of the field that a page explains where they first stand."""

from __future__ import annotations

import re
from collections.abc import Mapping

from markupsafe import Markup, escape

from curvedoc.core.late_regex import late_regex

#: Term, in small letters -> what it means, in a sentence that needs no other term.
TERMS: Mapping[str, str] = {
    "edge of stability": "The learning rate at which steps along the steepest direction just stop settling down.",
    "loss scale": "A factor on the loss that keeps small half-precision gradients from becoming zero.",
    "gradient norm": "The length of the gradient of all weights together: how strongly one batch pulls at the model.",
    "gradient clipping": "Shortening a gradient that is longer than a threshold before it is applied.",
    "warm-up": "Raising the learning rate from nearly zero over the first steps.",
    "overfitting": "Learning the training samples instead of the task: validation gets worse while training improves.",
    "weight decay": "Pulling all weights toward zero by a small share at each step.",
    "activation checkpointing": "Computing intermediate results again in the backward pass instead of keeping them.",
    "gradient accumulation": "Adding the gradients of several small batches before one step.",
    "label smoothing": "Training toward a little less than full certainty.",
    "chance level": "What a blind guess scores: a loss of ln C and an accuracy of 1/C for C classes.",
    "collective": "An operation in which all processes of a job take part and wait for each other.",
    "autograd": "The part of the framework that computes gradients by going back through what was computed.",
    "logits": "The raw outputs of a classifier, before a softmax makes probabilities of them.",
    "bfloat16": "A 16-bit number with the range of a 32-bit one, so that it hardly overflows.",
    "float16": "A 16-bit number that overflows above 65,504.",
    "grokking": "Solving validation long after training is solved.",
}
_FIND = late_regex(r"\b(?:" + "|".join(sorted(map(re.escape, TERMS), key=len, reverse=True)) + r")\b", re.IGNORECASE)


def glossed(text: str) -> Markup:
    """The text escaped, each term explained where it first stands.

    >>> str(glossed("a <b> loss scale, and the loss scale"))[:44]
    'a &lt;b&gt; <abbr title="A factor on the los'
    """
    seen: set[str] = set()
    out, end = [], 0
    for match in _FIND.finditer(text):
        term = match[0].lower()
        if term not in seen:
            seen.add(term)
            out += [
                escape(text[end : match.start()]),
                Markup('<abbr title="{}">{}</abbr>').format(TERMS[term], match[0]),
            ]
            end = match.end()
    return Markup("").join([*out, escape(text[end:])])
