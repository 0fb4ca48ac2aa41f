"""The choices of a cycle follow from the shares, without a preference for any value."""

from __future__ import annotations

import hashlib
import hmac
import math
from collections import Counter
from dataclasses import replace
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.run.chance.records import (
    CHECK,
    ChanceRefusedError,
    ChoiceRequest,
    CycleDraw,
    PlayerShare,
    SeedStream,
    permutation,
)

SHARE = bytes(range(32))
DICE = ChoiceRequest("dice of the deal", "dice", 6, 3)
DRAW = CycleDraw("robotic/42", 7, SHARE, (PlayerShare(2, "my lucky number is 8"),), (DICE,))
ORDER = (permutation("set 0", 32),)


def framed(*parts: bytes) -> bytes:
    """The frame, written again: the length of each part, then the part."""
    whole = b""
    for part in (b"wallwright chance 2", *parts):
        whole += len(part).to_bytes(8, "big") + part
    return whole


def number(value: int) -> bytes:
    return value.to_bytes(8, "big")


def test_commitment_and_choices_are_those_that_the_page_describes() -> None:
    """Computed again from the formulas in docs/regulate/CHANCE.md, with hashlib and hmac only."""
    asked = (
        *(b"dice of the deal", b"dice", number(6), number(3)),
        *(b"check", b"integer", number(256), number(32)),
    )
    committed = framed(b"commitment", b"robotic/42", number(7), SHARE, *asked)
    assert DRAW.commitment == hashlib.sha256(committed).hexdigest()
    seed = hmac.digest(
        SHARE,
        framed(
            b"seed",
            b"robotic/42",
            number(7),
            number(1),
            number(2),
            b"my lucky number is 8",
            *asked,
        ),
        "sha256",
    )
    dice, check = DRAW.draw()
    block = hmac.digest(seed, framed(b"stream", b"dice of the deal", number(0)), "sha256")
    faces = [(byte & 7) + 1 for byte in block if byte & 7 < 6]
    assert dice.value == tuple(faces[:3])
    block = hmac.digest(seed, framed(b"stream", b"check", number(0)), "sha256")
    assert bytes(check.value) == block
    assert check.request == CHECK


def test_the_same_shares_give_the_same_choices_and_any_other_share_gives_others() -> None:
    draw = replace(DRAW, requests=ORDER)
    drawn = draw.draw()
    assert draw.draw() == drawn
    others = [
        CycleDraw("robotic/43", 7, SHARE, DRAW.player_shares),
        CycleDraw("robotic/42", 8, SHARE, DRAW.player_shares),
        CycleDraw("robotic/42", 7, SHARE[::-1], DRAW.player_shares),
        CycleDraw("robotic/42", 7, SHARE),
        CycleDraw("robotic/42", 7, SHARE, (PlayerShare(3, "my lucky number is 8"),)),
        CycleDraw("robotic/42", 7, SHARE, (PlayerShare(2, "my lucky number is 9"),)),
    ]
    assert len({drawn, *(replace(other, requests=ORDER).draw() for other in others)}) == 7


def test_the_order_of_the_players_shares_counts() -> None:
    one, two = PlayerShare(0, "a"), PlayerShare(0, "b")
    drawn = [
        CycleDraw("d", 1, SHARE, shares).draw()
        for shares in ((one, two), (two, one), (PlayerShare(0, "ab"),))
    ]
    assert len(set(drawn)) == 3


def test_the_record_before_the_reveal_has_neither_share_nor_choices() -> None:
    text = str(DRAW.hidden().facts())
    assert SHARE.hex() not in text
    assert DRAW.hidden().reveal is None
    assert DRAW.hidden().choices == ()
    assert SHARE.hex() not in repr(DRAW)
    assert repr(SHARE) not in repr(DRAW)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: PlayerShare(16, "x"), "got 16"),
        (lambda: PlayerShare(-1, "x"), "got -1"),
        (lambda: PlayerShare(0, ""), "got ''"),
        (lambda: PlayerShare(0, "x" * 65), "1 to 64 printable characters"),
        (lambda: PlayerShare(0, "a\nb"), "printable"),
        (lambda: ChoiceRequest("x", "coin", 2, 1), "got 'coin'"),  # type: ignore[arg-type]
        (lambda: ChoiceRequest("x", "integer", 0, 1), "got 1 of 0"),
        (lambda: ChoiceRequest("x", "integer", 2, 1025), "got 1025 of 2"),
        (lambda: ChoiceRequest("x", "permutation", 4, 3), "got 3"),
        (lambda: ChoiceRequest("", "integer", 4, 3), "got ''"),
        (lambda: replace(DRAW, requests=(DICE, DICE)), "must not have the same name"),
        (lambda: replace(DRAW, requests=(CHECK,)), "must not have the same name"),
    ],
)
def test_what_breaks_a_rule_is_refused_with_the_value(make: object, reason: str) -> None:
    with pytest.raises(ChanceRefusedError, match=reason):
        make()  # type: ignore[operator]


@given(st.integers(1, 2**32), st.binary(min_size=32, max_size=32))
def test_a_number_is_within_its_range(of: int, seed: bytes) -> None:
    stream = SeedStream(seed, "numbers")
    assert all(0 <= stream.integer(of) < of for _ in range(5))


@given(st.integers(1, 150), st.binary(min_size=32, max_size=32))
def test_a_permutation_has_every_number_once(of: int, seed: bytes) -> None:
    assert sorted(SeedStream(seed, "set 0").permutation(of)) == list(range(of))


def test_every_order_of_four_tiles_is_as_frequent_as_any_other() -> None:
    """Chi-square with 23 degrees of freedom; 41.6 is exceeded with 1 %."""
    stream, draws = SeedStream(SHARE, "orders"), 12_000
    counts = Counter(stream.permutation(4) for _ in range(draws))
    assert set(counts) == set(permutations(range(4)))
    expected = draws / math.factorial(4)
    assert sum((count - expected) ** 2 for count in counts.values()) / expected < 41.6


@pytest.mark.parametrize(("of", "limit"), [(6, 15.1), (5, 13.3), (7, 16.8), (3, 9.2)])
def test_no_number_is_preferred_where_a_remainder_would_prefer_one(of: int, limit: float) -> None:
    stream, draws = SeedStream(SHARE, "numbers"), 12_000
    counts = Counter(stream.integer(of) for _ in range(draws))
    expected = draws / of
    assert sum((counts[value] - expected) ** 2 for value in range(of)) / expected < limit
