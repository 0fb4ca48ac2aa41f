"""Runs the campaign: `python -m tools.drum_physics [--seeds N] [--only NAME] [--output FILE]`.

Every finished run is written at once, and a run that the file already has is not repeated, so that
the command can be stopped and started again. It takes processor minutes for a few runs.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from pathlib import Path
from typing import Any

from tools.drum_physics.designs import DESIGNS, Design

RESULTS = Path(__file__).parent.parent.parent / "docs" / "build" / "campaigns" / "drum_physics.json"


def main(arguments: list[str] | None = None) -> int:
    """Run every missing design and seed; return 0, or 1 if a run was refused."""
    parser = argparse.ArgumentParser(prog="python -m tools.drum_physics")
    parser.add_argument("--seeds", type=int, default=3, help="runs of each design")
    parser.add_argument("--only", action="append", help="the name of a design; can be repeated")
    parser.add_argument("--from-seed", type=int, default=1, help="the first seed")
    parser.add_argument("--reverse", action="store_true", help="begin with the last design")
    parser.add_argument("--output", type=Path, default=RESULTS)
    asked = parser.parse_args(arguments)
    import mujoco
    import numpy as np

    from tools.drum_physics.tumbling import (
        CONTACT,
        SOLVER,
        STEP,
        ImplausibleSpeedError,
        StalledPanError,
    )

    versions = {
        "mujoco": mujoco.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
    }
    conditions = {"step": STEP, "contact": CONTACT, "solver": SOLVER}
    stored = _read(asked.output) or {"versions": versions, "conditions": conditions, "runs": []}
    done = {(run["design"], run["seed"]) for run in stored["runs"]}
    refused = 0
    for seed in range(asked.from_seed, asked.from_seed + asked.seeds):
        for design in reversed(DESIGNS) if asked.reverse else DESIGNS:
            if (asked.only and design.name not in asked.only) or (design.name, seed) in done:
                continue
            try:
                run = _run(design, seed)
            except (ImplausibleSpeedError, StalledPanError) as error:
                print(f"{design.name}, seed {seed}: {error}", file=sys.stderr)
                refused += 1
                continue
            stored["runs"].append(run)
            _write(asked.output, stored)
            print(f"{design.name}, seed {seed}: {run['segregation'][-1]} in {run['cpu_s']} s")
    return 1 if refused else 0


def _run(design: Design, seed: int) -> dict[str, Any]:
    from tools.drum_physics.tumbling import tumble

    began = time.process_time()
    result = tumble(design.setting, seed, design.seconds, picking=design.picking)
    return {
        "design": design.name,
        "seed": seed,
        "setting": design.setting.as_json(),
        "segregation": [round(index, 3) for index in result.segregation],
        "face_down": round(result.face_down, 3),
        "fastest": round(result.fastest, 2),
        "layers": [int(layer) for layer in result.heaps.layers],
        "drop_order": [int(place) for place in result.heaps.order],
        "picks": [[tile, head, round(at, 2)] for tile, head, at in result.picks],
        "cpu_s": round(time.process_time() - began, 1),
    }


def _read(file: Path) -> Any:
    return json.loads(file.read_text("utf-8")) if file.exists() else None


def _write(file: Path, stored: Any) -> None:
    """Write one run a line, so that a new run is a new line."""
    runs = ",\n  ".join(json.dumps(run) for run in stored["runs"])
    head = json.dumps({name: stored[name] for name in ("versions", "conditions")})[1:-1]
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(".part")
    part.write_text(f'{{{head}, "runs": [\n  {runs}\n]}}\n', "utf-8")
    part.replace(file)


if __name__ == "__main__":
    sys.exit(main())
