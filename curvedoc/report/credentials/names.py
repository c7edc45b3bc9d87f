"""What the name of a value says: whether it is a credential, in any spelling (`AWS_SESSION_TOKEN`, `hubToken`).

Words of training that only look alike (`num_tokens`, `pad_token`, `cache_key`) name none.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import Literal

from curvedoc.core.late_regex import late_regex

#: "strong": a credential whatever it looks like; "maybe": one where it looks drawn at random; "weak": one where it does
#: and is no hash either; "no": none.
NameKind = Literal["strong", "maybe", "weak", "no"]

_WORDS = late_regex(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
#: Words that name a credential by themselves.
_STRONG = frozenset({
    "password", "passwd", "pwd", "passphrase", "passcode", "sshpass", "pass", "secret", "secrets", "credential",
    "credentials", "apikey", "authtoken", "accesstoken", "webhook", "authorization", "dsn", "privatekey",
    "secretkey", "accesskey", "hftoken", "signature", "sig", "cookie", "cookies", "pat",
})  # fmt: skip
#: What makes a key or a token one of somebody's, and not one of a cache or a tokenizer.
_OWNERS = frozenset({
    "api", "access", "private", "secret", "auth", "oauth", "account", "encryption", "ssh", "signing", "license",
    "service", "master", "subscription", "storage", "session", "refresh", "security", "bearer", "bot", "hub",
    "hf", "huggingface", "wandb", "comet", "neptune", "mlflow", "clearml", "openai", "anthropic", "github",
    "gitlab", "slack", "aws", "azure", "gcp", "google", "kaggle", "personal", "user", "login", "client", "jwt",
    "id", "csrf", "admin", "deploy", "upload", "write", "x", "telegram", "discord", "notion", "ngc", "nvidia",
    "modal", "replicate", "roboflow", "app", "server", "logger",
    "authentication", "authorization", "activation", "shared", "registry", "pypi", "npm", "docker",
})  # fmt: skip
#: Last words after which the value is something else: where a secret lies, how long or how many.
_ABOUT = frozenset({
    "file", "files", "path", "paths", "dir", "folder", "name", "names", "length", "len", "size", "count",
    "counts", "num", "type", "types", "ttl", "expiry", "expires", "env", "var", "enabled", "required", "rotation",
    "version", "id", "ids", "limit", "rate", "per", "ratio", "loss", "acc", "accuracy", "dim", "vocab", "index",
    "mask", "embedding", "prob", "score", "weight", "weights", "policy", "manager", "provider", "backend",
    "source", "format", "class", "field", "column", "hash",
    "epoch", "epochs", "step", "steps", "iters", "days", "hours", "minutes", "seconds", "period", "interval",
})  # fmt: skip


@lru_cache(maxsize=4096)
def kind_of_name(name: str) -> NameKind:
    """What a name says of its value.

    >>> [kind_of_name(n) for n in ("PGPASSWORD", "api_key", "LINODE_CLI_TOKEN", "cache_key", "num_tokens")]
    ['strong', 'strong', 'maybe', 'weak', 'no']
    """
    words = [w.lower() for w in _WORDS.findall(name)]
    if not words:
        return "no"
    joined = {a + b for a, b in pairwise(words)}
    identifier = words[-1] == "id" and "key" in words and "access" in words
    if words[-1] in _ABOUT and not identifier and "webhook" not in words:
        return "no"
    if "tokenizer" in words or (words[-1] in ("tokens", "keys") and not _STRONG & set(words)):
        return "strong" if words[-1] == "keys" and "api" in words else "no"
    if (_STRONG & set(words)) - {"pass", "pat", "sig", "signature", "cookie", "cookies"} or _STRONG & joined:
        return "strong"
    if any(w.endswith(("password", "passwd", "secret", "authkey")) for w in words):
        return "strong"
    if words[-1] in ("pass", "pat", "sig", "signature", "cookie", "cookies"):
        return "strong" if len(words) > 1 and words[-2] not in ("forward", "backward", "first", "second") else "maybe"
    if identifier:
        return "strong"
    if words[-1] in ("key", "token"):
        if len(words) > 1 and words[-2] in _OWNERS:
            return "strong"
        return "maybe" if len(words) == 1 or words[-1] == "token" or name.isupper() else "weak"
    return "maybe" if words[-1] in ("auth", "bearer", "credential", "ak", "sk") else "no"
