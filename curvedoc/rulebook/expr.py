"""The closed expression language of rule files: parsed against an allow-list, types checked. Never eval."""

from __future__ import annotations

import ast
import copyreg
from collections.abc import Mapping
from dataclasses import field
from functools import cache
from typing import Any, ClassVar

import orjson

from curvedoc.core.errors import RuleError
from curvedoc.core.frozen import dataclass
from curvedoc.core.late_regex import late_regex
from curvedoc.rulebook.vocabulary import SPECIAL, Function, callable_functions, fields_of, type_name

MAX_CHARS = 300
MAX_NODES = 80

#: The only numbers that need no name: everything else is a threshold and wants a unit and a reason.
PLAIN_NUMBERS = (0, 1, 2, 10, 100)
#: True and false as YAML spells them; Python's own spelling is read too.
TRUTHS: Mapping[str, bool] = {"true": True, "false": False}
#: A checked expression as nested lists, which say no more than a text could. A name is its text, a number or truth
#: itself, anything else a list: what is done and the parts that it is done to. A call is named by its function, other
#: operations by a sign or keyword, which no function can have for its name.
Form = Any
#: The operations that read a field, and that ask whether a word is one of those that follow.
FIELD, AMONG = ".", "in"
_ARITHMETIC: Mapping[type[ast.AST], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
_WORD = late_regex(r"\d+|[^\W\d]\w*|[^\w\s]")
_COMPARE: Mapping[type[ast.AST], str] = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
_SIGNS = {**_ARITHMETIC, **_COMPARE, ast.And: "and", ast.Or: "or", ast.Not: "not", ast.USub: "minus"}


class _WordKind(type):
    """The type of the types of words: made where they are needed, they travel to another process as their words."""

    words: tuple[str, ...]


class Word(str, metaclass=_WordKind):
    """The type of a fact that is one of a closed list of words; `word_type` gives each list a type of its own."""

    __slots__ = ()
    words: ClassVar[tuple[str, ...]] = ()


@cache
def word_type(words: tuple[str, ...]) -> type[Word]:
    """The type of a fact that is one of these words."""
    made: Any = _WordKind("Word", (Word,), {"__slots__": (), "words": words}) if words else Word
    return made  # type: ignore[no-any-return]


def _travel(kind: _WordKind) -> tuple[Any, ...]:
    return word_type, (kind.words,)


copyreg.pickle(_WordKind, _travel)


@dataclass(frozen=True, slots=True, eq=False)
class Expr:
    """One checked expression: its text, the names it reads with their types, its own type and, as JSON, its form."""

    text: str
    kinds: Mapping[str, type]
    type: type
    kept: str = ""
    made: dict[str, Any] = field(default_factory=dict, init=False, repr=False)  # what evaluation made of it

    @property
    def names(self) -> tuple[str, ...]:
        """The names it reads, in order."""
        return tuple(self.kinds)

    @property
    def tree(self) -> ast.expr:
        """What its text is parsed to."""
        return ast.parse(self.text.strip(), mode="eval").body

    @property
    def form(self) -> Form:
        """What is evaluated; where it is not kept, the text is parsed and checked. Raises RuleError."""
        return orjson.loads(self.kept or compile_expr(self.text, self.kinds, callable_functions()).kept)

    def __reduce__(self) -> tuple[Any, ...]:
        return Expr, (self.text, dict(self.kinds), self.type, self.kept)  # what was made of it does not travel


def _fail(message: str, node: ast.AST | None, hint: str = "") -> RuleError:
    column = getattr(node, "col_offset", None)
    return RuleError(message, "" if column is None else f"column {column + 1}", hint)


def _near(name: str, known: object) -> str:
    import difflib

    close = difflib.get_close_matches(name, list(known), n=1)  # type: ignore[call-overload]
    return f"did you mean '{close[0]}'?" if close else ""


def compile_expr(text: str, names: Mapping[str, type], functions: Mapping[str, Function]) -> Expr:
    """The checked expression; RuleError (with the column) for anything outside the language.

    names: what may be read, with its type. functions: the vocabulary.
    """
    if len(text) > MAX_CHARS:
        raise RuleError(f"{len(text)} characters in one expression", hint="name a measure")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise RuleError(f"not an expression: {text!r}", hint=str(error)[:80]) from error
    # a name and a sign are two parts each: no text has more than two for a word or sign, and counting them is slow
    if 2 * len(_WORD.findall(text)) > MAX_NODES and sum(1 for _ in ast.walk(tree)) > MAX_NODES:
        raise RuleError(f"more than {MAX_NODES} parts in one expression", hint="name a measure")
    used: list[str] = []
    kind = _check(tree, names, functions, used)
    return Expr(text, {name: names[name] for name in used}, kind, orjson.dumps(_form(tree)).decode())


def _want(node: ast.expr, kind: type, wanted: type, what: str) -> None:
    if kind is not wanted:
        raise _fail(f"{what} wants {type_name(wanted)}, not {type_name(kind)}", node)


def _check(node: ast.expr, names: Mapping[str, type], functions: Mapping[str, Function], used: list[str]) -> type:
    # most parts are names and calls: a start checks thousands
    if isinstance(node, ast.Name):
        return bool if node.id in TRUTHS else _check_name(node, names, functions, used)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        kinds = [_check(a, names, functions, used) for a in node.args]
        return _check_call(node, node.func.id, node.args, kinds, functions)

    def go(child: ast.expr) -> type:
        return _check(child, names, functions, used)

    match node:
        case ast.Constant(value=bool()):
            return bool
        case ast.Constant(value=int() as number) if number in PLAIN_NUMBERS:
            return float
        case ast.Constant(value=value):
            raise _fail(f"bare value {value!r}", node, "name it as a param, with a unit and a reason")
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            _want(operand, go(operand), bool, "'not'")
            return bool
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            _want(operand, go(operand), float, "'-'")
            return float
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
            _want(left, go(left), float, f"'{_ARITHMETIC[type(op)]}'")
            _want(right, go(right), float, f"'{_ARITHMETIC[type(op)]}'")
            return float
        case ast.BoolOp(values=parts):
            for part in parts:
                _want(part, go(part), bool, "'and' / 'or'")
            return bool
        case ast.Compare(left=ast.Name(id=name), ops=[ast.Eq() | ast.In()], comparators=[right]) if issubclass(
            names.get(name, float), Word
        ):
            used.append(name)
            _check_words(right, names[name])
            return bool
        case ast.Compare(left=left, ops=ops, comparators=others):
            for sign in ops:
                if type(sign) not in _COMPARE:
                    raise _fail(
                        "only < <= > >= compare", node, "equality of floating-point numbers is a trap: use near()"
                    )
            for side in (left, *others):
                _want(side, go(side), float, "a comparison")
            return bool
        case ast.Attribute(value=value, attr=name):
            kind = go(value)
            known = fields_of(kind)
            if name not in known:
                hint = _near(name, known) or ", ".join(known) or "only records have fields"
                raise _fail(f"{type_name(kind)} has no field '{name}'", node, hint)
            return known[name].result
    raise _fail(f"{type(node).__name__} is not part of the rule language", node)


def _check_name(node: ast.Name, names: Mapping[str, type], functions: Mapping[str, Function], used: list[str]) -> type:
    name = node.id
    if name not in names:
        hint = _near(name, [*names, *functions]) or "a measure sees only what stands above it"
        raise _fail(f"unknown name '{name}'", node, hint)
    used.append(name)
    return names[name]


def _words(node: ast.expr) -> tuple[str, ...]:
    """The words that a word fact is compared with: `== adam` or `in (adam, adamw)`; () for anything else."""
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    names = tuple(p.id for p in parts if isinstance(p, ast.Name))
    return names if len(names) == len(parts) else ()


def _check_words(node: ast.expr, kind: type) -> None:
    allowed: tuple[str, ...] = getattr(kind, "words", ())
    words = _words(node)
    if not words:
        raise _fail("a word is compared with words of its list", node, ", ".join(allowed))
    for word in words:
        if word not in allowed:
            raise _fail(f"'{word}' is not in its list of words", node, _near(word, allowed) or ", ".join(allowed))


def _check_call(
    node: ast.AST, name: str, args: list[ast.expr], kinds: list[type], functions: Mapping[str, Function]
) -> type:
    if name in SPECIAL:
        low, high, same = SPECIAL[name]
        if not low <= len(args) <= high:
            raise _fail(f"{name}() takes {low} to {high} arguments, not {len(args)}", node)
        if same is None:
            return bool
        if len(set(kinds)) != 1 or (same is not object and kinds[0] is not same):
            raise _fail(f"{name}() wants arguments of one type", node)
        return kinds[0]
    if name not in functions:
        raise _fail(f"unknown function '{name}'", node, _near(name, [*functions, *SPECIAL]))
    function = functions[name]
    if not function.required <= len(args) <= len(function.parameters):
        wanted = ", ".join(f"{p}: {type_name(t)}" for p, t in function.parameters)
        raise _fail(f"{name}({wanted}) got {len(args)} arguments", node)
    for arg, kind, (parameter, wanted_type) in zip(args, kinds, function.parameters, strict=False):
        _want(arg, kind, wanted_type, f"{name}() argument '{parameter}'")
    return function.result


def _form(node: ast.expr) -> Form:
    """The form of a tree that was checked."""
    match node:
        case ast.Name(id=name):
            return TRUTHS.get(name, name)
        case ast.Constant(value=value):
            return value if isinstance(value, bool) else float(value)  # type: ignore[arg-type]
        case ast.Call(func=ast.Name(id=name), args=args):
            return [name, *map(_form, args)]
        case ast.Attribute(value=value, attr=name):
            return [FIELD, _form(value), name]
        case ast.UnaryOp(op=op, operand=operand):
            return [_SIGNS[type(op)], _form(operand)]
        case ast.BinOp(left=left, op=op, right=right):
            return [_SIGNS[type(op)], _form(left), _form(right)]
        case ast.BoolOp(op=op, values=values):
            return [_SIGNS[type(op)], *map(_form, values)]
        case ast.Compare(left=ast.Name(id=name), ops=[ast.Eq() | ast.In()], comparators=[right]):
            return [AMONG, name, *_words(right)]
        case ast.Compare(left=left, ops=ops, comparators=others):
            sides = [_form(side) for side in (left, *others)]
            pairs = [[_SIGNS[type(op)], a, b] for op, a, b in zip(ops, sides, sides[1:], strict=False)]
            return pairs[0] if len(pairs) == 1 else [_SIGNS[ast.And], *pairs]
    raise AssertionError(f"unchecked node {node!r}")  # compile_expr let it through: a bug here, not in a rule
