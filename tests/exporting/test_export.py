"""Exported agents, each in its own process, do what the joint policy does; what cannot be exported is said."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from buffers.errors import CorruptFileError, RejectedError, ResourceError, UsageError
from marl_runtime.evaluation import EvalConfig, evaluate
from marl_runtime.exporting.export import export_run
from marl_runtime.exporting.playing import play_agents
from marl_runtime.exporting.policy import AgentPolicy
from marl_runtime.training import train
from marl_runtime.training_config import EpsilonSchedule, TrainConfig

SHIPPED = Path(__file__).parents[2] / "generated_protocols"
TASK = "bane_vs_hM"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Short real runs: what they learnt does not matter, that their networks are not fresh ones does."""
    root = tmp_path_factory.mktemp("runs")
    made = {}
    for method in ("lmac", "direct", "qmix", "qmix_state", "commnet", "enc_random"):
        needs = method in ("lmac", "direct", "enc_random")
        config = TrainConfig(
            TASK, method, protocol=str(SHIPPED / TASK / "llm-a") if needs else None, steps=2_500, envs=32,
            steps_per_update=60, eval_every=10_000, eval_episodes=8, epsilon=EpsilonSchedule(steps=2_000),
        )  # fmt: skip
        made[method] = train(config, root)
    return made


@pytest.mark.parametrize("method", ["lmac", "direct", "qmix"])
def test_agents_in_processes_of_their_own_do_what_the_joint_policy_does(
    runs: dict[str, Path], tmp_path: Path, method: str
) -> None:
    run = runs[method]
    out = export_run(run, tmp_path / "out")
    played = play_agents(out, 12, seed=4, run=run)
    assert played.disagreements == 0
    assert played.utility_difference is not None
    assert played.utility_difference < 1e-5
    joint = evaluate(run, EvalConfig(12, seed=4))
    assert played.success == joint.success
    assert played.returns.value == pytest.approx(joint.returns.value, rel=1e-6)
    assert played.steps == joint.rows.length.sum()
    # a protocol's agents speak, the others have nothing to say
    assert (played.payloads > 0) == (method != "qmix")


def test_the_comparison_can_fail(runs: dict[str, Path], tmp_path: Path) -> None:
    """Against another run's joint policy the agents' utilities are other ones."""
    out = export_run(runs["lmac"], tmp_path / "out")
    for agent in (out / "agents").iterdir():
        shutil.rmtree(agent)
        shutil.copytree(export_run(runs["qmix"], tmp_path / f"q{agent.name}") / "agents" / agent.name, agent)
    played = play_agents(out, 2, run=runs["lmac"])
    assert played.utility_difference is not None
    assert played.utility_difference > 1e-3


def test_an_agents_folder_stands_alone(runs: dict[str, Path], tmp_path: Path) -> None:
    """Its process needs the folder: no task, no simulator, no pandas, and no other agent's files."""
    out = export_run(runs["lmac"], tmp_path / "out")
    alone = shutil.move(out / "agents" / "1", tmp_path / "alone")
    shutil.rmtree(out)
    source = (
        "import sys; from pathlib import Path; from marl_runtime.exporting.policy import AgentPolicy\n"
        "policy = AgentPolicy(Path(sys.argv[1])); print(policy.card.agent, *sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", source, str(alone)], capture_output=True, text=True, check=True)
    agent, *modules = done.stdout.split()
    assert agent == "1"
    assert {"numba", "pandas", "marl_runtime.skirmish", "marl_runtime.training"}.isdisjoint(modules)
    weights = (Path(alone) / "weights.safetensors").read_bytes()
    assert b"communication.decoder" not in weights
    assert b"mixer" not in weights


def test_an_agent_hears_what_it_is_told_and_nothing_else(runs: dict[str, Path], tmp_path: Path) -> None:
    out = export_run(runs["direct"], tmp_path / "out")
    agents = [AgentPolicy(out / "agents" / str(number)) for number in range(3)]
    schema = agents[0].schema
    rng = np.random.default_rng(0)
    observations = rng.random((3, schema.obs_dim), dtype=np.float32)
    payloads = {number: agent.send(observations[number], True) for number, agent in enumerate(agents)}
    available = np.ones(schema.n_actions, dtype=bool)
    _, told = agents[0].act({1: payloads[1], 2: payloads[2]}, available)
    agents[0].reset()
    agents[0].send(observations[0], True)
    _, untold = agents[0].act({}, available)
    assert np.abs(told - untold).max() > 1e-4


@pytest.mark.parametrize(
    ("method", "says"),
    [
        ("qmix_state", "sees the state when it acts"),
        ("commnet", "protocols alone are exported"),
        ("enc_random", "a control whose messages the rollout makes up"),
    ],
)
def test_what_no_agent_could_do_alone_is_refused(runs: dict[str, Path], tmp_path: Path, method: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        export_run(runs[method], tmp_path / "out")
    assert not list(tmp_path.iterdir())


def test_damage_is_named(runs: dict[str, Path], tmp_path: Path) -> None:
    out = export_run(runs["lmac"], tmp_path / "out")
    with pytest.raises(UsageError, match="is there already"):
        export_run(runs["lmac"], out)
    agent = out / "agents" / "2"
    whole = (agent / "weights.safetensors").read_bytes()
    for damaged in (whole[:-5], b"", whole[:-1] + bytes([whole[-1] ^ 1])):
        (agent / "weights.safetensors").write_bytes(damaged)
        with pytest.raises(CorruptFileError, match=r"agents/2/weights.safetensors is damaged"):
            AgentPolicy(agent)
    with pytest.raises(
        ResourceError, match=r"the agent of .*agents/2 ended with status 3: CorruptFileError: .*damaged"
    ):
        play_agents(out, 1)
    (agent / "weights.safetensors").write_bytes(whole)
    card = json.loads((agent / "policy.json").read_text())
    (agent / "policy.json").write_text(json.dumps({**card, "agent": 9}))
    with pytest.raises(CorruptFileError, match="agent 9 of 3"):
        AgentPolicy(agent)
    (agent / "policy.json").write_text(json.dumps({**card, "version": 7}))
    with pytest.raises(CorruptFileError, match="is of version 7"):
        AgentPolicy(agent)
    (agent / "protocol" / "part0.py").write_text("def send(own):\n    return {}\n")
    (agent / "policy.json").write_text(json.dumps(card))
    with pytest.raises(RejectedError, match=r"part0\.py"):
        AgentPolicy(agent)
    with pytest.raises(UsageError, match="is no export"):
        play_agents(tmp_path / "nowhere", 1)
