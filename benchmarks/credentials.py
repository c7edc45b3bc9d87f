"""What is hidden of credentials: `python benchmarks/credentials.py [--write docs/credentials.md] [--show]`.

`credentials_lines/planted.txt` holds lines as trackers, clouds, launchers, remotes and notebooks print them, with a
place for the credential («{hex:40}»), so that none stands in the project; `lookalikes.txt` lines without any. Below
97.5 % hidden, or above 2.5 % touched, the command fails.
"""

from __future__ import annotations

import argparse
import random
import re
import string
import sys
from collections.abc import Iterator
from pathlib import Path

from curvedoc.report.redact import MASK, redact, redact_setting

LINES = Path(__file__).with_name("credentials_lines")
LEAST_HIDDEN, MOST_TOUCHED = 0.975, 0.025
#: Between the key of a setting and its value; every other line is a text.
SETTING = " ⇒ "
_SMALL, _DIGITS = string.ascii_lowercase, string.digits
_LETTERS = {
    "hex": "0123456789abcdef",
    "digits": _DIGITS,
    "small": _SMALL,
    "lower": _SMALL + _DIGITS,
    "upper": string.ascii_uppercase + _DIGITS,
    "mixed": string.ascii_letters + _DIGITS,
    "base64": string.ascii_letters + _DIGITS + "+/",
}


def _drawn(pattern: str, r: random.Random) -> str:
    """A credential of the pattern; one of more than one kind of letters has a digit in it."""

    def one(m: re.Match[str]) -> str:
        letters, count = _LETTERS[m[1]], int(m[2])
        made = [r.choice(letters) for _ in range(count)]
        if m[1] not in ("digits", "small"):
            made[r.randrange(count // 2)] = r.choice(_DIGITS)
        return "".join(made)

    return re.sub(r"\{(\w+):(\d+)\}", one, pattern)


def _shown(line: str) -> str:
    key, sign, value = line.partition(SETTING)
    if not sign:
        return redact(line)
    return redact_setting(key, int(value) if value.isdigit() else value)


def planted(seed: int = 0) -> Iterator[tuple[str, str]]:
    """(a line with a credential in it, the credential)."""
    r = random.Random(seed)
    for line in (LINES / "planted.txt").read_text("utf-8").splitlines():
        before, pattern, after = re.split("[«»]", line)
        secret = _drawn(pattern, r)
        yield f"{before}{secret}{after}".replace("\\n", "\n"), secret


def lookalikes() -> list[str]:
    return (LINES / "lookalikes.txt").read_text("utf-8").splitlines()


def missed(seed: int = 0) -> list[str]:
    """The lines whose credential is still seen."""
    return [line for line, secret in planted(seed) if secret in _shown(line)]


def touched() -> list[str]:
    """The lookalikes that are masked."""
    return [line for line in lookalikes() if MASK in _shown(line)]


def page(seen: list[str], masked: list[str]) -> Iterator[str]:
    many, alike = len(list(planted())), len(lookalikes())
    yield "# Credentials that are hidden\n"
    yield "Written by `python benchmarks/credentials.py --write docs/credentials.md`; do not edit. Lines as trackers,"
    yield "clouds, launchers, remotes and notebooks print them, and lines that only look alike (hashes, ids, keys of"
    yield "weights, counts of tokens). All of them were looked at while the mask was made: of others it hides less."
    yield "Look at a report before you publish it; `--redact REGEX` masks more.\n"
    yield "| | lines | hidden | shown |"
    yield "|---|---:|---:|---:|"
    yield f"| with a credential | {many} | {many - len(seen)} | {len(seen)} |"
    yield f"| that look alike | {alike} | {len(masked)} | {alike - len(masked)} |"
    yield "\nShown although a credential stands in them:\n"
    yield from (f"- `{re.sub(re.escape(secret), '...', line)}`" for line, secret in planted() if line in seen)


def main() -> int:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--write", type=Path)
    ask.add_argument("--show", action="store_true", help="print what went wrong")
    args = ask.parse_args()
    seen, masked = missed(), touched()
    many, alike = len(list(planted())), len(lookalikes())
    print(f"credentials seen: {len(seen)} of {many}; lookalikes hidden: {len(masked)} of {alike}")
    if args.show:
        print("\n".join([*seen, *masked]))
    if args.write:
        args.write.write_text("\n".join(page(seen, masked)) + "\n", "utf-8")
    return int(len(seen) > (1 - LEAST_HIDDEN) * many or len(masked) > MOST_TOUCHED * alike)


if __name__ == "__main__":
    sys.exit(main())
