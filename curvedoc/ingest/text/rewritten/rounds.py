"""What Flower tells of a federated training when it ends: lists of rounds and values, as lines of one round each."""

from __future__ import annotations

from curvedoc.core.late_regex import late_regex

#: "History (metrics, distributed, fit):", in older logs "app_fit: metrics_distributed_fit {'accuracy': [(1, 0.3), ...".
_HEADING = late_regex(r"History \((loss|metrics), \w{1,20}(?:, (fit|evaluate))?\):")
_SHORT = late_regex(r"app_fit: (losses|metrics)_(?:distributed|centralized)(_fit)?\b")
_NUMBER = r"([-+]?(?:\d{1,20}\.?\d{0,20}(?:[eE][-+]?\d{1,4})?|nan|inf))"
_ROUND = late_regex(rf"\bround (\d{{1,9}}): {_NUMBER}\s*$")
_PAIR = late_regex(rf"(?:'(\w{{1,60}})': \[)?\((\d{{1,9}}), {_NUMBER}\)")
_MARKS = ("History (", "app_fit: ")


def unrolled(text: str) -> str:
    """The text, with a line for each round of such a list."""
    if not any(mark in text for mark in _MARKS):
        return text
    out: list[str] = []
    split = name = ""
    for line in text.split("\n"):
        heading = _HEADING.search(line) or _SHORT.search(line)
        if heading is not None:
            split, name = (
                "train" if (heading[2] or "").endswith("fit") else "val",
                "loss" if heading[1].startswith("loss") else "",
            )
        told = _ROUND.search(line) if split and heading is None else None
        if told is not None and name:
            out.append(f"round {told[1]} {split} {name}: {told[2]}")
            continue
        rows = []
        for key, count, value in _PAIR.findall(line) if split else ():
            name = key or name
            rows += [f"round {count} {split} {name}: {value}"] if name else []
        if not rows and heading is None:
            split = ""
        out += rows or [line]
    return "\n".join(out)
