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
from functools import lru_cache
from itertools import pairwise

MASK = "[redacted]"

#: --show-secrets: what a log says is shown as it stands.
SHOW_SECRETS: ContextVar[bool] = ContextVar("show_secrets", default=False)

#: Values that are credentials whatever names them: the prefixes that issuers gave them so that they can be found.
_SHAPES = re.compile(
    r"\bhf_[A-Za-z0-9]{16,}|\bapi_org_[A-Za-z0-9]{16,}"
    r"|\bsk-(?=[A-Za-z_-]{0,60}\d)[A-Za-z0-9_-]{16,}|\b[srp]k_(?:live|test)_[A-Za-z0-9]{16,}|\bsecret_[A-Za-z0-9]{40,}"
    r"|\b(?:gsk|r8|npm|lin_api|dop_v1|shpat|figd|nvapi|pplx|xai|tvly)[-_](?=[A-Za-z_-]{0,60}\d)[A-Za-z0-9_-]{20,}"
    r"|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}|\bpypi-[\w-]{16,}|\bdapi[0-9a-f]{32}\b"
    r"|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bxox[abeoprs]-[A-Za-z0-9-]{10,}|\bxapp-[A-Za-z0-9-]{10,}|\bAIza[\w-]{30,}"
    r"|\bya29\.[\w-]{16,}|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{4,}|\bSG\.[\w-]{16,}\.[\w-]{16,}|\blsv2_[a-z]{2}_[\w]{16,}"
    r"|\b\d{8,10}:[A-Za-z0-9_-]{35}\b"  # a bot of Telegram
    r"|(?<=hooks\.slack\.com/)[\w/-]{10,}|(?<=/api/webhooks/)\d+/[\w-]{20,}|(?<=webhook\.office\.com/)[\w/@.-]{20,}"
    r"|(?i:(?<=bearer )|(?<=basic ))[\w.~+/-]{8,}=*"
    r"|(?<=://)[^\s/:@]{0,80}:[^\s/@]{1,200}(?=@)|(?<=://)[A-Za-z0-9_-]{20,}(?=@)"
    r"|(?i:(?<=wandb login )|(?<=--relogin ))[0-9a-f]{40}\b"
    r"|-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----(?:[\s\S]{0,8000}?-----END [A-Z ]{0,30}PRIVATE KEY-----|[\s\S]{0,8000})"
)
#: A name, a sign that gives it a value, and the value; of an option of a command line a space will do.
_PAIR = re.compile(
    r"""(?i)(?P<name>(?:(?<![\w-])--?)?(?<![\w.])(?=[\w.\-]{0,80}(?:pass|pwd|secret|token|key|auth|cred|webhook|cookie|sig|pat\b|dsn))"""
    r"""[a-z][\w.\-]{0,80})(?P<sign>["']?\s?[=:]>?\s?|(?<=[\w])\s(?!=))"""
    r"""(?P<value>"[^"\n]{1,500}"|'[^'\n]{1,500}'|[^\s"'&,;)}\]]{1,500})"""
)
#: A text without any of these holds no credential; looking for one word takes less than looking for all shapes.
_HINT = re.compile(
    r"(?i)pass|pwd|secret|token|key|auth|cred|webhook|bearer|basic |cookie|://|hooks\.|login|sig=|signature|pin\b"
    r"|hf_|github_|sk-|[srp]k_|gsk_|r8_|npm_|gh[pousr]_|glpat|pypi-|dapi|AKIA|ASIA|xox|xapp|AIza|ya29|eyJ|SG\.|lsv2"
    r"|nvapi|pplx|xai-|tvly|dop_v1|shpat|figd|lin_api|api_org|\d:[A-Z]"
)
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
#: Words that name a credential by themselves.
_STRONG = frozenset(
    [
        "password",
        "passwd",
        "pwd",
        "passphrase",
        "passcode",
        "pass",
        "secret",
        "secrets",
        "credential",
        "credentials",
        "apikey",
        "authtoken",
        "accesstoken",
        "webhook",
        "authorization",
        "dsn",
        "privatekey",
        "secretkey",
        "accesskey",
        "hftoken",
        "signature",
        "sig",
        "cookie",
        "cookies",
        "pat",
    ]
)
#: What makes a key or a token one of somebody's, and not one of a cache or a tokenizer.
_OWNERS = frozenset(
    [
        "api",
        "access",
        "private",
        "secret",
        "auth",
        "oauth",
        "account",
        "encryption",
        "ssh",
        "signing",
        "license",
        "service",
        "master",
        "subscription",
        "storage",
        "session",
        "refresh",
        "security",
        "bearer",
        "bot",
        "hub",
        "hf",
        "huggingface",
        "wandb",
        "comet",
        "neptune",
        "mlflow",
        "clearml",
        "openai",
        "anthropic",
        "github",
        "gitlab",
        "slack",
        "aws",
        "azure",
        "gcp",
        "google",
        "kaggle",
        "personal",
        "user",
        "login",
        "client",
        "jwt",
        "id",
        "csrf",
        "admin",
        "deploy",
        "upload",
        "write",
        "x",
        "telegram",
        "discord",
        "notion",
        "ngc",
        "nvidia",
        "modal",
        "replicate",
        "roboflow",
        "app",
        "server",
        "shared",
        "registry",
        "pypi",
        "npm",
        "docker",
    ]
)
#: Last words after which the value is something else: where a secret lies, how long or how many.
_ABOUT = frozenset(
    [
        "file",
        "files",
        "path",
        "paths",
        "dir",
        "folder",
        "name",
        "names",
        "length",
        "len",
        "size",
        "count",
        "counts",
        "num",
        "type",
        "types",
        "ttl",
        "expiry",
        "expires",
        "env",
        "var",
        "enabled",
        "required",
        "rotation",
        "version",
        "id",
        "ids",
        "limit",
        "rate",
        "per",
        "ratio",
        "loss",
        "acc",
        "accuracy",
        "dim",
        "vocab",
        "index",
        "mask",
        "embedding",
        "prob",
        "score",
        "weight",
        "weights",
        "policy",
        "manager",
        "provider",
        "backend",
        "source",
        "format",
        "class",
        "field",
        "column",
        "hash",
    ]
)
_NOTHING = frozenset(
    [
        "none",
        "null",
        "true",
        "false",
        "yes",
        "no",
        "on",
        "off",
        "nan",
        "empty",
        "unset",
        "default",
        "required",
        "optional",
        "str",
        "string",
    ]
)
#: A reference to a value, a path, a special token of a tokenizer, a mask that somebody put there already.
_NO_VALUE = re.compile(
    r"\$\{?\w|%\(?\w+|\*{3}|x{4,}$|<[^>]*>?$|\[[^\]]*\]?$|~?/|\./|\{\{|os\.environ|getenv|\[redacted"
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
    return _PAIR.sub(_masked_pair, _SHAPES.sub(MASK, text))


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
    kind = _kind(name)
    if kind == "no" or not value or value.lower() in _NOTHING or _NO_VALUE.match(value):
        return False
    if kind == "strong":
        return True
    return _random(value)


@lru_cache(maxsize=4096)
def _kind(name: str) -> str:
    """What a name says of its value: "strong" it is a credential, "maybe" it is one if it looks like one, "no"."""
    words = [w.lower() for w in _WORDS.findall(name)]
    if not words:
        return "no"
    joined = {a + b for a, b in pairwise(words)}
    identifier = words[-1] == "id" and "key" in words and "access" in words
    if words[-1] in _ABOUT and not identifier and "webhook" not in words:
        return "no"
    if "tokenizer" in words or (words[-1] in ("tokens", "keys") and not _STRONG & set(words)):
        return "strong" if words[-1] == "keys" and "api" in words else "no"
    if (_STRONG & set(words)) - {"pass", "pat", "sig", "signature", "cookie"} or _STRONG & joined:
        return "strong"
    if words[-1] in ("pass", "pat", "sig", "signature", "cookie", "cookies"):
        return "strong" if len(words) > 1 and words[-2] not in ("forward", "backward", "first", "second") else "maybe"
    if identifier:
        return "strong"
    if words[-1] in ("key", "token"):
        if len(words) > 1 and words[-2] in _OWNERS:
            return "strong"
        return "maybe" if len(words) == 1 else "no"
    return "maybe" if words[-1] in ("auth", "bearer", "credential") else "no"


def _random(value: str) -> bool:
    """Whether a text looks drawn at random: 16 characters and more of several kinds, few of them twice, no words."""
    if len(value) < 16 or any(c.isspace() or c in "<>[]{}/\\" for c in value):
        return False
    kinds = sum((any(c.isdigit() for c in value), any(c.islower() for c in value), any(c.isupper() for c in value)))
    return kinds >= 2 and len(set(value)) >= min(10, len(value) // 2)
