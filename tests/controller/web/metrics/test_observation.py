"""Counts from events, and values from arranged statuses."""

from __future__ import annotations

from pathlib import Path

from controller.service.status import (
    AuditStatus,
    BoardStatus,
    CountsStatus,
    FaultStatus,
    MachineStatus,
    OpenPrompt,
    PauseCauseStatus,
    ServiceStatus,
    Status,
    TableFacts,
)
from controller.service.status.machine_figures import LinkFigures, MachineFigures
from controller.service.user_roles import UserRole
from controller.web.metrics.catalogue import LAG_LIMITS, METRICS, Histogram
from controller.web.metrics.exposition import exposition
from controller.web.metrics.readings import (
    ApiFigures,
    ComputerFigures,
    Observation,
    computer_figures,
    computer_readings,
    is_playable,
    readings,
)
from tests.controller.web.metrics.scraped import Values, value, values_of

PROMPT = {"code": "LID", "part": "lid"}
STATUS = Status(
    table=TableFacts(name="t", seats=4, simulated=False, software="1"),
    machine=MachineStatus(under="idle", top="clear", mode="going"),
    boards={"base": BoardStatus(connected=True)},
)


def scraped(
    status: Status = STATUS,
    seen: Observation | None = None,
    figures: MachineFigures | None = None,
    computer: ComputerFigures | None = None,
) -> Values:
    found = readings(
        status,
        100.0,
        seen or Observation("idle", 0.0),
        figures or MachineFigures(),
        Histogram(LAG_LIMITS).distribution,
        ApiFigures(3, 2),
    )
    return values_of(exposition((*found, *computer_readings(computer or ComputerFigures(0.0)))))


def test_a_jam_is_counted_when_it_is_recovered_and_when_it_stops_the_table() -> None:
    seen = Observation("idle", 0.0)
    seen.on_event({"t": 1.0, "event": "recovered", "code": "JAM", "part": "head 1", "attempt": 2})
    seen.on_event({"t": 2.0, "event": "recovered", "code": "LID", "part": "lid", "attempt": 2})
    seen.on_event({"t": 3.0, "event": "fault", "code": "JAM", "part": "head 1", "evidence": "x"})
    found = scraped(seen=seen)
    assert value(found, "jams_total") == 2
    assert value(found, "faults_total", code="JAM") == 1
    assert value(found, "faults_total", code="LID") == 0


def test_an_assist_lasts_from_the_prompt_to_its_answer_and_a_withdrawn_one_does_not_count() -> None:
    seen = Observation("idle", 0.0)
    for at, name, part in ((1, "operator_prompted", "a"), (2, "operator_prompted", "b")):
        seen.on_event({"t": at, "event": name, "code": "JAM", "part": part})
    seen.on_event({"t": 11.0, "event": "prompt_answered", "code": "JAM", "part": "a"})
    seen.on_event({"t": 90.0, "event": "prompt_withdrawn", "code": "JAM", "part": "b"})
    seen.on_event({"t": 91.0, "event": "operator_prompted", "code": "FORGOTTEN", "part": "lid"})
    seen.on_event({"t": 99.0, "event": "prompt_answered", "code": "FORGOTTEN", "part": "lid"})
    found = scraped(seen=seen)
    assert value(found, "assist_duration_seconds_count") == 1
    assert value(found, "assist_duration_seconds_sum") == 10.0
    assert value(found, "assist_duration_seconds_bucket", le="5") == 0
    assert value(found, "assist_duration_seconds_bucket", le="15") == 1
    assert value(found, "assist_duration_seconds_bucket", le="+Inf") == 1


def test_a_fault_a_pause_service_mode_and_a_failing_log_prevent_play() -> None:
    fault = FaultStatus(
        code="JAM", part="head 1", evidence="e", cure="c", role=UserRole.ATTENDANT, since=0.0
    )
    pause = (PauseCauseStatus(why="COMMAND"),)
    assert is_playable(STATUS)
    for change in (
        {"fault": fault},
        {"pause": pause},
        {"service": ServiceStatus(state="service_mode")},
        {"service": ServiceStatus(state="fault")},
        {"audit": AuditStatus(failure="The disk is full.")},
        {"machine": MachineStatus(mode="homing")},
    ):
        status = STATUS.model_copy(update=change)
        assert not is_playable(status), change
        assert value(scraped(status), "playable") == 0
    found = scraped(STATUS.model_copy(update={"fault": fault, "pause": pause}))
    assert value(found, "fault_open", code="JAM") == 1
    assert value(found, "pause_open", cause="COMMAND") == 1
    assert value(found, "paused_seconds_total") == 100.0


def test_the_oldest_prompt_of_a_role_gives_the_age_and_its_text_is_not_shown() -> None:
    prompts = tuple(
        OpenPrompt(
            id=f"p{since}",
            kind="fault",
            role=UserRole.DEALER,
            text="Mei (East) has 5p in her hand.",
            evidence="tile 5p",
            since=since,
        )
        for since in (90.0, 40.0)
    )
    found = scraped(STATUS.model_copy(update={"prompts": prompts}))
    assert value(found, "prompts_open", kind="fault", role="dealer") == 2
    assert value(found, "prompt_open_seconds", kind="fault", role="dealer") == 60.0
    assert "Mei" not in str(found)
    assert "5p" not in str(found)


def test_a_code_that_the_program_does_not_have_is_counted_as_other() -> None:
    seen = Observation("idle", 0.0)
    seen.on_event({"t": 0.0, "event": "fault", "code": "Mei", "part": "x"})
    counts = CountsStatus(assists={"Ann": 2, "Ben": 3}, pauses={"COMMAND": 1})
    found = scraped(STATUS.model_copy(update={"counts": counts}), seen)
    assert value(found, "faults_total", code="other") == 1
    assert value(found, "assists_total", code="other") == 5
    assert value(found, "pauses_total", cause="COMMAND") == 1
    assert not {"Mei", "Ann", "Ben"} & {label for _, labels in found for _, label in labels}


def test_links_storage_drift_and_the_computer_are_shown_in_base_units() -> None:
    figures = MachineFigures(
        links={"base": LinkFigures(commands=10, retries=2, forged=1, breaches=3)},
        storage_used={"base": 125},
        drift={("tile_time", "head 1"): -0.1},
    )
    computer = ComputerFigures(5.0, {"zone0": 47.5}, data_size=100, data_free=40)
    found = scraped(figures=figures, computer=computer)
    assert value(found, "board_retries_total", board="base") == 2
    assert value(found, "board_protocol_breaches_total", board="base") == 3
    assert value(found, "board_storage_used_ratio", board="base") == 0.125
    assert value(found, "drift_ratio", quantity="tile_time", part="head 1") == -0.1
    assert value(found, "temperature_celsius", sensor="zone0") == 47.5
    assert value(found, "data_free_bytes") == 40


def test_every_metric_of_the_list_has_a_value_in_some_status() -> None:
    fault = FaultStatus(
        code="LID", part="lid", evidence="", cure="", role=UserRole.PLAYER, since=0.0
    )
    prompt = OpenPrompt(id="p", kind="fault", role=UserRole.PLAYER, text="")
    status = STATUS.model_copy(
        update={
            "fault": fault,
            "prompts": (prompt,),
            "pause": (PauseCauseStatus(why="SILENT", board="base"),),
        }
    )
    figures = MachineFigures(storage_used={"base": 1}, drift={("current", "drum"): 0.0})
    computer = ComputerFigures(1.0, {"zone0": 40.0}, 2, 1)
    found = {name for name, _ in scraped(status, figures=figures, computer=computer)}
    parts = {"_bucket", "_sum", "_count"}
    shown = {name.removeprefix("wallwright_") for name in found}
    for part in parts:
        shown |= {name.removesuffix(part) for name in shown}
    assert set(METRICS) <= shown


def test_a_computer_without_sensors_and_without_a_data_folder_shows_its_time_only(
    tmp_path: Path,
) -> None:
    folder = tmp_path
    bare = computer_figures(None, folder)
    assert (bare.temperatures, bare.data_size) == ({}, None)
    for number, text in ((0, "41250\n"), (1, "broken"), (2, "-5000")):
        (folder / f"thermal_zone{number}").mkdir()
        (folder / f"thermal_zone{number}" / "temp").write_text(text)
    figures = computer_figures(folder, folder)
    assert figures.temperatures == {"zone0": 41.25, "zone2": -5.0}
    assert figures.data_size is not None and figures.data_free is not None
    assert 0 < figures.data_free <= figures.data_size
