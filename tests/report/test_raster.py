"""Figures as pictures of pixels: what stands in the SVG is seen where it stands."""

from __future__ import annotations

import io

import pytest
from PIL import Image, ImageFont

from curvedoc.report.figures import raster

HEAD = '<svg xmlns="http://www.w3.org/2000/svg" width="100" height="60" viewBox="0 0 100 60">'


def drawn(inside: str) -> Image.Image:
    return Image.open(io.BytesIO(raster.to_png(f"{HEAD}{inside}</svg>"))).convert("RGB")


def at(picture: Image.Image, x: float, y: float) -> tuple[int, ...]:
    found = picture.getpixel((round(x * raster.SCALE), round(y * raster.SCALE)))
    assert isinstance(found, tuple)
    return found


def test_a_picture_is_twice_as_large_and_white_where_nothing_is() -> None:
    picture = drawn("")
    assert picture.size == (200, 120) and at(picture, 50, 30) == (255, 255, 255)


def test_areas_lie_where_their_group_was_moved_and_opacity_lets_through() -> None:
    picture = drawn(
        '<g transform="translate(10,20)"><path fill="#0000ff" d="M0 0H20V10H0Z"/></g>'
        '<path fill="#ff0000" opacity="0.5" d="M60 0H90V20H60Z"/><path fill="#00000080" d="M60 30H90V50H60Z"/>'
    )
    assert at(picture, 20, 25) == (0, 0, 255) and at(picture, 5, 5) == (255, 255, 255)
    assert at(picture, 75, 10) == pytest.approx((255, 128, 128), abs=2)
    assert at(picture, 75, 40) == pytest.approx((127, 127, 127), abs=2)


def test_lines_circles_and_dashes() -> None:
    picture = drawn(
        '<path stroke="#00ff00" stroke-width="4" d="M0 10L50 10V30"/>'
        '<path fill="#ff0000" d="M60 20a10 10 0 1 1 20 0a10 10 0 1 1 -20 0"/>'
        '<path stroke="#000000" stroke-width="4" stroke-dasharray="10,10" d="M0 50H100"/>'
    )
    assert at(picture, 20, 10) == at(picture, 50, 25) == (0, 255, 0) and at(picture, 20, 16) == (255, 255, 255)
    assert at(picture, 70, 13) == at(picture, 70, 27) == (255, 0, 0) and at(picture, 62, 12) == (255, 255, 255)
    assert [at(picture, x, 50)[0] for x in (5, 15, 25, 35)] == [0, 255, 0, 255]


def test_what_is_beyond_the_clip_path_is_not_drawn() -> None:
    picture = drawn(
        '<g transform="translate(10,0)"><clipPath id="c"><path d="M0 0H40V60H0Z"/></clipPath>'
        '<g clip-path="url(#c)"><path fill="#ff0000" d="M-10 0H90V60H-10Z"/></g></g>'
    )
    assert [at(picture, x, 30)[1] for x in (5, 20, 45, 55)] == [255, 0, 0, 255]


@pytest.mark.parametrize("own", [False, True], ids=["a font of the machine", "Pillow's font alone"])
def test_text_stands_at_its_anchor_in_any_script(own: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if own:
        monkeypatch.setattr(raster, "_found_font", lambda size: (ImageFont.load_default(size), False))
    for text in ("loss", "\N{MULTIPLICATION SIGN}3 \N{MINUS SIGN}1 pérdida", "\N{CJK UNIFIED IDEOGRAPH-635F}"):
        for anchor, dark, light in (("start", 50, 0), ("end", 0, 50)):
            words = f'<text x="50" y="40" font-size="12" text-anchor="{anchor}" fill="#000000">{text}</text>'
            picture = drawn(words).convert("L")
            least = [picture.crop((2 * x, 0, 2 * x + 100, 120)).getextrema()[0] for x in (dark, light)]
            assert isinstance(least[0], int) and least[0] < 128 and least[1] > 200
