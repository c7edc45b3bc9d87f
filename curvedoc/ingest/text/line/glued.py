"""Names that a hyphen joins to their numbers, taken apart (Rust syntax)."""

from __future__ import annotations

_VALUE = r"[0-9]{1,9}(?:/[0-9]{1,9})?(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?%?|(?i:nan|inf)"
#: A line that could hold some.
HYPHENS = r"(?i:loss|acc|err(?:or)?|auc|f1)-(?:[0-9]+\.[0-9]|nan|inf)"
#: "epoch-3 loss-0.5431 acc-0.8", and how it is spelled; "ckpt-epoch-3-loss-0.5.pth" stays.
HYPHENED = (
    rf"\b((?:[A-Za-z]{{2,10}}_)?(?i:loss|acc|accuracy|epoch|step|iter|lr|err|error|auc|f1))-({_VALUE})([ ,|]|$)",
    "${1} ${2}${3}",
)
