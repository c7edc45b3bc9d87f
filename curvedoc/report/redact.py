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

from curvedoc.core.late_regex import late_regex
from curvedoc.core.source import Scalar
from curvedoc.report.credentials.names import kind_of_name
from curvedoc.report.credentials.shapes import SHAPES, has_prefix, is_hash, is_nothing, is_random

MASK = "[redacted]"

#: --show-secrets: what a log says is shown as it stands.
SHOW_SECRETS: ContextVar[bool] = ContextVar("show_secrets", default=False)

#: A name, a sign that gives it a value, and the value. Of an option a space or the comma of a list will do; of other
#: names a space, a word or two and a call, where a long word follows.
_PAIR = late_regex(
    r"""(?i)(?P<name>(?P<option>(?<![\w-])--?)?(?<![\w.])"""
    r"""(?=[\w.\-]{0,80}(?:pass|pwd|secret|token|key|auth|cred|webhook|cookie|sig|pat\b|dsn|[as]k\b))"""
    r"""[a-z_][\w.\-]{0,80})(?P<sign>["']?\]?(?:\s{0,30}[=:]>?|\s?->|\s?\.{3,60}|\s{0,40}\|)\s{0,9}"""
    r"""(?:[ubrf]{1,2}(?=["'])|\w{1,20}\((?:value=)?(?=["']))?"""
    r"""|["']?,?\s{1,9}["']?value["']?\s?[=:]\s?|</name>\s{0,9}<value>"""
    r"""|(?(option)\s(?!=)|(?!))|(?(option)["']\s?,\s?(?=["'])|(?!))"""
    r"""|(?P<loose>(?:\s(?:value|provided|saved|set|is|was|to|as)){0,3}[:=]?\s|["']?(?:\(|,)\s?(?=["']))"""
    r"""(?=["']?[\w+/=.~-]{16}))"""
    r"""(?P<value>"[^"\n]{1,500}"|'[^'\n]{1,500}'|(?:\[redacted\])?[^\s"'&,;)}\]<]{1,500})"""
)
#: Fewer digits than a key or a token has that is told as a number.
_SHORT_NUMBER = 12
_LONG_WORD = late_regex(r"(?=[A-Za-z_-]*\d)[\w-]{16,}")
#: The word before a name: of "cache key" and "API key".
_BEFORE = late_regex(r"\b([A-Za-z]+) $")
#: Commands that take a password behind a letter or at a place, the file in which curl and W&B look one up, and
#: addresses whose last part is all that it takes to post there.
_TYPED = late_regex(
    r"(\b(?:\w{2,20} (?:registry |acr )?login|sshpass|mysql\w{0,10})\b[^\n;|&]{0,200}? -[pkt] ?"
    r"|\bwandb login\b[^\n;|&]{0,200}? (?=[0-9a-f]{40}\b)|\bwandb\.login\((?=['\"][0-9a-f]{40}\b)"
    r"|\b(?:curl|wget|https?)\b[^\n;|&]{0,300}? (?:-u|--user) ?[^\s:]{1,80}:"
    r"|\bmc (?:alias|config host) (?:set|add)(?: \S{1,200}){3} |\bkaggle config set -n key -v "
    r"|\bsudo -S[^\n]{0,60}<<< ?|\blogin\(['\"](?=[^\s'\"]{16,200}['\"])"
    r"|\bmachine\s{1,9}\S{1,200}\s{1,9}login\s{1,9}\S{1,200}\s{1,9}password\s{1,9}"
    r"|https?://(?:hooks?\.[^\s/]{3,200}/|[^\s\"']{3,200}/(?:(?:web)?hooks?\d?|key|token|t)/)(?=\S{0,11}\d)(?=\S{12})"
    r"|(?:\blogin|[Aa]uth=?)\(['\"][^\s'\"]{1,99}['\"], ?['\"](?=[^\s'\"]{1,200}['\"]\))"
    r"|\becho (?=[^\n|]{1,300}\| ?[^\n|]{0,99}(?:--password-stdin|--with-token|sudo -S)))"
    r"(['\"]?)(?![-\s'\"])[^\s'\"]{1,200}"
)
#: A prefix of an issuer that nobody has heard of before, and what is drawn at random behind it.
_PREFIXED = late_regex(
    r"(?<![\w/.:-])[a-z]{2,12}[-_](?:[A-Za-z0-9]{1,5}[-_])?(?=[a-zA-Z]{0,30}\d)[A-Za-z0-9]{20,200}(?![\w/.-])"
)
#: A text without any of these holds no credential; looking for one word takes less than looking for all shapes.
_HINT = late_regex(
    r"(?i)pass|pwd|secret|token|key|auth|cred|webhook|bearer|basic |cookie|://|login|sig=|signature|\bpat\b|dsn|mysql"
    r"|curl |wget |\bmc |kaggle|sudo|\b[as]k\b|hooks\."
    r"|hf_|github_|sk-|[srp]k_|gsk_|r8_|npm_|gh[pousr]_|glpat|pypi-|dapi|AKIA|ASIA|xox|xapp|AIza|ya29|eyJ|SG\.|lsv2"
    r"|nvapi|pplx|xai-|tvly|dop_v1|shpat|figd|lin_api|api_org|\d:[A-Z]|wandb_v1|GOOG1E|SCT\w|LTAI|AKID|glc_|hv[sb]\."
    r"|sha256~|GOCSPX|\b4/|\b1//"
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
    if SHOW_SECRETS.get():
        return text
    text = _PREFIXED.sub(lambda m: MASK if has_prefix(m[0]) else m[0], text)
    if _HINT.search(text) is None:
        return text
    return "".join(_pairs_masked(SHAPES.sub(MASK, _TYPED.sub(rf"\1\2{MASK}", text))))


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
    last = key.rsplit(".", 1)[-1]
    return MASK if _names_secret(key, text) or (last != "key" and _names_secret(last, text)) else redact(text)


def kept_setting(key: str, value: Scalar | None) -> Scalar | None:
    """A configuration value as data: as it is, unless it is to be masked.

    >>> kept_setting("lr", 0.1), kept_setting("db.password", 123456789)
    (0.1, '[redacted]')
    """
    shown = redact_setting(key, value)
    return value if shown == str(value) else shown


def _pairs_masked(text: str) -> Iterator[str]:
    """The text in pieces, values of pairs masked; what a pair without a credential took for a value may name one."""
    done = 0
    while found := _PAIR.search(text, done):
        if _holds_secret(found):
            quote = found["value"][0] if found["value"][0] in "\"'" else ""
            yield f"{text[done : found.start('value')]}{quote}{MASK}{quote}"
            done = found.end()
        else:
            yield text[done : found.start("value")]
            done = found.start("value")
    yield text[done:]


def _holds_secret(m: re.Match[str]) -> bool:
    name, value = m["name"], m["value"]
    bare = value.strip(value[0]) if value[0] in "\"'" else value
    before = _BEFORE.search(m.string, max(0, m.start() - 24), m.start())
    full = f"{before[1]}_{name}" if before and name.lower() in ("key", "token") else name
    if bare == MASK or bare == re.split(r"\W", name)[-1] or not (_names_secret(full, bare) or _hands_over(m, bare)):
        return False
    return m["loose"] is None or (is_random(bare) and not (full.lower() == "key" and is_hash(bare)))


def _hands_over(m: re.Match[str], value: str) -> bool:
    """Whether the place of the pair is enough: a part of an address, a long word behind an option."""
    name = m["name"].lower().lstrip("-")
    if name in ("sig", "signature", "token") and m.string[max(0, m.start() - 1) : m.start()] in ("?", "&"):
        return True
    return m["option"] is not None and name == "token" and bool(_LONG_WORD.fullmatch(value))


def _names_secret(name: str, value: str) -> bool:
    """Whether a value under this name is a credential."""
    kind = kind_of_name(name)
    if kind == "no" or is_nothing(value):
        return False
    if value.isdigit() and len(value) < _SHORT_NUMBER and name.lower().endswith(("key", "token")):
        return False
    return kind == "strong" or (is_random(value) and (kind == "maybe" or not is_hash(value)))
