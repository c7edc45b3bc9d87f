"""The order in which to look, and the code that tests a cause."""

from __future__ import annotations

import ast
import re

from typer.testing import CliRunner

from curvedoc.cli.app import app
from curvedoc.rulebook.load import load


def test_first_steps_go_from_the_data_to_the_architecture_and_name_only_causes_that_exist() -> None:
    said = CliRunner().invoke(app, ["explain", "first-steps"])
    assert said.exit_code == 0
    places = [said.stdout.index(word) for word in ("1. Data", "2. Loss", "3. Gradients", "4. Arch", "What not to do")]
    assert places == sorted(places)
    named = re.findall(r"\b[a-z]+(?:-[a-z]+)*-(?:mismatch|bug)\b", re.sub(r"-\s+", "-", said.stdout))
    assert named and set(named) <= set(load().causes)


def test_the_code_of_a_cause_is_printed_ready_for_a_file() -> None:
    said = CliRunner().invoke(app, ["probe", "memory-leak"])
    assert said.exit_code == 0 and ast.parse(said.stdout).body
    wrong = CliRunner().invoke(app, ["probe", "memory-lek"])
    assert wrong.exit_code == 2 and "did you mean memory-leak" in wrong.output
