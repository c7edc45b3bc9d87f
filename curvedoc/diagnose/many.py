"""Many runs -> Diagnosis: repeats found, each run diagnosed, failures of one kind grouped."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from curvedoc.core.diagnosis import Diagnosis, RunDiagnosis, Unreadable
from curvedoc.core.late_regex import late_regex
from curvedoc.core.run import Run, Scalar
from curvedoc.core.version import __version__
from curvedoc.diagnose.siblings.groups import groups
from curvedoc.diagnose.siblings.outline import Outline, outline
from curvedoc.rulebook.rule import Rulebook

if TYPE_CHECKING:
    from curvedoc.diagnose.siblings.contrast import Parting

#: Configuration keys that belong to a single run: its name, places, times, machine and outcome.
_OF_ONE_RUN = late_regex(
    r"""(?ix) ^ (_?wandb|slurm|mlflow|git|env) [._/-]
    | ^ (name | id | uuid | tags | notes | group | command | commit | sha | revision | date | time | user | host) $
    | (^|[._/-]) ( (run|exp|experiment|job|task|trial) _? (name|id|uuid)
        | (log|logging|output|out|save|checkpoint|ckpt|work|results?|run|exp|root) _? (dir|directory|folder|root)
        | timestamp | datetime | (start|started|created) _? (at|time) | hostname | username | pid | port | exit_code
        | master_(addr|port) | resume_from\w* | best_\w+ | total_flos | global_step | is_(local|world)_process_zero
        ) $
    | ^ trainer [._] (epoch | num_input_tokens_seen) $"""
)


def repeats(runs: Sequence[Run]) -> Mapping[str, tuple[Run, ...]]:
    """Run name -> the runs of one configuration and seed, itself among them; only where there are at least two.

    What names a run or tells how it went (its id, its folders, the best metric so far) is no setting. Runs that log
    their loss under other names come from other code. Without a configuration nothing says that two runs are repeats,
    so such runs stand alone.
    """
    groups: dict[tuple[object, ...], list[Run]] = {}
    for run in runs:
        losses = run.matches("loss")
        identity = identity_of(run.config, losses[0].metric if losses else "")
        if identity:
            groups.setdefault(identity, []).append(run)
    return {r.name: tuple(g) for g in groups.values() if len(g) > 1 for r in g}


def identity_of(config: Mapping[str, Scalar], loss: str) -> tuple[object, ...]:
    """What repeats of one run have in common: their settings and the name of their loss; () without settings."""
    settings = tuple(sorted((k, v) for k, v in config.items() if not _OF_ONE_RUN.search(k)))
    return (loss, settings) if settings else ()


def _told(
    outlines: Sequence[Outline], done: Sequence[RunDiagnosis], found: Sequence[Parting]
) -> Iterator[RunDiagnosis]:
    """The diagnoses with what siblings say of them: causes re-ranked on the failing side, notes added."""
    from curvedoc.diagnose.siblings.contrast import sibling_evidence, worse_than_siblings
    from curvedoc.diagnose.siblings.nearest import nearest

    notes = worse_than_siblings(outlines, done)
    near = nearest(outlines, done)
    for diagnosis in done:
        told, evidence = diagnosis, sibling_evidence(diagnosis.run, found)
        if evidence:
            from curvedoc.diagnose.siblings.evidence import with_sibling_evidence  # it imports what ranks

            told = with_sibling_evidence(diagnosis, evidence)
        told = replace(told, nearest=near[told.run]) if told.run in near else told
        yield replace(told, notes=(*told.notes, notes[told.run])) if told.run in notes else told


def diagnose_all(
    runs: Sequence[Run],
    book: Rulebook,
    *,
    siblings: bool = True,
    unreadable: Sequence[Unreadable] = (),
    progress: Callable[[int], None] | None = None,
    alive: bool = False,
    baseline: str = "",
) -> Diagnosis:
    """The diagnosis of a set of runs. alive: their files are watched. baseline: a run to set the others beside.

    With siblings, repeats of one configuration are compared, settings that part failed from healthy runs of a sweep are
    named and raise their causes, and a run that ends far above its siblings is noted.
    """
    from curvedoc.diagnose.run import diagnose  # who only concludes needs nothing of it

    related = repeats(runs) if siblings else {}
    done = []
    for i, run in enumerate(runs):
        done.append(diagnose(run, book, related.get(run.name, ()), alive=alive))
        if progress is not None:
            progress(i + 1)
    outlines = [outline(r) for r in runs]
    return conclude(outlines, done, book.digest, siblings=siblings, unreadable=unreadable, baseline=baseline)


def conclude(
    outlines: Sequence[Outline],
    done: Sequence[RunDiagnosis],
    digest: str,
    *,
    siblings: bool = True,
    unreadable: Sequence[Unreadable] = (),
    baseline: str = "",
) -> Diagnosis:
    """What diagnosed runs say together, in order of their names: contrasts, notes on siblings, groups.

    outlines: of the same runs, in any order; digest: of the rules that judged them. Needs nothing of their logs, so
    that they may come from worker processes.
    """
    found: Sequence[Parting] = ()
    siblings = siblings and len(done) > 1
    if siblings:  # what compares runs is imported where there are several
        from curvedoc.diagnose.siblings.contrast import partings

        found = partings(outlines, done)
    told = sorted(_told(outlines, done, found) if siblings else done, key=lambda r: r.run)
    if baseline:
        from curvedoc.diagnose.siblings.baseline_run import beside_baseline

        told = beside_baseline(outlines, told, baseline)
    contrasts = tuple(p.contrast for p in found)
    same = groups(told)
    if siblings:
        from curvedoc.diagnose.siblings.group_contrast import group_contrasts

        parted = group_contrasts(outlines, same)
        same = tuple(replace(g, contrasts=parted.get(g.name, ())) for g in same)
    return Diagnosis(__version__, digest, tuple(told), same, contrasts, tuple(unreadable))
