"""Pages of reports in a headless Chromium: everything drawn, frames looked into, what is not wanted collected."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

from watch_browser import CHROMIUM, Page

__all__ = ["CHROMIUM", "ReportPage"]


class ReportPage(Page):
    """One report. `complaints` has what the console was told as well."""

    def _note(self, event: dict[str, Any]) -> None:
        super()._note(event)
        values = event.get("params", {})
        if event.get("method") == "Runtime.consoleAPICalled" and values["type"] in ("error", "warning", "assert"):
            self.complaints.append(str([argument.get("value") for argument in values["args"]]))

    def open(self, url: str) -> None:
        super().open(url)
        self("window.drawn = () => [...document.querySelectorAll('.chart')].filter(c => c.dataset.drawn).length; 0")

    def draw_all(self) -> int:
        """Scroll through the page until every chart is drawn; return how many there are."""
        wanted = int(self("document.querySelectorAll('.chart').length"))
        self("document.querySelectorAll('details').forEach(d => { d.open = true; }); 0")
        while int(self("drawn()")) < wanted:
            self(
                "(async () => { for (const c of document.querySelectorAll('.chart:not([data-drawn])')) "
                "{ c.scrollIntoView({behavior: 'instant'}); await new Promise(r => setTimeout(r, 50)); } })()"
            )
        return wanted

    def press_enter(self) -> None:
        """Press Enter, which a button that has the focus takes for a click."""
        enter = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13}
        self._call("Input.dispatchKeyEvent", type="keyDown", text="\r", **enter)
        self._call("Input.dispatchKeyEvent", type="keyUp", **enter)

    def click(self, selector: str) -> None:
        """Click into the middle of an element, as a person would."""
        self(f"document.querySelector({selector!r}).scrollIntoView({{block: 'start', behavior: 'instant'}}); 0")
        box = self(
            f"(r => [r.x + r.width / 2, r.y + 60])(document.querySelector({selector!r}).getBoundingClientRect())"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self._call("Input.dispatchMouseEvent", type=kind, x=box[0], y=box[1], button="left", clickCount=1)

    def frame(self) -> Frame:
        """Return the first frame: it is sandboxed, and has a process of its own."""
        while not (found := [t for t in self._call("Target.getTargets")["targetInfos"] if t["type"] == "iframe"]):
            pass
        session = self._call("Target.attachToTarget", targetId=found[0]["targetId"], flatten=True)["sessionId"]
        return Frame(self, session)

    def picture_of(self, path: Path, selector: str, height: int = 0) -> None:
        """Write a picture of one element to `path`, cut at `height` where that is given."""
        where = f"document.querySelector({selector!r}).getBoundingClientRect()"
        box = self(f"(r => [r.x + scrollX, r.y + scrollY, r.width, r.height])({where})")
        clip = {"x": box[0] - 8, "y": box[1] - 8, "width": box[2] + 16, "height": (height or box[3]) + 16, "scale": 1}
        done = self._call("Page.captureScreenshot", clip=clip)
        path.write_bytes(base64.b64decode(done["data"]))

    def allow_downloads(self, folder: Path) -> None:
        """Let files be saved into `folder`."""
        self._call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder))


class Frame:
    """A frame's own scripts and elements."""

    def __init__(self, page: ReportPage, session: str) -> None:
        self._page, self._own = page, session

    def __call__(self, expression: str) -> Any:
        """Return the value of a JavaScript expression inside the frame."""
        outer, self._page._session = self._page._session, self._own
        try:
            return self._page(expression)
        finally:
            self._page._session = outer

    def press(self, key: str) -> None:
        """Press a key inside the frame."""
        outer, self._page._session = self._page._session, self._own
        try:
            self._page.press(key)
        finally:
            self._page._session = outer
