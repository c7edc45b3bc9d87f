"""What a value looks like: the prefix of a known issuer, a password inside an address, or drawn at random.

Hashes, run ids, paths and references to a value kept elsewhere are no credentials.
"""

from __future__ import annotations

import re

from curvedoc.core.late_regex import late_regex

#: Values that are credentials whatever names them: the prefixes that issuers gave them so that they can be found.
SHAPES = late_regex(
    r"\bhf_[A-Za-z0-9]{16,}|\bapi_org_[A-Za-z0-9]{16,}"
    r"|\bsk-(?=[A-Za-z_-]{0,60}\d)[A-Za-z0-9_-]{16,}|\b[srp]k_(?:live|test)_[A-Za-z0-9]{16,}|\bsecret_[A-Za-z0-9]{40,}"
    r"|\b(?:gsk|r8|npm|lin_api|dop_v1|shpat|figd|nvapi|pplx|xai|tvly)[-_](?=[A-Za-z_-]{0,60}\d)[A-Za-z0-9_-]{20,}"
    r"|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}|\bpypi-[\w-]{16,}|\bdapi[0-9a-f]{32}\b"
    r"|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bxox[abeoprs]-[A-Za-z0-9-]{10,}|\bxapp-[A-Za-z0-9-]{10,}|\bAIza[\w-]{30,}"
    r"|\bya29\.[\w-]{16,}|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{4,}|\bSG\.[\w-]{16,}\.[\w-]{16,}|\blsv2_[a-z]{2}_[\w]{16,}"
    r"|(?:\b|(?<=bot))\d{8,10}:[A-Za-z0-9_-]{35}\b"  # a bot of Telegram
    r"|\bwandb_v1_\w{20,}|\bGOOG1E\w{30,}|\bSCT[0-9A-Za-z]{24,}|\bLTAI\w{12,}|\bAKID\w{28,}"
    r"|\bglc_[\w+/=]{20,}|\btskey-[a-z]+-[\w-]{16,}|\bhv[sb]\.[\w-]{20,}|\bsha256~[\w-]{40,}|\bGOCSPX-[\w-]{16,}"
    r"|\bAGE-SECRET-KEY-1\w{30,}|\b4/0?[A-Za-z][\w-]{30,}|\b1//[\w-]{30,}"
    r"|(?<=hooks\.slack\.com/)[\w/-]{10,}|(?<=/api/webhooks/)\d+/[\w-]{20,}|(?<=webhook\.office\.com/)[\w/@.-]{20,}"
    r"|(?i:(?<=authorization: ))[A-Za-z]{2,20} [\w.~+/:-]{8,}=*"
    r"|(?i:(?<=bearer ))(?=\S{0,80}\d)[\w.~+/-]{8,}=*|(?i:(?<=basic ))(?=\S{0,80}[\d=])[\w+/-]{12,}=*(?![\w.])"
    r"|(?<=://)[^\s/:]{0,80}:[^\s/]{1,200}(?=@)|(?<=://)[A-Za-z0-9_-]{20,}(?=@|:x-oauth-basic@)"
    r"|-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----(?:[\s\S]{0,8000}?-----END [A-Z ]{0,30}PRIVATE KEY-----|[\s\S]{0,8000})"
)
_NOTHING = frozenset({
    "none", "null", "true", "false", "yes", "no", "on", "off", "nan", "empty", "unset", "default", "required",
    "optional", "str", "string",
})  # fmt: skip
#: A special token, a mask that somebody put there already, a reference to a value, a path, code that gets the value.
_NO_VALUE = late_regex(
    r"\$\{?\w|%\(?\w+|\*{3}|x{4,}$|<[^>]*>?$|\[(?!redacted\]\S)[^\]]*\]?$|~?/|\./|(?:\w{1,10} )?\{|os\.environ"
    r"|(?:self|args|cfg|conf|config|opts?|options|kwargs|params|hparams|flags|FLAGS|settings|secrets)[.\[]"
    r"|[a-z_]+(?:\.[a-z_]+)*\("
)


def is_nothing(value: str) -> bool:
    """Whether a text stands for no value, or for one that is kept elsewhere."""
    if not value or value.lower() in _NOTHING:
        return True
    return _NO_VALUE.match(value) is not None and not (value[0] == "/" and is_random(value))


#: A digest, an id in hexadecimal digits, a UUID.
_HASH = late_regex(r"(?i)(?:0x)?[0-9a-f]{16,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_RUN = late_regex(r"[A-Za-z0-9+/]{12,}")
#: What a name is put together from: words, numbers, capitals.
_PIECE = late_regex(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
#: Letters of a piece at most: of 24 drawn characters of both cases 1 in 20 has more, of those of one case 1 in 10.
_BOTH_CASES, _ONE_CASE = 2.7, 3.4


def is_hash(value: str) -> bool:
    """Whether a text is spelled like a digest or an id, which name a thing more often than they open one."""
    return _HASH.fullmatch(value) is not None


def is_random(value: str) -> bool:
    """Whether a text looks drawn at random: 16 characters and more of several kinds in short turns, few of them twice.

    >>> [is_random(v) for v in ("k9Qz2LmX7vTb4RwN", "transformer.h.11.attn.weight", "ImageNet2012_val_00012345")]
    [True, False, False]
    """
    if len(value) < 16 or any(c.isspace() or c in "<>[]{}\\" for c in value):
        return False
    lower, upper = any(c.islower() for c in value), any(c.isupper() for c in value)
    if any(c.isdigit() for c in value) + lower + upper < 2 or len(set(value)) < min(10, len(value) // 2):
        return False
    pieces = [p for run in ([value] if is_hash(value) else _RUN.findall(value)) for p in _PIECE.findall(run)]
    longest = _BOTH_CASES if lower and upper else _ONE_CASE
    return bool(pieces) and sum(map(len, pieces)) <= longest * len(pieces)


def has_prefix(value: str) -> bool:
    """Whether what follows the last mark looks drawn at random from letters of both cases and digits."""
    drawn = re.split(r"[-_]", value)[-1]
    return any(map(str.islower, drawn)) and any(map(str.isupper, drawn)) and is_random(drawn)
