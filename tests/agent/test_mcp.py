"""The server of tools, asked by a real client of the official SDK over standard input and output."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from curvedoc.cli.agent.places import Roots
from curvedoc.cli.agent.tools import MOST_TEXT, SKILL, Tools
from curvedoc.core.errors import CurvedocError, UsageError

SAMPLES = Path(__file__).resolve().parents[2] / "sample_logs"


def asked(root: Path, calls: Sequence[tuple[str, dict[str, Any]]]) -> tuple[list[str], list[tuple[bool, str]]]:
    """(the tools that are offered, (whether it is an error, the text) of each call)."""
    pytest.importorskip("mcp", reason="the SDK of the Model Context Protocol is not installed")
    from mcp import Client, StdioServerParameters, stdio_client

    async def talk() -> tuple[list[str], list[tuple[bool, str]]]:
        surroundings = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
        given = StdioServerParameters(
            command=sys.executable, args=["-m", "curvedoc", "mcp", "--root", str(root)], env=surroundings
        )
        async with Client(stdio_client(given)) as client:
            tools = [t.name for t in (await client.list_tools()).tools]
            answers = []
            for name, arguments in calls:
                found = await client.call_tool(name, arguments)
                text = "".join(getattr(c, "text", "") for c in found.content)
                answers.append((bool(found.is_error), text))
            return tools, answers

    return asyncio.run(asyncio.wait_for(talk(), 240))


def test_a_client_asks_each_tool() -> None:
    tools, answers = asked(
        SAMPLES,
        [
            ("analyze", {"path": "diverged"}),
            ("triage", {"path": "."}),
            ("explain", {"id": "divergence"}),
            ("explain", {"id": "divergence", "run": "diverged"}),
            ("diff", {"a": "two-ranks", "b": "small-batches"}),
            ("facts", {"path": "diverged"}),
            ("analyze", {"path": "/etc"}),
            ("explain", {"id": "divergance"}),
        ],
    )
    assert set(tools) == {"analyze", "triage", "explain", "diff", "facts"}
    assert [error for error, _ in answers] == [False] * 6 + [True] * 2, answers
    texts = [text for _, text in answers]
    assert json.loads(texts[0])["runs"][0]["verdict"] == "failed"
    assert json.loads(texts[1])["of"] >= 15 and "# " in texts[2] and "diverged" in texts[3]
    assert json.loads(texts[4]) and json.loads(texts[5])["runs"][0]["signals"]["loss"]
    assert "roots" in texts[6] and "divergence" in texts[7]


@pytest.fixture
def tools(tmp_path: Path) -> Tools:
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside" / "run").symlink_to(SAMPLES / "diverged", target_is_directory=True)
    (tmp_path / "outside.jsonl").write_text('{"step": 1, "loss": 2}\n' * 30, encoding="utf-8")
    return Tools(Roots.of([tmp_path / "inside"]))


@pytest.mark.parametrize(
    "path", ["../outside.jsonl", "run", "/etc/passwd", "", "a\0b", "s3://bucket/x", "x" * 10_000, "nothing-here", "*"]
)
def test_no_path_leads_out_of_the_roots(path: str, tools: Tools) -> None:
    for call in (tools.analyze, tools.triage, tools.facts, lambda p: tools.diff(p, p), lambda p: tools.explain("x", p)):
        if path or call.__name__ != "<lambda>":
            with pytest.raises(CurvedocError):
                call(path)


def test_an_answer_has_an_end() -> None:
    tools = Tools(Roots.of([SAMPLES]))
    assert len(tools.explain("divergence")) <= MOST_TEXT
    assert len(tools.analyze(".", limit=10**9)["runs"]) <= 50 and len(tools.analyze(".", limit=-5)["runs"]) == 1
    with pytest.raises(UsageError):
        tools.explain("x" * 1000)


def test_a_root_is_a_folder(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such directory"):
        Roots.of([tmp_path / "none"])


def test_the_skill_file_names_commands_that_exist() -> None:
    import re

    from curvedoc.cli.app import app

    text = SKILL.read_text("utf-8")
    assert text.startswith("---\nname: curvedoc\ndescription: ")
    known = {c.name or (c.callback and c.callback.__name__) for c in app.registered_commands}
    assert set(re.findall(r"`curvedoc (\w[\w-]*)", text)) <= known


def test_what_is_known_of_a_run_tells_no_secret(tmp_path: Path) -> None:
    secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
    (tmp_path / "config.json").write_text(f'{{"resume_from_checkpoint": "https://bob:{secret}@host.example/ck.pt"}}')
    rows = "".join(f'{{"step": {1000 + i}, "loss": {2.3 * 0.99**i}}}\n' for i in range(50))
    (tmp_path / "log.jsonl").write_text(rows, encoding="utf-8")
    (run,) = Tools(Roots.of([tmp_path])).facts(".")["runs"]
    assert run["facts"]["resumed_from"]["value"] == "https://[redacted]@host.example/ck.pt"
