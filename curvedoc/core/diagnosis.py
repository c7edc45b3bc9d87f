"""Diagnosis: all that a report may know. Immutable, saved as JSON, byte-identical for the same input and rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Literal

from curvedoc.core.abort_rule import AbortRule
from curvedoc.core.finding import Evidence as Evidence
from curvedoc.core.finding import Finding as Finding
from curvedoc.core.finding import Kind as Kind
from curvedoc.core.finding import Mark as Mark
from curvedoc.core.finding import NotJudged as NotJudged
from curvedoc.core.finding import Severity as Severity
from curvedoc.core.frozen import dataclass
from curvedoc.core.source import Note, Scalar, Source, Sureness

Verdict = Literal["failed", "warning", "ended-early", "healthy", "inconclusive"]
Answer = Literal["yes", "no", "leaning-yes", "leaning-no", "open", "unanswerable"]
Trust = Literal["sure", "guess"]
Cost = Literal["look", "code", "short-run", "full-run"]


@dataclass(frozen=True, slots=True)
class Check:
    """One question of the troubleshooting tree, answered from the log where the log can."""

    ask: str
    how: str
    cost: Cost
    yes: str  # "confirmed", "ruled-out" or another cause's id
    no: str
    answer: Answer = "open"
    because: str = ""  # the numbers behind an answer, or what is missing for one
    needs: tuple[str, ...] = ()  # roles that were not logged and would answer it


@dataclass(frozen=True, slots=True)
class RankedCause:
    """One likely cause of a run's findings."""

    cause: str
    title: str
    probability: float
    mechanism: str = ""
    supports: tuple[Evidence, ...] = ()  # "for" in JSON
    against: tuple[Evidence, ...] = ()
    checks: tuple[Check, ...] = ()
    fix: tuple[str, ...] = ()
    probe: str = ""  # a ready snippet of code
    findings: tuple[str, ...] = ()  # symptoms that name it
    action: str = ""  # what to do about it in this run
    action_code: str = ""  # the code for that, where there is any
    beside: str = ""  # the finding that it explains, where that is another trouble than the first: both may hold
    action_settings: Mapping[str, float] = field(default_factory=dict)  # what it changes: setting -> new value
    general: str = ""  # its title without the values of this run, as groups of runs are told of it

    @property
    def plain(self) -> str:
        """Its title as it stands for any run."""
        return self.general or self.title


@dataclass(frozen=True, slots=True)
class NextCheck:
    """The open question that is worth most per cost."""

    cause: str
    ask: str
    how: str
    cost: Cost
    yes: str
    no: str
    probe: str = ""


@dataclass(frozen=True, slots=True)
class NextAction:
    """The one thing to do first about a run."""

    text: str
    command: str = ""  # that starts the run again with what the text changes, where its launch line is known
    code: str = ""
    tests: str = ""  # id of the cause that it tests
    changed: tuple[str, ...] = ()  # tokens of the command that differ from the launch line


@dataclass(frozen=True, slots=True)
class Waste:
    """What the failure cost after the first step at which it could be seen."""

    first_detectable_step: int | None = None
    steps_wasted: int | None = None
    hours_wasted: float | None = None


@dataclass(frozen=True, slots=True)
class RunEnding:
    """How a run ended, and how that is known; `value` is None where nothing tells.

    value: finished, early-stopping, by-hand, time-limit, preempted, killed, hardware, disk, crash, cut-off, running
    known_by: "message", "exit status", "plan", "torn record", "file times"
    place: file and line of the user's code that was running, "" where no traceback names one
    """

    value: str | None = None
    trust: Literal["sure", "guess"] = "sure"
    known_by: str = ""
    because: str = ""
    step: int | None = None
    done: float | None = None
    planned: float | None = None
    unit: str = ""
    place: str = ""
    captured: Mapping[str, str] = field(default_factory=dict)  # sizes, paths, keys that the message names


@dataclass(frozen=True, slots=True)
class Signal:
    """One role as it was found: the metric taken for it, its extent, what it was known by and how sure that is."""

    role: str
    metric: str
    points: int
    first_step: int | None
    last_step: int | None
    last_value: float | None
    label: str = ""
    known_by: str = ""
    trust: Sureness = "sure"


@dataclass(frozen=True, slots=True)
class Curve:
    """One metric thinned for drawing: per bucket the first step, mean, minimum and maximum; extremes are kept.

    A bucket without a finite value has NaN in mean, low and high; `nonfinite` holds such spans as (first, last step).
    """

    metric: str
    role: str
    label: str
    step: tuple[int, ...]
    mean: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    points: int  # how many raw points the buckets stand for
    nonfinite: tuple[tuple[int, int], ...] = ()
    #: raw points near a finding: (steps, values)
    raw: tuple[tuple[int, ...], tuple[float, ...]] = ((), ())


@dataclass(frozen=True, slots=True)
class Message:
    """One line or traceback that matters."""

    source: str
    line: int
    level: str
    step: int | None
    text: str


@dataclass(frozen=True, slots=True)
class Event:
    """One departure of one channel: where, what it did and by how much."""

    step: int
    channel: str  # role, or "log" for what the log itself did
    what: str  # "began to rise", "became NaN" ...
    factor: float | None = None  # level after over level before, None where that says nothing


@dataclass(frozen=True, slots=True)
class Differing:
    """One setting of a run beside that of another; None where it is not set."""

    key: str
    here: Scalar | None
    there: Scalar | None


@dataclass(frozen=True, slots=True)
class Nearest:
    """The healthy run whose configuration differs least from that of a failed one."""

    run: str
    settings: tuple[Differing, ...]  # that differ, telling ones first; () where none does
    text: str


@dataclass(frozen=True, slots=True)
class KnownFact:
    """One thing that is true of a run, and how it is known."""

    value: bool | int | float | str
    unit: str
    trust: Trust
    known_by: str  # "configuration", "curves", "you said so" ...
    because: str  # the sentence that says how it is known
    doubt: str | None = None  # what contradicts it

    @property
    def firm(self) -> bool:
        """Whether a run may fail because of it."""
        return self.trust == "sure" and self.doubt is None


@dataclass(frozen=True, slots=True)
class RunDiagnosis:
    """One run, diagnosed."""

    run: str
    verdict: Verdict
    headline: str
    sources: tuple[Source, ...]
    signals: tuple[Signal, ...]
    findings: tuple[Finding, ...]
    causes: tuple[RankedCause, ...]
    not_judged: tuple[NotJudged, ...]
    next_check: NextCheck | None
    cost: Waste
    curves: tuple[Curve, ...] = ()
    messages: tuple[Message, ...] = ()
    notes: tuple[Note, ...] = ()
    config: Mapping[str, Scalar] = field(default_factory=dict)
    axis: str = "step"
    timeline: tuple[Event, ...] = ()  # what moved, in order of step; empty where nothing is wrong
    nearest: Nearest | None = None  # of a failed run among others
    facts: Mapping[str, KnownFact] = field(default_factory=dict)  # what is known of the run; what is not is left out
    next_action: NextAction | None = None
    ending: RunEnding = RunEnding()
    none_of_these: float | None = None  # what the causes of the first trouble leave of 100 %; None without a cause
    abort_rules: tuple[AbortRule, ...] = ()  # of a failed run, the one that saves most first


@dataclass(frozen=True, slots=True)
class Contrast:
    """A configuration key, or a pair, that separates the failed runs or those of a group from the others."""

    key: str
    text: str
    p_value: float
    failed_of: tuple[int, int]  # failed, all on the failing side
    healthy_of: tuple[int, int]  # failed, all on the other side


@dataclass(frozen=True, slots=True)
class Group:
    """Runs that failed the same way."""

    name: str  # A, B, C ...
    signature: tuple[str, ...]  # symptoms, then the cause
    runs: tuple[str, ...]
    representative: str
    contrasts: tuple[Contrast, ...] = ()  # what parts it from all runs outside it, the surest first


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A path that looked like a log and gave nothing."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Everything that was found in one call."""

    version: str
    rules_digest: str
    runs: tuple[RunDiagnosis, ...]
    groups: tuple[Group, ...] = ()
    contrasts: tuple[Contrast, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()
