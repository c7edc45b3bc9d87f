"""What readers, facts and measures gave of every run of the truth: one line a run, with its label, in place of logs.

    python -m benchmarks.truth.table FOLDER OUT.jsonl.gz [LABELLED ...] [--shard K N]

FOLDER is what `python -m benchmarks.truth` wrote; LABELLED are further folders with labels.jsonl. A line holds the
label (task, logger, fault, level, accepted causes ...), the facts, of every finding its links to causes with the
evidence that holds, and of every cause the predictions that hold: all that the ranking is made from (`fit.py`).
Shards of several processes are joined by `cat`.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from curvedoc.core.diagnosis import Finding
from curvedoc.core.run import Run
from curvedoc.diagnose.ending.aftermath import survived, unspoken
from curvedoc.diagnose.ending.course import course
from curvedoc.diagnose.ending.ending import ending
from curvedoc.diagnose.ending.notices import as_note, happened, with_causes, with_reason
from curvedoc.diagnose.ending.said import said
from curvedoc.diagnose.judge import detect as judge
from curvedoc.diagnose.judge.fold import fold, root
from curvedoc.diagnose.judge.inputs import Bench
from curvedoc.diagnose.judge.rank import rank
from curvedoc.diagnose.judge.scopes import subjects
from curvedoc.diagnose.judge.verdict import verdict
from curvedoc.diagnose.story.remedy import lowered
from curvedoc.ingest import read_runs
from curvedoc.pipeline import Options, rulebook
from curvedoc.rulebook.location import signals_file
from curvedoc.rulebook.messages.catalog import catalog
from curvedoc.rulebook.rule import Rulebook

KEPT = ("run", "task", "task_family", "logger", "fault", "note", "manifested", "benign", "accept_causes",
        "accept_symptoms", "also_fine", "strict_causes", "channels")  # fmt: skip


def links(finding: Finding, bench: Bench, book: Rulebook) -> list[list[Any]]:
    """[cause, weight, [[measure, factor] that holds ...]] of a finding."""
    rule = book.rule(finding.symptom)
    if rule is None:
        return []
    found = []
    for member in subjects(bench, rule, ()):
        env = bench.environment(rule.program, member)
        for need in rule.program.required:
            env[need.name] = bench.bind(need, member)
        judge._conditions(rule, env)
        shares = judge._shares(rule, env)
        held = [[c.cause, c.weight, [[m, t] for m, t in c.times.items() if env.get(m) is True]] for c in rule.causes]
        found.append((shares == finding.causes, held))
    return next((held for same, held in found if same), found[0][1] if found else [])


def record(run: Run, book: Rulebook) -> dict[str, Any]:
    """What was found in a run, and what that says of causes."""
    said_, way = said(run, catalog()), course(run)
    ended = ending(run, said_, way, False)
    bench = Bench(run, facts=book.facts, known=as_note(ended))
    rules = {r.id: r for r in book.rules}
    seen = lowered(run, [j.finding for r in book.rules if (j := judge.detect(r, bench)).finding is not None])
    fired = unspoken(survived(seen, rules, bench, ended), rules, ended)
    folded = fold(with_causes(fired, said_, ended, happened(ended, way, run.axis, None)), rules)
    causes = rank(folded, book.causes, bench)
    facts = {k: f.value for k, f in with_reason(bench.facts(), ended).items()}
    by_id = {f.symptom: f for f in folded}
    faulty = any(f.kind == "pathology" for f in folded)
    findings = [
        {
            "symptom": f.symptom,
            "kind": f.kind,
            "severity": f.severity,
            "strength": f.strength,
            "root": root(f.symptom, by_id),
            "folded": f.explained_by is not None,
            "links": links(f, bench, book),
        }
        for f in folded
        if not (faulty and f.kind == "gap")
    ]
    predicted: dict[str, list[list[Any]]] = {}
    for cause in sorted({link[0] for f in findings for link in f["links"]} & set(book.causes)):
        spec = book.causes[cause]
        env = bench.environment(spec.program, bench.subject())
        held = [[p.channel, p.given, p.times] for p in spec.predicts if env.get(p.given) is True]
        predicted[cause] = held
    return {
        "verdict": verdict(run, folded, ended.early),
        "facts": {k: round(v, 6) if isinstance(v, float) else v for k, v in facts.items()},
        "findings": findings,
        "predicted": predicted,
        "stated": [[c.cause, c.probability] for c in causes[:12]],
    }


def rows(folder: Path, part: str, book: Rulebook, shard: tuple[int, int], faulty: bool) -> Iterator[dict[str, Any]]:
    """The labeled runs of a folder, one line each."""
    for i, line in enumerate((folder / "labels.jsonl").read_text().splitlines()):
        label = json.loads(line)
        if i % shard[1] != shard[0] or label.get("group") or not (folder / label["run"]).exists():
            continue  # repeats and ranks are judged together, which this table does not hold
        if faulty and (label["benign"] or not label["manifested"]):
            continue
        options = Options()
        harvest = read_runs(
            [folder / label["run"]], signals=options.signals, signals_file=signals_file(), follow_links=False
        )
        found = [record(run, book) for run in harvest.runs]
        if not found:
            continue
        yield {"part": part, **{k: label[k] for k in KEPT if k in label}, "runs": len(found), **found[0]}


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("labeled", type=Path, nargs="*")
    parser.add_argument("--shard", type=int, nargs=2, default=(0, 1))
    parser.add_argument("--faulty", action="store_true", help="only the runs that the ranking is fitted to")
    a = parser.parse_args()
    book = rulebook(Options())
    parts = [(a.folder / p, p) for p in ("look", "aside")] + [(m, m.name) for m in a.labeled]
    with gzip.GzipFile(a.out, "wb", 6, mtime=0) as file:
        for where, part in parts:
            for row in rows(where, part, book, tuple(a.shard), a.faulty):
                file.write(json.dumps(row, sort_keys=True, separators=(",", ":")).encode() + b"\n")


if __name__ == "__main__":
    main()
