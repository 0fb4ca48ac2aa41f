"""Tests the frame codec: encoding and decoding, damaged frames, limits."""

from __future__ import annotations

import re
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge.wire import messages as wire
from firmware_bridge.wire.codec import Decoder, Frame, configuration_crc, encode, whole_frames
from firmware_bridge.wire.messages import MAX_FRAME, MAX_PAYLOAD, TABLE, Message, MessageRow
from tests.quick import tries

BYTE = st.integers(0, 255)


def _message(row: MessageRow) -> st.SearchStrategy[Message]:
    """Generate any message of a row of the message table, with many fields that are 0."""
    payload = st.lists(st.sampled_from([0, 0, 1, 2, 128, 255]) | BYTE, **_exactly(row.layout.size))
    return payload.map(lambda values: row.message._make(row.layout.unpack(bytes(values))))


def _exactly(size: int) -> dict[str, int]:
    return {"min_size": size, "max_size": size}


MESSAGES = st.sampled_from(TABLE).flatmap(_message)
FRAMES = st.builds(Frame, BYTE, BYTE, MESSAGES, st.just(b""), st.just(b""))


@given(st.lists(FRAMES, max_size=12), st.integers(1, 40))
def test_every_message_is_decoded_as_it_was_encoded_in_pieces_of_any_size(
    frames: list[Frame], piece: int
) -> None:
    data = b"".join(encode(*frame[:3]) for frame in frames)
    decoder = Decoder()
    out: list[Frame] = []
    for start in range(0, len(data), piece):
        out += decoder.feed(data[start : start + piece])
    assert out == frames
    assert decoder.dropped == 0


@given(FRAMES)
def test_a_frame_fits_the_maximum_length_and_its_only_zero_is_its_last_byte(frame: Frame) -> None:
    data = encode(*frame[:3])
    assert len(data) <= MAX_FRAME
    assert data.index(0) == len(data) - 1


def test_every_layout_fits_the_payload_and_message_numbers_are_unique() -> None:
    assert all(row.layout.size <= MAX_PAYLOAD for row in TABLE)
    assert len({row.number for row in TABLE}) == len({row.message for row in TABLE}) == len(TABLE)


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.message.__name__)
def test_one_or_two_flipped_bits_are_never_accepted_as_another_frame(row: MessageRow) -> None:
    payload = bytes(index * 37 % 5 and index * 91 % 256 for index in range(row.layout.size))
    _survives_every_double_flip(Frame(2, 77, row.message._make(row.layout.unpack(payload))))


@pytest.mark.slow
def test_the_double_flip_that_a_crc_inside_cobs_misses_is_detected() -> None:
    """Two flipped bits in this message move zeros, and a CRC inside COBS would still be valid."""
    payload = "000100ff31ff0001000000ff00be000000ffd6000000ff0001000000ff00000000000000000000000000"
    layout = next(row.layout for row in TABLE if row.message is wire.Configure)
    record = wire.Configure._make(layout.unpack(bytes.fromhex(payload)))
    _survives_every_double_flip(Frame(0x06, 0x66, record))


def _survives_every_double_flip(sent: Frame) -> None:
    data = encode(*sent[:3])
    value = int.from_bytes(data, "big")
    bits = range(8 * len(data))
    for flipped in [*combinations(bits, 1), *combinations(bits, 2)]:
        spoiled = value
        for bit in flipped:
            spoiled ^= 1 << bit
        frames = Decoder().feed(spoiled.to_bytes(len(data), "big") + b"\0")
        assert all(frame == sent for frame in frames), f"bits {flipped} of {data.hex()}"


@pytest.mark.evidence
@settings(max_examples=tries(150, quick=60, evidence=1500))
@given(st.lists(st.binary(max_size=200), max_size=8), FRAMES)
@pytest.mark.slow
def test_garbage_never_raises_and_the_next_frame_after_a_zero_is_decoded(
    garbage: list[bytes], frame: Frame
) -> None:
    decoder = Decoder()
    for piece in garbage:
        decoder.feed(piece)
    assert decoder.feed(b"\0" + encode(*frame[:3]))[-1] == frame


@pytest.mark.evidence
@settings(max_examples=tries(150, quick=60, evidence=1500))
@given(FRAMES, st.data())
@pytest.mark.slow
def test_a_frame_cut_short_or_with_a_piece_missing_is_dropped_and_counted(
    frame: Frame, data: st.DataObject
) -> None:
    whole = encode(*frame[:3])
    start = data.draw(st.integers(0, len(whole) - 2))
    end = data.draw(st.integers(start + 1, len(whole) - 1))
    decoder = Decoder()
    left = whole[:start] + whole[end:]
    assert decoder.feed(left) == []
    assert decoder.dropped == (left != b"\0")
    assert decoder.feed(whole) == [frame]


def test_only_undamaged_complete_frames_can_be_decoded_once_for_all_boards() -> None:
    read, stop = encode(0, 1, wire.Read(3), b"k" * 16, 1), encode(1, 2, wire.Stop(0))
    frames = whole_frames(read + stop)
    assert frames == Decoder().feed(read + stop) and len(frames) == 2
    assert whole_frames(read + stop[:-1]) is None
    assert whole_frames(read[1:] + stop) is None
    decoder = Decoder()
    decoder.feed(stop[:-1])
    assert not decoder.is_between_frames
    decoder.feed(stop[-1:])
    assert decoder.is_between_frames


def test_each_kind_of_damage_has_its_own_count() -> None:
    decoder = Decoder()
    sound = encode(0, 1, wire.Read(3))
    spoiled = bytes([*sound[:3], sound[3] ^ 0x10, *sound[4:]])
    decoder.feed(spoiled)
    assert decoder.damaged == 1
    decoder.feed(b"\x02\x01\0")
    assert decoder.truncated == 1
    decoder.feed(b"\x01" * 10_000)
    decoder.feed(b"\x01" * 10_000 + b"\0")
    assert decoder.oversized == 1
    assert decoder.feed(sound) == [Frame(0, 1, wire.Read(3))]
    assert decoder.dropped == 3


def test_an_endless_run_without_a_zero_takes_no_memory() -> None:
    decoder = Decoder()
    for _ in range(100):
        decoder.feed(b"\xff" * 10_000)
    assert len(decoder._rest) <= MAX_FRAME


def test_empty_frames_between_zeros_are_neither_frames_nor_damage() -> None:
    decoder = Decoder()
    assert decoder.feed(b"\0\0\0") == []
    assert decoder.dropped == 0


@pytest.mark.parametrize(
    ("message", "complaint"),
    [
        (wire.Set(3, 1 << 40), "value of Set cannot be 1099511627776"),
        (wire.TakeLease(70_000), "duration_ms of TakeLease cannot be 70000"),
        (wire.Set(300, 1), "channel of Set cannot be 300"),
    ],
)
def test_a_field_that_does_not_fit_is_named_with_its_value(
    message: Message, complaint: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(complaint)):
        encode(0, 0, message)


def test_an_address_out_of_range_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="address 256 and sequence number 0 must be 0-255"):
        encode(256, 0, wire.Clear())


def test_the_configuration_crc_depends_on_every_record_and_their_order() -> None:
    first, second = (
        wire.Configure(index, 2, 5, 255, 1, 0, 0, 0, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        for index in (0, 1)
    )
    crcs = {configuration_crc(records) for records in ([first], [first, second], [second, first])}
    assert len(crcs) == 3
