"""The rulebook stays short enough to be read: lines, thresholds, measures and words are counted, and have a ceiling.

A measure is an expression with a name; what is asked where it stands (`when`, `given`, `onset`) has none, and is short.
The ceilings are where the book stands; a change that needs more of one thing takes it from elsewhere. Lower them as the
book gets shorter. The aim was 650 params, 1,350 measures, a median rule of 80 lines and none above 160, 140 words.
Over 1,648 runs every condition, excuse, alternative and line of evidence was left out in turn. What decides nothing is
gone; some twenty measures that decide nothing there guard against signals that those runs do not miss.
"""

from __future__ import annotations

import ast
import statistics
from collections import defaultdict
from collections.abc import Iterator

from curvedoc.rulebook.expr import Expr
from curvedoc.rulebook.load import load, rules_dir
from curvedoc.rulebook.rule import Cause, Fact, Rule
from curvedoc.rulebook.shared import shared_params
from curvedoc.rulebook.vocabulary import functions

BOOK = load()
FILES: tuple[Rule | Cause | Fact, ...] = (*BOOK.rules, *BOOK.causes.values(), *BOOK.facts.values())

PARAMS, MEASURES = 534, 1_350
MEDIAN_LINES, MOST_LINES = 76, 160
WORDS, UNUSED_WORDS = 137, 0
COPIED = 0


def measures(file: Rule | Cause | Fact) -> Iterator[Expr]:
    """Every named expression of a file; what a fact is known by is one as well."""
    yield from (e for name, e in file.program.measures if name not in file.program.shared)
    if isinstance(file, Fact):
        yield from (way.value for way in file.ways if isinstance(way.value, Expr))


def expressions(file: Rule | Cause | Fact) -> Iterator[Expr]:
    """Every expression of a file."""
    yield from measures(file)
    yield from (file.program.formulas[name] for name in file.program.shared)
    yield from (e for _, e in file.program.unnamed)
    if isinstance(file, Rule):
        yield from (e for _, group in file.when for e in group)
        yield file.strength
    if isinstance(file, Fact):
        yield from (way.given for way in file.ways if way.given is not None)


def operators(expr: Expr) -> int:
    """Signs and words between operands: 2 in `a > b + c`, 3 in `a > b and not c`."""
    count = 0
    for node in ast.walk(expr.tree):
        match node:
            case ast.BinOp() | ast.UnaryOp():
                count += 1
            case ast.Compare(ops=ops):
                count += len(ops)
            case ast.BoolOp(values=values):
                count += len(values) - 1
    return count


def test_the_book_has_no_more_thresholds_than_its_ceiling() -> None:
    own = sum(not p.shared for f in (*FILES, *BOOK.remarks.values()) for p in f.program.params)
    assert own + len(shared_params()) <= PARAMS


def test_the_book_has_no_more_measures_than_its_ceiling() -> None:
    # true, false and words of a list, by which a fact is known, count as well; a group of a pattern works nothing out
    facts = [f for f in FILES if isinstance(f, Fact) and f.type != "text"]
    constant = sum(not isinstance(way.value, Expr) for f in facts for way in f.ways)
    shared = {name for f in FILES for name in f.program.shared}
    assert sum(1 for f in FILES for _ in measures(f)) + constant + len(shared) <= MEASURES


def test_what_is_asked_without_a_name_is_short() -> None:
    long = [(f.id, text) for f in FILES for text, e in f.program.unnamed if operators(e) > 3 or len(text) > 80]
    assert long == []


def test_rules_have_no_more_lines_than_their_ceilings() -> None:
    lines = {r.id: len((rules_dir().parent / r.path).read_text().splitlines()) for r in BOOK.rules}
    assert statistics.median(lines.values()) <= MEDIAN_LINES
    assert {id_: n for id_, n in lines.items() if n > MOST_LINES} == {}


def test_no_measure_of_more_than_two_operators_stands_in_two_files_beyond_the_ceiling() -> None:
    found: dict[str, set[str]] = defaultdict(set)
    for file in FILES:
        for expr in measures(file):
            if operators(expr) > 2:
                found[ast.dump(expr.tree)].add(file.id)
    copied = sorted(sorted(ids) for ids in found.values() if len(ids) > 1)
    assert len(copied) <= COPIED, copied


def test_the_vocabulary_is_no_larger_than_its_ceiling_and_used() -> None:
    called = {
        node.func.id
        for file in FILES
        for expr in expressions(file)
        for node in ast.walk(expr.tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert len(functions()) <= WORDS
    unused = sorted(set(functions()) - called)
    assert len(unused) <= UNUSED_WORDS, unused


def test_a_shared_threshold_is_read_by_several_files() -> None:
    readers: dict[str, int] = defaultdict(int)
    for file in FILES:
        for p in file.program.params:
            readers[p.name] += p.shared
    assert [name for name in shared_params() if readers[name] < 3] == []


def test_no_shared_threshold_has_the_name_of_a_fact() -> None:
    assert set(shared_params()) & set(BOOK.facts) == set()
