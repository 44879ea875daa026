"""Show a protocol."""

from __future__ import annotations

import typer

from protocol_designer.commands.console import print_result
from protocol_designer.commands.options import Json, Protocol


def show(protocol: Protocol, as_json: Json = False) -> None:
    """Show a protocol: what each agent sends and keeps, how good it is, and its source."""
    from generated_protocols.manifest import edited_parts, joint_sources, part_sources, read_manifest
    from protocol_designer.importing import read_reach
    from protocol_designer.screen import show_design, show_import

    if protocol.is_dir() and joint_sources(protocol):
        joint, reach = read_manifest(protocol), read_reach(protocol)
        print_result(
            {"manifest": joint.to_json(), "reach": reach}, as_json, lambda: show_import(protocol, joint, reach)
        )
        return
    sources, manifest = part_sources(protocol), read_manifest(protocol)
    edited = edited_parts(manifest, sources)
    texts = {f"part{number}.py": source.decode("utf-8-sig", "replace") for number, source in sources.items()}

    def render() -> None:
        for name, text in texts.items():
            typer.echo(f"# ---- {name}{' (edited since it was frozen)' if name in edited else ''}\n{text}")
        show_design(protocol, manifest, manifest.task, found=False)

    print_result({"manifest": manifest.to_json(), "edited": edited, "sources": texts}, as_json, render)
