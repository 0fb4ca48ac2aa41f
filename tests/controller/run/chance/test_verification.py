"""A stranger verifies a record: the right one is verified, every changed one is refused."""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from controller.run.chance.records import (
    ChoiceRequest,
    CycleDraw,
    PlayerShare,
    permutation,
)
from controller.run.chance.verification import verify_chance
from examples import verify_elsewhere
from tests.quick import tries

ASKED = (permutation("permutation of set 0", 12), ChoiceRequest("d", "dice", 6, 2))
SHARES = (PlayerShare(0, "Mei: 八 8"), PlayerShare(3, "rain"))
DRAW = CycleDraw("robotic/42", 7, bytes(range(32)), SHARES, ASKED)
CHOICES = DRAW.draw()
RECORD: dict[str, Any] = DRAW.revealed(CHOICES).facts()
TEXT = json.dumps(RECORD, separators=(",", ":"), ensure_ascii=False).encode()
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
JSON = SCALARS | st.lists(SCALARS, max_size=3) | st.dictionaries(st.text(max_size=8), SCALARS)


def test_the_right_record_gives_its_choices() -> None:
    verdict = verify_chance(RECORD)
    assert verdict.reason == ""
    assert verdict.is_verified
    assert verdict.choices == CHOICES[:-1]
    assert verify_chance(json.loads(TEXT)) == verdict


def test_before_the_reveal_the_record_is_pending_and_not_verified() -> None:
    verdict = verify_chance(DRAW.hidden().facts())
    assert verdict.is_pending
    assert not verdict.is_verified
    assert verdict.reason == "The machine's share of cycle 7 is not revealed yet."


@given(st.integers(0, len(TEXT) - 1), st.integers(1, 255))
def test_any_changed_byte_is_refused(place: int, change: int) -> None:
    changed = bytearray(TEXT)
    changed[place] ^= change
    try:
        damaged = json.loads(bytes(changed))
    except ValueError:
        return  # it is not JSON any more, so no record is read
    assume(damaged != RECORD)
    verdict = verify_chance(damaged)
    assert not verdict.is_verified
    assert verdict.reason
    assert not verdict.choices


@pytest.mark.slow
@pytest.mark.evidence
def test_each_byte_with_each_value_is_refused() -> None:
    every = tries(16, quick=64, evidence=1)
    for place, right in enumerate(TEXT):
        for value in set(range(place % every, 256, every)) - {right}:
            changed = bytearray(TEXT)
            changed[place] = value
            try:
                damaged = json.loads(bytes(changed))
            except ValueError:
                continue
            assert damaged == RECORD or not verify_chance(damaged).is_verified, (place, value)


@given(JSON, st.lists(st.integers(0, 40), min_size=1, max_size=3))
def test_any_value_at_any_place_gives_a_verdict_and_no_exception(
    value: Any, path: list[int]
) -> None:
    record = deepcopy(RECORD)
    here: Any = record
    for step in path[:-1]:
        inner = list(here.values()) if isinstance(here, dict) else here
        inner = [each for each in inner if isinstance(each, (dict, list))]
        if inner:
            here = inner[step % len(inner)]
    key = list(here)[path[-1] % len(here)] if isinstance(here, dict) else path[-1] % len(here)
    here[key] = value
    verdict = verify_chance(record)
    assert verdict.is_verified == (record == RECORD and not _has_other_types(record))


@given(JSON)
def test_any_other_value_is_refused(value: Any) -> None:
    assert verify_chance(value).reason


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"version": 3}, "This program verifies the versions 1 and 2; got 3."),
        ({"version": True}, "This program verifies the versions 1 and 2; got True."),
        ({"version": 1}, "does not give the commitment"),
        ({"device": "robotic/43"}, "does not give the commitment"),
        ({"device": "\ud800"}, "printable"),
        ({"cycle": 8}, "does not give the commitment"),
        ({"cycle": -1}, "got -1"),
        ({"cycle": 2**64}, "got a value of the type int"),
        ({"commitment": RECORD["commitment"].upper()}, "64 hexadecimal digits"),
        ({"reveal": "00" * 32}, "does not give the commitment"),
        ({"reveal": RECORD["reveal"] + "\n"}, "64 hexadecimal digits"),
        ({"reveal": None}, "has choices, but the machine's share is not revealed"),
        ({"player_shares": []}, "differ from those of the draw"),
        ({"player_shares": RECORD["player_shares"][::-1]}, "differ from those of the draw"),
        ({"player_shares": [{"seat": 0, "share": ""}]}, "A player's share must be a text; got ''"),
        ({"choices": []}, "The last choice of a cycle must be 'check'"),
        ({"choices": RECORD["choices"][1:]}, "does not give the commitment"),
        ({"choices": RECORD["choices"] * 40}, "at most 64 values"),
        ({"more": 1}, "an object with the keys"),
    ],
)
def test_the_first_reason_is_named(change: dict[str, Any], reason: str) -> None:
    assert reason in verify_chance(RECORD | change).reason


def test_another_value_of_a_choice_is_named() -> None:
    record = deepcopy(RECORD)
    value = record["choices"][1]["value"]
    value[0] = value[0] % 6 + 1
    assert verify_chance(record).reason == "The shares give another value for 'd'."


def test_a_share_that_fits_the_choices_but_not_the_commitment_is_refused() -> None:
    """The machine cannot choose its share after the players' shares."""
    other = replace(DRAW, share=bytes(32))
    claimed = other.revealed(other.draw()).facts()
    assert verify_chance(claimed).is_verified
    claimed["commitment"] = DRAW.commitment
    assert "does not give the commitment" in verify_chance(claimed).reason


def test_a_choice_that_is_added_after_the_commitment_is_refused_by_both_verifiers() -> None:
    """The attack: a machine that knows the players' shares tries names of a dummy choice.

    Each name gives other values of the choices that matter; here the first number of the order is
    wanted. The published commitment is that of the list without the dummy.
    """
    for number in range(1000):
        dummy = permutation(f"dummy {number}", 1)
        ground = replace(DRAW, requests=(*ASKED, dummy))
        chosen = ground.draw()
        if chosen[0].value[0] == 5:
            break
    record = ground.revealed(chosen).facts() | {"commitment": DRAW.commitment}
    assert "does not give the commitment" in verify_chance(record).reason
    with pytest.raises(verify_elsewhere.Refused, match="another commitment"):
        verify_elsewhere.verify_chance(record)


def test_a_record_of_version_1_is_verified_with_its_limit() -> None:
    draw = replace(DRAW, version=1)
    record = draw.revealed(draw.draw()).facts()
    verdict = verify_chance(record)
    assert verdict.is_verified
    assert not verdict.is_bound
    assert verify_chance(RECORD).is_bound
    assert "is not committed to)" in verify_elsewhere.verify_chance(record)
    codes = ", ".join(DRAW.hidden().codes)
    assert verify_elsewhere.verify_chance(RECORD) == (
        f"2 random choices drawn again; codes of the players' shares: {codes}"
    )


@given(
    st.lists(st.builds(PlayerShare, st.integers(0, 7), st.text("ab 八", min_size=1, max_size=5))),
    st.data(),
)
def test_the_code_of_a_share_fixes_the_list_up_to_it_and_nothing_after_it(
    shares: list[PlayerShare], data: st.DataObject
) -> None:
    record = replace(DRAW, player_shares=tuple(shares)).hidden()
    assert verify_elsewhere.share_codes(record.facts()) == [*record.codes]
    shorter = data.draw(st.integers(0, len(shares)))
    kept = replace(record, player_shares=record.player_shares[:shorter])
    assert kept.codes == record.codes[:shorter]
    if shares:
        place = data.draw(st.integers(0, len(shares) - 1))
        changed = [*shares]
        match data.draw(st.sampled_from(["text", "seat", "missing", "added", "exchanged"])):
            case "text":
                changed[place] = PlayerShare(shares[place].seat, f"{shares[place].text}x")
            case "seat":
                changed[place] = PlayerShare(shares[place].seat + 1, shares[place].text)
            case "missing":
                del changed[place]
            case "added":
                changed.insert(place, PlayerShare(0, "invented"))
            case _:
                changed.reverse()
                assume(changed[place:] != shares[place:])
        altered = replace(record, player_shares=tuple(changed))
        assert not {*altered.codes} & {*record.codes[place:]}
    assert not {*replace(record, cycle=8).codes} & {*record.codes}


def test_a_machine_that_invents_a_share_is_shown_by_the_code_of_the_last_player() -> None:
    """The record of such a machine verifies: it has really drawn so. The players find it."""
    honest = replace(DRAW, player_shares=(PlayerShare(0, "Mei"), PlayerShare(3, "rain")))
    codes = honest.hidden().codes
    for number in range(5000):  # the machine knows its share, and tries texts until it is content
        last = replace(honest, player_shares=(*honest.player_shares, PlayerShare(1, f"{number}")))
        chosen = last.draw()
        if chosen[0].value[0] == 5:
            break
    record = last.revealed(chosen)
    assert verify_chance(record.facts()).is_verified
    assert record.codes[1] == codes[1] and len(record.codes) == 3, "one share came after Rain's"
    first = replace(honest, player_shares=(PlayerShare(1, "0"), *honest.player_shares))
    assert not {*first.hidden().codes} & {*codes}, "a share before them changes every code"


def _has_other_types(record: Any) -> bool:
    """Whether a value is equal to the right one, but of another type: True for 1, 7.0 for 7."""
    return json.dumps(record) != json.dumps(RECORD)
