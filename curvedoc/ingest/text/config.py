"""Settings that a run printed into its log."""

from __future__ import annotations

import re

import polars as pl

from curvedoc.core.late_regex import late_regex
from curvedoc.core.run import Scalar
from curvedoc.ingest.naming.log_words import is_outcome
from curvedoc.ingest.settings.flatten import scalar, settings
from curvedoc.ingest.text.line.prefix import read_prefix
from curvedoc.ingest.text.line.template import CLOCK, NUMBER
from curvedoc.ingest.text.line.words import EPOCH_WORDS, STEP_WORDS

#: Settings are printed at the start; later lines of that shape are something else.
HEAD_LINES = 5_000
#: A dict printed over more lines is a dump of something else.
_MAX_LINES = 600

_NAMED = (
    r"(?i)(?:config|configuration|args|arguments|hparams|hyper-?parameters|params|parameters|settings|options|cfg)\b"
)
#: What lines hold that `_NAMED` or `_OPEN_RE` can match: looked for first, since those patterns are slow to begin with.
_NAMES = ("config", "args", "arguments", "param", "settings", "options", "cfg", "namespace")
# Without bounds on letters, of which the engine would write out so many copies: see `_LONGEST`.
_OPEN_RE = rf"{_NAMED}[^{{(\[]{{0,40}}\{{|(?:^|[\s:=])(?:Namespace|[A-Z]\w*(?:Config|Args|Arguments))\("
_DOTS_RE = r"(?:^|\s)([A-Za-z_][\w.-]*) ?\.{3,} ?(\S.*)$"
_RUNNING_RE = r"(?:>> +|^ {1,4}|- {1,4})([A-Z][\w ().,&/]+?) = ([0-9][0-9,.]*)$"
_PAIR_RE = r"^\s*(?:Overriding: |Overriding config with )?([A-Za-z_][\w./-]*)\s*[:=]\s*[\"']?([\w.+\-/]+)[\"']?$"
#: A row of a box of two columns, whose key may have a remark and a symbol behind it: "vocab_size V", "rate (LR)".
_BOX_RE = r"^\s*\| *([A-Za-z_][\w ./-]*?)(?: +[A-Z]{1,2})?(?: *\([^()|]*\))? *\| *([^|]*?) *\|\s*$"
#: A longer key or value is none.
_LONGEST = 80
_PAIR = late_regex(rf"([A-Za-z_][\w./-]{{0,80}})\s{{0,30}}[:=]\s{{0,30}}[\"']?[\w.+\-/{NUMBER}]{{1,80}}[\"']?$")
_STAMPED_RE = r"(?-u:\b)(?:INFO|DEBUG|NOTICE)(?-u:\b)|^\[?" + CLOCK + "|^[ID][0-9]{4} "
_LISTED_RE = rf"{_NAMED}\W{{1,10}}(\w[\w.-]*=\S+(?:[,;]? +\w[\w.-]*=\S+)+)$"
#: What is told with so many values is measured: "training loss ...... 0.5", epoch by epoch.
_NO_SETTING = 3
_COMMAND_RE = r"\.py\s+(?:\S+\s+)*?--\w"
#: A dict with no word before it: settings only among the first lines of a log, and where it holds no outcome.
_BARE_RE = r"^\s*\{(?:$|[\"'][A-Za-z_])"
_BARE_LINES = 40
#: "Configuration:" on a line of its own, and the dict below it, behind whatever stamp the logger wrote.
_TITLE_RE = rf"{_NAMED}\W*$"
_STAMPED_DICT_RE = r"^(?:[^{]*[\s\]:-] )?\s*\{[\"'][A-Za-z_]"
_NESTED_RE = r"[|\]:-] \{[\"'][A-Za-z_]\w*[\"']: .*\{[\"'][A-Za-z_]"
#: max_grad_norm is a setting, grad_norm an outcome.
#: So is how often one is logged.
_LIMIT = late_regex(r"(?i)(?:.*[./_ ])?(?:max|clip|target|min)[_ ]|.*[_ ](?:every|interval|freq(?:uency)?|steps)$")
#: Fewer rows are no box of settings.
_BOXED = 4
_OPENING = late_regex(r"\{|(?:Namespace|[A-Z]\w{0,40}(?:Config|Args|Arguments))\(")


def loose_config(lines: pl.DataFrame) -> dict[str, Scalar]:
    """Settings in single `key: value` lines, behind a clock and a level too: what stands before the first record.

    lines: text, template
    """
    found: dict[str, Scalar] = {}
    head = lines.head(HEAD_LINES)
    if not len(head):
        return found
    for key, value in _matches(_holding(head, _whole(head), ":", "="), _PAIR_RE):
        _put(found, key, value)
    for text, template in head.filter(pl.col("template").str.contains(_STAMPED_RE)).select("text", "template").rows():
        pair = _PAIR.match(template, read_prefix(template).end)
        if pair is not None:
            # the value as it was written: in the template a number is one sign
            _put(found, pair[1], text[text.rindex(pair[1]) + len(pair[1]) :].strip(" :=\"'"))
    return found


def read_config(lines: pl.DataFrame) -> tuple[dict[str, Scalar], set[int]]:
    """Flat settings, and the lines (idx) that are nothing but settings.

    lines: idx, text. Taken for settings: a dict, Namespace or dataclass printed after a word such as config (over
    several lines too), a box that says each thing once, `key ..... value` blocks and the
    figures that Trainers announce ("Num examples = 1,000").
    """
    head = lines.head(HEAD_LINES)
    whole = _whole(head)
    found: dict[str, Scalar] = {}
    used: set[int] = set()
    for key, value in _matches(_holding(head, whole, " = "), _RUNNING_RE):
        _put(found, key.strip(), value.replace(",", ""))
    for row in _matching(_holding(head, whole, ".py"), _COMMAND_RE)["text"].head(3):
        found.update(settings(row))
    named = _holding(head.with_row_index("at"), whole.lower(), *_NAMES, any_case=True)
    listed = _matching(_holding(named, whole, "="), _LISTED_RE)["text"]
    for row in listed.str.extract(_LISTED_RE).drop_nulls() if len(listed) else ():
        for pair in row.split():
            key, _, value = pair.rstrip(",;").partition("=")
            _put(found, key, value)
    found.update(_boxed(head, whole, used))
    dots = _matching(_holding(head, whole, "..."), _DOTS_RE)
    if len(dots):  # "Evaluating....epoch:1, valid acc: 0.9" is no setting
        dots = dots.filter(~dots["text"].str.contains(r"\.{3,}.*[A-Za-z] ?[:=] ?-?[0-9]"))
        said = pl.col("text").str.extract_groups(_DOTS_RE).struct
        dots = dots.filter(said.field("2").n_unique().over(said.field("1")) < _NO_SETTING)
    for key, value in _matches(dots, _DOTS_RE):
        _put(found, key, value)
    used.update(dots["idx"].to_list())
    opens = _matching(_holding(named, whole, "{", "("), _OPEN_RE)["at"].to_list()
    if opens or "{" in whole:
        _printed(head, opens, found, used)
    return found, used


def _boxed(head: pl.DataFrame, whole: str, used: set[int]) -> dict[str, Scalar]:
    """What boxes say that name nothing twice and no outcome."""
    rows = _matching(_holding(head, whole, "| "), _BOX_RE)
    if len(rows) < _BOXED:
        return {}
    pairs = _matches(rows, _BOX_RE)
    found: dict[str, Scalar] = {}
    for key, value in pairs:
        _put(found, key, value)
    if len({k for k, _ in pairs}) < len(pairs) or not _is_settings(found):
        return {}
    used.update(rows["idx"].to_list())
    return found


def _whole(lines: pl.DataFrame) -> str:
    """The text of lines: asked for a word that none of them has, it saves a look at each."""
    return "\n".join(lines["text"].to_list())


def _holding(lines: pl.DataFrame, whole: str, *words: str, any_case: bool = False) -> pl.DataFrame:
    """The lines that hold one of these words. To make a pattern ready takes longer than to match it on a small log,
    so where none is left it is not made at all. whole: what the lines were taken from, in lower case for any case"""
    if not len(lines) or not any(word in whole for word in words):
        return lines.head(0)
    return lines.filter(pl.col("text").str.contains_any(list(words), ascii_case_insensitive=any_case))


def _matching(lines: pl.DataFrame, pattern: str) -> pl.DataFrame:
    return lines.filter(pl.col("text").str.contains(pattern)) if len(lines) else lines


def _matches(lines: pl.DataFrame, pattern: str) -> list[tuple[str, str]]:
    if not len(lines):
        return []
    got = lines["text"].str.extract_groups(pattern).struct.unnest()
    if not len(got):
        return []
    got = got.rename(dict(zip(got.columns, ["key", "value"], strict=True))).drop_nulls()
    return [(key, value) for key, value in got.iter_rows() if max(len(key), len(value)) <= _LONGEST]


def _put(found: dict[str, Scalar], key: str, text: str) -> None:
    value = scalar(text)
    if value is not None:
        found[key] = value


def _printed(head: pl.DataFrame, opens: list[int], found: dict[str, Scalar], used: set[int]) -> None:
    """Dicts and calls printed on one line or over several; opens: rows of those behind a word such as config."""
    text = pl.col("text")
    braces = head.select("text", before=text.shift(1)).with_row_index("at").filter(text.str.contains("{", literal=True))
    if not len(braces) and not opens:
        return
    titled = pl.col("before").str.contains(_TITLE_RE) & text.str.contains(_STAMPED_DICT_RE)
    early = pl.col("at") < _BARE_LINES
    bare = text.str.contains(r"^\s*\{$") | (text.str.contains(_BARE_RE) & early)
    # a logger's line that is one dict of dicts, the only one of its kind
    lone = braces.filter(early & text.str.contains(_STAMPED_RE) & text.str.contains(_NESTED_RE))["at"].to_list()
    lone = lone if len(lone) == 1 else []
    opens = sorted({*opens, *lone, *braces.filter(bare | titled.fill_null(False))["at"].to_list()})
    texts = head["text"].to_list()
    at = head["idx"].to_list()
    past = 0
    for i in opens:
        if i < past:
            continue
        m = _OPENING.search(texts[i])
        if m is None:
            continue
        end = _closed(texts, i, m.start())
        if end is None:
            continue
        got = settings("\n".join([texts[i][m.start() :], *texts[i + 1 : end]]).rstrip(" ,.;"))
        named = (i not in lone and texts[i][: m.start()].strip()) or m.group() != "{"
        if got and ((named and not (end == i + 1 and _is_record(got))) or _is_settings(got)):
            found.update(got)
            used.update(at[i:end])
            past = end


def _is_settings(found: dict[str, Scalar]) -> bool:
    """Whether a dict without a word before it holds settings: none of its keys is an outcome, limits of one aside."""
    last = {k.rsplit(".", 1)[-1]: v for k, v in found.items()}
    return not any(is_outcome(k) and _is_number(v) and not _LIMIT.match(k) for k, v in last.items())


def _is_record(found: dict[str, Scalar]) -> bool:
    """Whether a dict says at which epoch or step something was measured."""
    counted = any(k.lower() in EPOCH_WORDS or k.lower() in STEP_WORDS for k in found)
    return counted and not _is_settings(found)


def _is_number(value: Scalar) -> bool:
    """Whether a value is a number, or text that is one ('2.31')."""
    if isinstance(value, str):
        return re.fullmatch(r"[-+]?(?:[0-9.][0-9.eE+-]*|nan|inf)", value) is not None
    return not isinstance(value, bool)


def _closed(texts: list[str], i: int, start: int) -> int | None:
    """Past the line on which the bracket opened on line i closes; None if it does not."""
    depth = 0
    for j in range(i, min(i + _MAX_LINES, len(texts))):
        text = texts[j][start:] if j == i else texts[j]
        depth += sum(text.count(c) for c in "({[") - sum(text.count(c) for c in ")}]")
        if depth <= 0:
            return j + 1
    return None
