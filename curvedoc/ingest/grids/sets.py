"""The data of plots: sets of rows of numbers one below the other, each with a line that says what it is (gnuplot,
Grace, Octave)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.grids.grid import MIN_ROWS, Grid, counts, grid_of
from curvedoc.ingest.naming.log_words import is_outcome
from curvedoc.ingest.naming.split_words import scope_of
from curvedoc.ingest.table.values import number

_LEGEND = late_regex(r'(?m)^@ ?s(\d{1,3}) legend +"([^"\n]{1,80})"')
#: What stands ahead of the name of a set: "block 0:", "Data set 2 -", "name:".
_AHEAD = late_regex(r"(?i)^(?:(?:data ?)?(?:block|set|index|curve|series|name|title|legend)\b[ \d]{0,5}[:=-]? *)")
#: "plot $data using 1:3 title 'val loss'"
_DRAWN = late_regex(r"""\b(?:using|u) 1:(\d{1,2})\b[^,\n]{0,80}?\b(?:title|t) ['"]([^'"\n]{1,80})['"]""")
#: Lines of scripts around the rows.
_AROUND = late_regex(
    r"(?:set|unset|plot|replot|splot|reset|pause|\$?\w+ ?<<|EOD|EOF|e$|\w+ ?= ?\[$|\]|figure|hold|legend|xlabel"
    r"|ylabel|grid).*"
)
_SAID = ("#", "%", '"', "!", "//")
_ASIDE = late_regex(r"(?i)(?:type|rows|columns|ndims|created)\b.*")
_WIDEST = 12


def curve_of(title: str, x: str, y: str, rows: Sequence[Sequence[str]]) -> Grid | None:
    """A curve as a table of a counter and what its title measures; None where its x does not count."""
    if x and not counts(x):
        return None
    values = [r for r in rows if len(r) == 2 and number(r[0]) is not None and number(r[1]) is not None]
    if len(values) < MIN_ROWS:
        return None
    name = title.strip()
    if y and not is_outcome(name) and is_outcome(y):
        name = f"{name} {y}".strip()
    return Grid("", (x or "step", name), tuple((a, b) for a, b in values)) if name else None


def set_grids(text: str, called: str = "") -> list[Grid]:
    """The sets of a text as tables; none where there are not several, or nothing says what one is. called: the file,
    which may say what sets that are called otherwise measure."""
    legends = [m[2] for m in _LEGEND.finditer(text)]
    found = list(_sets(text.split("\n")))
    if not found or len({len(rows[0]) for _, rows in found}) != 1:
        return []
    width = len(found[0][1][0])
    drawn = {int(m[1]): m[2] for m in _DRAWN.finditer(text) if int(m[1]) <= width}
    if len(found) == 1 and drawn:  # one block, of which a script says what it draws
        names = ["step", *(drawn.get(i, f"column {i}") for i in range(2, width + 1))]
        grid = grid_of("", [names, *found[0][1]])
        return [grid] if grid is not None else []
    if len(found) < 2 and "= [\n" not in text:
        return []
    out: list[Grid] = []
    for i, (said, rows) in enumerate(found):
        words = [w for line in said for w in (line.split(),) if len(w) == width > 1]
        names = next((w for w in reversed(words) if any(map(counts, w))), [])
        other = [line for line in said if line.split() != names]
        title = legends[i] if i < len(legends) else next(reversed(other), "")
        if width == 1:
            grid = curve_of(title, "step", "", [[str(k), r[0]] for k, r in enumerate(rows)])
        elif width == 2:
            if title and not names and not is_outcome(title) and is_outcome(called):
                title = f"{title} {called}"
            own = title if is_outcome(title) or (names and scope_of(title)) else ""
            grid = curve_of(own or (names[1] if names else title), names[0] if names else "", names[1] if own and names
                            else "", rows)  # fmt: skip
        else:
            grid = grid_of(title, [names, *rows]) if names else None
        if grid is None:
            return []
        out.append(grid)
    return out


def _sets(lines: Sequence[str]) -> Iterator[tuple[list[str], list[list[str]]]]:
    """Rows of as many numbers each that follow one another, with the lines since the last of them that are said."""
    said: list[str] = []
    rows: list[list[str]] = []
    for line in (*lines, "#"):
        bare = line.strip()
        cells = bare.replace(",", " ").replace(";", " ").split() if bare[:1] in "0123456789.+-" else []
        if cells and len(cells) <= _WIDEST and all(number(c) is not None for c in cells):
            if rows and len(cells) != len(rows[0]):
                return
            rows.append(cells)
            continue
        if rows:
            if len(rows) >= MIN_ROWS:
                yield said, rows
            said, rows = [], []
        if bare.startswith(_SAID):
            words = _AHEAD.sub("", bare.strip('#%!/" '))
            said += [words] if words and not _ASIDE.fullmatch(words) else []
        elif bare and bare[:1] not in "@&" and not _AROUND.fullmatch(bare):
            return
