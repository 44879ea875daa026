"""The designer that asks a language model: choose fields, write part 0, then analyse and write in each pass.

Six calls in the published loop of two passes, and a repair for each proposal that is rejected. The designer keeps no
state: every answer is read back from the transcript when a design goes on. Figures that an earlier prompt carried are
not sent again: where nothing was kept since, the analysis that they got then is used once more.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from buffers.schema import TaskSchema
from generated_protocols.diagnostics import Diagnostic
from prompts import Prompt, render
from protocol_designer import validation
from protocol_designer.clients.types import Completion
from protocol_designer.conversation import Conversation
from protocol_designer.designers.field_views import extended_views, state_views
from protocol_designer.reply import NoModule, find_module, find_names
from protocol_designer.rules.limits import MAX_BYTES, MAX_LOOP_STEPS
from protocol_designer.transcript import CallName
from protocol_designer.types import Brief, Feedback, Proposal
from sai import Episodes

__all__ = ["LanguageModelDesigner", "most_calls"]

MOST_FIELDS = 24
"""State fields that a model may choose; the published choices are 4 to 28."""
CHOICES = 2
"""Times that the choice of fields is asked for, when an answer names none."""


def most_calls(passes: int, repairs: int) -> int:
    """Return at most how many calls a design of `passes` refinements makes."""
    return CHOICES + (passes + 1) * (1 + repairs) + passes


class LanguageModelDesigner:
    """Prompts a model through a `Conversation`, and reads its replies."""

    def __init__(
        self,
        name: str,
        conversation: Conversation,
        schema: TaskSchema,
        fit: Episodes,
        *,
        repairs: int = 3,
        feedback: Feedback = "measured",
    ) -> None:
        self.name, self.model = name, conversation.client.model
        self._feedback = feedback
        self._conversation, self._schema, self._fit, self._repairs = conversation, schema, fit, repairs
        self._versions: dict[str, str] = {}

    @property
    def prompt_versions(self) -> Mapping[str, str]:
        """The version of each prompt that was used, by this process or, before it stopped, by another."""
        asked = (exchange.prompts for exchange in self._conversation.transcript.exchanges)
        used = {name: version for versions in (*asked, self._versions) for name, version in versions.items()}
        return dict(sorted(used.items()))

    def spent(self) -> dict[str, Any]:
        """Return requests, tokens and cost so far, as plain JSON values."""
        return self._conversation.spent()

    def choose_fields(self, brief: Brief) -> tuple[str, ...]:
        """Return the state fields that the model wants to be judged by; none when it named none that exist."""
        names = [field.name for field in self._schema.state_fields]
        unknown: list[str] = []
        for attempt in range(CHOICES):
            prompt = self._render("choose_fields", limit=MOST_FIELDS, unknown=unknown)
            completion = self._ask(brief, CallName(0, attempt, "choose_fields"), prompt)
            known, unknown = find_names(completion.text, names)
            if known:
                return tuple(known[:MOST_FIELDS])
        return ()

    def propose(self, brief: Brief) -> Proposal | None:
        """Return the part that the model writes for this brief, or its repair of one that was rejected."""
        request = self._request(brief)
        role, prompt = "write_part", request
        if brief.rejection is not None:
            role, prompt = "repair", self._repair(brief, request)
        completion = self._ask(brief, CallName(brief.round, brief.attempt, role), prompt, request)
        files = {"prompt.md": f"{self._system(brief).text}\n{prompt.text}", "reply.md": completion.text}
        notes = {
            "model": completion.model,
            "request_id": completion.request_id,
            "stop_reason": completion.stop_reason,
            "chosen": list(self._chosen(brief)),
            "notes": list(completion.notes),
        }
        if completion.stop_reason != "stop":
            return Proposal("", notes, (_cut(completion),), files)
        module = find_module(completion.text, brief.accepted)
        if isinstance(module, NoModule):
            return Proposal("", notes, (Diagnostic(0, 0, "PD480", module.reason, module.hint),), files)
        return Proposal(module.source, {**notes, "prose": module.prose}, files=files)

    def _request(self, brief: Brief) -> Prompt:
        """Return the prompt for this pass's part, after the analysis of what was measured where there is any."""
        analysis, analysed_in = self._analysis(brief) if brief.feedback else ("", brief.pass_index)
        return self._render(
            "write_part",
            pass_index=brief.pass_index,
            criterion=self._criterion(brief),
            accepted=brief.accepted,
            dropped=brief.dropped,
            chosen=self._chosen(brief),
            analysis=analysis,
            analysed_in=analysed_in,
            max_message_width=brief.max_message_width,
            used_width=_used_width(brief),
        )

    def _analysis(self, brief: Brief) -> tuple[str, int]:
        """Return what the model makes of the figures, "" when it was cut short, and the pass in which it did."""
        assert brief.feedback is not None
        figures = self._render(
            "_figures",
            criterion=self._criterion(brief),
            gain=_gain(brief.feedback),
            rows=brief.feedback["rows"],
            parts=brief.feedback["part_rows"],
            imbalance=brief.feedback["imbalance"],
            sources=brief.feedback["sources"],
        )
        for exchange in self._conversation.transcript.exchanges:
            asked_before = exchange.call.role == "analyse" and exchange.call.pass_index < brief.pass_index
            if asked_before and exchange.completion and figures.text.strip() in exchange.messages[-1]["content"]:
                return _whole(exchange.completion), exchange.call.pass_index
        prompt = self._render(
            "analyse",
            pass_index=brief.pass_index,
            criterion=self._criterion(brief),
            accepted=brief.accepted,
            dropped=brief.dropped,
            chosen=self._chosen(brief),
            used_width=_used_width(brief),
            figures=figures.text,
        )
        return _whole(self._ask(brief, CallName(brief.pass_index, 0, "analyse"), prompt, figures)), brief.pass_index

    def _criterion(self, brief: Brief) -> str:
        """Return what this pass is after: recovery and balance by turns, or always the same."""
        if self._feedback == "fixed":
            return "any"
        return "recovery" if brief.pass_index % 2 else "balance"

    def _repair(self, brief: Brief, request: Prompt) -> Prompt:
        rejection = brief.rejection
        assert rejection is not None
        return self._render(
            "repair",
            pass_index=brief.pass_index,
            request=request.text,
            source=rejection.source,
            found=validation.render(list(rejection.diagnostics), rejection.source),
            accepted=brief.accepted,
            tries_left=self._repairs - brief.attempt,
            chosen=self._chosen(brief),
        )

    def _chosen(self, brief: Brief) -> tuple[str, ...]:
        return self.choose_fields(brief)

    def _ask(self, brief: Brief, call: CallName, prompt: Prompt, *within: Prompt) -> Completion:
        """Ask what `prompt` says; `within` are the prompts whose text is a part of it."""
        system = self._system(brief)
        versions = {one.name: one.version for one in (system, prompt, *within)}
        return self._conversation.ask(call, system.text, prompt.text, versions)

    def _system(self, brief: Brief) -> Prompt:
        schema = self._schema
        return self._render(
            "system",
            task=schema.name,
            summary=schema.summary,
            notes=schema.notes,
            agents=list(enumerate(schema.roles)),
            episode_limit=schema.episode_limit,
            window=brief.window,
            extended=self._views[0],
            state=self._views[1],
            allowed=validation.allowed_names(),
            max_bytes=MAX_BYTES,
            max_loop_steps=MAX_LOOP_STEPS,
            max_message_width=brief.max_message_width,
        )

    def _render(self, name: str, **values: Any) -> Prompt:
        prompt = render(name, **values)
        self._versions[prompt.name] = prompt.version
        return prompt

    @cached_property
    def _views(self) -> tuple[Any, Any]:
        return extended_views(self._schema, self._fit), state_views(self._schema, self._fit)


def _whole(answer: Completion) -> str:
    """Return an analysis; half of one could end in the middle of advice, and the model then does without."""
    return answer.text if answer.stop_reason == "stop" else ""


def _cut(completion: Completion) -> Diagnostic:
    written = completion.usage.output_tokens
    count = f" after {written:,} tokens" if written is not None else ""
    why = "at the length limit" if completion.stop_reason == "length" else "before it was complete"
    return Diagnostic(
        0,
        0,
        "PD481",
        f"the reply was cut {why}{count}; nothing of it is used",
        "write a shorter module, and less prose",
    )


def _used_width(brief: Brief) -> int:
    return int(brief.feedback["summary"]["message_dim"]) if brief.feedback else 0


def _gain(feedback: Mapping[str, Any]) -> str:
    gain = feedback["summary"]["gain"]
    return f"{gain['mean']:+.3f} [{gain['low']:+.3f}, {gain['high']:+.3f}]"
