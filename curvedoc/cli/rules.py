"""`curvedoc rules` and `curvedoc explain`."""

from __future__ import annotations

import ast
import difflib
import json
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from curvedoc.core.errors import UsageError

if TYPE_CHECKING:
    from curvedoc.options import Options
    from curvedoc.report.explain.page import Page
    from curvedoc.rulebook.expr import Expr
    from curvedoc.rulebook.rule import Rulebook

#: Runs that `explain --run` tells one after the other.
MOST_RUNS = 8


#: The forms of the language that take what is unknown; see docs/rules.md.
FORMS = """\
known(x) -> true/false
    Whether x is known.
sure(p: true/false) -> true/false
    Whether p is known to be true.
either(x, y) -> as x and y
    x, or y where x is unknown.
any(p, q, ...), all(p, q, ...) -> true/false
    Or and and, leaving unknown operands out.
most(x, y, ...), least(x, y, ...) -> a number
    The largest and the smallest that is known.
"""


def list_vocabulary() -> None:
    """Print every function by what it is about, with its types, its first line and a file that calls it."""
    from curvedoc.rulebook.load import load
    from curvedoc.rulebook.rule import Cause, Fact, Rule
    from curvedoc.rulebook.vocabulary import brought_functions, fields_of, functions, type_name
    from curvedoc.stats.units import FIELD_UNITS, UNITS

    book = load()
    users: dict[str, str] = {}
    files: list[Rule | Cause | Fact] = [*book.rules, *book.causes.values(), *book.facts.values()]
    for file in files:
        asked = [e for _, lines in file.when for e in lines] if isinstance(file, Rule) else []
        for called in _called([*file.program.formulas.values(), *asked]):
            users.setdefault(called, file.id)
    sys.stdout.write(f"What is not known\n\n{FORMS}")
    groups: dict[str, list[str]] = {}
    for name, function in sorted({**functions(), **brought_functions()}.items()):
        parameters = ", ".join(f"{p}: {type_name(t)}" for p, t in function.parameters)
        used = f" Used by {users[name]}." if name in users else ""
        gives = UNITS.get(name, "a number") if function.result is float else type_name(function.result)
        about = f"{name}({parameters}) -> {gives}\n    {function.about}{used}\n"
        for field, told in fields_of(function.result).items():
            gives = FIELD_UNITS.get(field, "a number") if told.result is float else type_name(told.result)
            about += f"    .{field} -> {gives}: {told.about}\n"
        groups.setdefault(function.module.rpartition(".")[0] or function.module, []).append(about)
    for package in sorted(groups):
        heading = (sys.modules[package].__doc__ or package).strip().rstrip(".")
        sys.stdout.write(f"\n{heading}\n\n{''.join(groups[package])}")


def _called(exprs: Iterable[Expr]) -> set[str]:
    """The functions that expressions call."""
    nodes = (node for expr in exprs for node in ast.walk(expr.tree))
    return {node.func.id for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}


def list_rules(folders: list[Path], as_json: bool) -> None:
    """Print the detectors by family."""
    from curvedoc.rulebook.load import load

    book = load(folders)
    if as_json:
        rows = [
            {
                "id": r.id, "family": r.family, "kind": r.kind, "severity": r.severity, "status": r.status,
                "title": r.title, "needs": [n.target or "log_text" for n in r.program.needs if not n.optional],
                "params": {p.name: {"value": p.value, "unit": p.unit, "why": p.why} for p in r.program.params},
                "causes": [link.cause for link in r.causes],
            }
            for r in book.rules
        ]  # fmt: skip
        sys.stdout.write(json.dumps(rows, indent=1, sort_keys=True) + "\n")
        return
    family = ""
    for rule in sorted(book.rules, key=lambda r: (r.family, r.id)):
        if rule.family != family:
            family = rule.family
            sys.stdout.write(f"\n{family}\n")
        sys.stdout.write(f"  {rule.id:32} {rule.severity:8} {rule.title}\n")
    sys.stdout.write(f"\n{len(book.rules)} detectors, {len(book.causes)} causes; curvedoc explain ID tells more\n")


def list_facts(folders: list[Path], as_json: bool) -> None:
    """Print what may be known of a run, each with the ways to know it."""
    from curvedoc.rulebook.load import load

    facts = load(folders, lazy=True).facts
    if as_json:
        rows = [
            {
                "id": f.id, "title": f.title, "type": f.type, "unit": f.unit, "words": dict(f.words),
                "known_by": [{"from": w.source, "trust": w.trust, "say": w.say} for w in f.ways],
                "params": {p.name: {"value": p.value, "unit": p.unit, "why": p.why} for p in f.program.params},
            }
            for f in facts.values()
        ]  # fmt: skip
        sys.stdout.write(json.dumps(rows, indent=1, sort_keys=True) + "\n")
        return
    for f in facts.values():
        sys.stdout.write(f"{f.id:24} {f.title} ({', '.join(f.words.values()) or f.unit or f.type})\n")
        sys.stdout.writelines(f"    {w.trust:6} {w.source}: {w.say}\n" for w in f.ways)
    sys.stdout.write(f"\n{len(facts)} facts; --fact NAME=VALUE overrides one, curvedoc explain NAME tells more\n")


def explain_id(id_: str, folders: list[Path], markdown: bool) -> None:
    """Print the page of a rule or cause."""
    _print(page_of(id_, folders), markdown)


def page_of(id_: str, folders: list[Path]) -> Page:
    """The page of a rule, a cause, a fact, a remark or a guide. Raises UsageError."""
    from curvedoc.report.explain.first_steps import NAME, first_steps
    from curvedoc.report.explain.rule_page import page
    from curvedoc.rulebook.facts.fact import name_of
    from curvedoc.rulebook.load import load

    if id_ == NAME:
        return first_steps()
    book = load(folders)
    id_ = name_of(id_) if name_of(id_) in book.facts else id_
    _require(id_, book)
    return page(id_, book)


def print_probe(name: str, folders: list[Path]) -> None:
    """Print the code that tests a cause, ready for a file. Raises UsageError."""
    from curvedoc.rulebook.load import load

    probes = {c.id: c.probe for c in load(folders).causes.values() if c.probe}
    if name not in probes:
        close = difflib.get_close_matches(name, probes, n=3)
        hint = f"did you mean {', '.join(close)}?" if close else f"there are {', '.join(sorted(probes))}"
        raise UsageError(f"no probe '{name}'", hint=hint)
    sys.stdout.write(probes[name].rstrip("\n") + "\n")


def explain_run(id_: str, path: Path, options: Options, markdown: bool) -> None:
    """Print what each line of a rule or cause said of the runs at a path, judged as `analyze` judges them."""
    for made in pages_of_run(id_, path, options):
        _print(made, markdown)


def pages_of_run(id_: str, path: Path, options: Options) -> list[Page]:
    """What each line of a rule or cause said, a page a run. Raises UsageError, NothingToAnalyse."""
    from curvedoc.core.errors import NothingToAnalyse
    from curvedoc.diagnose.judge.trace import trace_cause, trace_rule
    from curvedoc.diagnose.many import repeats
    from curvedoc.pipeline import runs_below
    from curvedoc.report.explain.trace_page import cause_trace_page, rule_trace_page
    from curvedoc.rulebook.facts.fact import tell
    from curvedoc.rulebook.load import load, tune

    book = tell(tune(load(options.rules), options.set, options.sensitivity), options.facts)
    _require(id_, book)
    if id_ in book.facts or id_ in book.remarks:
        raise UsageError(f"'{id_}' has no lines to explain", hint=f"curvedoc doctor {path} tells facts and remarks")
    runs = runs_below([path], options).runs
    if not runs:
        raise NothingToAnalyse("no training run found", str(path), f"curvedoc doctor {path} shows what was looked at")
    if len(runs) > MOST_RUNS:
        hint = f"give one of them, such as {runs[0].name}"
        raise UsageError(f"{len(runs):,} runs are too many to explain line by line", str(path), hint)
    related = repeats(runs)
    rule, pages = book.rule(id_), []
    for run in runs:
        name = path.resolve().name if run.name == "." else run.name
        if rule is not None:
            pages.append(rule_trace_page(rule, name, trace_rule(rule, run, related.get(run.name, ()), book.facts)))
        else:
            pages.append(cause_trace_page(book.causes[id_], name, trace_cause(book.causes[id_], run, book.facts)))
    return pages


def _require(id_: str, book: Rulebook) -> None:
    known = [*(r.id for r in book.rules), *book.causes, *book.facts, *book.remarks]
    if id_ not in known:
        close = difflib.get_close_matches(id_, known, n=3)
        raise UsageError(
            f"no symptom, cause, fact or remark '{id_}'",
            hint=f"did you mean {', '.join(close)}?" if close else "curvedoc rules lists them",
        )


def _print(made: Page, markdown: bool) -> None:
    from curvedoc.cli.outputs import PIPED_WIDTH

    if markdown:
        from curvedoc.report.explain.markdown import to_markdown

        sys.stdout.write(to_markdown(made))
        return
    from curvedoc.report.explain.terminal import to_terminal

    width = shutil.get_terminal_size((PIPED_WIDTH, 24)).columns if sys.stdout.isatty() else PIPED_WIDTH
    plain = not (sys.stdout.encoding or "").lower().startswith("utf")
    sys.stdout.write(to_terminal(made, min(width, PIPED_WIDTH), plain))


def write_reference(folders: list[Path], output: Path) -> None:
    """Write a page for every symptom and cause, their drawings and an index below `output`. Raises UsageError."""
    from curvedoc.core.files.output_file import folder_for, write
    from curvedoc.report.explain.markdown import reference
    from curvedoc.rulebook.load import load

    files = reference(load(folders))
    for name, text in files.items():
        with folder_for((output / name).parent):
            write(output / name, text, force=True)
    sys.stderr.write(f"wrote {len(files):,} files to {output}\n")
