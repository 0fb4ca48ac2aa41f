"""Notices to the supervisor: sockets in files and in the abstract name space, and the status."""

from __future__ import annotations

import os
import socket
from pathlib import Path

from controller.service.runs.service_notices import ServiceNotices, status_line
from controller.service.status import Status, TableFacts
from controller.service.status.table_status import (
    FaultStatus,
    OpenPrompt,
    PauseCauseStatus,
    ServiceStatus,
)

IDLE = Status(table=TableFacts(name="classic", seats=4, simulated=True, software="1"))
FAULT = FaultStatus(
    code="JAM", part="head 2", evidence="0 of 2", cure="Take\nit out.", role="attendant", since=0
)


def test_an_abstract_socket_gets_the_notices_as_well_as_one_in_a_file(tmp_path: Path) -> None:
    abstract = f"wallwright-test-{os.getpid()}"
    for bound, named in (("\0" + abstract, "@" + abstract), (str(tmp_path / "n"),) * 2):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as supervisor:
            supervisor.bind(bound)
            supervisor.settimeout(5)
            ServiceNotices({"NOTIFY_SOCKET": named}).send("READY=1")
            assert supervisor.recv(100) == b"READY=1"


def test_the_status_is_sent_when_it_changes_and_only_then(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as supervisor:
        supervisor.bind(str(tmp_path / "n"))
        supervisor.settimeout(5)
        notices = ServiceNotices({"NOTIFY_SOCKET": str(tmp_path / "n")})
        for status in (IDLE, IDLE, IDLE.model_copy(update={"fault": FAULT}), IDLE):
            notices.show(status)
        notices.send("STOPPING=1")
        received = [supervisor.recv(200).decode() for _ in range(4)]
    assert received == [
        "STATUS=The table is free.",
        "STATUS=JAM at head 2: Take it out.",
        "STATUS=The table is free.",
        "STOPPING=1",
    ]


def test_the_status_names_first_the_fault_then_what_a_person_is_to_do() -> None:
    prompt = OpenPrompt(
        id="1", kind="fault", role="attendant", text="?", code="JAM", part="head 1", request="Look."
    )
    cause = PauseCauseStatus(why="EMERGENCY_STOP", board="base")
    paused = IDLE.model_copy(update={"pause": (cause,)})
    prompted = paused.model_copy(update={"prompts": (prompt,)})
    assert status_line(paused) == "The table is paused."
    assert status_line(prompted) == "JAM at head 1: Look."
    assert status_line(prompted.model_copy(update={"fault": FAULT})).startswith("JAM at head 2")
    playing = ServiceStatus(state="session", sentence="Pai gow is played.")
    assert status_line(IDLE.model_copy(update={"service": playing})) == "Pai gow is played."
