"""Show a protocol."""

from __future__ import annotations

import typer

from protocol_designer.commands.console import print_result
from protocol_designer.commands.options import Json, Protocol


def show(protocol: Protocol, as_json: Json = False) -> None:
    """Show a protocol: its source, in words what each agent sends and keeps, how good it is, who reviewed it."""
    from generated_protocols.manifest import edited_parts, joint_sources, part_sources, read_manifest, read_schema
    from protocol_designer.importing import read_reach
    from protocol_designer.screen import show_design, show_import
    from protocol_designer.wording import agent_lines, part_lines

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
        typer.echo("\n".join([*part_lines(sources, manifest), *agent_lines(manifest, read_schema(protocol))]) + "\n")
        for review in manifest.reviewed_by:
            version = f"version {review['version']} " if "version" in review else ""
            typer.echo(f"{version}reviewed by {review['name']}, {review['at']} {review.get('note', '')}".rstrip())
        show_design(protocol, manifest, manifest.task, found=False)

    print_result({"manifest": manifest.to_json(), "edited": edited, "sources": texts}, as_json, render)
