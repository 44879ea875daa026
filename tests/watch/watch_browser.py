"""A headless Chromium that is driven through its DevTools pipe: no library, no port."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
_OPTIONS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--remote-debugging-pipe",
]  # fmt: skip


class Page:
    """One page in a browser of its own."""

    def __init__(self, folder: Path, width: int = 1280, height: int = 860) -> None:
        assert CHROMIUM is not None
        # the browser reads commands from file 3 and writes answers to file 4
        reads, self._write = os.pipe()
        self._read, writes = os.pipe()
        options = [*_OPTIONS, f"--user-data-dir={folder}", "about:blank"]
        script = f'exec "$0" "$@" 3<&{reads} 4>&{writes}'
        self._process = subprocess.Popen(
            ["bash", "-c", script, CHROMIUM, *options],
            pass_fds=(reads, writes), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(reads)
        os.close(writes)
        self._buffer, self._number, self._session = b"", 0, ""
        self.requests: list[str] = []
        self.complaints: list[str] = []
        target = next(t for t in self._call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        attached = self._call("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self._call(f"{domain}.enable")
        # a window is at least 500 wide; a page can be less
        self._call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def __enter__(self) -> Page:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._process.terminate()
        self._process.wait()
        os.close(self._write)
        os.close(self._read)

    def _message(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            got = os.read(self._read, 1 << 20)
            assert got, "the browser ended"
            self._buffer += got
        text, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(text)

    def _call(self, method: str, **values: Any) -> Any:
        self._number += 1
        command: dict[str, Any] = {"id": self._number, "method": method, "params": values}
        if self._session:
            command["sessionId"] = self._session
        os.write(self._write, json.dumps(command).encode() + b"\0")
        while (answer := self._message()).get("id") != self._number:
            self._note(answer)
        assert "error" not in answer, answer
        return answer["result"]

    def _note(self, event: dict[str, Any]) -> None:
        method, values = event.get("method", ""), event.get("params", {})
        if method == "Network.requestWillBeSent":
            self.requests.append(values["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(values["exceptionDetails"].get("exception", {}).get("description", "exception"))
        elif method == "Log.entryAdded" and values["entry"]["level"] in ("error", "warning"):
            self.complaints.append(values["entry"]["text"])

    def emulate(self, scheme: str = "light", motion: str = "no-preference") -> None:
        features = [("prefers-color-scheme", scheme), ("prefers-reduced-motion", motion)]
        self._call("Emulation.setEmulatedMedia", features=[{"name": n, "value": v} for n, v in features])

    def open(self, url: str) -> None:
        self._call("Page.navigate", url="about:blank")
        self._call("Page.navigate", url=url)
        while self("document.readyState") != "complete" or self("location.href") == "about:blank":
            pass

    def __call__(self, expression: str) -> Any:
        """Return the value of a JavaScript expression, awaited where it is a promise."""
        done = self._call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in done, done["exceptionDetails"]
        return done["result"].get("value")

    def text(self, name: str) -> str:
        return str(self(f"document.getElementById({name!r}).textContent"))

    def press(self, key: str) -> None:
        codes = {" ": 32, "Tab": 9, "Home": 36, "End": 35, "ArrowLeft": 37, "ArrowRight": 39, "Escape": 27}
        code = codes.get(key) or (ord(key.upper()) if len(key) == 1 else 0)
        down = {"key": key, "windowsVirtualKeyCode": code} | ({"text": key} if len(key) == 1 else {})
        self._call("Input.dispatchKeyEvent", type="keyDown", **down)
        self._call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def picture(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self._call("Page.captureScreenshot")["data"]))
