"""Rows of one layer each ("conv1.weight  grad 1.2e-03  std 0.02"), as debugging code prints them step by step."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.naming.log_words import spaced
from curvedoc.ingest.naming.split_words import SCOPES
from curvedoc.ingest.text.line.body import read_body
from curvedoc.ingest.text.line.order import name_first
from curvedoc.ingest.text.line.plan import LinePlan
from curvedoc.ingest.text.line.slots import METRIC, NumberSlot
from curvedoc.ingest.text.line.template import NUMBER

#: A module or a parameter by its name, then what was measured of it.
_ROW = late_regex(rf"[\s|>*-]*([A-Za-z_]\w*(?:\.\w+)*)\s*[:|]?\s+([^{NUMBER}]{{0,40}}{NUMBER}.*)$")
#: What is measured of layers.
_MEASURES = late_regex(r"grad|norm|mean|std|min|max|zero|dead|weight|spars|rms|satur|update|ratio|abs|act")
#: Fewer rows alike are no layers of one model, and more are no model.
_FEWEST, _MOST = 2, 5_000
#: A longer line is no such row.
_LONG = 400


def layer_plans(plans: Mapping[str, LinePlan]) -> dict[str, LinePlan]:
    """The plans of templates that say the same of one layer after another: each measure is called by its layer."""
    rows: dict[str, dict[str, str]] = {}
    for template, plan in plans.items():
        if plan.counted or plan.bar or plan.scope or plan.kind == "record" or len(template) > _LONG:
            continue
        found = _ROW.fullmatch(template[plan.prefix.end :])
        if found is not None and _is_layer(found[1]):
            rows.setdefault(" ".join(found[2].split()), {})[template] = found[1]
    out: dict[str, LinePlan] = {}
    for rest, of in rows.items():
        heads = set(of.values())
        if not _FEWEST <= len(heads) <= _MOST or 2 * sum("." in h or h[-1].isdigit() for h in heads) < len(heads):
            continue
        measured = [s for s in read_body(name_first(rest), 0).found if s.role == METRIC]
        if not any(_MEASURES.search(spaced(s.name)) for s in measured):
            continue
        for template, head in of.items():
            first = plans[template].prefix.slots
            slots = tuple(NumberSlot(METRIC, first + s.slot, _named(s.name, head), s.unit) for s in measured)
            out[template] = replace(plans[template], kind="loose", slots=slots)
    return out


def _is_layer(head: str) -> bool:
    parts = re.split(r"[._]", head.lower())
    return not any(p in SCOPES or p in ("epoch", "step", "iter", "batch", "sample", "rank", "gpu") for p in parts)


def _named(measure: str, head: str) -> str:
    """The measure of a layer, as loggers write it: "grad/conv1.weight"."""
    plain = re.sub(r"\bgradients?\b|\bgrads\b", "grad", spaced(measure))
    name = re.sub(r"^grad norm$|^norm of grad$", "grad", plain)
    return f"{name.replace(' ', '_').replace('/', '_to_')}/{head}"
