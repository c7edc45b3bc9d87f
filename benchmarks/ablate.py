"""What a rule file can do without: `python benchmarks/ablate.py [--unify] [--write] FILE ... [--runs FOLDER ...]`.

Every condition, alternative, excuse, and every part of an `and`, `or` or call that takes several is left out in turn,
and the rule judged anew: on all runs of the folders (labeled sets; a set need not be labeled), on sample logs and
re-enacted faults, on drawn healthy runs and drawn curves that turn, and on the rule's own cases. What changes
nothing there is listed, and with --write left out of the file, one part after the other, with everything that nothing
reads any more. A condition that guards against what no run here shows is kept by the case that shows it.

--unify: instead, each threshold without a range of its own is replaced by one of rules/shared.yaml, or by a plain
number, where no run and no case shows a difference; in causes and facts as well.
"""

from __future__ import annotations

import argparse
import ast
import math
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from ablation_runs import JudgedRun, gathered
from pydantic import ValidationError
from rule_text import Place, RuleText, spelled

from curvedoc.core.diagnosis import Finding
from curvedoc.core.errors import CurvedocError
from curvedoc.diagnose.cases import check
from curvedoc.diagnose.cause_cases import check_cause
from curvedoc.diagnose.fact_cases import check_fact
from curvedoc.diagnose.judge.detect import Judgment, detect
from curvedoc.diagnose.judge.facts import established
from curvedoc.diagnose.judge.inputs import Bench
from curvedoc.diagnose.judge.names import WHOLE, Names
from curvedoc.rulebook.compile import compile_cause, compile_rule
from curvedoc.rulebook.evaluate import code_of
from curvedoc.rulebook.expr import Expr
from curvedoc.rulebook.facts.fact import compile_fact
from curvedoc.rulebook.facts.fact_files import types_of
from curvedoc.rulebook.facts.fact_schema import FactFile
from curvedoc.rulebook.load import load
from curvedoc.rulebook.rule import Answer, Cause, Fact, Rule
from curvedoc.rulebook.schema.cause import CauseFile
from curvedoc.rulebook.schema.rule import RuleFile
from curvedoc.rulebook.shared import shared_params

Checked = Rule | Cause | Fact

#: Calls that can do with one argument less.
_CHOICES = ("any", "all", "most", "least")
#: What a finding may move by when a window of its measures changes: share of the run, strength.
MOVED, GRADED = 0.02, 0.15
#: How many cases and runs that need a part are named.
NAMED = 5


@dataclass(frozen=True)
class Edit:
    """One way to make a file shorter."""

    what: str
    made: Callable[[RuleText], RuleText]


def parts(tree: ast.expr) -> Iterator[ast.expr]:
    """The expression with one part left out, each way once. A bare condition is not left out here."""
    for node in ast.walk(tree):
        values = getattr(node, "values", None) if isinstance(node, ast.BoolOp) else None
        args = node.args if isinstance(node, ast.Call) else []
        name = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
        if values:
            for i in range(len(values)):
                rest = [v for j, v in enumerate(values) if j != i]
                yield _with(tree, node, rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest))  # type: ignore[attr-defined]
        elif name in _CHOICES:
            for i in range(len(args)):
                rest = [a for j, a in enumerate(args) if j != i]
                made = rest[0] if len(rest) == 1 else ast.Call(node.func, rest, [])  # type: ignore[attr-defined]
                yield _with(tree, node, made)
        elif name == "either":
            yield from (_with(tree, node, a) for a in args)
        elif name in ("sure", "firm"):
            yield _with(tree, node, args[0])
        elif isinstance(node, ast.Compare) and len(node.ops) > 1:
            yield _with(tree, node, ast.Compare(node.left, node.ops[:1], node.comparators[:1]))
            yield _with(tree, node, ast.Compare(node.comparators[0], node.ops[1:], node.comparators[1:]))


def _with(tree: ast.expr, old: ast.AST, new: ast.expr) -> ast.expr:
    """The tree with one node replaced."""
    if tree is old:
        return new

    class Swap(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            return new if node is old else self.generic_visit(_copy(node))

    swapped: ast.expr = Swap().visit(tree)
    return swapped


def _copy(node: ast.AST) -> ast.AST:
    return type(node)(**{name: _copied(getattr(node, name, None)) for name in node._fields})


def _copied(value: Any) -> Any:
    return list(value) if isinstance(value, list) else value


def edits(text: RuleText) -> Iterator[Edit]:
    """Every way to leave one thing out."""
    document = text.document
    when = document.get("when", [])  # causes and facts have none
    groups: Mapping[str, Sequence[str]] = when if isinstance(when, dict) else {"": when}
    if len(groups) > 1:
        for name in groups:
            yield Edit(f"alternative {name}", partial(RuleText.without_alternative, name=name))
    for name in document.get("excused_by", []):
        yield Edit(f"excuse {name}", partial(RuleText.without_excuse, name=name))
    places = list(text.places())
    conditions = [p for p in places if p.section == "when"]
    for place in conditions:
        group = next((g for g in groups.values() if place.text in g), [])
        if len(group) > 1:
            yield Edit(f"condition {place.text}", partial(RuleText.without_place, place=place))
    for place in places:
        yield from _smaller(text, place)


def _smaller(text: RuleText, place: Place) -> Iterator[Edit]:
    tree = ast.parse(place.text, mode="eval").body
    for made in parts(tree):
        said = spelled(made)
        yield Edit(
            f"{place.key or 'condition'}: {place.text}  ->  {said}",
            partial(RuleText.with_expression, place=place, text=said),
        )


#: Which shared thresholds may take the place of one in this unit; the nearest that changes nothing does.
_SHARES = ("trace", "hardly", "slightly", "somewhat", "clearly", "half", "mostly", "nearly_all")
_FACTORS = ("apart", "half_again", "several")
_WINDOWS = ("start_share", "end_share", "half")
_ROWS = ("first_rows", "few_rows", "some_rows", "many_rows")
_KINDS: Mapping[str, tuple[str, ...]] = {
    "of rows": (*_WINDOWS, "mostly", "nearly_all"), "of-run": (*_WINDOWS, *_SHARES), "of run": (*_WINDOWS, *_SHARES),
    "rows": _ROWS, "evaluations": ("few_evals", "some_evals"), "times": _FACTORS,
    "sd": ("likely_z", "clear_z", "sure_z"),
    "ratio": (*_SHARES, *_FACTORS), "median": _FACTORS, "first-value": _FACTORS,
}  # fmt: skip
_OF = (
    "fraction", "accuracy", "share", "correlation", "rank correlation", "of-peak", "of peak", "of the first loss",
    "of the progress", "of the fall", "of the initial loss", "of the level", "of activations", "of the rise",
    "of the largest", "of the way", "of-step",
)  # fmt: skip
#: Values that may be written as they are, and how far a shared one may lie from the one that it replaces (a factor).
_PLAIN = {2.0: "2", 10.0: "10", 100.0: "100", 1.0: "1"}
_FAR = 1.45


def unified(text: RuleText) -> Iterator[Edit]:
    """Every way to do without one threshold of the file."""
    shared = shared_params()
    params: Mapping[str, Any] = text.document.get("params", {})
    local = {n for key in ("needs", "params", "measure", "patterns") for n in text.document.get(key, {})}
    for name, param in params.items():
        value, unit = float(param["value"]), str(param["unit"])
        if "loose" in param:
            continue
        takers = [n for n in _KINDS.get(unit, _SHARES if unit in _OF else ()) if n == name or n not in local]
        near = [n for n in takers if value > 0 and _distance(value, shared[n].value) <= math.log(_FAR)]
        near.sort(key=lambda n: _distance(value, shared[n].value))
        if unit in ("value", "norm") and 0 < value < 1e-20:
            near = ["0"]
        if value in _PLAIN and unit not in ("rows", "evaluations", "sd", "steps"):
            near = [_PLAIN[value], *near]
        for n in near:
            yield Edit(f"{name} = {value:g} {unit} -> {n}", partial(_replaced, name=name, by=n))


def _replaced(text: RuleText, name: str, by: str) -> RuleText:
    made = text.without_entry("params", name)
    return made if by == name else made.renamed(name, by)


def _distance(a: float, b: float) -> float:
    """How far two thresholds are apart, by their ratio; of shares near one by what they leave out."""
    if 0.5 < a < 1.0 and 0.5 < b < 1.0:
        return abs(math.log((1.0 - a) / (1.0 - b)))
    return abs(math.log(a / b))


class Ablation:
    """The runs, with what is known of each, and what a file says of them."""

    def __init__(self, runs: Sequence[JudgedRun]) -> None:
        self.runs = runs
        self.book = load()
        self.facts = self.book.facts
        self.types = types_of(self.facts)
        # one bench for all files: what a statistic said of a run is not asked again
        self.benches = [Bench(r.run, facts=self.facts) for r in runs]
        for bench in self.benches:
            bench.facts()

    def compiled(self, text: RuleText, path: Path) -> Checked | None:
        """The rule, cause or fact of a text, None where it is none."""
        kind, where = path.parent.name, path.as_posix()
        made: Checked | None
        try:
            if kind == "causes":
                made, problems = compile_cause(CauseFile.model_validate(text.document), where, True, self.types)
            elif kind == "facts":
                made, problems = compile_fact(FactFile.model_validate(text.document), self.types, where, True)
            else:
                made, problems = compile_rule(RuleFile.model_validate(text.document), kind, where, True, self.types)
        except (ValidationError, CurvedocError):
            return None
        return None if problems else made

    def failed(self, made: Checked) -> Iterator[str]:
        """The cases of the file that are not as they should be."""
        if isinstance(made, Cause):
            book = replace(self.book, causes={**self.book.causes, made.id: made})
            yield from (case.name for case in made.tests if not check_cause(made, case, book).passed)
        elif isinstance(made, Fact):
            facts = {**self.facts, made.id: made}
            yield from (case.name for case in made.tests if not check_fact(made, case, facts).passed)
        else:
            yield from (case.name for case in made.tests if not check(made, case, self.facts).passed)

    def told(self, made: Checked, bench: Bench) -> Any:
        """What it says of a run."""
        if isinstance(made, Rule):
            return detect(made, bench)
        if isinstance(made, Fact):
            found = established(made, bench)
            return None if found is None else (found.value, found.trust, found.doubt is None)
        env = bench.environment(made.program, WHOLE)
        names = [p.given for p in made.predicts] + [a.sentence.given for a in made.acts]
        names += [n for c in made.checks for n in (c.answer.names if isinstance(c.answer, Answer) else (c.answer,))]
        plain = {c.answer for c in made.checks if isinstance(c.answer, str)}
        return tuple((n, env[n] if n in plain else env[n] is True) for n in dict.fromkeys(names) if n)


def same(a: Any, b: Any, run: JudgedRun) -> bool:
    """Whether what was said of a run twice is the same."""
    if not isinstance(a, Judgment):
        return bool(a == b) or (
            _number(a) and _number(b) and a[1:] == b[1:] and math.isclose(a[0], b[0], rel_tol=MOVED)
        )
    one, other = a.finding, b.finding
    if one is None or other is None:
        return one is other
    if (one.severity, one.kind) != (other.severity, other.kind) or abs(one.strength - other.strength) > GRADED:
        return False
    shares = dict(other.causes)
    if len(shares) != len(one.causes) or any(abs(shares.get(c, 2.0) - p) > 0.01 for c, p in one.causes):
        return False
    if _sentences(one) != _sentences(other):
        return False
    if one.first_step is None or other.first_step is None:
        return one.first_step is other.first_step
    loss = run.run.series("loss") or run.run.series("val_loss")
    span = float(loss.step[-1] - loss.step[0]) if loss is not None and len(loss) else 1.0
    return abs(one.first_step - other.first_step) <= MOVED * span + 1


def _sentences(finding: Finding) -> list[str]:
    """What a finding says, whatever its figures are."""
    return [re.sub(r"[-+.\de]*\d", "0", text) for text in (finding.title, *(e.text for e in finding.evidence))]


def _number(value: Any) -> bool:
    return isinstance(value, tuple) and bool(value) and isinstance(value[0], float)


class Values:
    """What the expressions of one file are worth in each run: a change is judged where it makes a difference."""

    def __init__(self, made: Checked, benches: Sequence[Bench]) -> None:
        self.made = made
        self.benches = benches
        self.names: list[Names | None] = [None] * len(benches)

    def touched(self, made: Checked, i: int, changes: Sequence[tuple[Expr, Expr | None]] | None) -> bool:
        """Whether a run may be judged otherwise by the changed file. changes: as `changes` gives them."""
        if changes is None:
            return True
        names = self.names[i]
        if names is None:
            bench = self.benches[i]
            names = self.names[i] = bench.environment(self.made.program, WHOLE)
        for old, new in changes:
            was = code_of(old)(names)
            if (was is not True) if new is None else not _alike(was, code_of(new)(names)):
                return True
        return False


def _alike(a: Any, b: Any) -> bool:
    return a is b or (type(a) is type(b) and isinstance(a, (float, bool)) and a == b)


def changes(old: Checked, new: Checked) -> list[tuple[Expr, Expr | None]] | None:
    """The expressions that differ between two versions of a file, None beside a condition that went.

    None where more differs than that, or where a rule is judged for parts of a run.
    """
    if isinstance(old, Rule) and isinstance(new, Rule):
        if old.over != "run" or old.excused_by != new.excused_by or len(old.when) != len(new.when):
            return None
    elif isinstance(old, Fact) and isinstance(new, Fact) and [str(w) for w in old.ways] != [str(w) for w in new.ways]:
        return None
    found: list[tuple[Expr, Expr | None]] = []
    forms, later = old.program.formulas, new.program.formulas
    if any(n not in forms for n in later) or old.program.given != {**old.program.given, **new.program.given}:
        return None
    found += [(forms[n], e) for n, e in later.items() if forms[n].text != e.text]
    if isinstance(old, Rule) and isinstance(new, Rule):
        for (_, group), (_, other) in zip(old.when, new.when, strict=True):
            if len(group) == len(other):
                found += [(a, b) for a, b in zip(group, other, strict=True) if a.text != b.text]
            else:
                kept = {e.text for e in other}
                found += [(e, None) for e in group if e.text not in kept]
    return found


def shortened(
    path: Path, ablation: Ablation, candidates: Callable[[RuleText], Iterator[Edit]], together: bool = False
) -> tuple[RuleText, list[str], dict[str, list[str]]]:
    """The file with every change of the candidates that costs nothing, what they were, and what needs the others.

    together: try all first.
    """
    now = RuleText.of(path.read_text(encoding="utf-8"))
    made = ablation.compiled(now, path)
    if made is None or getattr(made, "over", "") == "siblings" or any(ablation.failed(made)):
        return now, ["(left alone)"], {}
    benches = ablation.benches
    before = [ablation.told(made, b) for b in benches]
    # runs of which something is said come first: they differ soonest
    order = sorted(range(len(before)), key=lambda i: getattr(before[i], "finding", before[i]) is None)

    values = Values(made, benches)

    def lost(text: RuleText) -> Iterator[str]:
        """What is judged otherwise: runs, then cases."""
        made = ablation.compiled(text, path)
        if made is None:
            yield "it would be no rule"
            return
        changed = changes(values.made, made)
        for i in order:
            if values.touched(made, i, changed) and not same(
                before[i], ablation.told(made, benches[i]), ablation.runs[i]
            ):
                yield ablation.runs[i].name
        yield from (f"the case '{name}'" for name in ablation.failed(made))

    def holds(text: RuleText) -> bool:
        return not any(lost(text))

    out: list[str] = []
    needed: dict[str, list[str]] = {}
    if together:  # the first choice for each, all of them if they will, else by halves
        left = [list({edit.what.split(" -> ")[0]: edit for edit in reversed(list(candidates(now)))}.values())]
        while left:
            group = left.pop()
            text = _made(now, group)
            if holds(text):
                now = text
                values = Values(_known(ablation.compiled(now, path)), benches)
                out += [edit.what for edit in group]
            elif len(group) > 1:
                left += [group[len(group) // 2 :], group[: len(group) // 2]]
    tried: set[str] = set()
    while True:
        for edit in candidates(now):
            if edit.what in tried:
                continue
            tried.add(edit.what)
            text = edit.made(now).tidied(now)
            if str(text) == str(now):
                continue
            by = list(islice(lost(text), NAMED))
            if not by:
                now = text
                values = Values(_known(ablation.compiled(now, path)), benches)
                out.append(edit.what)
                break
            needed[edit.what] = by
        else:
            return now, out, needed


def _known(made: Checked | None) -> Checked:
    assert made is not None
    return made


def _made(text: RuleText, edits: Sequence[Edit]) -> RuleText:
    made = text
    for edit in edits:
        made = edit.made(made)
    return made.tidied(text)


def main() -> None:
    """List, or write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--runs", nargs="*", type=Path, default=[])
    parser.add_argument("--keep", type=Path, help="a file that keeps the runs from one call to the next")
    parser.add_argument("--unify", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--why", action="store_true", help="tell what needs each part that stays")
    options = parser.parse_args()
    ablation = Ablation(gathered(options.runs, options.keep))
    print(f"{len(ablation.runs):,} runs", file=sys.stderr)
    for path in options.files:
        start = time.perf_counter()
        text, out, needed = shortened(path, ablation, unified if options.unify else edits, options.unify)
        print(f"{path}: {len(out)} changes cost nothing ({time.perf_counter() - start:.0f} s)", flush=True)
        for what in out:
            print(f"  {what}")
        if options.why:
            for what, by in needed.items():
                print(f"  stays: {what}\n    for {', '.join(by)}")
        if options.write and out:
            path.write_text(str(text), encoding="utf-8")


if __name__ == "__main__":
    main()
