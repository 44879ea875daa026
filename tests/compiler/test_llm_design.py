"""A design written by a language model over a real socket, through the real loop, in both wire formats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from llm_server import LlmServer, Say, Status

from buffers.errors import ProtocolDesignerError
from buffers.schema import Field, TaskSchema
from generated_protocols.diagnostics import Diagnostic
from protocol_designer.clients import ClientError, calls, errors
from protocol_designer.compiler import Compilation, CompilerConfig, compile_parts
from protocol_designer.designers.choice import Choice, choose
from protocol_designer.store import Store
from protocol_designer.types import Brief, Decision, Verdict
from sai import Episodes

KEY = "sk-secret-0123456789"
ENVIRONMENT = {"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY}
PROVIDERS = ("openai", "anthropic")
SCHEMA = TaskSchema(
    "beacon",
    "The scout sees the beacon; the workers have to go there.",
    ("scout", "worker"),
    (Field("beacon.x", "where the beacon is", "map units", -1, 1, 10),),
    (Field("beacon.x", "where the beacon is", "map units", -1, 1, 10), Field("worker.x", "where it is", "map units")),
    ("stay", "go"),
    5,
)
CHOSEN = Say('The beacon is news to the workers.\n```json\n["beacon.x"]\n```\n', cached_tokens=0)
provider_wise = pytest.mark.parametrize("provider", PROVIDERS)


def module(number: int) -> str:
    return f'def send(own):\n    return {{"x{number}": own["beacon.x"]}}\n'


def write(source: str, **options: Any) -> Say:
    return Say(f"Here it is.\n```python\n{source}```\n", **options)


PARTS = tuple(module(number) for number in range(3))
SIX = [CHOSEN, write(PARTS[0]), Say("Workers lag."), write(PARTS[1]), Say("Late steps lag."), write(PARTS[2])]


class Reads:
    """A contract: what calls `eval` is refused; the outcome is the number of parts."""

    name, version = "reads", 1

    def check(self, source: str, part: int) -> Sequence[Diagnostic]:
        for number, line in enumerate(source.splitlines(), 1):
            if "eval" in line:
                where = (number, line.index("eval") + 1)
                return [Diagnostic(*where, "PD302", "eval is not allowed", "leave it out", f"part{part}.py")]
        return []

    def run(self, sources: Sequence[str]) -> Verdict[int]:
        return Verdict((), len(sources))


class Keeps:
    """A score: every part stays, and the figures show how many there are."""

    def judge(self, before: int | None, after: int) -> Decision:
        return Decision(True, "it helps")

    def record(self, outcome: int, pass_index: int) -> Mapping[str, Any]:
        return {}

    def satisfied(self, outcome: int | None, pass_index: int) -> bool:
        return False

    def feedback(self, outcome: int | None, pass_index: int) -> Mapping[str, Any]:
        if pass_index == 0:
            return {}
        full = 0.4 + 0.1 * (outcome or 0)
        cell = {"agent": 1, "field": "beacon.x", "success_full": full, "success_empty": 0.25}
        cell |= {"success_full_ci": 0.01, "success_empty_ci": 0.01}
        spread = {"variance_full": 0.01, "spread_full": 1 - full, "variance_empty": 0.1, "spread_empty": 0.7}
        spread |= {"spread_full_ci": 0.02, "spread_empty_ci": 0.02}
        row = {**cell, "role": "worker", "unit": "map units", "kind": "continuous", "rmse_full": 1.5, "rmse_empty": 4.0}
        row |= {"skill_full": 0.3, "skill_full_ci": 0.01, "skill_empty": 0.0, "skill_empty_ci": 0.01}
        return {
            "rows": [row],
            "part_rows": [{**cell, "part": part} for part in range(5)],
            "imbalance": [{"field": "beacon.x", **spread}],
            "sources": [{"field": "beacon.x", "agents": ["agent 0 (scout)"]}],
            "success": {1: {"beacon.x": full}},
            "target_fields": ["beacon.x"],
            "summary": {
                "message_dim": outcome or 0,
                "gain": {"mean": full - 0.25, "low": full - 0.3, "high": full - 0.2},
            },
        }


def episodes() -> Episodes:
    rng = np.random.default_rng(3)
    width = len(SCHEMA.extended_fields)
    extended = rng.uniform(-1, 1, (4, 5, 2, width)).astype(np.float32)
    return Episodes(
        extended=extended,
        state=rng.uniform(-1, 1, (4, 5, 2)).astype(np.float32),
        valid=np.ones((4, 5, 2), dtype=bool),
    )


def brief(index: int, accepted: tuple[str, ...], feedback: Mapping[str, Any]) -> Brief:
    return Brief(SCHEMA, index, accepted, feedback or None, None, 10, 0)


def compile_in(folder: Path, choice: Choice, repairs: int = 2, passes: int = 2) -> Compilation[int]:
    store = Store(folder, choice.settings)
    designer = choice.make_designer(SCHEMA, {"fit": episodes(), "select": episodes()}, store)
    return compile_parts(designer, Reads(), Keeps(), store, brief, CompilerConfig(passes, repairs))


def asked_of(provider: str, server: LlmServer) -> Choice:
    return choose(provider, model="gpt-6-sol", base_url=server.url(provider), repairs=2, environment=ENVIRONMENT)


def prompts_of(server: LlmServer) -> list[str]:
    return [request["body"]["messages"][-1]["content"] for request in server.requests]


def written(folder: Path) -> str:
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert files
    return "\n".join(path.read_text(encoding="utf-8") for path in files)


@pytest.fixture(autouse=True)
def _no_waiting_and_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "FIRST_WAIT", 0.0)
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)


@provider_wise
def test_both_passes_are_six_calls_and_each_carries_what_was_measured(provider: str, tmp_path: Path) -> None:
    with LlmServer(SIX) as server:
        done = compile_in(tmp_path / "d", asked_of(provider, server))
        prompts = prompts_of(server)
    assert done.sources == PARTS
    headings = [prompt.splitlines()[0] for prompt in prompts]
    assert headings == [
        "# Choose the state fields that matter",
        "# Pass 0: write the first module",
        "# Pass 1: analyse what was measured",
        "# Pass 1: write the next module",
        "# Pass 2: analyse what was measured",
        "# Pass 2: write the next module",
    ]
    assert (
        "1, worker, beacon.x, 0.50 ±0.01, 0.25 ±0.01, 1.5 map units, 4 map units, 0.30 ±0.01, 0.00 ±0.01" in prompts[2]
    )
    assert "+0.250 [+0.200, +0.300]" in prompts[2]
    assert "late: agent 1 0.60 ±0.01 / 0.25 ±0.01" in prompts[4]
    assert PARTS[0].strip() in prompts[3]
    assert "Workers lag." in prompts[3]
    assert "Late steps lag." in prompts[5]
    assert all("beacon.x" in prompt for prompt in prompts[1:])


class Refuses(Keeps):
    """A score that keeps the first part alone."""

    def judge(self, before: int | None, after: int) -> Decision:
        return Decision(before is None, "it helps" if before is None else "it tells nothing new")


def test_figures_that_were_analysed_are_not_sent_again_and_what_was_dropped_is_told(tmp_path: Path) -> None:
    """Passes 1 and 2 add nothing, so pass 3 would see the figures of pass 1: it gets the analysis of pass 1."""
    four = (*PARTS, module(3))
    with LlmServer([CHOSEN, write(four[0]), Say("Workers lag."), write(four[1]), Say("Late steps lag."),
                    write(four[2]), write(four[3])]) as server:  # fmt: skip
        store = Store(tmp_path / "d", {})
        designer = asked_of("openai", server).make_designer(SCHEMA, {"fit": episodes()}, store)
        done = compile_parts(designer, Reads(), Refuses(), store, brief, CompilerConfig(3, 0))
        prompts = prompts_of(server)
    assert done.sources == PARTS[:1]
    assert [prompt.splitlines()[0] for prompt in prompts[4:]] == [
        "# Pass 2: analyse what was measured",
        "# Pass 2: write the next module",
        "# Pass 3: write the next module",
    ]
    assert "Pass 1: it tells nothing new.\n\n```python\n" + four[1] in prompts[4]
    assert "written in pass 1; nothing was added since" in prompts[6]
    assert "Workers lag." in prompts[6]
    assert four[1] in prompts[6]
    assert four[2] in prompts[6]
    figures = [line for prompt in prompts for line in prompt.splitlines() if "±0" in line]
    assert len(figures) == len(set(figures))


def test_the_best_of_several_without_feedback_makes_as_many_calls(tmp_path: Path) -> None:
    parts = [module(number) for number in range(5)]
    with LlmServer([CHOSEN, *map(write, parts)]) as server:
        choice = choose("openai", base_url=server.url("openai"), feedback="none", environment=ENVIRONMENT)
        store = Store(tmp_path / "d", {})
        designer = choice.make_designer(SCHEMA, {"fit": episodes()}, store)
        done = compile_parts(designer, Reads(), Keeps(), store, brief, CompilerConfig(2, 0, best_of=5))
        prompts = prompts_of(server)
    assert done.sources == (parts[0],)
    assert len(prompts) == len(SIX)
    assert len(set(prompts[1:])) == 1


def test_the_fixed_instruction_is_the_same_in_both_passes(tmp_path: Path) -> None:
    with LlmServer(SIX) as server:
        choice = choose("openai", base_url=server.url("openai"), feedback="fixed", environment=ENVIRONMENT)
        compile_in(tmp_path / "d", choice)
        prompts = prompts_of(server)
    assert len(prompts) == len(SIX)
    asked = [prompt.partition("Find out:")[2] for prompt in (prompts[2], prompts[4])]
    assert asked[0] == asked[1]
    assert "how the messages should be improved" in asked[0]


@provider_wise
def test_the_system_prompt_is_the_same_in_every_call(provider: str, tmp_path: Path) -> None:
    with LlmServer(SIX) as server:
        compile_in(tmp_path / "d", asked_of(provider, server))
        bodies = [request["body"] for request in server.requests]
    systems = {str(body["system"] if provider == "anthropic" else body["messages"][0]) for body in bodies}
    assert len(systems) == 1
    assert "where the beacon is" in systems.pop()


@provider_wise
def test_a_repair_is_told_the_findings_with_the_failing_line(provider: str, tmp_path: Path) -> None:
    bad = 'def send(own):\n    return {"x": eval("1")}\n'
    with LlmServer([CHOSEN, write(bad), write(PARTS[0])]) as server:
        done = compile_in(tmp_path / "d", asked_of(provider, server), passes=0)
        prompts = prompts_of(server)
    assert done.sources == PARTS[:1]
    assert (done.passes[0].tries, len(prompts)) == (2, 3)
    assert "part0.py:2:18: PD302 eval is not allowed" in prompts[2]
    assert '  2 |     return {"x": eval("1")}' in prompts[2]
    assert "hint: leave it out" in prompts[2]
    assert prompts[1].strip() in prompts[2]


@provider_wise
def test_a_reply_without_a_module_and_one_that_was_cut_are_repaired(provider: str, tmp_path: Path) -> None:
    cut = write(PARTS[1], stop="length")
    with LlmServer([CHOSEN, Say("I would rather talk."), cut, write(PARTS[0])]) as server:
        done = compile_in(tmp_path / "d", asked_of(provider, server), passes=0)
        prompts = prompts_of(server)
    assert done.sources == PARTS[:1]
    assert "no fenced block" in prompts[2]
    assert "cut at the length limit" in prompts[3]
    assert PARTS[1] not in prompts[3]


def test_repairs_are_bounded_and_the_next_pass_goes_on(tmp_path: Path) -> None:
    bad = [write(f'def send(own):\n    return {{"x": eval("{number}")}}\n') for number in range(3)]
    with LlmServer([CHOSEN, *bad, Say("Nothing is known."), write(PARTS[1])]) as server:
        done = compile_in(tmp_path / "d", asked_of("openai", server), passes=1)
        assert not server.plan
        assert len(server.requests) == 6
        assert "This is the last try." in prompts_of(server)[3]
    assert done.passes[0].part is None
    assert "no proposal passed in 3 tries" in done.passes[0].decision.reason
    assert done.sources == (PARTS[1],)


@pytest.mark.parametrize(("answered", "provider"), [(number, PROVIDERS[number % 2]) for number in range(6)])
def test_a_design_that_was_stopped_goes_on_and_repeats_no_call(provider: str, answered: int, tmp_path: Path) -> None:
    folder = tmp_path / "d"
    with LlmServer([*SIX[:answered], Status(401, {"error": {"message": "no"}})]) as server:
        choice = asked_of(provider, server)
        with pytest.raises(errors.WrongKeyError):
            compile_in(folder, choice)
        server.plan = SIX[answered:]
        done = compile_in(folder, choice)
        assert len(server.requests) == 7
        assert not server.plan
    assert done.sources == PARTS


def test_a_kill_while_a_reply_is_read_repeats_no_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class KilledError(BaseException):
        pass

    def killed(*_: object) -> None:
        raise KilledError

    with LlmServer(SIX) as server:
        choice = asked_of("openai", server)
        with monkeypatch.context() as patch:
            patch.setattr("protocol_designer.designers.language_model.find_module", killed)
            with pytest.raises(KilledError):
                compile_in(tmp_path / "d", choice)
        assert compile_in(tmp_path / "d", choice).sources == PARTS
        assert len(server.requests) == 6


@provider_wise
def test_a_transcript_replays_byte_for_byte_without_a_request(provider: str, tmp_path: Path) -> None:
    bad = write('def send(own):\n    return {"x": eval("1")}\n')
    with LlmServer([*SIX[:3], bad, *SIX[3:]]) as server:
        first = compile_in(tmp_path / "d", asked_of(provider, server))
    replay = choose("replay", transcript=tmp_path / "d" / "transcript.jsonl", repairs=2, environment={})
    second = compile_in(tmp_path / "again", replay)
    assert second.sources == first.sources == PARTS
    assert len(server.requests) == 7
    for path in sorted((tmp_path / "d" / "attempts").rglob("*.*")):
        again = tmp_path / "again" / path.relative_to(tmp_path / "d")
        assert again.read_bytes() == path.read_bytes(), path


def test_a_replay_that_goes_another_way_says_which_reply_it_lacks(tmp_path: Path) -> None:
    with LlmServer(SIX[:2]) as server:
        compile_in(tmp_path / "d", asked_of("openai", server), passes=0)
    replay = choose("replay", transcript=tmp_path / "d" / "transcript.jsonl", environment={})
    with pytest.raises(ProtocolDesignerError, match="pass 1"):
        compile_in(tmp_path / "again", replay, passes=1)


@provider_wise
def test_no_file_and_no_error_holds_the_key(provider: str, tmp_path: Path) -> None:
    leak = Say(f'My key is {KEY}.\n```json\n["beacon.x"]\n```')
    echo = Status(400, {"error": {"message": f"bad key {KEY}"}})
    with LlmServer([leak, write(f"# {KEY}\n{PARTS[0]}"), echo]) as server, pytest.raises(ClientError) as caught:
        compile_in(tmp_path / "d", asked_of(provider, server))
    assert KEY not in str(caught.value)
    assert KEY not in written(tmp_path)
    assert "[key]" in written(tmp_path)


@provider_wise
def test_a_refusal_stops_the_design_and_an_empty_answer_too(provider: str, tmp_path: Path) -> None:
    for number, (step, kind) in enumerate(
        [(Say("I will not.", "refusal"), errors.ModelRefusedError), (Say(""), errors.EmptyReplyError)]
    ):
        with LlmServer([CHOSEN, step, write(PARTS[0])]) as server:
            choice = asked_of(provider, server)
            with pytest.raises(kind):
                compile_in(tmp_path / str(number), choice, passes=0)
            # A person tries again later: it is asked again, and what was answered is not.
            assert compile_in(tmp_path / str(number), choice, passes=0).sources == PARTS[:1]
            assert len(server.requests) == 3


def test_tokens_and_cost_of_local_servers_are_told_or_unknown(tmp_path: Path) -> None:
    with LlmServer(SIX) as server:
        choice = asked_of("openai", server)
        store = Store(tmp_path / "d", choice.settings)
        designer: Any = choice.make_designer(SCHEMA, {"fit": episodes(), "select": episodes()}, store)
        compile_parts(designer, Reads(), Keeps(), store, brief, CompilerConfig(2, 2))
    spent = designer.spent()
    assert (spent["requests"], spent["input_tokens"], spent["output_tokens"]) == (6, 6_000, 1_200)
    assert set(designer.prompt_versions) == {"system", "choose_fields", "write_part", "analyse", "_figures"}
    # one that goes on where another stopped asks nothing again, and knows what the other asked
    later: Any = choice.make_designer(SCHEMA, {"fit": episodes(), "select": episodes()}, store)
    assert later.prompt_versions == designer.prompt_versions


def test_a_manual_design_stops_at_each_prompt_until_its_reply_is_there(tmp_path: Path) -> None:
    choice, folder = choose("manual", environment={}), tmp_path / "d"
    replies = [step.text for step in SIX]
    for reply in replies:
        with pytest.raises(ProtocolDesignerError) as caught:
            compile_in(folder, choice)
        assert caught.value.exit_code in (0, 3)
        (waiting,) = [word.strip("`',;:()") for word in str(caught.value).split() if "reply" in word and ".md" in word]
        assert not Path(waiting).exists() or not Path(waiting).read_text(encoding="utf-8").strip()
        Path(waiting).write_text(reply, encoding="utf-8")
    assert compile_in(folder, choice).sources == PARTS


@pytest.mark.parametrize(
    ("environment", "name"),
    [
        ({}, "search"),
        ({"ANTHROPIC_API_KEY": "a"}, "anthropic"),
        ({"OPENAI_API_KEY": "o"}, "openai"),
        ({"OPENAI_API_KEY": "o", "ANTHROPIC_API_KEY": "a"}, "openai"),
        ({"OPENAI_API_KEY": " "}, "search"),
    ],
)
def test_auto_takes_the_provider_whose_key_is_set(environment: dict[str, str], name: str) -> None:
    choice = choose("auto", environment=environment)
    assert choice.name == name
    assert name in choice.description
    assert name == "search" or (choice.model in choice.description and "calls" in choice.description)


def test_the_calls_that_were_announced_are_never_exceeded(tmp_path: Path) -> None:
    def bad() -> list[Say]:
        return [write(f'def send(own):\n    return {{"x{len(made)}": eval("{len(made)}{n}")}}\n') for n in range(3)]

    made: list[Say] = []
    plan = [Say("no idea"), CHOSEN]
    for index in range(3):
        plan += ([Say("it lags")] if index else []) + bad()
        made += bad()
    with LlmServer(plan) as server:
        choice = asked_of("openai", server)
        compile_in(tmp_path / "d", choice)
        count = len(server.requests)
    assert f"at most {count} calls" in choice.description


def test_an_analysis_that_was_cut_is_not_passed_on(tmp_path: Path) -> None:
    cut = Say("Workers lag, so do not", "length")
    with LlmServer([*SIX[:2], cut, SIX[3]]) as server:
        done = compile_in(tmp_path / "d", asked_of("openai", server), passes=1)
        assert "Workers lag" not in prompts_of(server)[3]
    assert done.sources == PARTS[:2]
