"""Frames of GAT: what a terminal sends is found, and nothing else, whatever the line delivers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.casino.gat.frames import (
    GAP,
    LONGEST_FRAME,
    MOST_DATA,
    QUERIES,
    REPLIES,
    GatCommand,
    GatError,
    GatFormat,
    GatFrame,
    GatFrameReader,
    GatPart,
    GatState,
    LastStatusReply,
    ResultsQuery,
    ResultsReply,
    StatusReply,
    crc16,
)

STATUS = GatFrame(GatCommand.STATUS)
START = st.binary(min_size=1, max_size=MOST_DATA).map(lambda data: GatFrame(GatCommand.START, data))
QUERY = st.one_of(
    st.just(STATUS),
    st.just(GatFrame(GatCommand.LAST_STATUS)),
    st.binary(min_size=3, max_size=3).map(lambda data: GatFrame(GatCommand.LAST_RESULTS, data)),
    START,
)


def read(*pieces: tuple[bytes, float]) -> list[GatFrame]:
    reader = GatFrameReader(QUERIES)
    return [frame for data, now in pieces for frame in reader.feed(data, now)]


def test_the_checksum_has_the_published_check_value() -> None:
    assert crc16(b"123456789") == 0x4B37, "of the CRC that is known as MODBUS"


def test_a_status_query_has_four_bytes_with_the_checksum_high_byte_first() -> None:
    data = STATUS.to_bytes()
    assert data[:2] == b"\x01\x04"
    assert data[2:] == crc16(b"\x01\x04").to_bytes(2, "big")
    assert read((data, 1.0)) == [STATUS]


@given(st.lists(QUERY, min_size=1, max_size=4), st.data())
def test_frames_are_read_however_the_line_cuts_them(
    frames: list[GatFrame], data: st.DataObject
) -> None:
    whole = b"".join(frame.to_bytes() for frame in frames)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=6)))
    pieces = [whole[a:b] for a, b in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    assert read(*((piece, 1.0) for piece in pieces)) == frames


@given(QUERY, st.data())
def test_a_frame_with_a_changed_bit_is_never_taken_for_the_frame(
    frame: GatFrame, data: st.DataObject
) -> None:
    changed = bytearray(frame.to_bytes())
    bit = data.draw(st.integers(0, len(changed) * 8 - 1))
    changed[bit // 8] ^= 1 << bit % 8
    assert frame not in read((bytes(changed), 1.0))


@given(st.lists(st.tuples(st.binary(max_size=600), st.floats(0, 1)), max_size=5))
def test_any_bytes_are_survived_and_at_most_one_frame_of_them_is_kept(
    pieces: list[tuple[bytes, float]],
) -> None:
    reader = GatFrameReader(QUERIES)
    now = 0.0
    for data, seconds in pieces:
        now += seconds
        for frame in reader.feed(data, now):
            assert frame.command in QUERIES
            assert len(frame.to_bytes()) in QUERIES[frame.command]
        assert len(reader._kept) < LONGEST_FRAME
    assert list(reader.feed(STATUS.to_bytes(), now + 2 * GAP)) == [STATUS]


def test_the_rest_of_a_frame_that_stops_is_not_awaited_longer_than_the_gap() -> None:
    begun = GatFrame(GatCommand.START, b"\xba" + b"x" * 40).to_bytes()[:20]
    assert read((begun, 1.0), (STATUS.to_bytes(), 1.0 + GAP + 0.01)) == [STATUS]
    assert read((STATUS.to_bytes()[:3], 1.0), (STATUS.to_bytes()[3:], 1.05)) == [STATUS]
    assert read((STATUS.to_bytes()[:3], 1.0), (STATUS.to_bytes()[3:], 1.2)) == []


def test_a_query_behind_noise_is_found_without_a_gap() -> None:
    assert read((b"\xff\x00\x02\x05\x04" + STATUS.to_bytes(), 1.0)) == [STATUS]


def test_a_frame_with_a_length_that_its_command_cannot_have_is_no_frame() -> None:
    head = b"\x01\x05\x00"
    assert read((head + crc16(head).to_bytes(2, "big"), 1.0)) == []


def test_too_much_data_for_a_frame_is_refused() -> None:
    assert len(GatFrame(GatCommand.START, b"x" * MOST_DATA).to_bytes()) == 255
    with pytest.raises(GatError, match="at most 251 bytes of data; got 252"):
        GatFrame(GatCommand.START, b"x" * 252).to_bytes()


def test_the_contents_of_replies_have_the_documented_bytes() -> None:
    assert StatusReply(GatState.DONE).to_bytes() == bytes((0x03, 0x50, 0b0110, 2))
    assert LastStatusReply(0xBA, 258).to_bytes() == bytes((0xBA, 0, 0, 1, 2))
    assert ResultsQuery(GatFormat.XML, 258).to_bytes() == bytes((2, 1, 2))
    assert ResultsReply(GatPart.LAST, 1, b"x").to_bytes() == b"\x02\x00\x01x"


@pytest.mark.parametrize("kind", [StatusReply, LastStatusReply, ResultsQuery, ResultsReply])
@given(data=st.binary(max_size=12))
def test_any_contents_are_read_or_refused(kind: type[StatusReply], data: bytes) -> None:
    try:
        found = kind.of(data)
    except GatError:
        return
    assert kind.of(found.to_bytes()) == found


def test_every_reply_has_the_number_of_its_query_with_the_highest_bit() -> None:
    assert {command | 0x80 for command in QUERIES} == set(REPLIES)
