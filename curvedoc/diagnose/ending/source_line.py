"""What a line of code that failed says of its own remedy: the change in place, the call that a message names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from curvedoc.core.late_regex import late_regex
from curvedoc.diagnose.ending.frame import Frame

#: A longer piece of code is not read inside a sentence.
LONGEST = 60
_OPENS, _CLOSES, _QUOTES = "([{", ")]}", "'\""
#: Operators that do what a method does.
_SIGNS: Mapping[str, str] = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
#: Methods that only exist in place, or that nobody calls for a value.
_ONLY_IN_PLACE = frozenset(
    ("backward", "copy", "data", "detach", "fill", "normal", "requires_grad", "resize", "set", "uniform", "zero")
)
_METHOD = late_regex(r"(?P<x>[\w.]+(?:\[[^\[\]]*\])?)\.(?P<op>[a-z]\w*?)_\((?P<args>.*)\)")
#: A prefix that is put before the keys of a state: "module." + key, f"module.{key}".
_PREFIX = late_regex(r"""f?['"](?P<prefix>(?:module|_orig_mod|model)\.)(?:['"] ?\+|\{)""")
_AUGMENTED = late_regex(r"(?P<x>[\w.]+(?:\[[^\[\]]*\])?) ?(?P<sign>[-+*/])= ?(?P<y>[^=].*)")


def of_line(frame: Frame) -> dict[str, str]:
    """Texts for sentences: the line or what is marked of it, and what it repeats.

    code: the line, or of a long one the part that failed; part: that part; twice: that part where the line holds it
    a second time; old, new: a change in place on this line, and the same as a new value; prefix: put before keys.

    >>> of_line(Frame("a.py", 3, "f", "h.add_(1); l.backward(); l.backward()", "l.backward()"))["twice"]
    'l.backward()'
    """
    found = {"code": frame.code if len(frame.code) <= LONGEST else frame.part, "part": frame.part}
    if frame.part and frame.code.count(frame.part) > 1:
        found["twice"] = frame.part
    prefix = _PREFIX.search(frame.code)
    if prefix is not None:
        found["prefix"] = prefix["prefix"]
    for statement in statements(frame.code):
        made = out_of_place(statement)
        if made is not None:
            found |= {"old": statement, "new": made}
            break
    return {k: v for k, v in found.items() if 0 < len(v) <= LONGEST}


def statements(code: str) -> Iterator[str]:
    """The statements of a line, without what stands before them up to a colon.

    >>> list(statements("for p in net.parameters(): p.mul_(0.9); x[1:2] = 3"))
    ['p.mul_(0.9)', 'x[1:2] = 3']
    """
    begin, ends = 0, [*_outside(code, ";"), len(code)]
    colons = _outside(code, ":")
    for end in ends:
        begin = max([begin, *(i + 1 for i in colons if begin <= i < end)])
        if code[begin:end].strip():
            yield code[begin:end].strip()
        begin = end + 1


def out_of_place(statement: str) -> str | None:
    """The statement that makes a new value instead of changing one in place; None where it changes none.

    >>> out_of_place("h.add_(1)"), out_of_place("x += y"), out_of_place("x.relu_()"), out_of_place("p.zero_()")
    ('h = h + 1', 'x = x + y', 'x = x.relu()', None)
    """
    method = _METHOD.fullmatch(statement)
    if method is not None:
        x, op, args = method["x"], method["op"], method["args"]
        if op in _ONLY_IN_PLACE or "[" in x:
            return None
        plain = op in _SIGNS and args and not _outside(args, ",=")
        return f"{x} = {x} {_SIGNS[op]} {args}" if plain else f"{x} = {x}.{op}({args})"
    augmented = _AUGMENTED.fullmatch(statement)
    if augmented is None or "[" in augmented["x"]:
        return None
    return f"{augmented['x']} = {augmented['x']} {augmented['sign']} {augmented['y']}"


def call_of(operation: str, code: str) -> str:
    """The call of an operation on a line of code; "" where there is none, or it is too long to be read.

    >>> call_of("sqrt", "s = torch.sqrt((z - z).sum(1)); s.sum().backward()")
    'torch.sqrt((z - z).sum(1))'
    >>> call_of("log", "loss = -p.log().mean()"), call_of("exp", "x = logits")
    ('p.log()', '')
    """
    for found in re.finditer(rf"[\w.]*\b{re.escape(operation)}(?=\()", code):
        depth = 0
        for i in range(found.end(), len(code)):
            depth += (code[i] in _OPENS) - (code[i] in _CLOSES)
            if depth == 0:
                call = code[found.start() : i + 1]
                return call if len(call) <= LONGEST else ""
    return ""


def _outside(code: str, signs: str) -> list[int]:
    """Where signs stand outside brackets and quotes."""
    depth, quote, places = 0, "", []
    for i, c in enumerate(code):
        if quote:
            quote = "" if c == quote else quote
        elif c in _QUOTES:
            quote = c
        elif c in signs and depth == 0:
            places.append(i)
        else:
            depth += (c in _OPENS) - (c in _CLOSES)
    return places
