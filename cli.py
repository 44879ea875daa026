"""The `design-protocol` command: wires the rooms together and holds no logic.

Only typer and the standard library are imported here; each command imports the rooms it needs, so `--help` answers at
once. Results go to stdout (as JSON with `--json`), progress and errors to stderr.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, TypeVar

import typer
from typer.core import TyperGroup

if TYPE_CHECKING:
    from buffers.dataset import DataSet
    from buffers.schema import TaskSchema

__all__ = ["app", "main"]


class _Group(TyperGroup):
    """Says what was kept when Ctrl-C stops a command; typer itself would only say "Aborted"."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as interrupt:
            _fail(str(interrupt) or "stopped", 130)


app = typer.Typer(
    cls=_Group,
    name="design-protocol",
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
)

Task = Annotated[
    str, typer.Option("--task", help="Task to work on; `design-protocol tasks` lists them.", show_default=False)
]
Seed = Annotated[int, typer.Option(help="Root seed: the same seed gives the same result.", min=0)]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Data = Annotated[Path, typer.Option(help="Folder of the gathered data sets.")]
Runs = Annotated[Path, typer.Option(help="Folder of the training runs.")]
Episodes = Annotated[int, typer.Option(help="Episodes to gather.", min=1)]
Envs = Annotated[int, typer.Option(help="Episodes played in step.", min=1)]
Steps = Annotated[int, typer.Option(help="Environment steps to train for.", min=1)]
UpdateRatio = Annotated[int, typer.Option(help="Environment steps played for each update of 32 episodes.", min=1)]
EncoderLoop = Annotated[str, typer.Option(help="published (its loop) or fused (faster; residual on the output only).")]
RewardStandardisation = Annotated[str, typer.Option(help="off, scale, or published (mean subtracted as well).")]
Protocol = Annotated[Path, typer.Argument(help="Folder of a protocol.", show_default=False)]
Run = Annotated[Path, typer.Argument(help="Folder of a run.", show_default=False)]
Config = TypeVar("Config")
Device = Annotated[str, typer.Option(help="auto, cpu or cuda; auto takes CUDA where it is present.")]


def main() -> None:
    """Run the command line; an error that this project raises on purpose is one line and its own exit status."""
    # Matrices here are small: more threads spend their time waiting for each other. It has to be said before NumPy loads.
    for library in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(library, "1")
    from buffers.errors import ProtocolDesignerError

    try:
        app()
    except ProtocolDesignerError as error:
        _fail(str(error), error.exit_code)
    except OSError as error:
        _fail(f"{error.strerror or error}: {error.filename or ''}".rstrip(": "), 1)
    except MemoryError:
        _fail("out of memory; gather fewer --episodes or train with fewer --envs", 1)


def _fail(message: str, status: int) -> NoReturn:
    sys.stderr.write(f"\nerror: {message}\n" if _Progress.drawn else f"error: {message}\n")
    sys.exit(status)


class _Progress:
    """Draws one refreshing line on a terminal, and a plain line every ten seconds elsewhere, on stderr."""

    drawn = False

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._total, self._done, self._first = -1, 0, 0
        self._began = self._last = time.monotonic()

    def __call__(self, done: int, total: int, text: str) -> None:
        now = time.monotonic()
        if total != self._total or done < self._done:  # another piece of work
            self._finish_line()
            self._total, self._first, self._began, self._last = total, done, now, 0.0
        self._done = done
        if done < total and now - self._last < (0.1 if self._terminal else 10.0):
            return
        self._last, elapsed = now, now - self._began
        rate = (done - self._first) / elapsed if elapsed > 0 else 0.0
        left = f"{(total - done) / rate:,.0f} s left" if rate and done < total else f"{elapsed:,.0f} s"
        line = f"{text}: {done:,} of {total:,}" + (f", {rate:,.3g}/s, {left}" if rate else "")
        if self._terminal:
            filled = round(20 * done / max(total, 1))
            sys.stderr.write(f"\r\x1b[K{'█' * filled}{'░' * (20 - filled)} {line}")
            _Progress.drawn = True
            if done >= total:
                self._finish_line()
        else:
            sys.stderr.write(line + "\n")
        sys.stderr.flush()

    @staticmethod
    def _finish_line() -> None:
        if _Progress.drawn:
            sys.stderr.write("\n")
            _Progress.drawn = False


def _say(line: str) -> None:
    """Print one line about what is going on, below a bar that is being drawn."""
    sys.stderr.write(f"\n{line}\n" if _Progress.drawn else f"{line}\n")
    _Progress.drawn = False


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


def _print(result: Mapping[str, Any], as_json: bool, render: Callable[[], None]) -> None:
    if as_json:
        sys.stdout.write(json.dumps(result, indent=2, allow_nan=False) + "\n")
    else:
        render()


@app.callback(invoke_without_command=True)
def design(
    context: typer.Context,
    task: Annotated[str, typer.Option("--task", help="Task to design for; `design-protocol tasks` lists them.")] = "",
    designer: Annotated[str, typer.Option(help="auto, search, openai, anthropic, manual or replay.")] = "auto",
    model: Annotated[str, typer.Option(help="Language model; the provider's default unless named.")] = "",
    base_url: Annotated[str, typer.Option(help="Address of an OpenAI- or Anthropic-compatible server.")] = "",
    transcript: Annotated[Path | None, typer.Option(help="With --designer replay: the stored exchanges.")] = None,
    name: Annotated[str, typer.Option(help="Name of the protocol's folder; <designer>-s<seed> unless named.")] = "",
    seed: Seed = 0,
    episodes: Episodes = 5_000,
    passes: Annotated[int, typer.Option(help="Refinement passes after the first part.", min=0)] = 2,
    max_repairs: Annotated[int, typer.Option(help="Repairs of a rejected proposal, in each pass.", min=0)] = 3,
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

    find_task(task)
    limits = _config(
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
        says=_say,
    )
    sys.stderr.write(chosen.description + "\n")
    data_set = gather_data(task, _config(GatherConfig, episodes=episodes, seed=seed), data, _Progress())
    config = _config(
        DesignConfig,
        seed=seed,
        max_message_width=max_message_width or None,
        compiler=_config(CompilerConfig, passes=passes, max_repairs=max_repairs),
        sai=SaiConfig.thorough(seed) if thorough else _config(SaiConfig, seed=seed),
    )
    folder = out / task / (name or f"{chosen.name}-s{seed}")
    settings = {"task": task, **chosen.settings}
    result = design_protocol(data_set, chosen.make_designer, config, folder, settings, _Progress())
    _print(result.to_json(), as_json, lambda: show_design(folder, result.manifest, task, result.found))


@app.command()
def tasks(as_json: Json = False) -> None:
    """List the tasks: agents, enemies, episode limit, widths, and what each needs installed."""
    from buffers.errors import ProtocolDesignerError
    from marl_runtime.tasks import find_task, task_names

    rows: list[dict[str, Any]] = []
    for name in task_names():
        try:
            task = find_task(name)
        except ProtocolDesignerError as error:
            rows.append({"task": name, "missing": str(error)})
            continue
        schema = task.schema
        rows.append(
            {
                "task": name,
                "agents": schema.n_agents,
                "enemies": task.enemies,
                "limit": schema.episode_limit,
                "observation": schema.obs_dim,
                "state": schema.state_dim,
                "actions": schema.n_actions,
                "backend": task.backend,
                "needs": task.requires or "nothing more",
                "scripted": list(task.scripted),
            }
        )
    _print({"tasks": rows}, as_json, lambda: _print_rows(rows))


@app.command()
def gather(
    task: Task,
    episodes: Episodes = 5_000,
    seed: Seed = 0,
    envs: Envs = 32,
    data: Data = Path("data"),
    as_json: Json = False,
) -> None:
    """Gather the data set that a protocol is designed on: a short QMIX run and the task's scripted policies."""
    from marl_runtime.gathering import GatherConfig
    from marl_runtime.gathering import gather as gather_data

    data_set = gather_data(task, _config(GatherConfig, episodes=episodes, seed=seed, envs=envs), data, _Progress())
    rows = data_set.manifest["policies"]
    _print({"path": str(data_set.path), "hash": data_set.hash, "policies": rows}, as_json, lambda: _print_rows(rows))
    if not as_json:
        typer.echo(f"\n{data_set.n_episodes:,} episodes in {data_set.path}")


@app.command()
def check(
    protocol: Annotated[Path, typer.Argument(help="Folder of a protocol, or one part's file.", show_default=False)],
    task: Annotated[str, typer.Option(help="Task it is for; read from the folder unless named.")] = "",
    as_json: Json = False,
) -> None:
    """Say what is wrong with a protocol's sources, with line, column and remedy; nothing is run."""
    from buffers.errors import RejectedError, UsageError
    from generated_protocols.manifest import part_sources
    from protocol_designer.validation import render, validate

    if not protocol.exists():
        raise UsageError(f"{protocol} does not exist")
    schema = _schema_of(protocol if protocol.is_dir() else protocol.parent, task)
    if protocol.is_dir():
        sources = {protocol / f"part{number}.py": source for number, source in part_sources(protocol).items()}
    else:
        sources = {protocol: protocol.read_bytes()}
    found = {path: validate(source, schema=schema, part=0, file=str(path)) for path, source in sources.items()}
    everything = [diagnostic.to_json() for diagnostics in found.values() for diagnostic in diagnostics]
    if as_json:
        typer.echo(json.dumps(everything, indent=2))
    else:
        for path, diagnostics in found.items():
            typer.echo(render(diagnostics, sources[path]) if diagnostics else f"{path}: fine")
    if everything:
        raise RejectedError(f"{len(everything)} finding{'s' if len(everything) > 1 else ''} in {protocol}")


@app.command()
def freeze(
    protocol: Protocol,
    task: Annotated[str, typer.Option(help="Task it is for; read from the folder unless named.")] = "",
    score: Annotated[bool, typer.Option(help="Score the edit on the recorded episodes.")] = True,
    review: Annotated[str, typer.Option(help="Name of the person who reviewed it.")] = "",
    data: Data = Path("data"),
    as_json: Json = False,
) -> None:
    """Check, run, score and freeze a protocol that was written or edited by hand; show what the edit changed."""
    from buffers.errors import RejectedError
    from protocol_designer.freezing import Recording, freeze_edited
    from protocol_designer.sandbox import Sandbox
    from protocol_designer.screen import freeze_lines
    from protocol_designer.validation import render

    name = _task_of(protocol, task)
    schema = _schema_of(protocol, name)
    recorded, scorer, described = None, None, None
    if score:
        from protocol_designer.rescoring import recordings

        data_set = _data_set_of(protocol, name, data)
        splits, scorer, described = recordings(data_set, _Progress())
        recorded = {key: Recording(value.extended, value.alive, value.episodes.valid) for key, value in splits.items()}
    with Sandbox() as sandbox:
        report = freeze_edited(
            protocol,
            schema,
            sandbox,
            recorded=recorded,
            scorer=scorer,
            data_set=described,
            reviewed_by=review,
            progress=_Progress(),
        )
    if not report.accepted:
        text = "\n\n".join(render([d], report.sources.get(d.file, "")) for d in report.diagnostics)
        if as_json:
            typer.echo(json.dumps(report.to_json(), indent=2))
        raise RejectedError(f"{protocol} is not frozen, and as it was:\n{text}")
    _print(report.to_json(), as_json, lambda: typer.echo(freeze_lines(report.to_json())))


@app.command()
def score(
    protocol: Protocol,
    task: Annotated[str, typer.Option(help="Task it is for; read from the folder unless named.")] = "",
    on: Annotated[Path | None, typer.Option(help="A run: score on episodes of its trained policy instead.")] = None,
    episodes: Annotated[int, typer.Option(help="With --on: episodes to play.", min=10)] = 1_000,
    csv: Annotated[Path | None, typer.Option(help="Write the tables as CSV files into this folder.")] = None,
    data: Data = Path("data"),
    as_json: Json = False,
) -> None:
    """Score a protocol: how much better a decoder rebuilds the state with its messages than without."""
    from protocol_designer.rescoring import score_folder
    from protocol_designer.screen import pass_table, wide_print

    name = _task_of(protocol, task)
    if on is None:
        data_set = _data_set_of(protocol, name, data)
    else:
        from marl_runtime.gathering import gather_policy

        data_set = gather_policy(on, episodes, data, _Progress())
    card, entry = score_folder(protocol, data_set, _Progress())
    if csv is not None:
        card.save_csv(csv)
    _print(
        {"protocol": str(protocol), "data_set": str(data_set.path), **entry},
        as_json,
        lambda: wide_print(pass_table([entry])),
    )


@app.command()
def show(protocol: Protocol, as_json: Json = False) -> None:
    """Show a protocol: what each agent sends and keeps, how good it is, and its source."""
    from generated_protocols.manifest import edited_parts, part_sources, read_manifest
    from protocol_designer.screen import show_design

    sources, manifest = part_sources(protocol), read_manifest(protocol)
    edited = edited_parts(manifest, sources)
    texts = {f"part{number}.py": source.decode("utf-8-sig", "replace") for number, source in sources.items()}

    def render() -> None:
        for name, text in texts.items():
            typer.echo(f"# ---- {name}{' (edited since it was frozen)' if name in edited else ''}\n{text}")
        show_design(protocol, manifest, manifest.task, found=True)

    _print({"manifest": manifest.to_json(), "edited": edited, "sources": texts}, as_json, render)


@app.command()
def train(
    task: Task,
    protocol: Annotated[Path | None, typer.Option(help="Folder of a frozen protocol.")] = None,
    method: Annotated[str, typer.Option(help="What learns: lmac, direct, enc_zero, qmix, qmix_state.")] = "",
    mixer: Annotated[str, typer.Option(help="How utilities become the joint value: qmix or vdn.")] = "qmix",
    steps: Steps = 1_000_000,
    seed: Seed = 0,
    envs: Envs = 32,
    steps_per_update: UpdateRatio = 200,
    encoder_loop: EncoderLoop = "published",
    reward_standardisation: RewardStandardisation = "off",
    timeout_is_terminal: Annotated[
        bool, typer.Option(help="Treat the time limit as the task's own end, as stock SMAC does.")
    ] = False,
    eval_every: Annotated[int, typer.Option(help="Environment steps between evaluations.", min=1)] = 20_000,
    eval_episodes: Annotated[int, typer.Option(help="Greedy episodes of each evaluation.", min=1)] = 96,
    checkpoint_every: Annotated[int, typer.Option(help="Environment steps between checkpoints.", min=1)] = 50_000,
    runs: Runs = Path("runs"),
    device: Device = "auto",
    as_json: Json = False,
) -> None:
    """Train with a frozen protocol (method lmac unless named), or without one (method qmix)."""
    from marl_runtime.learner import LearnerConfig
    from marl_runtime.methods import MethodConfig
    from marl_runtime.training import TrainConfig
    from marl_runtime.training import train as train_run

    _validate_frozen(protocol, task)
    config = _config(
        TrainConfig,
        task=task,
        method=method or ("lmac" if protocol else "qmix"),
        mixer=mixer,
        protocol=None if protocol is None else str(protocol),
        seed=seed,
        steps=steps,
        envs=envs,
        steps_per_update=steps_per_update,
        eval_every=eval_every,
        eval_episodes=eval_episodes,
        checkpoint_every=checkpoint_every,
        device=device,
        network=_config(MethodConfig, encoder_loop=encoder_loop),
        learner=_config(
            LearnerConfig, reward_standardisation=reward_standardisation, timeout_is_terminal=timeout_is_terminal
        ),
    )
    _print_run(train_run(config, runs, _Progress()), as_json)


@app.command()
def resume(run: Run, as_json: Json = False) -> None:
    """Go on with a run that was stopped or killed, from its newest whole checkpoint."""
    from marl_runtime.training import resume as resume_run

    _print_run(resume_run(run, _Progress()), as_json)


@app.command()
def evaluate(
    run: Annotated[Path | None, typer.Argument(help="Folder of a run.", show_default=False)] = None,
    task: Annotated[str, typer.Option(help="With --policy: the task to play.")] = "",
    policy: Annotated[str, typer.Option(help="A scripted policy of the task, instead of a run.")] = "",
    episodes: Annotated[int, typer.Option(help="Greedy episodes to play.", min=1)] = 200,
    seed: Seed = 0,
    message_loss: Annotated[float, typer.Option(help="Share of messages lost on the way.", min=0, max=1)] = 0.0,
    message_noise: Annotated[float, typer.Option(help="Standard deviation of noise added to messages.", min=0)] = 0.0,
    message_delay: Annotated[int, typer.Option(help="Steps that messages arrive late.", min=0)] = 0,
    csv: Annotated[Path | None, typer.Option(help="Write one row per episode to this file.")] = None,
    as_json: Json = False,
) -> None:
    """Play greedy episodes with a trained run, or with a scripted policy, and say how sure the result is."""
    from buffers.errors import UsageError
    from marl_runtime.evaluation import EvalConfig, evaluate_scripted
    from marl_runtime.evaluation import evaluate as evaluate_run

    config = _config(
        EvalConfig,
        episodes=episodes,
        seed=seed,
        message_loss=message_loss,
        message_noise=message_noise,
        message_delay=message_delay,
    )
    if run is not None and not policy:
        result = evaluate_run(run, config)
    elif policy and task and run is None:
        result = evaluate_scripted(task, policy, config)
    else:
        raise UsageError("name either a run (design-protocol evaluate RUN) or --task and --policy together")
    if csv is not None:
        result.rows.to_csv(csv, index=False)
    lines = [
        f"{result.subject} after {result.steps:,} training steps, {episodes:,} greedy episodes:",
        f"  success {result.success}",
        f"  return  {result.returns}",
    ]
    _print(result.to_json(), as_json, lambda: typer.echo("\n".join(lines)))


@app.command()
def compare(
    task: Task,
    methods: Annotated[str, typer.Option(help="Comma-separated methods.")] = "qmix,direct,enc_zero,lmac,qmix_state",
    protocol: Annotated[
        Path | None, typer.Option(help="Folder of a frozen protocol, for the methods that use one.")
    ] = None,
    seeds: Annotated[int, typer.Option(help="Seeds 0, 1, … of each method.", min=1)] = 3,
    steps: Steps = 1_000_000,
    envs: Envs = 32,
    steps_per_update: UpdateRatio = 200,
    encoder_loop: EncoderLoop = "published",
    eval_every: Annotated[int, typer.Option(help="Environment steps between evaluations.", min=1)] = 20_000,
    workers: Annotated[int, typer.Option(help="Runs trained at once; 0 is one per core.", min=0)] = 0,
    runs: Runs = Path("runs"),
    csv: Annotated[Path | None, typer.Option(help="Write the tables as CSV files into this folder.")] = None,
    device: Device = "auto",
    as_json: Json = False,
) -> None:
    """Train several methods under the same learner and compare win rates with intervals over seeds.

    Runs that are complete are not repeated; runs that were stopped go on.
    """
    from marl_runtime.comparison import compare as compare_methods
    from marl_runtime.methods import MethodConfig
    from marl_runtime.training import TrainConfig

    _validate_frozen(protocol, task)
    base = _config(
        TrainConfig,
        task=task,
        protocol=None if protocol is None else str(protocol),
        steps=steps,
        envs=envs,
        steps_per_update=steps_per_update,
        eval_every=eval_every,
        device=device,
        network=_config(MethodConfig, encoder_loop=encoder_loop),
    )
    names = [name.strip() for name in methods.split(",") if name.strip()]
    result = compare_methods(base, names, range(seeds), root=runs, workers=workers or None, progress=_Progress())
    if csv is not None:
        result.save(csv)
    _print(result.to_json(), as_json, lambda: _print_rows(result.to_json()["table"]))


def _task_of(protocol: Path, task: str) -> str:
    """Return the task that a protocol's folder is for: the one named, the manifest's, or the parent folder's name."""
    from generated_protocols.manifest import read_manifest

    if task:
        return task
    if (protocol / "manifest.json").exists():
        return read_manifest(protocol).task
    return protocol.resolve().parent.name


def _schema_of(protocol: Path, task: str) -> TaskSchema:
    from marl_runtime.tasks import find_task

    return find_task(_task_of(protocol, task)).schema


def _data_set_of(protocol: Path, task: str, data: Path) -> DataSet:
    """Return the data set that a protocol was designed on, gathered again where it is missing; else the default one."""
    from generated_protocols.manifest import read_manifest
    from marl_runtime.configuration import from_json
    from marl_runtime.gathering import GatherConfig
    from marl_runtime.gathering import gather as gather_data

    known = read_manifest(protocol).data_set.get("gathering") if (protocol / "manifest.json").exists() else None
    config = from_json(GatherConfig, {**known, "message_dim": GatherConfig().message_dim}) if known else GatherConfig()
    return gather_data(task, config, data, _Progress())


def _validate_frozen(protocol: Path | None, task: str) -> None:
    """Read a protocol's parts by the static rules, whoever froze it: hashes are not trust."""
    if protocol is None:
        return
    from buffers.errors import RejectedError
    from marl_runtime.tasks import find_task
    from protocol_designer.validation import render, validate

    for number in range(3):
        path = protocol / f"part{number}.py"
        if path.exists():
            source = path.read_bytes()
            found = validate(source, schema=find_task(task).schema, part=number, file=str(path))
            if found:
                raise RejectedError(f"{path} is refused by the static rules:\n{render(found, source)}")


def _print_run(run: Path, as_json: bool) -> None:
    from marl_runtime.run_folder import RunFolder

    result = {"run": str(run), **RunFolder.open(run).read_json("result.json")}
    lines = [f"{name}: {value}" for name, value in result.items() if not isinstance(value, dict | list)]
    lines.append(f"\nnext: design-protocol evaluate {run}\n      tensorboard --logdir {run.parent}")
    _print(result, as_json, lambda: typer.echo("\n".join(lines)))


def _config(kind: type[Config], **values: Any) -> Config:
    """Build a configuration; a value that it refuses is the user's to mend, so it is a usage error."""
    from buffers.errors import UsageError

    try:
        return kind(**values)
    except ValueError as error:
        raise UsageError(str(error)) from error


def _print_rows(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print rows of like keys as a table, on one line each however narrow the terminal is.

    `x`, `x_low` and `x_high` share a column, as in `0.53 [0.41, 0.64]`.
    """
    from rich.console import Console
    from rich.table import Table

    columns = list(dict.fromkeys(key for row in rows for key in row))
    bounded = [column for column in columns if {f"{column}_low", f"{column}_high"} <= set(columns)]
    bounds = {f"{column}_{side}" for column in bounded for side in ("low", "high")}
    columns = [column for column in columns if column not in bounds]
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        numeric = all(isinstance(row.get(column), int | float | None) for row in rows)
        table.add_column(column.replace("_", " "), justify="right" if numeric else "left", no_wrap=True)
    for row in rows:
        cells = [_cell(row.get(column)) for column in columns]
        for place, column in enumerate(columns):
            if column in bounded and row.get(f"{column}_low") is not None:
                cells[place] += f" [{_cell(row[f'{column}_low'])}, {_cell(row[f'{column}_high'])}]"
        table.add_row(*cells)
    console = Console()
    console.width = max(console.width, console.measure(table, options=console.options.update(width=1_000)).maximum)
    console.print(table)


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.3f}" if value != int(value) or abs(value) < 10 else f"{value:,.0f}"
    if isinstance(value, list):
        return ", ".join(map(_cell, value))
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


if __name__ == "__main__":
    main()
