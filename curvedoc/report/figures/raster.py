"""A figure's SVG as PNG, drawn by Pillow, which tensorboard brings along: the few elements that `panel_svg` writes."""

from __future__ import annotations

import functools
import io
import itertools
import math
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from curvedoc.core.errors import not_installed
from curvedoc.core.frozen import dataclass
from curvedoc.core.late_regex import late_regex

if TYPE_CHECKING:
    from PIL import Image, ImageDraw, ImageFont

#: Pixels of the picture for one of the figure; and those of the canvas, which is made smaller so that edges are smooth.
SCALE, _LARGE = 2, 2
#: Where the machine has one of these, names in other scripts are drawn as they are; else Pillow's own font.
_FONTS = ("DejaVuSans.ttf", "LiberationSans-Regular.ttf", "Arial.ttf", "arial.ttf")
#: What Pillow's own font lacks and no decomposition gives.
_PLAIN = str.maketrans({"\N{MINUS SIGN}": "-", "\N{EN DASH}": "-", "\N{EM DASH}": "-", "\N{MULTIPLICATION SIGN}": "x"})
_ROUND = 40  # corners of a circle
_WORD = late_regex(r"[MLHVZav]|-?\d*\.?\d+")
_ANCHORS = {"start": "ls", "middle": "ms", "end": "rs"}
#: Arguments of each command of a path.
_TAKES = {"M": 2, "L": 2, "H": 1, "V": 1, "v": 1, "a": 7, "Z": 0}

Point = tuple[float, float]


def to_png(svg: str) -> bytes:
    """The picture of an SVG that `figures` or `notebook` made. Raises UsageError where Pillow is left out."""
    try:
        from PIL import Image
    except ModuleNotFoundError as error:
        raise not_installed("pillow", "a PNG") from error
    root = ElementTree.fromstring(svg)  # ours, its texts escaped
    width, height = (round(float(root.attrib[k]) * SCALE) for k in ("width", "height"))
    canvas = _Canvas(Image.new("RGB", (width * _LARGE, height * _LARGE), "white"), SCALE * _LARGE)
    canvas.group(root, {}, (0.0, 0.0))
    out = io.BytesIO()
    canvas.image.reduce(_LARGE).save(out, "PNG", optimize=True)
    return out.getvalue()


@dataclass(frozen=True, slots=True)
class _Canvas:
    """What is drawn upon, and its pixels for one of the figure."""

    image: Image.Image
    scale: int

    def group(self, e: ElementTree.Element, above: Mapping[str, str], moved: Point) -> None:
        """An element and those inside it, with what it inherits."""
        style = {**above, **e.attrib}
        for name in ("transform", "clip-path", "opacity"):  # not inherited
            if name not in e.attrib:
                style.pop(name, None)
        if found := re.fullmatch(r"translate\(([-\d.]+),([-\d.]+)\)", style.get("transform", "")):
            moved = (moved[0] + float(found[1]), moved[1] + float(found[2]))
        tag = e.tag.rpartition("}")[2]
        if tag == "path":
            self._path(style, moved)
        elif tag == "text":
            self._text(e.text or "", style, moved)
        elif tag != "clipPath":
            self._children(e, style, moved)

    def _children(self, e: ElementTree.Element, style: Mapping[str, str], moved: Point) -> None:
        clip: Sequence[Point] = ()
        for child in e:
            if child.tag.endswith("clipPath"):
                ((clip, _),) = subpaths(child[0].attrib["d"])
            elif "clip-path" in child.attrib and clip:
                inside = _Canvas(self.image.copy(), self.scale)
                inside.group(child, style, moved)
                (left, top), *_, (right, bottom) = sorted(self._at(clip, moved))
                box = (round(left), round(top), round(right), round(bottom))
                self.image.paste(inside.image.crop(box), box)
            else:
                self.group(child, style, moved)

    def _at(self, points: Sequence[Point], moved: Point) -> list[Point]:
        return [((x + moved[0]) * self.scale, (y + moved[1]) * self.scale) for x, y in points]

    def _pen(self) -> ImageDraw.ImageDraw:
        from PIL import ImageDraw

        return ImageDraw.Draw(self.image, "RGBA")  # colors with an alpha are laid upon what is there

    def _path(self, style: Mapping[str, str], moved: Point) -> None:
        fill, stroke = (_paint(style.get(k, ""), style.get("opacity")) for k in ("fill", "stroke"))
        wide = max(1, round(float(style.get("stroke-width", "1")) * self.scale))
        dashes = [float(v) * self.scale for v in style.get("stroke-dasharray", "").split(",") if v]
        pen = self._pen()
        for points, closed in subpaths(style["d"]):
            at = self._at(points, moved)
            if fill and len(at) > 2:
                pen.polygon(at, fill)
            line = [*at, at[0]] if closed else at
            for piece in dashed(line, dashes) if dashes else [line]:
                if stroke and len(piece) > 1:
                    pen.line(piece, stroke, wide, joint="curve")

    def _text(self, text: str, style: Mapping[str, str], moved: Point) -> None:
        ((x, y),) = self._at([(float(style["x"]), float(style["y"]))], moved)
        font, shown = _font(round(float(style["font-size"]) * self.scale), text)
        given: dict[str, Any] = {"font": font, "anchor": _ANCHORS[style.get("text-anchor", "start")]}
        pen, ink = self._pen(), _paint(style["fill"])
        halo = _paint(style.get("stroke", ""))
        if halo:
            pen.text((x, y), shown, halo, stroke_width=round(float(style["stroke-width"]) * self.scale / 2), **given)
        bold = self.scale // 4 if style.get("font-weight") == "700" else 0
        pen.text((x, y), shown, ink, stroke_width=bold, **given)


def _paint(text: str, opacity: str | None = None) -> tuple[int, int, int, int] | None:
    """#rrggbb or #rrggbbaa with the opacity of its element; None for none."""
    if not text.startswith("#"):
        return None
    red, green, blue, *alpha = bytes.fromhex(text[1:])
    return red, green, blue, round((alpha[0] if alpha else 255) * float(opacity or 1))


def subpaths(d: str) -> Iterator[tuple[list[Point], bool]]:
    """The corners of each piece of a path, and whether it is closed; of arcs only half circles are drawn."""
    words = _WORD.findall(d)
    points: list[Point] = []
    command, i = "", 0
    while i < len(words):
        if words[i] in _TAKES:
            command, i = words[i], i + 1
        count = _TAKES[command]
        numbers = [float(w) for w in words[i : i + count]]
        i += count
        if command in "MZ" and points:
            yield points, command == "Z"
            points = []
        if command == "Z":
            continue
        x, y = points[-1] if points else (0.0, 0.0)
        if command == "a":
            points += _half_circle((x, y), numbers[-2])
            continue
        moves = {"M": numbers, "L": numbers, "H": [*numbers, y], "V": [x, *numbers], "v": [x, y + numbers[-1]]}
        points.append((moves[command][0], moves[command][1]))
        command = {"M": "L"}.get(command, command)
    if points:
        yield points, False


def _half_circle(start: Point, across: float) -> list[Point]:
    """From a point to the one `across` to its right, over the top; back over the bottom where that is negative."""
    turns = (math.pi * (1 - i / _ROUND) for i in range(1, _ROUND + 1))
    half = across / 2
    return [(start[0] + half + half * math.cos(t), start[1] - half * math.sin(t)) for t in turns]


def dashed(line: Sequence[Point], dashes: Sequence[float]) -> Iterator[list[Point]]:
    """The strokes of a line of dashes and gaps by turns, each straight."""
    which, left = 0, dashes[0]
    for (x, y), (to_x, to_y) in itertools.pairwise(line):
        long, done = math.hypot(to_x - x, to_y - y), 0.0
        while done < long:
            step = min(left, long - done)
            ends = [((x + (to_x - x) * at / long), (y + (to_y - y) * at / long)) for at in (done, done + step)]
            if which % 2 == 0:
                yield ends
            done, left = done + step, left - step
            if left <= 0:
                which += 1
                left = dashes[which % len(dashes)]


@functools.lru_cache(64)
def _found_font(size: int) -> tuple[ImageFont.FreeTypeFont | ImageFont.ImageFont, bool]:
    """A font of that size, and whether it is one of the machine."""
    from PIL import ImageFont

    for name in _FONTS:
        try:
            return ImageFont.truetype(name, size), True
        except OSError:
            continue
    return ImageFont.load_default(size), False


def _font(size: int, text: str) -> tuple[ImageFont.FreeTypeFont | ImageFont.ImageFont, str]:
    font, theirs = _found_font(size)
    if theirs or text.isascii():
        return font, text
    plain = unicodedata.normalize("NFKD", text.translate(_PLAIN))
    return font, "".join(c for c in plain if not unicodedata.combining(c)).encode("ascii", "replace").decode()
