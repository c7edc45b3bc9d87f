"""What the curves of a run cannot show: the honest end of every report, drawn from the diagnosis alone."""

from __future__ import annotations

from curvedoc.core.diagnosis import RankedCause, RunDiagnosis
from curvedoc.diagnose.sentence.titles import lower_first
from curvedoc.report import words
from curvedoc.report.advice import missing, signal_name
from curvedoc.report.summary import explains_nothing, lead_finding, sentence

#: A rival of at least this share of the likeliest cause's probability is not told apart from it.
_RIVAL = 0.4
_MOST_RIVALS = 3
_MOST_CHECKS = 2

#: Remarks of reading that limit what can be seen, and what they do to it.
_BLURS: dict[str, str] = {
    "looks-sampled": "The log holds a sample of the rows: a spike between two of them is not in it",
    "aggregated": "Values are means over several steps: a spike within one of them shows as less than it was",
    "nan-filtered": "The logger left non-finite values out: where the loss was NaN there is no row",
    "nan-for-missing": "NaN also stands for a value that was not logged: the two cannot be told apart",
    "null-as-nan": "Null stands for NaN and for a missing value: the two cannot be told apart",
    "null-values": "Null stands for NaN and for a missing value: the two cannot be told apart",
    "step-from-epoch": "Steps were counted from epochs: an onset is as exact as an epoch",
    "step-from-row": "The log names no step: rows were counted, and steps are as even as the logging was",
    "step-from-order": "The log names no step: values were counted, and steps are as even as the logging was",
    "no-step": "The log names no step: what happened is known in its order only",
    "messages-capped": "Only part of the log's messages was kept: a line that matters may be among the others",
    "truncated": "A file ends in the middle of a record: what came after is not known",
    "damaged": "Part of a file is damaged: what stood there is not known",
    "bad-checksum": "Part of a file is damaged: what stood there is not known",
    "batches-averaged": "Evaluations were logged batch by batch: the mean of each pass over the data was taken",
    "log-of-perplexity": "A perplexity is logged and no loss: its logarithm was taken for the loss",
    "sum-of-terms": "The terms of the loss are logged in a list and no loss: their sum was taken for it",
    "part-window": "Values over part of a window were divided by the whole of it: they were left out",
    "values-held": "Each evaluation stands in every row until the next one: it was taken once, at the first",
    "summary-row": "A last row that repeats the mean or best of its curve was left out",
    "too-large": "A file was too large to be read whole: what was left out is not known",
}

#: Remarks whose own text is a sentence for the reader.
_TOLD = frozenset(("looks-averaged", "gaps-at-random", "interval-grows", "zero-values", "steps-again", "data-again"))


def limits(run: RunDiagnosis) -> tuple[str, ...]:
    """Sentences on what this log leaves in the dark, the most telling first; never empty."""
    out = [*_rivals(run), *_unanswerable(run), *_resolution(run), *_blurs(run), *_open(run)]
    if run.verdict == "healthy":
        out.append(
            "No finding means that nothing in these curves looks wrong. A fault that leaves them smooth, such as a "
            "validation set that overlaps the training set or a metric that measures the wrong thing, does not show."
        )
    elif not out or not run.causes:
        out.append("Curves show symptoms. Whatever leaves the same curves is told apart only outside the log.")
    return tuple(dict.fromkeys(sentence(text) for text in out))


def _rivals(run: RunDiagnosis) -> list[str]:
    """Causes that these curves leave close together, with the check that decides."""
    if not run.causes or explains_nothing(run):
        return []
    top = run.causes[0]
    near = [
        c
        for c in run.causes[1:]
        if c.probability >= words.POSSIBLE
        and c.probability >= _RIVAL * top.probability
        and set(c.findings) & set(top.findings)
    ][:_MOST_RIVALS]
    if not near:
        return []
    names = [
        f"{lower_first(c.title) if i else c.title} ({words.percent(c.probability)})" for i, c in enumerate((top, *near))
    ]
    text = f"{', '.join(names[:-1])} and {names[-1]} look alike in these curves"
    check = next((k.ask for c in (top, *near) for k in c.checks if k.answer in ("open", "unanswerable")), "")
    return [f"{text}. To tell them apart: {check}" if check else text]


def _unanswerable(run: RunDiagnosis) -> list[str]:
    """Questions of the leading cause that the log cannot answer."""
    leading: tuple[RankedCause, ...] = () if explains_nothing(run) else run.causes[:1]
    asked = [k for c in leading for k in c.checks if k.answer == "unanswerable"][:_MOST_CHECKS]
    return [f"The log cannot answer: {k.ask}" + (f" ({k.because})" if k.because else "") for k in asked]


def _resolution(run: RunDiagnosis) -> list[str]:
    """How far apart the values of the main curve are, where that hides something."""
    if run.axis == "epoch":
        return ["One value an epoch was logged: what happens within an epoch, a spike or a bad batch, does not show"]
    loss = next((s for s in run.signals if s.role in ("loss", "val_loss")), None)
    if loss is None or loss.first_step is None or loss.last_step is None or loss.points < 2:
        return []
    every = (loss.last_step - loss.first_step) / (loss.points - 1)
    if every < 2:
        return []
    gap = words.count(round(every), run.axis.removesuffix("s"))
    what = f"so onsets are exact to {gap}" if lead_finding(run) else "what happens between two of them does not show"
    return [f"The loss was logged once in {gap}, {what}"]


def _blurs(run: RunDiagnosis) -> list[str]:
    """What reading and the log itself did to the values; of some kinds the note is the sentence."""
    notes = [*run.notes, *(n for s in run.sources for n in s.notes)]
    return [n.text if n.kind in _TOLD else _BLURS[n.kind] for n in notes if n.kind in _TOLD or n.kind in _BLURS]


def _open(run: RunDiagnosis) -> list[str]:
    """How much could not be judged, and which signals would have decided most of it."""
    if not run.not_judged:
        return []
    # of a run in trouble a table tells what would decide between its causes
    needs = [] if run.verdict in ("failed", "warning") else [signal_name(name) for name, _ in missing(run)[:3]]
    text = f"{words.count(len(run.not_judged), 'check')} {'was' if len(run.not_judged) == 1 else 'were'} skipped"
    was = "were" if len(needs) > 1 else "was"
    return [f"{text}, mostly because {_listed(needs)} {was} not logged" if needs else text]


def _listed(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]
