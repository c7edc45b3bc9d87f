"""What stands before the record on a line: time, level, rank, logger, source line."""

from __future__ import annotations

import re
from collections import Counter
from string import digits

from curvedoc.core.frozen import dataclass
from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.naming.log_words import is_usual, spaced
from curvedoc.ingest.naming.split_words import SPLITS, scope_of
from curvedoc.ingest.text.line import words
from curvedoc.ingest.text.line.template import CLOCK, FRACTION, NUMBER

_LEVEL = "DEBUG|INFO|WARNING|WARN|ERROR|CRITICAL|FATAL|TRACE|SUCCESS|NOTICE"
#: Spelling -> name in the message table.
LEVELS = {
    "DEBUG": "DEBUG", "TRACE": "DEBUG", "INFO": "INFO", "SUCCESS": "INFO", "NOTICE": "INFO", "WARNING": "WARNING",
    "WARN": "WARNING", "ERROR": "ERROR", "CRITICAL": "CRITICAL", "FATAL": "CRITICAL",
}  # fmt: skip

#: What is no name of a program.
_MEANT = frozenset((*words.EPOCH_WORDS, *words.STEP_WORDS, *words.INNER_WORDS, "rank", "metric", "metrics"))

_PIECE = late_regex(
    rf"(?P<clock>\[{CLOCK} [A-Za-z_](?:\w*(?:\.\w+)+\]:?|[\w.-]{{0,120}}\](?= \([\w.-]{{1,120}}\.py\b))"
    rf"|\[{NUMBER} {CLOCK}(?= @)|[\[(<]?{CLOCK}(?:,{CLOCK})?[\])>]?[,;:]?)"
    rf"|(?P<elapsed>[\[(]{NUMBER} ?s[\])]:?(?= )|^{NUMBER}s(?= {{1,2}}[A-Za-z_|]))"
    rf"|\[?(?P<level>{_LEVEL})\]?(?=[\s:,\[|]|$):?"
    rf"|\[(?P<padded>{_LEVEL.lower()}) *\](?= )"
    rf"|(?P<unit>[\w.-]{{1,80}} [\w./@-]{{1,80}}\[{NUMBER}\]:)"
    rf"|[\[(]?(?i:rank|xla)[ _:=]{{0,2}}(?P<rank>\d{{1,6}}|{NUMBER})[\])]?[:,]?"
    rf"|(?P<mpi>\[{NUMBER},[\w:,.{NUMBER}-]{{1,60}}\]<std\w{{1,6}}>:)"
    # where in the code it was printed: "main.py:12", "(engine.py 12)", "[main.py[line:12]", "@base.py:12]"
    rf"|(?P<source>[\[(<]?@?[\w./<>-]{{1,200}}\.(?:py|cc|cpp|cu|h)"
    rf"(?:: ?|, | ?\(| (?={NUMBER}\))|\[?[: ]?line[ :]){NUMBER}(?: {NUMBER}(?=\])|:\w{{1,80}})?[\])>]{{0,2}}"
    rf"|[\w.<>]{{1,120}}:[\w.<>]{{1,120}}:{NUMBER}|\([\w.]{{1,120}}:{NUMBER}\)(?= (?:{_LEVEL})\b))"
    # "INFO | package.trainer:12 - "
    rf"|(?P<module>[A-Za-z_]\w{{0,60}}(?:\.\w{{1,60}}){{1,8}}:{NUMBER}(?= - ))"
    rf"|(?P<place>\[line ?:? ?{NUMBER}\])"
    rf"|(?P<actor>\([\w.]{{1,80}} pid={NUMBER}[^()]{{0,60}}\))"
    rf"|(?P<host>(?:[\w.-]{{1,120}}:{NUMBER} {{1,2}}){{1,2}}(?=(?:{_LEVEL})\b))"
    rf"|(?P<caller>[A-Za-z_][\w.-]{{0,80}}[ \t]+(?=\[?(?:{_LEVEL})\b))"
    rf"|(?P<thread>{NUMBER} (?=[\w.]{{1,80}}:{NUMBER}\]))"
    r"|\[(?P<tag>[A-Za-z_][\w.]{0,60})\](?=[\s\[:-])[:-]?"
    r"|(?P<logger>[A-Za-z_][\w.\\/-]{0,80})(?= (?:- |\| ))"
    r"|(?P<path>[A-Za-z_]\w{0,60}(?:::\w{1,60}){1,8}: )"
    r"|(?P<name>[A-Za-z_][\w.]{0,80}:)(?=[A-Za-z\[])"
    # a bar that is drawn without brackets
    rf"|(?P<rule>[=#*~-]{{3,200}} +(?={FRACTION}[ :|-]{{1,4}}[\w{NUMBER}]))"
    # what a line is set off by, before the number that counts
    rf"|(?P<bullet>(?:>{{1,4}}|[=-]{{1,3}}>|\*{{1,3}}|[•·~»→▶+]) +(?=[\[(]?{NUMBER}))"
    r"|(?P<mark>[-|>:\]]{1,3}(?= |$)|\]:?)"
    r"|(?P<blank>[ \t]+)"
)
#: What a program or a terminal may put ahead of all that it prints: "[trainer] ", "node3: ", "(worker) ", ">> ", "# ".
_HEAD = late_regex(
    r"(?:([\[(<{]?)([A-Za-z][\w.@-]{0,30})([\])>}]?)(:?)[ \t]"
    r"(?=[ \t]*(?:[^\s\d.+-]|[^\s,|]+[\s,|]+[\d.+-][^A-DF-Za-df-z]*$))|[>#*=~$%+-]{1,3}[ \t](?=[ \t]*\S))"
)
#: So many lines show the habit; it is one where so large a part of them begins alike, and few of the others do.
_SHOWN, _FEWEST, _HABIT, _OTHER = 200, 8, 0.45, 0.1
#: Behind the name of a logger.
_LEVEL_NEXT = late_regex(rf"[ \[|-]{{0,4}}(?:{_LEVEL})\b")


@dataclass(frozen=True, slots=True)
class Prefix:
    """Where the body of a template begins and what came before it.

    end: index of the body; slots: numbers in the prefix; rank: -1 for none; rank_slot: -1 when the rank is literal.
    """

    end: int
    slots: int
    level: str
    rank: int
    rank_slot: int
    clock: bool


def without_heads(text: str) -> str:
    """The text without what nearly all of its lines begin with, where that says nothing of them."""
    shown = [line for line in text[: _SHOWN * _SHOWN].split("\n", _SHOWN)[:_SHOWN] if line]
    heads = [m for line in shown if (m := _HEAD.match(line)) is not None]
    means = {m[0]: m for m in heads}  # nearly all begin alike, so that each beginning is looked at once
    idle = {head for head, m in means.items() if _says_nothing(m)}
    found = Counter(m[0] for m in heads if m[0] in idle)
    (head, often), (_, other) = [*found.most_common(2), ("", 0), ("", 0)][:2]
    if often < max(_FEWEST, _HABIT * len(shown)) or other > _OTHER * len(shown):
        return text
    return f"\n{text}".replace(f"\n{head}", "\n")[1:]


def _says_nothing(head: re.Match[str]) -> bool:
    """Whether what a line begins with is a mark, or a name that is marked as one and no split, counter or measure."""
    word = (head[2] or "").lower()
    if not word:
        return True
    marked = head[3] if head[1] else head[4]
    if word.rstrip(digits) in _MEANT:  # "Epoch13: "
        return False
    other = word in SPLITS or word.upper() in LEVELS or word in _MEANT or is_usual(word) or scope_of(word) != ""
    return bool(marked) and not other


def read_prefix(template: str) -> Prefix:
    """The prefix of a template; one of length 0 (but for blanks) where the record begins at once."""
    pos, slots, level, rank, rank_slot, clock = 0, 0, "", -1, -1, False
    while pos < len(template):
        m = _PIECE.match(template, pos)
        if m is None:
            break
        what = m.lastgroup
        if (what == "clock" and clock) or (what == "caller" and not clock):
            break
        if what in ("logger", "tag", "name"):
            word = m.group(what)
            scope = "" if word.endswith(".py") else scope_of(word)  # the file "train.py" says no split
            # "INFO:train:" and "10:00:00 - train - INFO" are loggers of that name; dropped, it is no loss
            logger = scope == "train" and (level if what == "name" else _LEVEL_NEXT.match(template, m.end()))
            meant = (scope or (what == "tag" and word.lower() in SPLITS)) and "_" not in word and not logger
            counter = spaced(word.rstrip(":")) in ("step", "epoch", "iter", "iteration", "batch", "metric")
            if (what != "tag" and not (clock or level)) or meant or counter or is_usual(word):
                break
            if what == "name" and not level:
                break
        if what == "module" and (not level or is_usual(m.group(what)[:-2].rpartition(".")[2])):
            break
        if what == "path" and not level:  # tracing's "INFO trainer::fit: "
            break
        if what == "mark" and not (clock or level or slots):
            break
        if what == "unit" and not clock:  # systemd's journal: host, unit and process
            break
        if what == "clock":
            clock = True
        elif what == "padded":
            level = level or LEVELS[m.group("padded").upper()]
        elif what == "level":
            level = level or LEVELS[m.group("level")]
        elif what == "rank":
            if m.group("rank") == NUMBER:
                rank_slot = slots
            else:
                rank = int(m.group("rank"))
        elif what == "mpi":
            rank_slot = slots + 1
        slots += m.group().count(NUMBER) + m.group().count(FRACTION)
        pos = m.end()
    return Prefix(pos, slots, level, rank, rank_slot, clock)
