"""Which designer writes: the one that was named, or the best one that is at hand."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from buffers.errors import UnknownNameError, UsageError
from buffers.schema import TaskSchema
from protocol_designer.clients.settings import DEFAULT_MODELS, KEY_VARIABLES, make_client
from protocol_designer.clients.types import Client, Wait
from protocol_designer.conversation import CallLimits, Conversation, Replay, Says, silence
from protocol_designer.designers.language_model import LanguageModelDesigner, most_calls
from protocol_designer.store import Store
from protocol_designer.transcript import Transcript
from protocol_designer.types import Designer, Feedback
from sai import Episodes

__all__ = ["DESIGNERS", "Choice", "choose"]

DESIGNERS = ("auto", "search", "openai", "anthropic", "manual", "replay", "random", "everything")
_WITHOUT_A_MODEL = ("search", "random", "everything")
TRANSCRIPT = "transcript.jsonl"
"""The file of a design's folder that holds its exchanges."""

MakeDesigner = Callable[[TaskSchema, Mapping[str, Episodes], Store], Designer]
MakeConversation = Callable[[Transcript, TaskSchema, Store], Conversation]


@dataclass(frozen=True)
class Choice:
    """A designer that was chosen: `description` says which, with which model, and at most how many calls.

    `settings` are what a design's folder remembers, so that another designer does not go on in it.
    """

    name: str
    model: str
    description: str
    make_designer: MakeDesigner
    settings: Mapping[str, str | float]


def choose(
    name: str,
    *,
    model: str = "",
    base_url: str = "",
    transcript: Path | None = None,
    passes: int = 2,
    repairs: int = 3,
    limits: CallLimits | None = None,
    sampling: Mapping[str, float] | None = None,
    feedback: Feedback = "measured",
    says: Says = silence,
    wait: Wait | None = None,
    environment: Mapping[str, str] = os.environ,
) -> Choice:
    """Return the designer called `name`; an unknown one raises `UnknownNameError`.

    "auto" is the provider whose key is set, OpenAI's first, and the search where none is. A provider without a key
    raises `KeyMissingError` here, before anything is gathered, unless `base_url` is on this machine. `wait` asks a
    person who is there for the reply to a prompt; without it a manual design stops at each prompt.
    """
    if name not in DESIGNERS:
        raise UnknownNameError("designer", name, DESIGNERS)
    if (transcript is not None) != (name == "replay"):
        raise UsageError("--transcript names the stored exchanges of --designer replay; give both or neither")
    why = ""
    if name == "auto":
        name, why = _at_hand(base_url, environment)
    if base_url and name not in DEFAULT_MODELS:
        raise UsageError(f"--base-url is for --designer openai and anthropic; {name} calls no server")
    if sampling and name not in DEFAULT_MODELS:
        raise UsageError(
            f"--temperature and --llm-seed are for --designer openai and anthropic; {name} calls no server"
        )
    if model and name in (*_WITHOUT_A_MODEL, "replay"):
        raise UsageError(f"--model is for designers that ask a language model; {name} does not")
    if feedback not in get_args(Feedback):
        raise UnknownNameError("feedback", feedback, get_args(Feedback))
    if feedback != "measured" and name in _WITHOUT_A_MODEL:
        raise UsageError(f"--feedback {feedback} is a control for designers that ask a language model; {name} does not")
    if name == "search":
        return _search(why)
    if name in _WITHOUT_A_MODEL:
        return _baseline(name)
    limits = limits or CallLimits()
    client: Client | None = None
    if name in DEFAULT_MODELS:
        client = make_client(name, model, base_url, sampling=sampling, environment=environment)
        model = client.model
    at_most = min(most_calls(passes, repairs), limits.max_calls)
    said = {
        "manual": f"designer: manual, at most {at_most} prompts, each written to a file that waits for its reply",
        "replay": f"designer: replay of {transcript}, no calls",
    }.get(name, f"designer: {name}{why}, model {model}, at most {at_most} calls")

    def converse(own: Transcript, schema: TaskSchema, store: Store) -> Conversation:
        if transcript is not None:
            return Replay(Transcript.stored(transcript, schema), str(transcript), own, says)
        return Conversation(client or _manual(store, model, wait), own, limits, says)

    return Choice(
        name,
        model,
        said,
        _prompted(name, converse, repairs, feedback),
        {
            "designer": name,
            "model": model,
            "base_url": base_url,
            "transcript": str(transcript or ""),
            **(sampling or {}),
        },
    )


def _at_hand(base_url: str, environment: Mapping[str, str]) -> tuple[str, str]:
    """Return the designer that "auto" stands for, and why."""
    if base_url:
        return "openai", " (--base-url is given)"
    for provider, variable in KEY_VARIABLES.items():
        if environment.get(variable, "").strip():
            return provider, f" ({variable} is set)"
    return "search", f" ({' and '.join(KEY_VARIABLES.values())} are not set)"


def _search(why: str) -> Choice:
    def make(schema: TaskSchema, episodes: Mapping[str, Episodes], store: Store) -> Designer:
        from protocol_designer.designers.search import SearchDesigner

        return SearchDesigner(episodes)

    description = f"designer: search{why}, no language model, no calls, nothing to pay"
    return Choice("search", "ridge", description, make, {"designer": "search", "model": "ridge"})


def _baseline(name: str) -> Choice:
    from protocol_designer.designers.baselines import DEFAULT_WIDTH, EverythingDesigner, RandomDesigner

    def make(schema: TaskSchema, episodes: Mapping[str, Episodes], store: Store) -> Designer:
        return EverythingDesigner() if name == "everything" else RandomDesigner(episodes)

    width = f", as wide as --max-message-width says, else {DEFAULT_WIDTH}" if name == "random" else ""
    return Choice(name, "none", f"designer: {name}, a control{width}", make, {"designer": name, "model": "none"})


def _manual(store: Store, model: str, wait: Wait | None) -> Client:
    from protocol_designer.clients.manual_client import ManualClient

    return ManualClient(store.folder / "prompts", model, wait)


def _prompted(name: str, converse: MakeConversation, repairs: int, feedback: Feedback) -> MakeDesigner:
    def make(schema: TaskSchema, episodes: Mapping[str, Episodes], store: Store) -> Designer:
        conversation = converse(Transcript(store.folder / TRANSCRIPT, schema), schema, store)
        return LanguageModelDesigner(name, conversation, schema, episodes["fit"], repairs=repairs, feedback=feedback)

    return make
