"""`curvedoc rules` and `curvedoc explain`."""

from __future__ import annotations

import difflib
import json
import shutil
import sys
from pathlib import Path

from curvedoc.core.errors import UsageError


def list_vocabulary() -> None:
    """Print every function a rule may call, with its types and first line."""
    from curvedoc.rulebook.vocabulary import functions, type_name

    for name, function in sorted(functions().items()):
        parameters = ", ".join(f"{p}: {type_name(t)}" for p, t in function.parameters)
        sys.stdout.write(f"{name}({parameters}) -> {type_name(function.result)}\n    {function.about}\n")


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


def explain_id(id_: str, folders: list[Path], markdown: bool) -> None:
    """Print the page of a rule or cause."""
    from curvedoc.cli.analyze import PIPED_WIDTH
    from curvedoc.report.explain.rule_page import page
    from curvedoc.rulebook.load import load

    book = load(folders)
    known = [*(r.id for r in book.rules), *book.causes]
    if id_ not in known:
        close = difflib.get_close_matches(id_, known, n=3)
        raise UsageError(
            f"no symptom or cause '{id_}'",
            hint=f"did you mean {', '.join(close)}?" if close else "curvedoc rules lists them",
        )
    made = page(id_, book)
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
    from curvedoc.report.explain.markdown import reference
    from curvedoc.rulebook.load import load

    files = reference(load(folders))
    for name, text in files.items():
        path = output / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        except OSError as error:
            raise UsageError(f"cannot be written: {error.strerror}", str(path), "--output wants a folder") from error
    sys.stderr.write(f"wrote {len(files):,} files to {output}\n")
