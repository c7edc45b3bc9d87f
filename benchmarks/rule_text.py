"""A rule, cause or fact file as text to edit: one expression changed, one entry left out, the rest as it was.

Everything but the lines that are edited stays as its author wrote it, comments with it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from curvedoc.rulebook.yaml12 import parse

_TOP = re.compile(r"^([a-z_]+):")
_ENTRY = re.compile(r"^  ([a-z][a-z0-9_]*):(?: (.*))?$")
_WORDS = re.compile(r"[a-z][a-z0-9_]*")
_FIELD = re.compile(r"\{([a-z][a-z0-9_]*)(?::[^{}]*)?\}")
#: Sections whose entries go when nothing reads them.
DECLARED = ("needs", "patterns", "except", "params")
#: Sections of nothing but expressions and names.
EXPRESSIONS = ("measure", "when", "strength", "excused_by", "harmless_if", "onset", "until", "doubt")
#: Keys whose value is a name or an expression, and keys whose entries are keyed by names.
NAMES = frozenset(("given", "value", "answer", "yes", "no", "metric", "point", "start", "end", "level", "without",
                   "for", "against"))  # fmt: skip
NAMED_BY_KEY = frozenset(("for", "against", "near"))


_SIGNS: Mapping[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.Eq: "==", ast.In: "in", ast.And: "and", ast.Or: "or",
}  # fmt: skip


def spelled(node: ast.expr, level: int = 0) -> str:
    """An expression as rule files spell it, without needless parentheses. level: how tightly its place binds."""
    match node:
        case ast.BoolOp(op=op, values=values):
            own = 2 if isinstance(op, ast.And) else 1
            text = f" {_SIGNS[type(op)]} ".join(spelled(v, 3) for v in values)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            own, text = 3, f"not {spelled(operand, 5)}"
        case ast.Compare(left=left, ops=ops, comparators=others):
            own, text = 4, spelled(left, 5)
            text += "".join(f" {_SIGNS[type(op)]} {spelled(b, 5)}" for op, b in zip(ops, others, strict=True))
        case ast.BinOp(left=left, op=op, right=right):
            own = 5 if isinstance(op, (ast.Add, ast.Sub)) else 6
            text = f"{spelled(left, own)} {_SIGNS[type(op)]} {spelled(right, own + 1)}"
        case ast.UnaryOp(operand=operand):
            own, text = 7, f"-{spelled(operand, 7)}"
        case ast.Call(func=func, args=args):
            own, text = 8, f"{spelled(func)}({', '.join(spelled(a) for a in args)})"
        case ast.Attribute(value=value, attr=name):
            own, text = 8, f"{spelled(value, 8)}.{name}"
        case ast.Tuple(elts=parts):
            own, text = 8, f"({', '.join(spelled(p) for p in parts)})"
        case ast.Constant(value=bool() as truth):
            own, text = 8, str(truth).lower()
        case _:
            own, text = 8, ast.unparse(node)
    return text if own >= level else f"({text})"


@dataclass(frozen=True)
class Place:
    """One expression of a file: the line it stands on and its text. key: of its measure, "" for a condition."""

    line: int
    section: str
    key: str
    text: str


@dataclass(frozen=True)
class RuleText:
    """The lines of one file."""

    lines: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> RuleText:
        """From the text of a file."""
        return cls(tuple(text.splitlines()))

    def __str__(self) -> str:
        return "\n".join(self.lines) + "\n"

    @cached_property
    def document(self) -> Mapping[str, Any]:
        """What the YAML says."""
        found: Mapping[str, Any] = parse(str(self), "a file being edited")
        return found

    @cached_property
    def sections(self) -> tuple[str, ...]:
        """The top-level key that each line belongs to."""
        out, now = [], ""
        for line in self.lines:
            match = _TOP.match(line)
            now = match[1] if match else now
            out.append(now)
        return tuple(out)

    def places(self) -> Iterator[Place]:
        """Every measure and condition that stands on one line."""
        for i, (line, section) in enumerate(zip(self.lines, self.sections, strict=True)):
            entry = _ENTRY.match(line)
            if i + 1 < len(self.lines) and self.lines[i + 1].startswith("    ") and section == "measure":
                continue  # it goes on in the next line
            if section == "measure" and entry and entry[2]:
                yield Place(i, section, entry[1], _bare(entry[2]))
            elif section == "when" and (item := re.match(r"^ +- (.*)$", line)):
                yield Place(i, section, "", _bare(item[1]))

    def with_expression(self, place: Place, text: str) -> RuleText:
        """Another expression at a place."""
        line = self.lines[place.line]
        quoted = f"'{text}'" if re.search(r": |^[\[{&*!|>%@`\"]| #", text) else text
        made = f"  {place.key}: {quoted}" if place.key else line[: line.index("- ") + 2] + quoted
        return self._replaced(place.line, place.line + 1, (made,))

    def without_lines(self, first: int, last: int) -> RuleText:
        """Without lines first to last - 1, nor the comment straight above."""
        while first and self.lines[first - 1].lstrip().startswith("#"):
            first -= 1
        return self._replaced(first, last, ())

    def without_place(self, place: Place) -> RuleText:
        """Without a condition."""
        return self.without_lines(place.line, place.line + 1)

    def without_entry(self, section: str, key: str) -> RuleText:
        """Without an entry of a section; the section goes with its last one."""
        rows = [i for i, s in enumerate(self.sections) if s == section]
        entries = [i for i in rows if _ENTRY.match(self.lines[i])]
        at = next((i for i in entries if self.lines[i].startswith(f"  {key}:")), None)
        if at is None:
            return self
        if len(entries) == 1:
            return self._replaced(rows[0], rows[-1] + 1, ())
        end = at + 1
        while end < len(self.lines) and self.lines[end].startswith("   "):
            end += 1
        return self.without_lines(at, end)

    def without_excuse(self, name: str) -> RuleText:
        """Without one name of `excused_by`."""
        for i, line in enumerate(self.lines):
            match = re.match(r"^excused_by: \[(.*)\]$", line)
            if match:
                left = [n.strip() for n in match[1].split(",") if n.strip() != name]
                return self._replaced(i, i + 1, (f"excused_by: [{', '.join(left)}]",) if left else ())
        return self

    def without_alternative(self, name: str) -> RuleText:
        """Without one list of conditions."""
        return self.without_entry("when", name)

    def _replaced(self, first: int, last: int, by: tuple[str, ...]) -> RuleText:
        return RuleText((*self.lines[:first], *by, *self.lines[last:]))

    def renamed(self, old: str, new: str) -> RuleText:
        """With another name read in every expression and sentence."""
        lines = list(self.lines)
        for place in self.places():
            if re.search(rf"\b{old}\b", place.text):
                lines[place.line] = re.sub(rf"(?<![\w.]){old}\b(?!:)", new, lines[place.line])
        for i, (line, section) in enumerate(zip(lines, self.sections, strict=True)):
            if section in ("strength", "doubt", "onset", "until") or (
                section == "known_by" and re.match(r"^ +-? ?(value|given): ", line)
            ):
                lines[i] = re.sub(rf"\b{old}\b", new, line)
            elif section not in DECLARED:
                lines[i] = re.sub(rf"\{{{old}([:}}])", rf"{{{new}\1", line)
        return RuleText(tuple(lines))

    def read_names(self) -> set[str]:
        """Every name that something reads: expressions, fields of sentences, and keys that hold names."""
        found: set[str] = set()
        for key, value in self.document.items():
            if key in EXPRESSIONS:
                found.update(*(_WORDS.findall(str(text)) for text in _texts(value)))
            elif key not in DECLARED:
                _gather(value, found, key)
        return found

    def idle(self) -> list[tuple[str, str]]:
        """What is declared and read by nothing: (section, name)."""
        document, read = self.document, self.read_names()
        read |= {name for text in document.get("measure", {}).values() for name in _WORDS.findall(str(text))}
        texts = {
            name for name, regex in document.get("patterns", {}).items()
            if {f"{name}_text", *re.findall(r"\(\?P<([a-z0-9_]+)>", regex)} & read
        }  # fmt: skip
        return [
            (section, name)
            for section in ("measure", *DECLARED)
            for name in document.get(section, {})
            if section != "except" and name not in read | texts and not _required(section, name, document)
        ]

    def tidied(self, before: RuleText) -> RuleText:
        """Without what nothing reads any more, though it was read before."""
        kept, now = set(before.idle()), self
        while idle := [i for i in now.idle() if i not in kept]:
            for section, name in idle:
                now = now.without_entry(section, name)
                if section == "patterns":
                    now = now.without_entry("except", name)
            kept.update(idle)  # what a section holds on one line stays
        return now


def _required(section: str, name: str, document: Mapping[str, Any]) -> bool:
    """What stays though nothing reads its name: required inputs, and the log that patterns look into."""
    if section != "needs":
        return False
    target = str(document["needs"][name])
    return not re.search(r"\?( ~ |$)", target) or target.startswith("log") or target.startswith("each ")


def _gather(value: Any, found: set[str], key: str) -> None:
    """The names in a part of a document."""
    if isinstance(value, Mapping):
        for k, v in value.items():
            if key in NAMED_BY_KEY:
                found.add(str(k))
            if key == "set":  # of an act: setting -> the measure that says its value
                found.add(str(v))
            _gather(v, found, str(k))
    elif isinstance(value, list):
        for v in value:
            _gather(v, found, key)
    elif isinstance(value, str):
        found.update(_FIELD.findall(value))
        if key in NAMES:
            found.update(_WORDS.findall(value))


def _texts(value: Any) -> Iterator[Any]:
    """The texts in a part of a document."""
    for v in value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ():
        yield from _texts(v)
    if not isinstance(value, (Mapping, list)):
        yield value


def _bare(text: str) -> str:
    """An expression without the quotes and the comment of YAML."""
    text = text.strip()
    if text[:1] in "'\"" and text[-1:] == text[:1]:
        return text[1:-1]
    return text.split(" #", 1)[0].rstrip()
