"""What several test files share: one browser and the pages that it opens, and examples that are the same each time."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from browser import Browser, Page

# A statistic that misses one of ten thousand draws on purpose must not fail a change that has nothing to do with it:
# `--hypothesis-profile=search` looks for new examples. How long one takes says more of the machine than of the code.
settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("search", derandomize=False, deadline=None)
settings.load_profile("same")

# Some hundred tests start the command: each of these processes would compile the package anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# A shell lets what it starts in the background ignore Ctrl-C, and so would the processes that tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


#: What answers while one edits: floors, the rule language, every case inside rule, fact and cause files.
FAST = (
    "house/test_floors",
    "house/test_architecture",
    "rulebook/",
    "core/",
    "rules/test_rules",
    "rules/test_fact_files",
    "rules/test_taxonomy",
    "stats/test_guessing",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the fast tests."""
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here) and item.path.relative_to(here).as_posix().startswith(FAST):
            item.add_marker(pytest.mark.fast)


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """One browser for all tests."""
    from browser import Browser

    browser = Browser(tmp_path_factory.mktemp("profile"))
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def file(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The file of a report of browser_pages.MADE, by its name."""
    from browser_pages import write

    folder = tmp_path_factory.mktemp("pages")
    return lambda name: write(name, folder)


@pytest.fixture
def show(chromium: Browser, file: Callable[[str], Path]) -> Iterator[Callable[..., Page]]:
    """Opens a report, waits until its first curves are drawn; in the end nothing may have gone wrong in it."""
    from browser import Page

    pages: list[Page] = []

    def opened(name: str, fragment: str = "", width: int = 1280, scripts: bool = True, **media: str) -> Page:
        page = Page(chromium, width=width, scripts=scripts)
        pages.append(page)
        page.media(**media)
        page.open(file(name).as_uri() + fragment)
        if scripts:
            page.until("document.documentElement.dataset.drawn", "the curves are drawn")
        return page

    yield opened
    troubles = [t for p in pages for t in p.trouble]
    for p in pages:
        p.close()
    assert troubles == []
