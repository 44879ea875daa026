"""The chart library as one script: Vega, Vega-Lite and Vega-Embed, as vl-convert ships them, made into one file."""

from __future__ import annotations

import importlib.metadata
import os
from contextlib import suppress
from pathlib import Path

from buffers.errors import MissingDependencyError

__all__ = ["chart_library"]

_ENTRY = "window.drawChart = (element, spec, options) => vegaEmbed(element, spec, options);"


def chart_library(cache: Path | None = None) -> str:
    """Return the script that defines `drawChart(element, spec, options)`; it is a megabyte, and reads no network.

    Making it takes seconds, so it is kept in `cache` (the user's cache folder by default) under the library's version.
    Where nothing can be kept there it is made every time. Without vl-convert raises `MissingDependencyError`.
    """
    try:
        version = importlib.metadata.version("vl-convert-python")
    except importlib.metadata.PackageNotFoundError as error:
        raise MissingDependencyError(
            "pages are drawn with vl-convert, which is not installed: pip install vl-convert-python"
        ) from error
    kept = (cache or _cache_folder()) / f"vega-{version}.js"
    with suppress(OSError, UnicodeDecodeError):
        script = kept.read_text(encoding="utf-8")
        if script.endswith(_END):
            return script
    import vl_convert

    script = f"(() => {{\n{vl_convert.javascript_bundle(_ENTRY)}\n{_END}"
    partial = kept.with_name(f".{kept.name}.{os.getpid()}.partial")
    with suppress(OSError):
        kept.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(script, encoding="utf-8")
        partial.replace(kept)
    return script


_END = "})();\n"


def _cache_folder() -> Path:
    given = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(given) if given else Path.home() / ".cache") / "design-protocol"
