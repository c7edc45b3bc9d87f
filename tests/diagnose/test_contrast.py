"""Settings that part failed from healthy siblings are named; what chance explains, and unrelated runs, are not."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import fisher_exact

from curvedoc.core.diagnosis import Group, RunDiagnosis, Verdict, Waste
from curvedoc.core.run import Run
from curvedoc.diagnose.cases import build
from curvedoc.diagnose.judge.rank import CEILING, calibrate, raised
from curvedoc.diagnose.many import diagnose_all
from curvedoc.diagnose.siblings.contrast import odds, partings, sibling_evidence, worse_than_siblings
from curvedoc.diagnose.siblings.families import families
from curvedoc.diagnose.siblings.fisher import corrected, fisher, p_values
from curvedoc.diagnose.siblings.group_contrast import group_contrasts
from curvedoc.rulebook.load import load
from curvedoc.rulebook.schema.case import Case

FALLING = {"loss": [[0, 2.3], [300, 0.8], [1000, 0.3]]}

CANONICAL = ("lr", "batch_size", "max_grad_norm", "model", "dataset", "seed")


def run(name: str, series: dict[str, Any] | None = None, **config: Any) -> Run:
    case = Case(name=f"case {name}", series=series or FALLING, noise=0.02, expect="fires")
    canonical = {k: v for k, v in config.items() if k in CANONICAL}
    return replace(build(case, case, name), config=config, settings=canonical)


def said(run: Run, verdict: Verdict) -> RunDiagnosis:
    return RunDiagnosis(run.name, verdict, "", (), (), (), (), (), None, Waste())


def sweep(verdicts: dict[float, str], key: str = "lr", **extra: Any) -> tuple[list[Run], list[RunDiagnosis]]:
    """A run per letter of every value's word: f failed, h healthy, w warned, i inconclusive."""
    names: dict[str, Verdict] = {"f": "failed", "h": "healthy", "w": "warning", "i": "inconclusive"}
    runs, done = [], []
    for value, word in verdicts.items():
        for letter in word:
            runs.append(run(f"run{len(runs)}", **{key: value, "model": "mlp", "seed": len(runs), **extra}))
            done.append(said(runs[-1], names[letter]))
    return runs, done


SEPARATED = {0.0005: "hhh", 0.001: "hhhhhh", 0.002: "ff", 0.004: "f"}


@given(st.integers(0, 12), st.integers(0, 12), st.integers(0, 12), st.integers(0, 12))
@settings(max_examples=60, deadline=None)
def test_the_p_value_is_that_of_scipy(a: int, b: int, c: int, d: int) -> None:
    if a + b and c + d:
        assert fisher(a, a + b, c, c + d) == pytest.approx(fisher_exact([[a, b], [c, d]])[1], abs=1e-9)


def test_the_p_value_holds_for_thousands_of_runs() -> None:
    assert fisher(40, 1000, 10, 3000) == pytest.approx(fisher_exact([[40, 960], [10, 2990]])[1], rel=1e-6)


@given(st.integers(3, 8).flatmap(lambda n: st.tuples(st.just(n), st.integers(1, n - 1), st.integers(0, 2**31))))
@settings(max_examples=30, deadline=None)
def test_the_correction_counts_the_arrangements_whose_best_split_is_as_good(drawn: tuple[int, int, int]) -> None:
    n, k, seed = drawn
    rng = np.random.default_rng(seed)
    splits = np.array([m for m in rng.random((4, n)) < 0.5 if 0 < m.sum() < n])
    if not len(splits):
        return
    failed = np.zeros(n, dtype=bool)
    failed[rng.choice(n, k, replace=False)] = True

    def p(mask: Any, lost: Any) -> float:
        inside = lost[mask]
        return fisher(int(inside.sum()), len(inside), int(lost.sum() - inside.sum()), n - len(inside))

    best = []
    for chosen in combinations(range(n), k):
        lost = np.isin(np.arange(n), chosen)
        best.append(min(p(m, lost) for m in splits))
    expected = [np.mean([b <= p(m, failed) * (1 + 1e-6) for b in best]) for m in splits]
    assert corrected(splits, failed) == pytest.approx(np.array(expected))


def test_a_corrected_p_is_never_below_its_own() -> None:
    rng = np.random.default_rng(3)
    failed = rng.random(40) < 0.4
    splits = rng.random((12, 40)) < 0.5
    own = np.array([p_values(int(m.sum()), 40, int(failed.sum()))[int((m & failed).sum())] for m in splits])
    # drawn arrangements: a few draws of slack
    assert (corrected(splits, failed) >= own * 0.8).all()


def test_a_rate_from_which_on_every_run_failed_is_named_with_its_counts() -> None:
    runs, done = sweep(SEPARATED)
    (found,) = partings(runs, done)
    assert found.contrast.key == "lr"
    assert found.contrast.text == "3 of 3 runs with lr of 0.002 or more failed, 0 of 9 with lr of 0.001 or less did"
    assert (found.contrast.failed_of, found.contrast.healthy_of) == ((3, 3), (0, 9))
    assert found.contrast.p_value == pytest.approx(1 / 220, rel=1)
    assert found.failing == {"run9", "run10", "run11"}


def test_a_flag_that_parts_the_runs_is_named_by_its_value() -> None:
    runs, done = sweep({True: "fffff", False: "hhhhhh"}, key="use_amp")
    (found,) = partings(runs, done)
    assert found.contrast.text == "5 of 5 runs with use_amp = True failed, 0 of 6 with use_amp = False did"


def test_a_setting_that_only_the_healthy_have_is_named_by_its_absence() -> None:
    runs = [run(f"r{i}", model="mlp", lr=0.1, **({"max_grad_norm": 1.0} if i < 6 else {})) for i in range(12)]
    done = [said(r, "healthy" if i < 6 else "failed") for i, r in enumerate(runs)]
    (found,) = partings(runs, done)
    assert (found.contrast.key, found.side) == ("max_grad_norm", "absent")
    assert "no max_grad_norm" in found.contrast.text
    assert "missing-clipping" in sibling_evidence("r7", [found])


def test_warnings_are_parted_where_no_run_failed() -> None:
    runs, done = sweep({0.001: "hhhhhh", 0.1: "wwww"})
    (found,) = partings(runs, done)
    assert "raised a warning" in found.contrast.text


@pytest.mark.parametrize(
    "verdicts",
    [
        {0.1: "hhhhhhhh"},  # one value
        {0.1: "hhhh", 0.2: "hhhh"},  # none failed
        {0.1: "ffff", 0.2: "ffff"},  # all failed
        {0.1: "hf", 0.2: "fh"},  # too few runs
        {0.1: "hhhf", 0.2: "hffh"},  # chance
        {0.001: "hhhhhh", 0.1: "iii"},  # nothing known of the other side
    ],
)
def test_what_chance_explains_is_not_a_contrast(verdicts: dict[float, str]) -> None:
    assert partings(*sweep(verdicts)) == ()


def test_of_random_settings_and_failures_hardly_any_sweep_shows_a_contrast() -> None:
    rng = np.random.default_rng(11)
    false = 0
    for _ in range(60):
        values = rng.random((12, 3))
        runs = [run(f"r{i}", model="m", a=float(a), b=float(b), c=float(c)) for i, (a, b, c) in enumerate(values)]
        done = [said(r, "failed" if rng.random() < 0.4 else "healthy") for r in runs]
        false += bool(partings(runs, done))
    assert false <= 7  # 5 % of 60 is 3; more than 7 has a chance of 2 %


@pytest.mark.parametrize("key", ["run_id", "output_dir", "wandb.name", "seed", "started_at.timestamp", "hostname"])
def test_names_places_seeds_and_times_are_not_settings(key: str) -> None:
    runs = [run(f"r{i}", **{"model": "mlp", key: float(i >= 6)}) for i in range(12)]
    done = [said(r, "failed" if i >= 6 else "healthy") for i, r in enumerate(runs)]
    assert partings(runs, done) == ()


def test_runs_that_differ_in_many_settings_are_no_siblings() -> None:
    def unrelated(i: int) -> Run:
        bad = i >= 6
        others = {f"k{j}": (i * i * (j + 1) + i) % 7 for j in range(5)}
        return run(f"r{i}", model="mlp", lr=0.1 if bad else 0.01, **others)

    runs = [unrelated(i) for i in range(12)]
    assert families(runs) == ()
    assert partings(runs, [said(r, "failed" if i >= 6 else "healthy") for i, r in enumerate(runs)]) == ()


@pytest.mark.parametrize("key", ["model", "dataset", "wandb.project"])
def test_runs_of_other_models_data_or_projects_are_no_siblings(key: str) -> None:
    runs = [run(f"r{i}", lr=0.1 if i < 4 else 0.01, **{key: "a" if i < 4 else "b"}) for i in range(8)]
    assert [len(f.runs) for f in families(runs)] == []


def test_a_setting_logged_under_two_names_is_one_key() -> None:
    runs = [run(f"r{i}", model="mlp", lr=v, **{"optimizer.lr": v}) for i, v in enumerate([0.1, 0.2] * 4)]
    (family,) = families(runs)
    assert [k.name for k in family.keys] == ["lr"]


def test_hostile_settings_give_no_contrast_and_no_error() -> None:
    values = [math.nan, math.inf, -math.inf, "nan", "", "\x00" * 5000, True, 10**300, -0.0, "1e999"]
    runs = [run(f"r{i}", model="mlp", lr=v) for i, v in enumerate(values)]
    assert partings(runs, [said(r, "failed" if i % 2 else "healthy") for i, r in enumerate(runs)]) == ()


def test_a_contrast_multiplies_odds_by_no_more_than_its_p_allows() -> None:
    factors = [odds(p) for p in (0.9, 0.3, 0.05, 0.01, 1e-4, 0.0)]
    assert factors == sorted(factors) and factors[0] == 1.0 and factors[-1] == 20.0


def test_only_the_failing_side_hears_of_its_siblings() -> None:
    found = partings(*sweep(SEPARATED))
    assert sibling_evidence("run0", found) == {}
    factor, line = sibling_evidence("run11", found)["lr-too-high"]
    assert factor > 5 and "3 of 3 runs" in line.text


def test_siblings_raise_the_cause_in_the_runs_that_failed() -> None:
    blown = {"loss": [[0, 2.3], [200, 0.9], [400, 3.0], [500, 40.0], [600, math.nan], [1000, math.nan]]}
    runs = [run(f"r{i}", FALLING if i < 8 else blown, model="mlp", lr=0.001 if i < 8 else 0.1) for i in range(12)]
    book = load()
    alone = {r.run: r for r in diagnose_all(runs, book, siblings=False).runs}
    together = diagnose_all(runs, book)
    assert [c.key for c in together.contrasts] == ["lr"]
    for r in together.runs:
        before = {c.cause: c.probability for c in alone[r.run].causes}
        after = {c.cause: c for c in r.causes}
        if r.run in ("r8", "r9", "r10", "r11"):
            assert after["lr-too-high"].probability > before["lr-too-high"]
            assert "siblings" in after["lr-too-high"].supports[0].text
        else:
            assert {c: v.probability for c, v in after.items()} == before


def test_a_calm_run_that_ends_far_above_its_siblings_is_noted() -> None:
    worse = {"loss": [[0, 2.3], [300, 2.1], [1000, 2.0]]}
    runs = [run(f"r{i}", worse if i == 3 else FALLING, model="mlp", lr=0.01, seed=i) for i in range(7)]
    notes = worse_than_siblings(runs, [said(r, "healthy") for r in runs])
    assert set(notes) == {"r3"} and "labels" in notes["r3"].text


def test_siblings_that_differ_among_themselves_leave_no_note() -> None:
    runs = [
        run(f"r{i}", {"loss": [[0, 2.3], [1000, 0.2 + 0.15 * i]]}, model="mlp", lr=0.01 * (i + 1)) for i in range(7)
    ]
    assert worse_than_siblings(runs, [said(r, "healthy") for r in runs]) == {}


def test_siblings_never_make_a_cause_certain() -> None:
    assert raised(0.97, 20.0) < CEILING
    assert raised(0.4, 1.0) == pytest.approx(0.4)
    assert raised(calibrate(0.3), 5.0) == pytest.approx(calibrate(1.5 / (0.7 + 1.5)))


def _grouped(rows: list[tuple[dict[str, Any], str]]) -> tuple[list[Run], list[Group]]:
    """A run for each row of settings, in the group of its letter ("" for none)."""
    runs = [run(f"run{i}", **settings, model="mlp", seed=i) for i, (settings, _) in enumerate(rows)]
    letters = sorted({letter for _, letter in rows} - {""})
    names = {g: tuple(r.name for r, (_, letter) in zip(runs, rows, strict=True) if letter == g) for g in letters}
    return runs, [Group(g, ("divergence", "lr-too-high"), members, members[0]) for g, members in names.items()]


def test_a_sweep_in_which_every_setting_fails_another_way_has_a_contrast_for_each() -> None:
    rates = {1e-6: "A", 1e-3: "", 1.0: "B"}
    runs, groups = _grouped([({"lr": lr}, letter) for lr, letter in rates.items() for _ in range(6)])
    found = group_contrasts(runs, groups)
    assert found["A"][0].text == (
        "6 of 6 runs with lr of 1e-06 or less went this way, 0 of 12 with lr of 0.001 or more did"
    )
    assert found["B"][0].text == "6 of 6 runs with lr of 1 or more went this way, 0 of 12 with lr of 0.001 or less did"
    assert all(c.p_value < 0.01 for c in (found["A"][0], found["B"][0]))


def test_a_pair_of_settings_is_named_where_one_is_not_enough() -> None:
    rows = [
        ({"lr": lr, "batch_size": size}, "A" if (lr, size) == (0.1, 8) else "")
        for lr in (0.001, 0.1)
        for size in (8, 256)
        for _ in range(8)
    ]
    first = group_contrasts(*_grouped(rows))["A"][0]
    assert first.key == "batch_size, lr"
    assert first.text.startswith(
        "8 of 8 runs with batch_size of 8 or less and lr of 0.1 or more went this way, 0 of 24"
    )


@given(st.lists(st.sampled_from([0.001, 0.01, 0.1]), min_size=24, max_size=24), st.randoms(use_true_random=False))
@settings(max_examples=15, deadline=None)
def test_a_group_that_no_setting_parts_has_hardly_ever_a_contrast(rates: list[float], random: Any) -> None:
    letters = ["A"] * 6 + [""] * 18
    random.shuffle(letters)
    found = group_contrasts(*_grouped([({"lr": lr}, g) for lr, g in zip(rates, letters, strict=True)]))
    for c in found.get("A", ()):
        (here, of), (there, others) = c.failed_of, c.healthy_of
        assert c.p_value < 0.05 and fisher(here, of, there, others) <= c.p_value + 1e-9
