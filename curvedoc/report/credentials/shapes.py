"""What a value looks like: the prefix of a known issuer, a password inside an address, or drawn at random.

Hashes, run ids, paths and references to a value kept elsewhere are no credentials.
"""

from __future__ import annotations

import re

#: Values that are credentials whatever names them: the prefixes that issuers gave them so that they can be found.
SHAPES = re.compile(
    r"\bhf_[A-Za-z0-9]{16,}|\bapi_org_[A-Za-z0-9]{16,}"
    r"|\bsk-(?=[A-Za-z_-]{0,60}\d)[A-Za-z0-9_-]{16,}|\b[srp]k_(?:live|test)_[A-Za-z0-9]{16,}|\bsecret_[A-Za-z0-9]{40,}"
    r"|\b(?:gsk|r8|npm|lin_api|dop_v1|shpat|figd|nvapi|pplx|xai|tvly)[-_](?=[A-Za-z_-]{0,60}\d)[A-Za-z0-9_-]{20,}"
    r"|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}|\bpypi-[\w-]{16,}|\bdapi[0-9a-f]{32}\b"
    r"|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bxox[abeoprs]-[A-Za-z0-9-]{10,}|\bxapp-[A-Za-z0-9-]{10,}|\bAIza[\w-]{30,}"
    r"|\bya29\.[\w-]{16,}|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{4,}|\bSG\.[\w-]{16,}\.[\w-]{16,}|\blsv2_[a-z]{2}_[\w]{16,}"
    r"|\b\d{8,10}:[A-Za-z0-9_-]{35}\b"  # a bot of Telegram
    r"|(?<=hooks\.slack\.com/)[\w/-]{10,}|(?<=/api/webhooks/)\d+/[\w-]{20,}|(?<=webhook\.office\.com/)[\w/@.-]{20,}"
    r"|(?i:(?<=authorization: ))[A-Za-z]{2,20} [\w.~+/:-]{8,}=*"
    r"|(?i:(?<=bearer )|(?<=basic ))[\w.~+/-]{8,}=*"
    r"|(?<=://)[^\s/:@]{0,80}:[^\s/@]{1,200}(?=@)|(?<=://)[A-Za-z0-9_-]{20,}(?=@)"
    r"|(?i:(?<=wandb login )|(?<=--relogin ))[0-9a-f]{40}\b"
    r"|-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----(?:[\s\S]{0,8000}?-----END [A-Z ]{0,30}PRIVATE KEY-----|[\s\S]{0,8000})"
)
_NOTHING = frozenset({
    "none", "null", "true", "false", "yes", "no", "on", "off", "nan", "empty", "unset", "default", "required",
    "optional", "str", "string",
})  # fmt: skip
#: A reference to a value, a path, a special token of a tokenizer, a mask that somebody put there already.
_NO_VALUE = re.compile(
    r"\$\{?\w|%\(?\w+|\*{3}|x{4,}$|<[^>]*>?$|\[[^\]]*\]?$|~?/|\./|\{\{|os\.environ|getenv|\[redacted"
)


def is_nothing(value: str) -> bool:
    """Whether a text stands for no value, or for one that is kept elsewhere."""
    return not value or value.lower() in _NOTHING or _NO_VALUE.match(value) is not None


def is_random(value: str) -> bool:
    """Whether a text looks drawn at random: 16 characters and more of several kinds, few of them twice, no words."""
    if len(value) < 16 or any(c.isspace() or c in "<>[]{}/\\" for c in value):
        return False
    kinds = sum((any(c.isdigit() for c in value), any(c.islower() for c in value), any(c.isupper() for c in value)))
    return kinds >= 2 and len(set(value)) >= min(10, len(value) // 2)
