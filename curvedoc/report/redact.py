"""Credentials taken out of what a report shows of configurations, messages, command lines and addresses.

Two ways to know one: by the word that names it, in any spelling (`AWS_SESSION_TOKEN`, `hubToken`, `--api-key`), and by
the shape of the value itself (a prefix of a known issuer, a password inside an address). Words of training that only
look alike (`num_tokens`, `pad_token`, `cache_key`) are none, nor are hashes, run ids and paths.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from curvedoc.report.credentials.names import kind_of_name
from curvedoc.report.credentials.shapes import SHAPES, is_nothing, is_random

MASK = "[redacted]"

#: --show-secrets: what a log says is shown as it stands.
SHOW_SECRETS: ContextVar[bool] = ContextVar("show_secrets", default=False)

#: A name, a sign that gives it a value, and the value; of an option of a command line a space will do.
_PAIR = re.compile(
    r"""(?i)(?P<name>(?:(?<![\w-])--?)?(?<![\w.])(?=[\w.\-]{0,80}(?:pass|pwd|secret|token|key|auth|cred|webhook|cookie|sig|pat\b|dsn))"""
    r"""[a-z][\w.\-]{0,80})(?P<sign>["']?\]?\s?[=:]>?\s?|(?<=[\w])\s(?!=))"""
    r"""(?P<value>"[^"\n]{1,500}"|'[^'\n]{1,500}'|[^\s"'&,;)}\]]{1,500})"""
)
#: Commands that take a password behind a letter, and the file in which curl and W&B look one up.
_TYPED = re.compile(
    r"(\b(?:(?:docker|podman|helm|az|oc) (?:registry |acr )?login|sshpass|mysql\w{0,10})\b[^\n;|&]{0,200}? -p ?"
    r"|\bmachine \S{1,200} login \S{1,200} password )(?![-\s])\S{1,200}"
)
#: A text without any of these holds no credential; looking for one word takes less than looking for all shapes.
_HINT = re.compile(
    r"(?i)pass|pwd|secret|token|key|auth|cred|webhook|bearer|basic |cookie|://|hooks\.|login|sig=|signature|pin\b|mysql"
    r"|hf_|github_|sk-|[srp]k_|gsk_|r8_|npm_|gh[pousr]_|glpat|pypi-|dapi|AKIA|ASIA|xox|xapp|AIza|ya29|eyJ|SG\.|lsv2"
    r"|nvapi|pplx|xai-|tvly|dop_v1|shpat|figd|lin_api|api_org|\d:[A-Z]"
)


@contextmanager
def secrets_shown(show: bool) -> Iterator[None]:
    """Whether credentials are shown, for as long as this lasts."""
    token = SHOW_SECRETS.set(show)
    try:
        yield
    finally:
        SHOW_SECRETS.reset(token)


def redact(text: str) -> str:
    """The text with every credential in it masked.

    >>> redact("login hf_abcdefghijklmnopqrst at https://me:pw@host, --password hunter2, max_tokens=512")
    'login [redacted] at https://[redacted]@host, --password [redacted], max_tokens=512'
    """
    if SHOW_SECRETS.get() or _HINT.search(text) is None:
        return text
    return _PAIR.sub(_masked_pair, SHAPES.sub(MASK, _TYPED.sub(rf"\1{MASK}", text)))


def redact_setting(key: str, value: object) -> str:
    """A configuration value as shown: masked where its key says that it is a secret, or its own shape does.

    >>> redact_setting("wandb.api_key", "abc"), redact_setting("max_tokens", 512), redact_setting("db_password", 1234)
    ('[redacted]', '512', '[redacted]')
    """
    text = str(value)
    if SHOW_SECRETS.get():
        return text
    if isinstance(value, bool) or value is None:
        return text
    return MASK if _names_secret(key.rsplit(".", 1)[-1], text) or _names_secret(key, text) else redact(text)


def _masked_pair(m: re.Match[str]) -> str:
    name, sign, value = m["name"], m["sign"], m["value"]
    if sign.isspace() and not name.startswith("-"):
        return m[0]
    quote = value[0] if value[0] in "\"'" else ""
    bare = value.strip(quote) if quote else value
    if bare == MASK or not _names_secret(name, bare):
        return m[0]
    return f"{name}{sign}{quote}{MASK}{quote}"


def _names_secret(name: str, value: str) -> bool:
    """Whether a value under this name is a credential."""
    kind = kind_of_name(name)
    if kind == "no" or is_nothing(value):
        return False
    return kind == "strong" or is_random(value)
