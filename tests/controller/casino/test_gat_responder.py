"""The machine's side of GAT: states, refusals and results, without a line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.casino.gat.frames import (
    QUERIES,
    SPECIAL_FUNCTIONS,
    GatCommand,
    GatError,
    GatFormat,
    GatFrame,
    GatPart,
    GatStart,
    GatState,
    LastStatusReply,
    ResultsQuery,
    ResultsReply,
    StatusReply,
)
from controller.casino.gat.functions import (
    LEVEL_ONE,
    GatRequest,
    answers_in,
    functions_in,
    list_of_answers,
    requested,
)
from controller.casino.gat.port import GatResponder

SEED = bytes(range(20))
ALL = GatRequest(SPECIAL_FUNCTIONS, SEED)
LIST = GatRequest(SPECIAL_FUNCTIONS)
NAMES = ("all files", "controller", "rules")
ANSWERS = {name: f"{number:064x}" for number, name in enumerate(NAMES)}
STARTED = GatStart.ACKNOWLEDGED | GatStart.STARTED


class Machine:
    """A responder at a clock that tests set, and the calculations that it started."""

    def __init__(self) -> None:
        self.now = 100.0
        self.started: list[GatRequest] = []
        self.responder = GatResponder(NAMES, self.started.append, lambda: self.now)

    def ask(self, command: GatCommand, data: bytes = b"") -> bytes:
        reply = self.responder.reply(GatFrame(command, data))
        assert reply.command == command | 0x80
        return reply.data

    def start(self, request: GatRequest | bytes) -> GatStart:
        data = request if isinstance(request, bytes) else request.to_bytes()
        return GatStart(self.ask(GatCommand.START, data)[0])

    @property
    def state(self) -> GatState:
        return StatusReply.of(self.ask(GatCommand.STATUS)).state

    @property
    def last(self) -> LastStatusReply:
        return LastStatusReply.of(self.ask(GatCommand.LAST_STATUS))

    def part(self, number: int, form: GatFormat = GatFormat.XML) -> ResultsReply:
        query = ResultsQuery(form, number).to_bytes()
        return ResultsReply.of(self.ask(GatCommand.LAST_RESULTS, query))

    def result(self) -> bytes:
        found, number = b"", 0
        while True:
            number += 1
            reply = self.part(number)
            assert reply.frame == number
            assert not reply.marks & GatPart.ERROR
            found += reply.data
            if reply.marks & GatPart.LAST:
                return found


@pytest.fixture
def machine() -> Machine:
    return Machine()


def test_a_machine_is_idle_without_a_result_after_its_start(machine: Machine) -> None:
    assert machine.ask(GatCommand.STATUS) == bytes((0x03, 0x50, 0b0100, 0x02))
    assert machine.last == LastStatusReply(0, 0)
    assert machine.part(1) == ResultsReply(GatPart.ERROR | GatPart.LAST, 1)


def test_a_terminal_reads_the_answers_of_all_components_in_frames(machine: Machine) -> None:
    assert machine.start(ALL) == STARTED
    assert machine.started == [ALL]
    assert machine.state is GatState.CALCULATING
    assert machine.part(1).marks & GatPart.ERROR, "there is no result yet"
    machine.responder.finish(ANSWERS)
    assert machine.state is GatState.DONE
    machine.now += 61.9
    assert machine.last == LastStatusReply(SPECIAL_FUNCTIONS, 61)
    assert len(machine.part(1).data) == 248
    assert answers_in(machine.result()) == ANSWERS
    assert machine.part(99).marks & GatPart.ERROR
    assert machine.part(0).marks & GatPart.ERROR


def test_a_second_request_is_refused_while_a_calculation_runs(machine: Machine) -> None:
    machine.start(ALL)
    assert machine.start(GatRequest(SPECIAL_FUNCTIONS, bytes(16), "rules")) == GatStart(0)
    assert machine.start(LIST) == GatStart(0)
    assert machine.started == [ALL], "the first one goes on"
    assert machine.state is GatState.CALCULATING
    machine.responder.finish(ANSWERS)
    assert answers_in(machine.result()) == ANSWERS
    assert machine.start(GatRequest(SPECIAL_FUNCTIONS, bytes(16), "rules")) == STARTED


def test_a_terminal_gets_the_list_of_functions_at_once(machine: Machine) -> None:
    assert machine.start(LIST) == STARTED
    assert machine.state is GatState.DONE
    assert machine.started == []
    assert functions_in(machine.result()) == [
        ["Get File", "AuthenticationResponse.xml", "%%SHA1_HMAC%%"],
        ["Component", "all files", "%%SHA1_HMAC%%"],
        ["Component", "controller", "%%SHA1_HMAC%%"],
        ["Component", "rules", "%%SHA1_HMAC%%"],
    ]


@pytest.mark.parametrize(
    ("data", "answer"),
    [
        (b"\x02", GatStart.WRONG_LEVEL),
        (b"\xba", GatStart(0)),
        (b"\xbaGet Special Functions", GatStart(0)),
        (b"\xba\0Get File\tAuthenticationResponse.xml\t(none)", GatStart(0)),
        (b"\xba\0Get File\tAuthenticationResponse.xml\t" + b"00" * 15, GatStart(0)),
        (b"\xba\0Get File\tAuthenticationResponse.xml\t" + b"00" * 65, GatStart(0)),
        (b"\xba\0Get File\tAuthenticationResponse.xml\t" + b"0 " * 16, GatStart(0)),
        (b"\xba\0Get File\t/etc/shadow\t" + b"00" * 20, GatStart(0)),
        (b"\xba\0Component\tdaemon\t" + b"00" * 20, GatStart(0)),
        (b"\x01", GatStart(0)),
        (b"\x01" + b"zz" * 16, GatStart(0)),
    ],
)
def test_a_request_that_is_not_offered_is_refused_and_no_result_stays(
    machine: Machine, data: bytes, answer: GatStart
) -> None:
    machine.start(LIST)
    assert machine.start(data) == answer
    assert machine.started == []
    assert machine.state is GatState.FAILED
    assert machine.part(1).marks & GatPart.ERROR
    assert machine.last == LastStatusReply(0, 0)


def test_a_seed_is_read_in_both_cases_and_after_0x() -> None:
    for text in (SEED.hex(), SEED.hex().upper(), "0x" + SEED.hex(), "0X" + SEED.hex()):
        assert requested(b"\x01" + text.encode(), NAMES) == GatRequest(LEVEL_ONE, SEED)


@pytest.mark.parametrize(
    "request_", [ALL, LIST, GatRequest(1, SEED), GatRequest(0xBA, SEED, "rules")]
)
def test_a_request_is_read_as_the_terminal_wrote_it(request_: GatRequest) -> None:
    assert requested(request_.to_bytes(), NAMES) == request_


def test_a_calculation_that_fails_leaves_no_result(machine: Machine) -> None:
    machine.start(LIST)
    machine.start(ALL)
    machine.responder.fail()
    assert machine.ask(GatCommand.STATUS)[2] == 0b1100
    assert machine.part(1).marks == GatPart.ERROR | GatPart.LAST
    assert machine.last == LastStatusReply(0, 0)


def test_results_are_offered_as_xml_only(machine: Machine) -> None:
    machine.start(LIST)
    assert machine.part(1, GatFormat.TEXT).marks & GatPart.ERROR
    assert machine.part(1, GatFormat.TEXT | GatFormat.XML).data


def test_a_response_is_not_answered(machine: Machine) -> None:
    with pytest.raises(GatError, match="STATUS_REPLY is a response"):
        machine.responder.reply(GatFrame(GatCommand.STATUS_REPLY))


@given(
    st.lists(
        st.tuples(st.sampled_from(sorted(QUERIES)), st.binary(min_size=1, max_size=251)),
        max_size=8,
    )
)
def test_any_query_has_a_reply_that_fits_a_frame_or_is_refused(
    queries: list[tuple[int, bytes]],
) -> None:
    machine = Machine()
    for command, data in queries:
        try:
            reply = machine.responder.reply(GatFrame(GatCommand(command), data))
        except GatError:
            continue
        assert len(reply.to_bytes()) <= 255
        assert len(machine.started) <= 1


@given(st.binary(max_size=400))
def test_any_result_of_a_machine_is_read_or_refused(text: bytes) -> None:
    for read in (answers_in, functions_in):
        try:
            read(text)
        except GatError:
            continue


def test_a_result_with_entities_is_refused() -> None:
    text = list_of_answers({"rules": "00"})
    assert answers_in(text) == {"rules": "00"}
    bomb = text.replace(b"<Components", b'<!DOCTYPE x [<!ENTITY a "aaaa">]><Components', 1)
    with pytest.raises(GatError, match="XML entities"):
        answers_in(bomb)
