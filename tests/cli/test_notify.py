"""`watch --notify`: what arrives at a server on this machine, and what happens where none answers."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import curvedoc
from curvedoc.cli.app import app
from curvedoc.cli.output.notify import body, notify

SAMPLES = Path(__file__).resolve().parents[2] / "sample_logs"


class Inbox:
    """A server on loopback that keeps what it is sent and answers with `status`."""

    def __init__(self) -> None:
        self.got: list[Any] = []
        self.status = 200
        inbox = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                data = self.rfile.read(int(self.headers["Content-Length"]))
                inbox.got.append(json.loads(data))
                self.send_response(inbox.status)
                if inbox.status == 302:
                    self.send_header("Location", "http://127.0.0.1:1/elsewhere")
                self.end_headers()

            def log_message(self, *given: Any) -> None:
                """Keep quiet."""

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/secret-path"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))
        self.thread.start()

    def close(self) -> None:
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


@pytest.fixture
def inbox() -> Iterator[Inbox]:
    made = Inbox()
    yield made
    made.close()


def test_a_watch_posts_what_is_new(inbox: Inbox) -> None:
    done = CliRunner().invoke(app, ["watch", str(SAMPLES / "diverged"), "--once", "--notify", inbox.url])
    assert done.exit_code == 0, done.output
    (message,) = inbox.got
    assert message["schema"] == "curvedoc-notice/1" and message["runs"][0]["verdict"] == "failed"
    assert any("divergence" in line for line in message["lines"])


def test_a_healthy_first_look_is_no_news(inbox: Inbox) -> None:
    done = CliRunner().invoke(app, ["watch", str(SAMPLES / "cosine-schedule"), "--once", "--notify", inbox.url])
    assert done.exit_code == 0 and "Healthy" in done.stdout and not inbox.got


@pytest.mark.parametrize("status", [302, 404, 500])
def test_a_refusal_is_remarked_without_the_address(status: int, inbox: Inbox) -> None:
    inbox.status = status
    done = CliRunner().invoke(app, ["watch", str(SAMPLES / "diverged"), "--once", "--notify", inbox.url])
    assert done.exit_code == 0 and f"answered {status}" in done.stderr and "secret-path" not in done.output
    assert len(inbox.got) == 1


def test_nobody_at_home_is_remarked() -> None:
    found = curvedoc.analyze(SAMPLES / "diverged").diagnosis
    trouble = notify("http://127.0.0.1:9/token", ["a line"], found)
    assert "did not reach 127.0.0.1" in trouble and "token" not in trouble


def test_slack_and_teams_get_their_forms_and_no_markup_from_logs() -> None:
    found = curvedoc.analyze(SAMPLES / "diverged").diagnosis
    lines = ["<!channel> a & b", *map(str, range(30))]
    slack = body("https://hooks.slack.com/services/T/B/x", lines, found)
    assert slack["text"].startswith("&lt;!channel&gt; a &amp; b") and slack["text"].endswith("and 11 more")
    card = body("https://me.webhook.office.com/x", lines, found)["attachments"][0]["content"]
    assert card["type"] == "AdaptiveCard" and card["body"][0]["text"] == "<!channel> a & b"
    assert body("https://hooks.slack.com.evil.example/x", lines, found)["schema"] == "curvedoc-notice/1"


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://x/y", "hooks.slack.com", "https://"])
def test_only_a_web_address_is_taken(url: str) -> None:
    done = CliRunner().invoke(app, ["watch", str(SAMPLES / "diverged"), "--once", "--notify", url])
    assert done.exit_code == 2 and "https://" in done.output
