"""A headless Chromium for tests, driven over the WebDriver protocol: JSON over HTTP, so the standard library will do.

`open_browser` gives None, with a reason, where no Chromium and chromedriver of one version are installed.
"""

from __future__ import annotations

import base64
import contextlib
import http.client
import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--disable-default-apps",
    "--disable-extensions",
    "--hide-scrollbars",
    "--force-device-scale-factor=1",
    # No name has an address: whatever a page asked for from elsewhere would fail.
    "--host-resolver-rules=MAP * ~NOTFOUND",
)
KEYS = {"ArrowLeft": "\ue012", "ArrowRight": "\ue014", "Home": "\ue011", "End": "\ue010", "Tab": "\ue004"}
_SECONDS = 60


class BrowserError(Exception):
    """What chromedriver answered instead of a result."""


class Browser:
    """One session of a browser with one window."""

    def __init__(self, port: int, flags: tuple[str, ...]) -> None:
        self._port = port
        options = {"args": list(flags), "binary": chromium()}
        wanted = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        self._session = ""
        self._session = f"/session/{self._ask('POST', '/session', capabilities={'alwaysMatch': wanted})['sessionId']}"

    def _ask(self, method: str, path: str, **body: object) -> Any:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=_SECONDS)
        with contextlib.closing(connection):
            connection.request(
                method,
                self._session + path,
                None if method == "GET" else json.dumps(body),
                {"Content-Type": "application/json"},
            )
            answer = json.loads(connection.getresponse().read())["value"]
        if isinstance(answer, dict) and "error" in answer:
            raise BrowserError(f"{answer['error']}: {answer['message'].splitlines()[0]}")
        return answer

    def open(self, path: Path, fragment: str = "") -> None:
        """Show a file, at a place in it if a fragment of its address is given."""
        # From nowhere: with only another fragment the page would not be loaded again.
        self._ask("POST", "/url", url="about:blank")
        self._ask("POST", "/url", url=path.resolve().as_uri() + (f"#{fragment}" if fragment else ""))

    def run(self, script: str, *arguments: object) -> Any:
        """Run a function body in the page, whatever its policy says; gives what it returns."""
        return self._ask("POST", "/execute/sync", script=script, args=list(arguments))

    def command(self, name: str, **parameters: object) -> Any:
        """A command of the DevTools protocol."""
        return self._ask("POST", "/goog/cdp/execute", cmd=name, params=parameters)

    def press(self, key: str) -> None:
        """Press and let go a key of KEYS."""
        actions = [{"type": kind, "value": KEYS[key]} for kind in ("keyDown", "keyUp")]
        self._ask("POST", "/actions", actions=[{"type": "key", "id": "keyboard", "actions": actions}])

    def click(self, selector: str) -> None:
        """Click the first element that a CSS selector finds, as a mouse does: it must be visible."""
        found = self._ask("POST", "/element", using="css selector", value=selector)
        self._ask("POST", f"/element/{next(iter(found.values()))}/click")

    def view(self, width: int, height: int, *, dark: bool = False, scripts: bool = True) -> None:
        """Size of the page in CSS pixels, whether the user wants it dark, and whether scripts run."""
        self.command(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.command("Emulation.setEmulatedMedia", features=[scheme])
        self.command("Emulation.setScriptExecutionDisabled", value=not scripts)

    def picture(self, path: Path, *, whole: bool = False) -> None:
        """Write a screenshot as PNG."""
        data = self.command("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        path.write_bytes(base64.b64decode(data))

    def complaints(self) -> list[str]:
        """What the browser's console says, errors of the page and breaches of its policy among it."""
        return [entry["message"] for entry in self._ask("POST", "/se/log", type="browser")]

    def close(self) -> None:
        """End the session and with it the browser."""
        with contextlib.suppress(OSError, BrowserError):
            self._ask("DELETE", "")


def chromium() -> str | None:
    """The program of a Chromium."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def missing() -> str | None:
    """Why there is no browser; None if there is one."""
    if chromium() is None:
        return "no Chromium is installed (Debian: apt-get install chromium chromium-driver)"
    if shutil.which("chromedriver") is None:
        return "no chromedriver is installed (Debian: apt-get install chromium-driver)"
    return None


@contextlib.contextmanager
def open_browser() -> Iterator[Browser]:
    """A browser with a profile of its own, for as long as the context lasts."""
    program = shutil.which("chromedriver")
    assert program is not None
    with tempfile.TemporaryDirectory(prefix="browser", ignore_cleanup_errors=True) as profile:
        driver = subprocess.Popen(
            [program, "--port=0"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        try:
            assert driver.stdout is not None
            started = next((found for line in driver.stdout if (found := re.search(r"on port (\d+)\.", line))), None)
            if started is None:
                raise BrowserError("chromedriver did not say on which port it listens")
            browser = Browser(int(started[1]), (*FLAGS, f"--user-data-dir={profile}"))
            try:
                yield browser
            finally:
                browser.close()
        finally:
            driver.terminate()
            driver.communicate()
