"""The skeleton of a cause file."""

from __future__ import annotations

CAUSE = """\
# A cause: what may lie behind the symptoms of many rules. Name it, with a weight, in the `causes` of each rule that it
# explains. docs/rules.md is the language; `curvedoc test-rules DIR` checks this file.
id: @ID@
title: @TITLE@
mechanism: >
  What happens inside the training, in one or two sentences that a tired engineer believes.

# Signals, settings and facts that its evidence looks at; every one is optional here.
needs:
  loss: loss?
  grad_norm: grad_norm?
params:
  large: {value: 10, unit: times the median, why: "noise of gradients stays within a factor of three"}
measure:
  leapt: peak(grad_norm) > large * median(grad_norm)

# What it predicts for each channel: evidence for or against it, in grades (weak, clear, strong, decisive).
predicts:
  gradient:
    - given: leapt
      for: clear
      say: "the gradient norm leapt to @LARGE@ times its median"

# Questions, cheapest first; `answer` names the measure by which the log answers one.
checks:
  - ask: Does the gradient norm leap before the loss does?
    how: "plot both over the steps around the onset"
    cost: look
    yes: confirmed
    no: ruled-out
    answer: {yes: leapt}

# What to do, first thing first.
fix:
  - The change that removes it, with a number where there is one.
"""


def cause_skeleton(id_: str) -> str:
    """The text of a cause file that loads."""
    words = id_.replace("-", " ")
    title = words[:1].upper() + words[1:]
    return CAUSE.replace("@ID@", id_).replace("@TITLE@", title).replace("@LARGE@", "{large:.0f}")
