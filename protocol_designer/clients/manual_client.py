"""A person with a chat window: each prompt is written to a file, and the reply is read from the file beside it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from buffers.errors import CorruptFileError, ProtocolDesignerError
from generated_protocols.manifest import write_atomically
from protocol_designer.clients.types import Completion, Message, OnDelta, Wait, say_nothing
from protocol_designer.transcript import request_key

__all__ = ["AwaitingReplyError", "ManualClient"]


class AwaitingReplyError(ProtocolDesignerError):
    """A prompt waits for its reply; the same command goes on when the file is there, be it in days."""

    exit_code = 3


class ManualClient:
    """Writes `<name>.prompt.md` into `folder` and reads `<name>.reply.md`."""

    provider, price_list = "manual", ""

    def __init__(self, folder: Path, model: str = "", wait: Wait | None = None) -> None:
        self.folder, self.model = folder, model or "a person"
        self._wait = wait

    def complete(
        self, system: str, messages: Sequence[Message], max_output_tokens: int, on_delta: OnDelta = say_nothing
    ) -> Completion:
        """Return the reply file's text; `AwaitingReplyError` says which files are meant while it is not there."""
        self.folder.mkdir(parents=True, exist_ok=True)
        asked = messages[-1]["content"]
        name = f"{_slug(asked)}-{request_key(system, messages, 0)[:8]}"
        prompt, reply = (self.folder / f"{name}.{kind}.md" for kind in ("prompt", "reply"))
        if not prompt.exists():
            write_atomically(prompt, f"{system.rstrip()}\n\n{asked.rstrip()}\n")
        while not _written(reply):
            if self._wait is None or not self._wait(prompt, reply):
                raise AwaitingReplyError(
                    f"the prompt is in {prompt}; give it to a language model (or answer it yourself), save the reply "
                    f"as {reply}, and run the same command again"
                )
        try:
            text = reply.read_bytes().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise CorruptFileError(f"{reply} is not text: {error}; save it as UTF-8") from error
        return Completion(text, "stop", model=self.model)


def _written(reply: Path) -> bool:
    return reply.is_file() and bool(reply.read_bytes().strip())


def _slug(text: str) -> str:
    heading = text.lstrip().partition("\n")[0]
    return re.sub(r"[^a-z0-9]+", "-", heading.lower()).strip("-")[:40] or "prompt"
