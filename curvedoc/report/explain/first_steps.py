"""The order in which to look for what is wrong with a training run, and what not to do first."""

from __future__ import annotations

from curvedoc.report.explain.page import Items, Page, PageSection, Prose, made

NAME = "first-steps"
_INTRO = (
    "Look in the order in which faults are common and cheap to rule out. Each step takes minutes and makes the "
    "next one mean something; a learning rate tuned on broken data is tuned for nothing."
)
#: Heading and what to do, in order.
_STEPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "1. Data",
        (
            "Look at 20 samples exactly as the model gets them, beside their labels: label-mismatch and data- "
            "pipeline-bug show at once.",
            "Check ranges, NaN and Inf of inputs and targets, and that labels lie in 0 ... C - 1.",
            "Send one raw sample through the training and the validation pipeline: the numbers must agree.",
            "Make sure that training data are shuffled, and that no sample stands in both sets.",
        ),
    ),
    (
        "2. Loss",
        (
            "Compare the first loss with that of a blind guess: ln C for C classes, the variance of the targets "
            "for a squared error.",
            "Train on one batch until its loss is near zero. What cannot learn one batch has a bug, not a "
            "hyperparameter.",
            "See that the loss gets what it wants: logits or probabilities, means or sums, shapes that match "
            "without broadcasting.",
        ),
    ),
    (
        "3. Gradients and updates",
        (
            "After one backward() every parameter that should train has a gradient, and none is zero, NaN or Inf.",
            "After one optimizer.step() every such parameter has changed, by about a thousandth of its size.",
            "zero_grad() runs before each backward(), the scheduler counts the steps that the optimizer makes, "
            "and the logged learning rate is the one you meant.",
            "Only now the learning rate: a tenth and ten times of it, same seed, a few hundred steps.",
        ),
    ),
    (
        "4. Architecture and regularization",
        (
            "Outputs of each layer have a standard deviation near 1 before training; no layer gives zeros alone.",
            "model.train() and model.eval() stand where they should.",
            "A larger or smaller model, dropout, weight decay and augmentation come last: they trade what works "
            "against what works better.",
        ),
    ),
    (
        "What not to do first",
        (
            "Lower the learning rate for every trouble: a NaN from bad data or log(0) only comes later.",
            "Clip gradients to silence a blow-up before its cause is known.",
            "Replace NaN (nan_to_num, skipped steps): the run goes on and learns nothing.",
            "Train longer, or on a larger model, while one batch cannot be learned.",
            "Add dropout or stop early when validation was never good: that is no overfitting but a difference "
            "between the two sets.",
            "Change several things at once: the next run then explains nothing.",
            "Call empty_cache() or restart for a leak: memory that is referenced is not freed.",
        ),
    ),
)


def first_steps() -> Page:
    """`curvedoc explain first-steps`: data, loss, gradients, architecture; then what is tempting and mostly wrong."""
    steps = [PageSection(heading, (Items(items),)) for heading, items in _STEPS]
    title = "Where to look first when a run goes wrong"
    return made(NAME, "guide", title, "guide", [PageSection("", (Prose(_INTRO),)), *steps])
