"""`wallwright learn`: finds out what each wire of an existing table does, and proposes its file."""

from __future__ import annotations

from pathlib import Path

import click

from config.errors import ConfigErrors
from config.wire_list import load_wire_list
from controller.cli.command import CliCommand
from controller.cli.errors import BadInputError
from controller.cli.options import completion
from controller.cli.options.boards import (
    allow_simulated_option,
    keys_of,
    keys_option,
    port_option,
    ports_of,
    require_ports,
    require_ports_for_keys,
    require_ports_for_simulated,
)
from controller.cli.options.lookup import table_named
from controller.cli.options.shared import PATH
from controller.cli.output.output_checks import require_new, require_separate


@click.command(cls=CliCommand)
@click.argument(
    "wires",
    type=PATH,
    required=False,
    help="The wire list: the boards and pins of the table (docs/build/RETROFIT.md).",
)
@click.option(
    "--like",
    default="classic",
    shell_complete=completion.tables,
    help="The table that it resembles: a name, or the path of a YAML file.",
)
@port_option
@click.option(
    "--out", type=PATH, show_default="NAME.yaml", help="Write the proposed table to this new file."
)
@click.option(
    "--state",
    type=PATH,
    show_default="NAME.learn.json",
    help="Keep what was found in this file; the same command continues with it.",
)
@click.option(
    "--longest",
    type=float,
    default=6.0,
    help="Longest time of one try of a motor, in seconds (1 to 30).",
)
@click.option("--sim", is_flag=True, help="Learn a simulated table with shuffled wires.")
@click.option("--seed", type=int, default=0, help="With --sim: the seed that shuffles the wires.")
@click.option(
    "--yes", is_flag=True, help="Let a simulated person type and answer (with --sim only)."
)
@keys_option
@allow_simulated_option
def learn(
    wires: Path | None,
    like: str,
    port: tuple[str, ...],
    out: Path | None,
    state: Path | None,
    longest: float,
    sim: bool,
    seed: int,
    yes: bool,
    keys: Path | None,
    allow_simulated: bool,
) -> int:
    """Find out what each wire of a table does, one motor at a time, and propose its file."""
    if not 1 <= longest <= 30:
        raise BadInputError(f"`--longest` must be 1 to 30 seconds; got {longest:g}.")
    if yes and not sim:
        raise BadInputError("`--yes` works on a simulated table only; leave it out, or add --sim.")
    if sim == (wires is not None):
        raise BadInputError("Name a wire list and its --port, or give --sim without either.")
    model = table_named(like)
    from controller.cli.runs.learn_session import LearnJob, run_learning

    rewiring = None
    if sim:
        if len(model.boards) != 1 or any(each.kind == "gpio" for each in model.boards.values()):
            raise BadInputError(
                f"The wires of {model.name} cannot be shuffled: it needs exactly one serial board;"
                " give --like classic or --like single_port."
            )
        from firmware_bridge.sim.rewired import shuffled

        rewiring = shuffled(model, seed)
        listed = rewiring.wire_list
    else:
        assert wires is not None
        try:
            listed = load_wire_list(wires)
        except ConfigErrors as error:
            raise BadInputError(str(error)) from error
    ports = ports_of(model.model_copy(update={"boards": listed.boards}), port)
    if sim and ports:
        raise BadInputError("`--sim` and `--port` exclude each other; leave out one of them.")
    if not sim and not ports:
        raise BadInputError("The boards are missing; name their port with --port.")
    require_ports_for_keys(keys, ports)
    require_ports_for_simulated(ports, allow_simulated=allow_simulated)
    require_ports(dict.fromkeys(ports.values()))
    out = out or Path(f"{listed.name}.yaml")
    state = state or Path(f"{listed.name}.learn.json")
    require_separate({"--out": str(out), "--state": str(state)}, keys=keys)
    require_new("--out", str(out))
    known = keys_of(keys, ports.values(), allow_simulated=allow_simulated) if ports else None
    job = LearnJob(listed, model, ports, known, state, out, longest, rewiring, seed)
    return run_learning(job, yes=yes)
