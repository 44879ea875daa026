"""Design a protocol: gather, propose, validate, score, refine, freeze."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from protocol_designer.commands.console import Progress, print_result, say, wait_for_reply
from protocol_designer.commands.folders import config_of, full_name
from protocol_designer.commands.options import Data, Episodes, Json, Schema, Seed

if TYPE_CHECKING:
    from protocol_designer.types import Feedback


def _refuse_misplaced_options(context: typer.Context) -> None:
    """An option in front of a command belongs to no command: say so instead of dropping it."""
    given = [
        parameter.opts[-1]
        for parameter in context.command.params
        if parameter.name and getattr(context.get_parameter_source(parameter.name), "name", "") == "COMMANDLINE"
    ]
    if given:
        command = context.invoked_subcommand
        raise typer.BadParameter(
            f"{', '.join(given)} stands before the command '{command}', where it would have no effect; "
            f"put it behind: design-protocol {command} {given[0]} …"
        )


def design(
    context: typer.Context,
    task: Annotated[str, typer.Option("--task", help="Task to design for; `design-protocol tasks` lists them.")] = "",
    schema: Schema = None,
    designer: Annotated[
        str, typer.Option(help="auto, search, openai, anthropic, manual, replay; controls: random, everything.")
    ] = "auto",
    model: Annotated[str, typer.Option(help="Language model; the provider's default unless named.")] = "",
    base_url: Annotated[str, typer.Option(help="Address of an OpenAI- or Anthropic-compatible server.")] = "",
    temperature: Annotated[
        float | None, typer.Option(help="Sampling temperature of a language model; not sent unless named.", min=0)
    ] = None,
    llm_seed: Annotated[
        int | None, typer.Option(help="Sampling seed of a language model; not sent unless named.")
    ] = None,
    transcript: Annotated[Path | None, typer.Option(help="With --designer replay: the stored exchanges.")] = None,
    name: Annotated[str, typer.Option(help="Name of the protocol's folder; <designer>-s<seed> unless named.")] = "",
    seed: Seed = 0,
    episodes: Episodes = 5_000,
    passes: Annotated[int, typer.Option(help="Refinement passes after the first part.", min=0)] = 2,
    max_repairs: Annotated[int, typer.Option(help="Repairs of a rejected proposal, in each pass.", min=0)] = 3,
    feedback: Annotated[
        str, typer.Option(help="What a model learns from the score: measured, or a control: none, fixed, shuffled.")
    ] = "measured",
    max_message_width: Annotated[int, typer.Option(help="Most numbers an agent may keep; 0 is no limit.", min=0)] = 0,
    max_llm_calls: Annotated[int, typer.Option(help="Most calls of a language model, repairs included.", min=1)] = 20,
    max_cost: Annotated[float, typer.Option(help="Most US dollars to spend; 0 is no limit.", min=0)] = 0.0,
    max_output_tokens: Annotated[int, typer.Option(help="Longest answer of a language model.", min=1)] = 16_000,
    thorough: Annotated[bool, typer.Option(help="Score with the published decoder budget; takes far longer.")] = False,
    data: Data = Path("data"),
    out: Annotated[Path, typer.Option(help="Folder of the protocols.")] = Path("generated_protocols"),
    as_json: Json = False,
) -> None:
    """Design communication protocols offline, and train cooperative agents with them.

    Without a command: gather episodes of --task, design a protocol on them, score, refine and freeze it.
    """
    if context.invoked_subcommand is not None:
        _refuse_misplaced_options(context)
        return
    from buffers.errors import UsageError

    if not task:
        raise UsageError("name a task to design for, as in: design-protocol --task bane_vs_hM (or see --help)")
    from marl_runtime.gathering import GatherConfig
    from marl_runtime.gathering import gather as gather_data
    from marl_runtime.tasks import find_task
    from protocol_designer.compiler import CompilerConfig
    from protocol_designer.conversation import CallLimits
    from protocol_designer.designers.choice import choose
    from protocol_designer.designing import DesignConfig
    from protocol_designer.designing import design as design_protocol
    from protocol_designer.screen import show_design
    from sai import SaiConfig

    wanted = full_name(task, schema)
    task_name = find_task(wanted).name  # a task that is found by a file's name has one of its own
    limits = config_of(
        CallLimits, max_calls=max_llm_calls, max_cost=max_cost or None, max_output_tokens=max_output_tokens
    )
    chosen = choose(
        designer,
        model=model,
        base_url=base_url,
        transcript=transcript,
        passes=passes,
        repairs=max_repairs,
        limits=limits,
        sampling={
            name: value for name, value in {"temperature": temperature, "seed": llm_seed}.items() if value is not None
        },
        feedback=cast("Feedback", feedback),
        says=say,
        wait=wait_for_reply,
    )
    sys.stderr.write(chosen.description + "\n")
    data_set = gather_data(wanted, config_of(GatherConfig, episodes=episodes, seed=seed), data, Progress())
    config = config_of(
        DesignConfig,
        seed=seed,
        max_message_width=max_message_width or None,
        feedback=feedback,
        # as many calls as the loop of two steps makes
        compiler=config_of(
            CompilerConfig, passes=passes, max_repairs=max_repairs, best_of=2 * passes + 1 if feedback == "none" else 0
        ),
        sai=SaiConfig.thorough(seed) if thorough else config_of(SaiConfig, seed=seed),
    )
    folder = out / task_name / (name or f"{chosen.name}-s{seed}")
    settings = {"task": task_name, **chosen.settings}
    result = design_protocol(data_set, chosen.make_designer, config, folder, settings, Progress())
    print_result(result.to_json(), as_json, lambda: show_design(folder, result.manifest, wanted, result.found))
