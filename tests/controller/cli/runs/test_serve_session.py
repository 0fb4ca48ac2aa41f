"""The service that `wallwright serve` creates, without its address."""

from __future__ import annotations

from pathlib import Path

import pytest

from config.loader import load_table
from controller.cli.runs.serve_session import ServeJob, open_service
from controller.service.commands import Actor
from controller.service.commands.recovery_lead import LAPSE
from controller.service.user_roles import UserRole
from firmware_bridge.sim.clock import run


@pytest.mark.parametrize("pace", [1.0, 25.0])
def test_a_recovery_lead_lasts_as_long_for_people_at_every_simulated_speed(
    tmp_path: Path, pace: float
) -> None:
    async def serve() -> None:
        job = ServeJob(
            table_name="robotic",
            table=load_table("robotic"),
            game=None,
            until_ready=False,
            listen="",
            data=tmp_path,
            journal_copy=None,
            pace=pace,
            seed=1,
            automatic=False,
            ports={},
            keys=None,
            injected_faults=(),
            cert=None,
            key=None,
        )
        async with open_service(job, tmp_path) as service:
            service.recovery.take(Actor("Ann", UserRole.ATTENDANT, "phone"))
            assert service.recovery.lapses_at is not None
            left = service.recovery.lapses_at - service.clock()
            assert left == pytest.approx(LAPSE * pace, abs=1)

    run(serve())
