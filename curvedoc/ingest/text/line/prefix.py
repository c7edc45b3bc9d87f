"""What stands before the record on a line: time, level, rank, logger, source line."""

from __future__ import annotations

from curvedoc.core.frozen import dataclass
from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.naming.log_words import is_usual, spaced
from curvedoc.ingest.naming.split_words import scope_of
from curvedoc.ingest.text.line.template import CLOCK, FRACTION, NUMBER

_LEVEL = "DEBUG|INFO|WARNING|WARN|ERROR|CRITICAL|FATAL|TRACE|SUCCESS|NOTICE"
#: Spelling -> name in the message table.
LEVELS = {
    "DEBUG": "DEBUG", "TRACE": "DEBUG", "INFO": "INFO", "SUCCESS": "INFO", "NOTICE": "INFO", "WARNING": "WARNING",
    "WARN": "WARNING", "ERROR": "ERROR", "CRITICAL": "CRITICAL", "FATAL": "CRITICAL",
}  # fmt: skip

_PIECE = late_regex(
    rf"(?P<clock>\[{CLOCK} [A-Za-z_]\w*(?:\.\w+)+\]:?|[\[(]?{CLOCK}(?:,{CLOCK})?[\])]?[,;:]?)"
    rf"|\[?(?P<level>{_LEVEL})\]?(?=[\s:,\[|]|$):?"
    rf"|\[(?P<padded>{_LEVEL.lower()}) *\](?= )"
    rf"|(?P<unit>[\w.-]{{1,80}} [\w./@-]{{1,80}}\[{NUMBER}\]:)"
    rf"|[\[(]?(?i:rank)[ _:=]{{0,2}}(?P<rank>\d{{1,6}}|{NUMBER})[\])]?[:,]?"
    rf"|(?P<mpi>\[{NUMBER},[\w:,.{NUMBER}-]{{1,60}}\]<std\w{{1,6}}>:)"
    rf"|(?P<source>\[?[\w./<>-]{{1,200}}\.(?:py|cc|cpp|cu|h):{NUMBER}(?::\w{{1,80}})?\]?|[\w.<>]{{1,120}}:[\w.<>]{{1,120}}:{NUMBER}"
    rf"|\([\w.]{{1,120}}:{NUMBER}\)(?= (?:{_LEVEL})\b)|[\w./-]{{1,200}}\.py line {NUMBER}(?: {NUMBER})?\])"
    rf"|(?P<place>\[line ?:? ?{NUMBER}\])"
    rf"|(?P<actor>\([\w.]{{1,80}} pid={NUMBER}[^()]{{0,60}}\))"
    rf"|(?P<host>(?:[\w.-]{{1,120}}:{NUMBER} {{1,2}}){{1,2}}(?=(?:{_LEVEL})\b))"
    rf"|(?P<caller>[A-Za-z_][\w.-]{{0,80}}[ \t]+(?=\[?(?:{_LEVEL})\b))"
    rf"|(?P<thread>{NUMBER} (?=[\w.]{{1,80}}:{NUMBER}\]))"
    r"|\[(?P<tag>[A-Za-z_][\w.]{0,60})\](?=[\s\[:-])[:-]?"
    r"|(?P<logger>[A-Za-z_][\w.\\/-]{0,80})(?= (?:- |\| ))"
    r"|(?P<path>[A-Za-z_]\w{0,60}(?:::\w{1,60}){1,8}: )"
    r"|(?P<name>[A-Za-z_][\w.]{0,80}:)(?=[A-Za-z\[])"
    r"|(?P<mark>[-|>:\]]{1,3}(?= |$)|\]:?)"
    r"|(?P<blank>[ \t]+)"
)
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
            meant = scope and "_" not in word and not logger
            counter = spaced(word.rstrip(":")) in ("step", "epoch", "iter", "iteration", "batch", "metric")
            if (what != "tag" and not (clock or level)) or meant or counter or is_usual(word):
                break
            if what == "name" and not level:
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
