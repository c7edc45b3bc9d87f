"""Credentials taken out of what a report shows of configurations and messages."""

from __future__ import annotations

import re

MASK = "[redacted]"

_KEY = re.compile(
    r"(?i)(?:^|[._\-/])(?:api[_-]?key|access[_-]?key|secret|passw(?:or)?d|credentials?"
    r"|(?:auth|access|api|hf|hub|bearer)[_-]?token)(?:$|[._\-/])"
)
_VALUE = re.compile(
    r"\bhf_[A-Za-z0-9]{16,}|\bsk-[A-Za-z0-9_-]{16,}|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}"
    r"|\bAKIA[0-9A-Z]{16}\b|\bxox[abprs]-[A-Za-z0-9-]{10,}|\bAIza[\w-]{30,}|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}"
    r"|(?i:(?<=bearer ))[\w.~+/-]{16,}|(?<=://)[^\s/:@]{1,80}:[^\s/@]{1,200}(?=@)"
)
#: Each of them holds one of these (the word before a bearer's in any case), which is told sooner than by the search.
_MARKS = (
    "://", "hf_", "sk-", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "AKIA", "xox", "AIza", "eyJ",
)  # fmt: skip


def redact(text: str) -> str:
    """The text with anything of a credential's shape masked: tokens of known prefixes, passwords inside an address.

    >>> redact("login hf_abcdefghijklmnopqrst at https://me:pw@host")
    'login [redacted] at https://[redacted]@host'
    """
    marked = any(mark in text for mark in _MARKS) or "bearer " in text.lower()
    return _VALUE.sub(MASK, text) if marked else text


def redact_setting(key: str, value: object) -> str:
    """A configuration value as shown: masked where its key says that it is a secret.

    >>> redact_setting("wandb.api_key", "abc"), redact_setting("max_tokens", 512)
    ('[redacted]', '512')
    """
    return MASK if _KEY.search(key) and isinstance(value, str) and value else redact(str(value))
