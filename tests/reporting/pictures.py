"""Pictures for docs/report.md from three pages: of a design, of a run, of a folder of runs.

design-protocol report DESIGN --out design.html
design-protocol report RUN --out run.html
design-protocol report RUNS --out runs.html
python tests/reporting/pictures.py design.html run.html runs.html docs/img
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "watch"))

from report_browser import ReportPage

WANTED: dict[int, dict[str, str]] = {
    0: {
        "In short": "design-short",
        "What each agent knows": "design-knows",
        "When it is known": "design-when",
        "What each pass changed": "design-passes",
        "What the messages cost, and what pays": "design-cost",
        "How it was made": "design-made",
    },
    1: {
        "Learning curves": "run-curves",
        "Battles": "run-battles",
        "Where the agents believe the others to be": "run-beliefs",
        "Messages in these battles": "run-messages",
        "Do the agents know what they know": "run-calibration",
        "Losses and what goes with them": "run-losses",
    },
    2: {
        "In short": "runs-short",
        "Learning curves": "runs-curves",
        "Who is better, and how surely": "runs-better",
        "Sample efficiency": "runs-efficiency",
    },
}
HIGHEST = 1_250
"""Pixels of a section that a picture shows at most."""


def main(pages: list[Path], folder: Path) -> None:
    """Write one picture per section of `pages` that the guide shows."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, path in enumerate(pages):
        with tempfile.TemporaryDirectory() as profile, ReportPage(Path(profile), height=1_400) as page:
            page.open(f"file://{path.resolve()}")
            page.draw_all()
            page("document.querySelectorAll('details').forEach(d => { d.open = false; }); 0")
            page("new Promise(r => setTimeout(r, 1500))")
            for title, name in WANTED[number].items():
                index = page(
                    f"[...document.querySelectorAll('section > h3')].findIndex(h => h.textContent === {title!r})"
                )
                page(f"document.querySelectorAll('section')[{index}].id = 'wanted-{name}'; 0")
                # what is inside a frame is drawn only while it is in sight
                page(f"document.getElementById('wanted-{name}').scrollIntoView({{behavior: 'instant'}}); 0")
                page("new Promise(r => setTimeout(r, 1000))")
                high = min(page(f"document.getElementById('wanted-{name}').offsetHeight"), HIGHEST)
                page.picture_of(folder / f"report-{name}.png", f"#wanted-{name}", high)


if __name__ == "__main__":
    main([Path(name) for name in sys.argv[1:4]], Path(sys.argv[4]))
