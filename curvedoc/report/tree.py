"""The troubleshooting tree of one run as data: what the log answered, the next check, and what is left for later."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from curvedoc.core.diagnosis import Answer, Check, Cost, RankedCause, RunDiagnosis
from curvedoc.core.frozen import dataclass
from curvedoc.diagnose.judge.verdict import code_for
from curvedoc.diagnose.sentence.titles import lower_first
from curvedoc.report import words
from curvedoc.report.summary import lead_finding
from curvedoc.rulebook.load import shipped

State = Literal["answered", "leaning", "next", "later", "blocked"]

#: The order down the path: what is known, then the one thing to do, then the rest.
_ORDER: tuple[State, ...] = ("answered", "leaning", "next", "later", "blocked")
#: Open questions on the path; the rest is folded away: a list of thirty is read by nobody.
_MOST: dict[State, int] = {"later": 3, "blocked": 2}
_STATE: dict[Answer, State] = {
    "yes": "answered",
    "no": "answered",
    "leaning-yes": "leaning",
    "leaning-no": "leaning",
    "open": "later",
    "unanswerable": "blocked",
}
_WORD: dict[Answer, str] = {
    "yes": "Yes",
    "no": "No",
    "leaning-yes": "Leaning yes",
    "leaning-no": "Leaning no",
    "open": "",
    "unanswerable": "",
}


@dataclass(frozen=True, slots=True)
class Node:
    """One question on the path."""

    state: State
    ask: str
    how: str
    cost: Cost
    cause: str  # title of the cause that it tests
    answer: str  # "Yes", "Leaning no", "" while open
    because: str
    yes: str  # where each answer leads, as a sentence
    no: str
    probe: str = ""
    of: str = ""  # id of the cause that it tests
    leads: tuple[str, str] = ("", "")  # what yes and no mean for it: "confirmed", "ruled-out" or another cause
    suspects: tuple[str, str] = ("", "")  # titles of the causes that they lead to

    @property
    def other(self) -> tuple[str, str]:
        """The branch that was not taken, and where it would have led; two empty strings while open."""
        if self.state != "answered":
            return "", ""
        return ("No", self.no) if self.answer == "Yes" else ("Yes", self.yes)


@dataclass(frozen=True, slots=True)
class CheckTree:
    """The path from the symptom down, and the causes that the evidence speaks against."""

    symptom: str
    nodes: tuple[Node, ...]
    more: tuple[Node, ...]  # checks of less likely causes, and open ones beyond the first few
    unlikely: tuple[tuple[str, str], ...]  # (cause, why)

    @property
    def answered(self) -> int:
        """How many questions the log has settled."""
        return sum(n.state == "answered" for n in self.nodes)


def tree(run: RunDiagnosis) -> CheckTree | None:
    """The tree of a run; None where there is no cause to test."""
    if not run.causes:
        return None
    lead = lead_finding(run)
    nodes: dict[str, Node] = {}
    near: set[str] = set()
    for i, cause in enumerate(run.causes):
        for check in cause.checks:
            nodes.setdefault(check.ask, _node(run, cause, check))
            if i == 0 or cause.probability >= words.POSSIBLE:
                near.add(check.ask)
    c = run.next_check
    if c and (c.ask not in nodes or nodes[c.ask].state != "answered"):
        asked = Check(c.ask, c.how, c.cost, c.yes, c.no, "open")
        known = nodes.get(c.ask)
        made = replace(_open(run, c.cause, asked), state="next", probe=c.probe)
        nodes[c.ask] = replace(made, answer=known.answer, because=known.because) if known else made
        near.add(c.ask)
    path: list[Node] = []
    for state in _ORDER:
        path += [n for n in nodes.values() if n.state == state and n.ask in near][: _MOST.get(state)]
    more = sorted((n for n in nodes.values() if n not in path), key=lambda n: _ORDER.index(n.state))
    return CheckTree(lead.title if lead else run.headline, tuple(path), tuple(more), _unlikely(run))


def outcome(run: RunDiagnosis, cause: str, answer: str) -> str:
    """What an answer of a check leads to, as words: the fields `yes` and `no` hold an id or a state."""
    if answer == "confirmed":
        return f"Confirmed: {_title(run, cause)}."
    if answer == "ruled-out":
        return f"Ruled out: {_title(run, cause)}."
    return f"Then the next suspect is: {_title(run, answer)}." if answer else ""


def _title(run: RunDiagnosis, cause: str) -> str:
    """The title of a cause; one that this run's findings do not name is asked of the shipped rules."""
    own = next((c.title for c in run.causes if c.cause == cause), "")
    if own:
        return lower_first(own)
    book = shipped()
    return lower_first(book.causes[cause].title) if cause in book.causes else cause.replace("-", " ")


def _node(run: RunDiagnosis, cause: RankedCause, check: Check) -> Node:
    made = _open(run, cause.cause, check)
    return replace(made, probe=code_for(check, cause) if check.answer == "open" else "")


def _open(run: RunDiagnosis, cause: str, check: Check) -> Node:
    leads = (check.yes, check.no)
    return Node(
        _STATE[check.answer],
        check.ask,
        check.how,
        check.cost,
        _title(run, cause),
        _WORD[check.answer],
        check.because,
        outcome(run, cause, check.yes),
        outcome(run, cause, check.no),
        "",
        cause,
        leads,
        (_suspect(run, check.yes), _suspect(run, check.no)),
    )


def _suspect(run: RunDiagnosis, answer: str) -> str:
    """The title of a cause that an answer leads to; "" where it decides about the cause itself."""
    return "" if answer in ("", "confirmed", "ruled-out") else _title(run, answer)


def _unlikely(run: RunDiagnosis) -> tuple[tuple[str, str], ...]:
    """Causes below "possible" with what speaks against them; never one merely for lack of data."""
    low = [c for c in run.causes[1:] if c.probability < words.POSSIBLE and c.against]
    return tuple((c.title, c.against[0].text) for c in low)
