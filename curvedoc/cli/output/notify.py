"""`watch --notify URL`: what is new, as a message to Slack, Teams or a program."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from curvedoc.core.diagnosis import Diagnosis
from curvedoc.core.errors import UsageError
from curvedoc.report.exchange.brief import run_brief
from curvedoc.report.redact import redact
from curvedoc.report.summary import worst_first

SECONDS = 10.0
#: Slack cuts a text at 40,000 signs and a reader much earlier.
_MOST_LINES, _MOST_RUNS = 20, 10
_SLACK = ("hooks.slack.com", "hooks.slack-gov.com", "discord.com")  # Discord takes Slack's form below /slack
_TEAMS = (".webhook.office.com", ".logic.azure.com", ".powerplatform.com")


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *given: Any, **named: Any) -> None:
        """A message is not handed on to another place than the one that was named."""


def checked(url: str) -> str:
    """The URL. Raises UsageError for one that is no web address; it holds a credential, so it is never shown."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(
            "--notify wants an address that begins with https://", hint="--notify https://hooks.slack.com/..."
        )
    return url


def body(url: str, lines: Sequence[str], d: Diagnosis) -> dict[str, Any]:
    """The message in the form that the address takes: Slack's, Teams', else plain JSON with the briefs of the runs."""
    host = urlsplit(url).hostname or ""
    shown = [redact(line) for line in lines[:_MOST_LINES]]
    shown += [f"and {len(lines) - _MOST_LINES:,} more"] if len(lines) > _MOST_LINES else []
    if host in _SLACK:
        return {
            "text": "\n".join(line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;") for line in shown)
        }
    if host.endswith(_TEAMS):
        # a card reads Markdown: a text of a log is to make no link
        blocks = [{"type": "TextBlock", "text": line.replace("[", "\\["), "wrap": True} for line in shown]
        card = {"$schema": "http://adaptivecards.io/schemas/adaptive-card.json", "type": "AdaptiveCard",
                "version": "1.4", "body": blocks}  # fmt: skip
        return {
            "type": "message",
            "attachments": [{"contentType": "application/vnd.microsoft.card.adaptive", "content": card}],
        }
    return {"schema": "curvedoc-notice/1", "lines": shown, "runs": [run_brief(r) for r in worst_first(d)[:_MOST_RUNS]]}


def notify(url: str, lines: Sequence[str], d: Diagnosis) -> str:
    """Send the lines; "" where they arrived, else why not, without the address. Never raises for what the net does."""
    data = json.dumps(body(url, lines, d)).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json", "User-Agent": "curvedoc"})
    host = urlsplit(url).hostname
    try:
        with urllib.request.build_opener(_NoRedirect).open(request, timeout=SECONDS) as answer:
            answer.read(1024)
    except urllib.error.HTTPError as error:
        error.close()
        return f"{host} answered {error.code} to the message"
    except (OSError, ValueError) as error:
        return f"the message did not reach {host}: {getattr(error, 'reason', error)}"
    return ""
