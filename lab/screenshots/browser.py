"""A browser: Chromium without a window, driven by its own protocol through a pipe."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

Wait = Callable[[Callable[[], bool]], object]
"""Wait until something holds, while the event loop goes on."""


class Browser:
    """One page in a browser."""

    def __init__(self, wait: Wait, orders: int, answers: int) -> None:
        self._wait = wait
        self._orders = os.fdopen(orders, "wb", buffering=0)
        self._answers = os.fdopen(answers, "rb")
        self._results: dict[int, dict[str, Any]] = {}
        self._last = 0
        self._session = ""
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def open(self, url: str, width: int, height: int) -> None:
        """Open a page on a screen of this size, with twice as many pixels."""
        target = self._do("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._do("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        screen = {"width": width, "height": height, "deviceScaleFactor": 2, "mobile": True}
        self._do("Emulation.setDeviceMetricsOverride", **screen)
        self._do("Emulation.setTouchEmulationEnabled", enabled=True)
        self._do("Network.enable")
        self._do("Page.navigate", url=url)

    def be_offline(self, offline: bool) -> None:
        """Cut the network off, or connect it again."""
        self._do(
            "Network.emulateNetworkConditions", offline=offline, latency=0, downloadThroughput=-1, uploadThroughput=-1
        )

    def value(self, script: str) -> Any:
        """Return the value of an expression in the page."""
        return self._do("Runtime.evaluate", expression=script, returnByValue=True)["result"].get("value")

    def wait_for(self, script: str) -> None:
        """Wait until an expression in the page holds."""
        self._wait(lambda: bool(self.value(script)))

    def picture(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self._do("Page.captureScreenshot", format="png")["data"]))

    def close(self) -> None:
        """Release the pipes; the browser has ended."""
        self._thread.join()
        self._orders.close()
        self._answers.close()

    def _do(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._last += 1
        order: dict[str, Any] = {"id": self._last, "method": method, "params": parameters}
        if self._session:
            order["sessionId"] = self._session
        number = self._last
        self._orders.write(json.dumps(order).encode() + b"\0")
        self._wait(lambda: number in self._results)
        answer = self._results.pop(number)
        assert "error" not in answer, answer
        result: dict[str, Any] = answer["result"]
        return result

    def _read(self) -> None:
        rest = b""
        while data := os.read(self._answers.fileno(), 1 << 16):
            *whole, rest = (rest + data).split(b"\0")
            for each in whole:
                message = json.loads(each)
                if "id" in message:
                    self._results[message["id"]] = message


@contextmanager
def chromium(wait: Wait, folder: Path) -> Iterator[Browser]:
    """Run a browser with a profile in a folder. Raises FileNotFoundError if there is none."""
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        raise FileNotFoundError("there is no Chromium")
    from_us, orders = os.pipe()
    answers, to_us = os.pipe()
    # Chromium reads from 3 and writes to 4.
    run = f'exec "$0" "$@" 3<&{from_us} 4>&{to_us}'
    options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
               "--lang=en", "--remote-debugging-pipe", f"--user-data-dir={folder}"]  # fmt: skip
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            ["bash", "-c", run, program, *options], pass_fds=(from_us, to_us), stdout=log, stderr=log
        )
    os.close(from_us)
    os.close(to_us)
    browser = Browser(wait, orders, answers)
    try:
        yield browser
    finally:
        process.kill()
        process.wait()
        browser.close()
