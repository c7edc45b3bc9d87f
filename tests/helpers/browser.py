"""Headless Chromium over its debugging pipe: start it, open a page, act like a reader, hear everything it does."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
needs_chromium = pytest.mark.skipif(not CHROMIUM, reason="needs chromium to open the page")

#: Longest wait for an answer or a condition, in seconds; a busy machine is slow, a wrong page never gets there.
PATIENCE = 30.0
_FLAGS = (
    "--headless",
    "--remote-debugging-pipe",
    "--no-sandbox",
    "--no-first-run",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--disable-ipc-flooding-protection",  # tests click faster than any reader
    "--renderer-process-limit=1",  # starting one for each page takes longer than the page
    "--hide-scrollbars",
)
#: Chromium speaks on descriptors 3 and 4, whichever numbers the pipes have here.
_ON_3_AND_4 = """
import fcntl, os, sys
high = [fcntl.fcntl(int(fd), fcntl.F_DUPFD, 20) for fd in sys.argv[1:3]]
for fd, place in zip(high, (3, 4)): os.dup2(fd, place)
os.execv(sys.argv[3], sys.argv[3:])
"""
#: Whatever a payload does with __hit, sets it or calls it, in whichever frame, is told; so is a breach of the policy.
_WATCH = """
Object.defineProperty(window, '__hit', {set(v) { __tell(String(v)); }, get() { return v => { __tell(String(v)); }; }});
document.addEventListener('securitypolicyviolation', e => __tell(`policy: ${e.violatedDirective} ${e.blockedURI}`));
"""
_KEYS = {"ArrowLeft": 37, "ArrowRight": 39, "Enter": 13, "Tab": 9, "Escape": 27, " ": 32}


class Browser:
    """One process. Not for several threads."""

    def __init__(self, profile: Path) -> None:
        ours, theirs = os.pipe(), os.pipe()  # what we say, what it says
        command = [sys.executable, "-IS", "-c", _ON_3_AND_4, str(ours[0]), str(theirs[1]), str(CHROMIUM), *_FLAGS]
        self._process = subprocess.Popen(
            [*command, f"--user-data-dir={profile}"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(ours[0], theirs[1]),
        )
        os.close(ours[0])
        os.close(theirs[1])
        self._write, self._read, self._id, self._rest = ours[1], theirs[0], 0, b""
        self._answers: dict[int, dict[str, Any]] = {}
        self.events: dict[str, list[tuple[str, dict[str, Any]]]] = {}
        self.call("Target.setDiscoverTargets", {"discover": True})

    def close(self) -> None:
        """End the process."""
        try:
            self.send("Browser.close")
            self._process.wait(5)
        except (OSError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        os.close(self._write)
        os.close(self._read)

    def send(self, method: str, params: dict[str, Any] | None = None, session: str = "") -> int:
        """A command whose answer nobody waits for; its number."""
        self._id += 1
        message = {"id": self._id, "method": method, "params": params or {}} | (
            {"sessionId": session} if session else {}
        )
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._write, data) :]
        return self._id

    def call(self, method: str, params: dict[str, Any] | None = None, session: str = "") -> dict[str, Any]:
        """A command and its result. Raises RuntimeError where the browser refuses it."""
        number, end = self.send(method, params, session), time.monotonic() + PATIENCE
        while number not in self._answers:
            if time.monotonic() > end:
                raise TimeoutError(f"no answer to {method}")
            self.listen(0.5)
        answer = self._answers.pop(number)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error'].get('message')}")
        result: dict[str, Any] = answer["result"]
        return result

    def listen(self, seconds: float) -> None:
        """Take in what the browser says, waiting so long for the first word."""
        while select.select([self._read], [], [], seconds)[0]:
            data = os.read(self._read, 1 << 20)
            if not data:
                raise RuntimeError("chromium ended")
            *whole, self._rest = (self._rest + data).split(b"\0")
            for text in whole:
                self._take(json.loads(text))
            seconds = 0

    def _take(self, message: dict[str, Any]) -> None:
        if "id" in message:
            self._answers[message["id"]] = message
            return
        session = message.get("sessionId", "")
        self.events.setdefault(session, []).append((message["method"], message["params"]))
        if message["method"] == "Page.javascriptDialogOpening":  # it would hold up everything else
            self.send("Page.handleJavaScriptDialog", {"accept": True}, session)


class Page:
    """A window of its own, with an empty storage: what it keeps is forgotten when it is closed."""

    def __init__(self, browser: Browser, width: int = 1280, height: int = 900, scripts: bool = True) -> None:
        self.browser = browser
        made = browser.call("Target.createTarget", {"url": "about:blank"})
        self.target = made["targetId"]
        self.session = browser.call("Target.attachToTarget", {"targetId": self.target, "flatten": True})["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Runtime.addBinding", name="__tell")
        self.call("Page.addScriptToEvaluateOnNewDocument", source=_WATCH)
        self.call("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.size(width, height)
        self.media()

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        return self.browser.call(method, params, self.session)

    def close(self) -> None:
        with suppress(RuntimeError):  # a page without an origin has no storage
            self.eval("localStorage.clear()")
        self.browser.call("Target.closeTarget", {"targetId": self.target})

    def size(self, width: int, height: int) -> None:
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def media(self, kind: str = "", **features: str) -> None:
        """Emulated media, as `media("print")` or `media(prefers_color_scheme="dark")`; nothing moves gradually."""
        features = {"prefers_reduced_motion": "reduce"} | features
        named = [{"name": k.replace("_", "-"), "value": v} for k, v in features.items()]
        self.call("Emulation.setEmulatedMedia", media=kind, features=named)

    def open(self, address: Path | str) -> Page:
        """Go there and wait until it has loaded."""
        uri = address.as_uri() if isinstance(address, Path) else address
        before = self.count("Page.loadEventFired")
        self.call("Page.navigate", url=uri)
        self.until(lambda: self.count("Page.loadEventFired") > before, f"{uri} loads")
        return self

    def serve(self, address: str, body: Path, headers: dict[str, str]) -> Page:
        """Open an address that a server would answer with this body and these headers; nothing leaves the browser."""
        self.call("Fetch.enable", patterns=[{"urlPattern": address}])
        self.browser.send("Page.navigate", {"url": address}, self.session)
        self.until(lambda: self.count("Fetch.requestPaused"), "the request")
        asked = next(p for name, p in self.heard if name == "Fetch.requestPaused")
        named = [{"name": k, "value": v} for k, v in {"Content-Type": "text/html", **headers}.items()]
        data = base64.b64encode(body.read_bytes()).decode("ascii")
        request = asked["requestId"]
        self.call("Fetch.fulfillRequest", requestId=request, responseCode=200, responseHeaders=named, body=data)
        self.until(lambda: self.count("Page.loadEventFired"), f"{address} loads")
        return self

    def eval(self, expression: str) -> Any:
        """The value of an expression in the page, promises awaited. Raises RuntimeError where it throws."""
        done = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True, userGesture=True
        )
        if "exceptionDetails" in done:
            detail = done["exceptionDetails"]
            raise RuntimeError(detail.get("exception", {}).get("description") or detail["text"])
        return done["result"].get("value")

    def until(self, condition: str | Callable[[], Any], what: str = "") -> Any:
        """The first true value of an expression or a function."""
        end = time.monotonic() + PATIENCE
        while True:
            value = self.eval(condition) if isinstance(condition, str) else condition()
            if value:
                return value
            if time.monotonic() > end:
                raise TimeoutError(what or str(condition))
            self.browser.listen(0.02)

    def mouse(self, kind: str, x: float, y: float, **more: Any) -> None:
        self.call("Input.dispatchMouseEvent", type=f"mouse{kind}", x=x, y=y, **more)

    def click(self, selector: str) -> None:
        """Scroll there and press the button of the mouse in the middle of it."""
        place = f"document.querySelector({json.dumps(selector)})"
        self.eval(f"{place}.scrollIntoView({{block: 'center', behavior: 'instant'}})")
        x, y = self.eval(f"(r => [r.x + r.width / 2, r.y + r.height / 2])({place}.getBoundingClientRect())")
        for kind in ("Pressed", "Released"):
            self.mouse(kind, x, y, button="left", clickCount=1)

    def key(self, key: str) -> None:
        """Press a key where the focus is."""
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        code = _KEYS.get(key, ord(key.upper()) if len(key) == 1 else 0)
        for kind, typed in (("keyDown", text), ("keyUp", "")):
            more = {"text": typed} if typed else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code, **more)

    def picture(self, path: Path, whole: bool = False) -> None:
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        path.write_bytes(base64.b64decode(data))

    @property
    def heard(self) -> list[tuple[str, dict[str, Any]]]:
        self.browser.listen(0)
        return self.browser.events.setdefault(self.session, [])

    def count(self, method: str) -> int:
        return sum(name == method for name, _ in self.heard)

    @property
    def requests(self) -> list[str]:
        """Addresses asked for, fragments cut off; data inside the page is no request."""
        asked = [p["request"]["url"] for name, p in self.heard if name == "Network.requestWillBeSent"]
        return [url.split("#")[0] for url in asked if not url.startswith(("data:", "blob:"))]

    @property
    def hits(self) -> list[str]:
        """What payloads told."""
        told = (p["payload"] for name, p in self.heard if name == "Runtime.bindingCalled")
        return [text for text in told if not text.startswith("policy: ")]

    @property
    def trouble(self) -> list[str]:
        """Breaches of the policy, errors and warnings of the console, uncaught exceptions, dialogs, windows."""
        out = []
        for name, p in self.heard:
            if name == "Runtime.bindingCalled" and p["payload"].startswith("policy: "):
                out.append(p["payload"])
            elif name == "Log.entryAdded" and p["entry"]["level"] in ("warning", "error"):
                out.append(f"log: {p['entry']['text']}")
            elif name == "Runtime.consoleAPICalled" and p["type"] in ("warning", "error", "assert"):
                out.append(f"console: {[a.get('value', a.get('description')) for a in p['args']]}")
            elif name == "Runtime.exceptionThrown":
                detail = p["exceptionDetails"]
                out.append(f"thrown: {detail.get('exception', {}).get('description') or detail['text']}")
            elif name in ("Page.javascriptDialogOpening", "Page.windowOpen", "Page.downloadWillBegin"):
                out.append(f"{name}: {p.get('message') or p.get('url')}")
        return out
