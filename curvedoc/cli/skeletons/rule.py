"""The skeleton of a rule file."""

from __future__ import annotations

#: A detector that works as it stands: a loss that ends well above its best level.
SKELETON = """\
# A detector: one file for one symptom. docs/rules.md is the language; curvedoc rules --vocabulary lists the functions.
# Try it: curvedoc test-rules DIRECTORY, then curvedoc analyze PATH --rules DIRECTORY

# The file name without .yaml. A file with the id of a shipped rule replaces that rule.
id: @ID@
# One sentence in the present tense, capitalized, without a full stop. Reports show it.
title: "@TITLE@: the loss ends well above its best level"
# pathology (changes the verdict), notice or gap (never do).
kind: pathology
# fatal: the run is lost. error: its result is worthless. warning: its result is worse. note: for notices and gaps.
severity: warning
# trial while you gather experience with it, then stable.
status: trial

# Prose for `curvedoc explain @ID@`, whole sentences: what is seen, why to care, and what else looks like it.
what: >
  The loss ends well above the best level that it had reached before.
why: >
  An earlier checkpoint is better than the last one.
lookalikes: >
  A spike that comes back ends at the old level, so this rule is silent there.

# Inputs: a name of your own, then a role (curvedoc doctor PATH shows the roles of your log). `?` makes one optional.
needs:
  loss: loss

# Every number stands here with its unit and the grounds for it. loose and strict are where --sensitivity may move it.
params:
  rows_min: {value: 20, unit: rows, why: "fewer rows show no level at the end"}
  span: {value: 5, unit: rows, why: "one lucky batch is no best level"}
  end_share: {value: 0.1, unit: of rows, why: "where the run ended"}
  worse: {value: 0.2, unit: of best, why: "a fifth above the best level is worth a look", loose: 0.1, strict: 0.4}
  noise_times: {value: 4, unit: sd, why: "the rise must stand clear of batch noise"}

# Measures, each from those above it. Something that cannot be told is unknown and spreads; a rule that hangs on it is
# reported as not judged.
measure:
  rows: count_finite(loss)
  calm: steady(loss, span)
  best: low(calm)
  best_step: argmin(calm)
  end: tail_level(loss, end_share)
  rise: end - best
  share: rise / size(best)
  clear: rise > noise_times * noise(loss)

# Conditions that must all hold. A mapping `name: [conditions]` instead gives alternatives. `excused_by: [measure]`
# after it keeps the rule silent where that measure is known to be true.
when:
  - rows >= rows_min
  - share > worse
  - clear

# 0..1, how clearly the picture is there; and the measure that names the step where the trouble begins.
strength: ramp(share, 0, 1)
onset: best_step

# Sentences of the report, with the numbers in them and a mark on the curve. `given: measure` says one only if it holds.
evidence:
  - say: "the loss was best at step {best_step:step} ({best:.3g}) and ends at {end:.3g}, {share:.0%} above"
    mark: {metric: loss, point: best_step}

# Causes (files of rules/causes; curvedoc rules counts them) with prior odds. `for: {measure: grade}` and `against: ...`
# shift them by what a true measure says: decisive, strong, clear or weak.
causes:
  - {cause: lr-too-high, weight: 2, because: "a step size near the limit loses what was learned"}
  - {cause: data-change, weight: 1, because: "harder data raise the level of the loss"}

# Cases: at least one that fires, a near miss that is silent, and one not judged because an input is missing.
# A series is a list of [step, value] knots by role, drawn with `points` rows and `noise` relative to the value.
tests:
  - {name: a loss that falls and then rises by a half, expect: fires, first: lr-too-high,
     near: {end: [1.47, 0.05]}, noise: 0.02, series: {loss: [[0, 2], [500, 1], [1000, 1.5]]}}
  - {name: a loss that falls to the end, expect: silent, noise: 0.02, series: {loss: [[0, 2], [1000, 1]]}}
  - {name: a spike that comes back, expect: silent, noise: 0.02,
     series: {loss: [[0, 2], [500, 1], [520, 2], [540, 1], [1000, 0.9]]}}
  - {name: a run without a loss, expect: not-judged, series: {val_loss: [[0, 2], [1000, 1]]}}

# Where the claim comes from, if anybody can read it there: references: [{title: ..., url: ...}]
"""


def skeleton(id_: str) -> str:
    """The text of a rule file that loads and whose cases hold."""
    words = id_.replace("-", " ")
    return SKELETON.replace("@ID@", id_).replace("@TITLE@", words[:1].upper() + words[1:])
