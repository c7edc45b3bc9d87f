"""The diagnosis as JUnit XML: the format that every CI server shows."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from curvedoc.core.diagnosis import Diagnosis, Finding, RunDiagnosis
from curvedoc.core.late_regex import late_regex
from curvedoc.report import words
from curvedoc.report.escape import visible, visible_block
from curvedoc.report.redact import redact
from curvedoc.report.summary import decides, ranked_findings, worst_first

# XML 1.0 has no spelling for these, not even as character references.
_ILLEGAL = late_regex("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_junit(d: Diagnosis) -> str:
    """One suite per run: a failed case per pathology, a skipped one per symptom that could not be judged.

    A run without a pathology has one passed case, so that it is counted. A warning fails as well, and so does an early
    end; whether it breaks the build is for the exit code to say. Ends with a newline.
    """
    suites = [_suite(run) for run in worst_first(d)]
    tests, failures, skipped = sum(s[1] for s in suites), sum(s[2] for s in suites), sum(s[3] for s in suites)
    unread = "".join(_case("unreadable", u.path, "error", u.reason, u.reason) for u in d.unreadable)
    if unread:
        n = len(d.unreadable)
        unread = f'<testsuite name="unreadable" tests="{n}" errors="{n}" failures="0">{unread}</testsuite>\n'
    head = f'<testsuites name="curvedoc" tests="{tests + len(d.unreadable)}" failures="{failures}"'
    head += f' errors="{len(d.unreadable)}" skipped="{skipped}">\n'
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n' + head + "".join(s[0] for s in suites) + unread + "</testsuites>\n"
    )


def _attr(text: str) -> str:
    return quoteattr(_ILLEGAL.sub("?", visible(redact(text))))


def _body(text: str) -> str:
    return escape(_ILLEGAL.sub("?", visible_block(redact(text))))


def _case(suite: str, name: str, state: str, message: str, text: str) -> str:
    head = f"<testcase classname={_attr(suite)} name={_attr(name)}"
    return f"{head}><{state} message={_attr(message)}>{_body(text)}</{state}></testcase>\n"


def _suite(run: RunDiagnosis) -> tuple[str, int, int, int]:
    """The suite of one run, and its numbers of tests, failures and skipped ones."""
    suite = words.run_name(run.run) or "run"
    faults = [f for f in ranked_findings(run) if decides(run, f) and not f.explained_by]
    cases = [_case(suite, _name(f), "failure", f.title, _told(run, f)) for f in faults]
    if not faults:
        cases.append(f"<testcase classname={_attr(suite)} name={_attr(run.verdict)}/>\n")
    for n in run.not_judged:
        cases.append(_case(suite, n.symptom, "skipped", n.reason, ", ".join(n.needs)))
    tests = len(cases)
    head = f'<testsuite name={_attr(suite)} tests="{tests}" failures="{len(faults)}" skipped="{len(run.not_judged)}">\n'
    return head + "".join(cases) + "</testsuite>\n", tests, len(faults), len(run.not_judged)


def _name(f: Finding) -> str:
    scope = ", ".join(f"{k}={v}" for k, v in sorted(f.scope.items()))
    return f"{f.symptom} ({scope})" if scope else f.symptom


def _told(run: RunDiagnosis, f: Finding) -> str:
    lines = [run.headline, *(f"- {e.text}" for e in f.evidence)]
    for c in [c for c in run.causes if f.symptom in c.findings][:3]:
        lines.append(f"{words.likelihood(c.probability)}, {words.percent(c.probability)}: {c.title}")
        lines += [f"  fix: {fix}" for fix in c.fix[:2]]
    return "\n".join(lines)
