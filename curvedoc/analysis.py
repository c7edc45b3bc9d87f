"""What `curvedoc.analyze` gives to Python and to a notebook: the diagnosis, and every view of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from curvedoc.core.diagnosis import Diagnosis, Finding, RankedCause, RunDiagnosis
from curvedoc.core.files.output_file import write
from curvedoc.core.version import __version__
from curvedoc.ingest.find.remote import title_of
from curvedoc.ingest.memory import as_paths
from curvedoc.pipeline import Options
from curvedoc.pipeline import analyze as diagnose

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

    from curvedoc.triage import Limits


def analyze(
    data: object,
    options: Options | None = None,
    *,
    jobs: int = 1,
    name: str = "",
    limits: Limits | None = None,
) -> Analysis:
    """The analysis of every run below the paths, or of one that is handed over in memory.

    data: a path or several of them; or a polars or pandas frame (or any other that hands its columns over as Arrow
    does), a dict of lists ({"loss": [...]}, a Keras history), a list of dicts (`trainer.state.log_history`), an
    iterator of dicts, or one of lines (an open file, a generator). It is read as a file of the same content is, so
    structure is found in the values.
    name: what to call a run that is handed over in memory
    limits: what one run may take (`curvedoc.triage.Limits(seconds, memory)`); one that takes more is told as
    unreadable. Large and packed files are then read in a worker process, for which a script needs the usual
    `if __name__ == "__main__"`

    Raises NothingToAnalyse where there is no run, UsageError and RuleErrors; damaged logs are notes inside.
    """
    with as_paths(data, name) as paths:
        return Analysis(diagnose(paths, options, jobs=jobs, limits=limits), title_of(paths))


@dataclass(frozen=True, slots=True, repr=False)
class Analysis:
    """A diagnosis with its views. In a notebook it shows itself."""

    diagnosis: Diagnosis
    title: str = ""

    @property
    def runs(self) -> tuple[RunDiagnosis, ...]:
        """The runs, worst first. In a notebook each shows itself."""
        from curvedoc.report.summary import worst_first

        fields = dataclasses.fields(RunDiagnosis)
        return tuple(ShownRun(**{f.name: getattr(r, f.name) for f in fields}) for r in worst_first(self.diagnosis))

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings of all runs, worst run first; `to_polars` says which run each is of."""
        return tuple(f for run in self.runs for f in run.findings)

    @property
    def causes(self) -> tuple[RankedCause, ...]:
        """The ranked causes of all runs, worst run first."""
        return tuple(c for run in self.runs for c in run.causes)

    def to_polars(self) -> pl.DataFrame:
        """One row per finding."""
        from curvedoc.report.exchange.table import to_polars

        return to_polars(self.diagnosis)

    def to_html(self, path: Path | str | None = None) -> str:
        """The self-contained report, written to `path` as well where one is given."""
        from curvedoc.report.html.page import to_html

        return self._written(to_html(self.diagnosis, title=self.title), path)

    def to_markdown(self, path: Path | str | None = None) -> str:
        """The postmortem as GitHub-flavored Markdown, written to `path` as well where one is given."""
        from curvedoc.report.markdown import to_markdown

        return self._written(to_markdown(self.diagnosis, self.title), path)

    def to_json(self, path: Path | str | None = None) -> str:
        """The diagnosis as JSON, written to `path` as well where one is given."""
        from curvedoc.report.exchange.json_document import to_json

        return self._written(to_json(self.diagnosis), path)

    def chart(self, role: str = "loss", run: str | None = None) -> alt.Chart:
        """The curves of one role ("loss", "grad_norm") of one run, or of all runs that have it, for further layering.

        In a notebook it shows itself as a picture, without any network.
        Lows and highs of every bucket are kept; a gap is where no value was finite. Raises UsageError where no run
        has the role, or the name is no run's.
        """
        from curvedoc.report.figures.notebook import plain_chart

        return plain_chart(self.diagnosis, role, run)

    def __repr__(self) -> str:
        from curvedoc.report.summary import summarize

        head = summarize(self.diagnosis)
        tally = ", ".join(f"{n:,} {verdict}" for verdict, n in head.counts)
        return f"<curvedoc.Analysis of {len(self.diagnosis.runs):,} runs: {tally or 'none'}>"

    def _repr_mimebundle_(
        self, include: Collection[str] | None = None, exclude: Collection[str] | None = None
    ) -> Mapping[str, Any]:
        """Text, Markdown and HTML of inline styles and images with their data inside: sanitizers let it through."""
        return _shown(self.diagnosis, self.title, include, exclude)

    def _written(self, text: str, path: Path | str | None) -> str:
        if path is not None:
            write(Path(path), text, force=True)
        return text


class ShownRun(RunDiagnosis):
    """A run that shows itself in a notebook; it is equal to the run that it was made of."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RunDiagnosis):
            return NotImplemented
        return all(getattr(self, f.name) == getattr(other, f.name) for f in dataclasses.fields(RunDiagnosis))

    __hash__ = RunDiagnosis.__hash__

    def _repr_mimebundle_(
        self, include: Collection[str] | None = None, exclude: Collection[str] | None = None
    ) -> Mapping[str, Any]:
        return _shown(Diagnosis(__version__, "", (self,)), self.run, include, exclude)


def _shown(
    d: Diagnosis, title: str, include: Collection[str] | None, exclude: Collection[str] | None
) -> Mapping[str, Any]:
    from curvedoc.report.html.fragment import to_fragment
    from curvedoc.report.markdown import to_markdown
    from curvedoc.report.terminal.summary import to_text

    made = {
        "text/plain": lambda: to_text(d),
        "text/markdown": lambda: to_markdown(d, title),
        "text/html": lambda: to_fragment(d, title=title),
    }
    wanted = [k for k in made if (include is None or k in include) and k not in (exclude or ())]
    return {k: made[k]() for k in wanted}
