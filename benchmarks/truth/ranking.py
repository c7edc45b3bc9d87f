"""The formula of diagnose/judge/rank.py over all runs of the table at once, with its numbers as parameters.

Parameters: what a grade of evidence is worth, a common shift of a cause's weights, each weight (rule, cause), each line
of evidence of a link and each prediction of a cause. All are deviations of logarithms from the values of today, so that
a model of zeros is the ranking as it stands.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

Row = Mapping[str, Any]
GRADES = {"decisive": 20.0, "strong": 6.0, "clear": 3.0, "weak": 1.5}
STORY = {"fatal": 0.97, "error": 0.9, "warning": 0.75, "note": 0.5}
NOTICE, BESIDE, GAP, FOLDED, SHARPNESS, NONE = 0.35, 0.05, 0.02, 0.5, 2.0, 0.01


def grade_of(times: float) -> tuple[str, float]:
    """The grade of a factor, and its sign."""
    size = math.exp(abs(math.log(times)))
    return min(GRADES, key=lambda g: abs(math.log(GRADES[g] / size))), 1.0 if times > 1 else -1.0


class Index(dict[tuple[str, ...], int]):
    """Numbers for names, given as they are met."""

    def of(self, *name: str) -> int:
        """The number of a name."""
        return self.setdefault(name, len(self))


@dataclass
class Book:
    """The names of all parameters, shared by every set of runs."""

    grades: Index
    causes: Index
    links: Index
    lines: Index  # (rule, cause, measure) of links, (cause, channel, given) of predictions

    def size(self) -> dict[str, int]:
        """How many there are of each."""
        return {"grades": 4, "causes": len(self.causes), "links": len(self.links), "lines": len(self.lines)}


def empty() -> Book:
    """A book with the four grades."""
    book = Book(Index(), Index(), Index(), Index())
    for g in GRADES:
        book.grades.of(g)
    return book


def story_weight(f: Mapping[str, Any], faulty: bool) -> float:
    """What the story of a first failure weighs."""
    if f["kind"] == "pathology":
        return STORY[f["severity"]] * (0.4 + 0.6 * f["strength"])
    if f["kind"] == "notice":
        return BESIDE if faulty else NOTICE
    return GAP


def aims(row: Row) -> set[str]:
    """The causes that a fit aims at: what was put in, where a finding names it; else all that are accepted.

    What is accepted for many faults would else be preferred everywhere, since it is the safest thing to say.
    """
    named = {c for f in row["findings"] for c, _, _ in f["links"]}
    strict = set(row.get("strict_causes", ())) & set(row["accept_causes"]) & named
    return strict or set(row["accept_causes"])


class Runs:
    """Runs as arrays. An entry is a finding and a cause that it names; a line is evidence that holds."""

    def __init__(self, rows: Sequence[Row], book: Book) -> None:
        self.rows = rows
        entry: dict[str, list[Any]] = {k: [] for k in ("finding", "cause", "link", "weight", "target", "grade")}
        line: dict[str, list[Any]] = {k: [] for k in ("entry", "name", "grade", "sign")}
        told: dict[str, list[Any]] = {k: [] for k in ("slot", "name", "grade", "sign")}
        slots: dict[tuple[int, str, str, bool], int] = {}
        slot_of: list[int] = []
        target: dict[tuple[int, str, str], int] = {}  # run, story, cause
        pair: dict[tuple[int, str], int] = {}  # run, cause
        story: dict[tuple[int, str], int] = {}
        self.weights: list[float] = []
        findings = 0
        for i, row in enumerate(rows):
            faulty = any(f["kind"] == "pathology" for f in row["findings"])
            by_id = {f["symptom"]: f for f in row["findings"]}
            for f in row["findings"]:
                size = (0.4 + 0.6 * f["strength"]) * (FOLDED if f["folded"] else 1.0)
                for cause, weight, held in f["links"]:
                    if cause not in row["predicted"]:
                        continue
                    pair.setdefault((i, cause), len(pair))
                    s = story.get((i, f["root"]))
                    if s is None:
                        s = story[i, f["root"]] = len(story)
                        self.weights.append(story_weight(by_id[f["root"]], faulty))
                    t = target.setdefault((i, f["root"], cause), len(target))
                    number = len(entry["cause"])
                    for k, v in (
                        ("finding", findings), ("cause", book.causes.of(cause)),
                        ("link", book.links.of(f["symptom"], cause)),
                        ("weight", math.log(weight)), ("target", t), ("grade", size),
                    ):  # fmt: skip
                        entry[k].append(v)
                    for measure, times in held:
                        grade, sign = grade_of(times)
                        for k, v in (
                            ("entry", number), ("name", book.lines.of(f["symptom"], cause, measure)),
                            ("grade", book.grades.of(grade)), ("sign", sign),
                        ):  # fmt: skip
                            line[k].append(v)
                findings += 1
            for cause, predictions in row["predicted"].items():
                if (i, cause) not in pair:
                    continue
                for channel, given, times in predictions:
                    grade, sign = grade_of(times)
                    slot = slots.setdefault((i, cause, channel, sign > 0), len(slots))
                    if slot == len(slot_of):
                        slot_of.append(pair[i, cause])
                    for k, v in (
                        ("slot", slot), ("name", book.lines.of(cause, channel, given)),
                        ("grade", book.grades.of(grade)), ("sign", sign),
                    ):  # fmt: skip
                        told[k].append(v)
        self.entry = {
            k: torch.tensor(v, dtype=torch.float64 if k in ("weight", "grade") else torch.long)
            for k, v in entry.items()
        }
        self.line = _tensors(line)
        self.told = _tensors(told)
        self.slot_sign = torch.tensor([1.0 if k[3] else -1.0 for k in slots], dtype=torch.float64)
        self.slot_of = torch.tensor(slot_of, dtype=torch.long)
        self.target_story = torch.tensor([story[i, r] for i, r, _ in target], dtype=torch.long)
        self.target_pair = torch.tensor([pair[i, c] for i, _, c in target], dtype=torch.long)
        self.pair_run = torch.tensor([i for i, _ in pair], dtype=torch.long)
        self.pair_name = [c for _, c in pair]
        self.pair_right = torch.tensor([c in rows[i]["accept_causes"] for i, c in pair])
        self.pair_aim = torch.tensor([c in aims(rows[i]) for i, c in pair])
        self.story_weight = torch.tensor(self.weights, dtype=torch.float64)
        self.findings, self.targets, self.pairs, self.stories, self.slots = (
            findings,
            len(target),
            len(pair),
            len(story),
            len(slots),
        )

    def scores(self, p: Mapping[str, Tensor]) -> Tensor:
        """The score of each pair of run and cause."""
        worth = torch.log(torch.tensor(list(GRADES.values()), dtype=torch.float64)) + p["grades"]
        raw = self.entry["weight"] + p["links"][self.entry["link"]] + p["causes"][self.entry["cause"]]
        shift = self.line["sign"] * worth[self.line["grade"]] + p["lines"][self.line["name"]]
        raw = raw.index_add(0, self.line["entry"], shift)
        power = raw.exp()
        total = torch.zeros(self.findings, dtype=torch.float64).index_add(0, self.entry["finding"], power)
        mass = self.entry["grade"] * power / total[self.entry["finding"]]
        odds = torch.zeros(self.targets, dtype=torch.float64).index_add(0, self.entry["target"], mass).log()
        size = (self.told["sign"] * worth[self.told["grade"]] + p["lines"][self.told["name"]]) * self.slot_sign[
            self.told["slot"]
        ]
        best = torch.full((self.slots,), -1e9, dtype=torch.float64).scatter_reduce(0, self.told["slot"], size, "amax")
        factor = torch.zeros(self.pairs, dtype=torch.float64).index_add(0, self.slot_of, best * self.slot_sign)
        strong = SHARPNESS * (odds + factor[self.target_pair])
        peak = torch.full((self.stories,), math.log(NONE), dtype=torch.float64).scatter_reduce(
            0, self.target_story, strong.detach(), "amax"
        )
        share = (strong - peak[self.target_story]).exp()
        whole = torch.zeros(self.stories, dtype=torch.float64).index_add(0, self.target_story, share)
        whole = whole + (math.log(NONE) - peak).exp()
        part = self.story_weight[self.target_story] * share / whole[self.target_story]
        left = torch.zeros(self.pairs, dtype=torch.float64).index_add(
            0, self.target_pair, torch.log1p(-part.clamp(max=1 - 1e-9))
        )
        return 1 - left.exp()

    def first(self, score: Tensor) -> dict[int, tuple[str, float, bool]]:
        """run -> its first cause, its score, whether it is right."""
        out: dict[int, tuple[str, float, bool]] = {}
        for i, c, s, r in zip(
            self.pair_run.tolist(), self.pair_name, score.tolist(), self.pair_right.tolist(), strict=True
        ):
            key = (round(s, 6), [-ord(ch) for ch in c])
            if i not in out or key > (round(out[i][1], 6), [-ord(ch) for ch in out[i][0]]):
                out[i] = (c, s, r)
        return out

    def surprise(self, score: Tensor) -> Tensor:
        """-log of the share that the causes aimed at have of all, a run that can be right."""
        n = len(self.rows)
        zero = torch.zeros(n, dtype=torch.float64)
        right = zero.index_add(0, self.pair_run, score * self.pair_aim)
        whole = zero.index_add(0, self.pair_run, score)
        can = right > 0
        return -torch.log((right[can] + 1e-4) / (whole[can] + 1e-4))


def _tensors(of: Mapping[str, list[Any]]) -> dict[str, Tensor]:
    return {k: torch.tensor(v, dtype=torch.float64 if k == "sign" else torch.long) for k, v in of.items()}
