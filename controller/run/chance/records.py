"""The random choices of one shuffle cycle: commitment, shares, and the choices drawn from them.

    commitment = SHA-256(frame("commitment", device, cycle, share, requests))
    seed       = HMAC-SHA-256(share, frame("seed", device, cycle, players' shares, requests))
    stream     = HMAC-SHA-256(seed, frame("stream", name, block number)), one block after another

`frame` writes each part with its length before it, so that no two lists of parts have the same
bytes. The machine publishes the commitment before the players add their shares. So the machine
cannot choose its share or its list of choices by theirs, and the players cannot know the machine's
share. All values are frozen.

In version 1 (release 0.2) the commitment did not contain the requests: a modified machine could add
a choice after it had seen the players' shares, and try names for it until the other choices suited
it. Such records are verified by their version, with that limit.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from rules.errors import WallwrightError

VERSION = 2
UNBOUND = 1
"""The version whose commitment does not bind the list of choices."""
VERSIONS = (UNBOUND, VERSION)
MOST_SHARE = 64
"""Largest length of a player's share, characters."""
MOST_SHARES = 32
"""Largest number of players' shares in a cycle."""
MOST_SHARES_OF_SEAT = 8
"""Largest number of shares of one seat, so that no seat takes the places of the others."""
MOST_SHARES_OF_ONE = 2
"""Largest number of shares that one person adds for one seat, so that he does not fill the seat."""
MOST_SEATS = 16
MOST_CHOICES = 64
MOST_VALUES = 1024
"""Largest number of values of one choice, and the largest permutation."""
MOST_OF = 2**32

Kind = Literal["permutation", "integer", "dice"]
KINDS: tuple[Kind, ...] = get_args(Kind)


class ChanceRefusedError(WallwrightError, ValueError):
    """A share or a request for a choice breaks a rule; the message has the value and the rule."""


@dataclass(frozen=True)
class PlayerShare:
    """What the player at a seat (from 0) adds to the seed: 1 to 64 printable characters.

    Raises ChanceRefusedError.
    """

    seat: int
    text: str

    def __post_init__(self) -> None:
        if not 0 <= self.seat < MOST_SEATS:
            raise ChanceRefusedError(f"A seat must be 0 to {MOST_SEATS - 1}; got {self.seat}.")
        if not 0 < len(self.text) <= MOST_SHARE or not self.text.isprintable():
            raise ChanceRefusedError(
                f"A player's share must have 1 to {MOST_SHARE} printable characters; got"
                f" {self.text[: MOST_SHARE + 1]!r}."
            )


@dataclass(frozen=True)
class ChoiceRequest:
    """A choice that the machine has to make, before it is drawn.

    `permutation` orders the numbers from 0 to `of` - 1, so `count` equals `of`. `integer` draws
    `count` numbers from 0 to `of` - 1, `dice` draws `count` faces from 1 to `of`. Raises
    ChanceRefusedError.
    """

    name: str
    kind: Kind
    of: int
    count: int

    def __post_init__(self) -> None:
        if not 0 < len(self.name) <= MOST_SHARE or not self.name.isprintable():
            raise ChanceRefusedError(
                f"The name of a choice must have 1 to {MOST_SHARE} printable characters; got"
                f" {self.name[: MOST_SHARE + 1]!r}."
            )
        if self.kind not in KINDS:
            raise ChanceRefusedError(
                f"The kind of a choice must be one of {', '.join(KINDS)}; got {self.kind!r}."
            )
        if not 0 < self.of <= MOST_OF or not 0 < self.count <= MOST_VALUES:
            raise ChanceRefusedError(
                f"The choice '{self.name}' has 1 to {MOST_VALUES} values of 1 to {MOST_OF}; got"
                f" {self.count} of {self.of}."
            )
        if self.kind == "permutation" and self.count != self.of:
            raise ChanceRefusedError(
                f"The permutation '{self.name}' must have {self.of} values, as many as it orders; "
                f"got {self.count}."
            )


CHECK = ChoiceRequest("check", "integer", 256, 32)
"""The last choice of every cycle: 32 bytes that depend on every share and on every request. They
prove that a record has the shares and the requests of the draw, even if all choices are small."""


def permutation(name: str, of: int) -> ChoiceRequest:
    """The request for an order of the numbers from 0 to `of` - 1. Raises ChanceRefusedError."""
    return ChoiceRequest(name, "permutation", of, of)


@dataclass(frozen=True)
class Choice:
    """A choice that was drawn."""

    request: ChoiceRequest
    value: tuple[int, ...]


@dataclass(frozen=True)
class CycleRecord:
    """The public record of one cycle; `reveal` is the machine's share as hexadecimal text.

    Before the reveal `reveal` is None and there are no choices.
    """

    device: str
    cycle: int
    commitment: str
    player_shares: tuple[PlayerShare, ...] = ()
    reveal: str | None = None
    choices: tuple[Choice, ...] = ()
    version: int = VERSION

    @property
    def codes(self) -> tuple[str, ...]:
        """The code of each player's share: see `share_codes`."""
        return share_codes(self.device, self.cycle, self.commitment, self.player_shares)

    def facts(self) -> dict[str, object]:
        """The record as JSON values, as the event `chance_revealed` has it."""
        return {
            "version": self.version,
            "device": self.device,
            "cycle": self.cycle,
            "commitment": self.commitment,
            "player_shares": [
                {"seat": share.seat, "share": share.text} for share in self.player_shares
            ],
            "reveal": self.reveal,
            "choices": [
                {
                    "name": choice.request.name,
                    "kind": choice.request.kind,
                    "of": choice.request.of,
                    "count": choice.request.count,
                    "value": list(choice.value),
                }
                for choice in self.choices
            ],
        }


@dataclass(frozen=True)
class CycleDraw:
    """One cycle with the machine's share, which stays secret until the round is over.

    `share` has 32 bytes. The players' shares are in the order in which they came. `requests` are
    the choices of the cycle without the check; they are fixed before the commitment is published.
    Raises ChanceRefusedError if two requests have the same name.
    """

    device: str
    cycle: int
    share: bytes = field(repr=False)
    player_shares: tuple[PlayerShare, ...] = ()
    requests: tuple[ChoiceRequest, ...] = ()
    version: int = VERSION

    def __post_init__(self) -> None:
        asked = (*self.requests, CHECK)
        if len({request.name for request in asked}) < len(asked):
            names = ", ".join(request.name for request in asked)
            raise ChanceRefusedError(
                f"Two choices of a cycle must not have the same name; got {names}."
            )

    @property
    def commitment(self) -> str:
        """The hash that is published before the draw, hexadecimal."""
        parts = [self.device.encode(), _number(self.cycle), self.share]
        if self.version != UNBOUND:
            parts += self._asked()
        return hashlib.sha256(frame(b"commitment", *parts, version=self.version)).hexdigest()

    def draw(self) -> tuple[Choice, ...]:
        """Draw every requested choice, and the check after them; the same values every time."""
        seed, version = self._seed(), self.version
        return tuple(
            Choice(request, _drawn(seed, request, version)) for request in (*self.requests, CHECK)
        )

    def hidden(self) -> CycleRecord:
        """The record before the reveal."""
        return CycleRecord(
            self.device, self.cycle, self.commitment, self.player_shares, version=self.version
        )

    def revealed(self, choices: tuple[Choice, ...]) -> CycleRecord:
        """The record after the reveal; `choices` is what `draw` has returned."""
        return CycleRecord(
            self.device,
            self.cycle,
            self.commitment,
            self.player_shares,
            self.share.hex(),
            choices,
            self.version,
        )

    def _seed(self) -> bytes:
        parts: list[bytes] = [self.device.encode(), _number(self.cycle)]
        parts.append(_number(len(self.player_shares)))
        for share in self.player_shares:
            parts += (_number(share.seat), share.text.encode())
        parts += self._asked()
        return hmac.digest(self.share, frame(b"seed", *parts, version=self.version), "sha256")

    def _asked(self) -> list[bytes]:
        """The parts of all requests, with the check as the last one."""
        parts: list[bytes] = []
        for request in (*self.requests, CHECK):
            parts += (request.name.encode(), request.kind.encode())
            parts += (_number(request.of), _number(request.count))
        return parts


def share_codes(
    device: str, cycle: int, commitment: str, shares: tuple[PlayerShare, ...]
) -> tuple[str, ...]:
    """The code of each player's share, such as `K3QF-7ZWA-M2XN`: a hash of the list up to it.

    A player who keeps the code can show later which shares came before, that none of them was
    changed, and how many came after. 60 bits: another list with the same code cannot be searched
    for in the minutes of a shuffle.
    """
    codes = list[str]()
    state = frame(b"shares", device.encode(), _number(cycle), commitment.encode())
    for share in shares:
        state = hashlib.sha256(
            frame(b"share", state, _number(share.seat), share.text.encode())
        ).digest()
        text = base64.b32encode(state)[:12].decode()
        codes.append("-".join((text[:4], text[4:8], text[8:])))
    return tuple(codes)


def shares_with_codes(record: dict[str, Any]) -> list[dict[str, object]]:
    """The players' shares of a verified record as JSON values, each with its code."""
    shares = tuple(PlayerShare(each["seat"], each["share"]) for each in record["player_shares"])
    codes = share_codes(record["device"], record["cycle"], record["commitment"], shares)
    return [
        {"seat": share.seat, "share": share.text, "code": code}
        for share, code in zip(shares, codes, strict=True)
    ]


def frame(*parts: bytes, version: int = VERSION) -> bytes:
    """The parts after the domain, each with its length before it (8 bytes, highest first).

    The domain separates these hashes from all others, and each version from the others.
    """
    domain = b"wallwright chance %d" % version
    return b"".join(_number(len(part)) + part for part in (domain, *parts))


def _number(number: int) -> bytes:
    return number.to_bytes(8, "big")


class SeedStream:
    """The bytes and numbers that a seed gives for one name."""

    def __init__(self, seed: bytes, name: str, version: int = VERSION) -> None:
        self._seed = seed
        self._version = version
        self._name = name.encode()
        self._blocks = 0
        self._rest = b""

    def take(self, size: int) -> bytes:
        """The next `size` bytes."""
        while len(self._rest) < size:
            framed = frame(b"stream", self._name, _number(self._blocks), version=self._version)
            self._rest += hmac.digest(self._seed, framed, "sha256")
            self._blocks += 1
        taken, self._rest = self._rest[:size], self._rest[size:]
        return taken

    def integer(self, of: int) -> int:
        """A number from 0 to `of` - 1, each with the same probability.

        Takes as few bytes as hold `of` - 1, and of them as few bits. A number that is too large is
        discarded and the next bytes are taken, because a remainder would prefer small numbers.
        """
        bits = (of - 1).bit_length()
        size = (bits + 7) // 8
        while True:
            number = int.from_bytes(self.take(size), "big") & ((1 << bits) - 1)
            if number < of:
                return number

    def permutation(self, of: int) -> tuple[int, ...]:
        """An order of the numbers from 0 to `of` - 1, by the method of Fisher and Yates.

        Beginning with the last place, each place gets one of the numbers that are left.
        """
        order = list(range(of))
        for last in range(of - 1, 0, -1):
            other = self.integer(last + 1)
            order[last], order[other] = order[other], order[last]
        return tuple(order)


def _drawn(seed: bytes, request: ChoiceRequest, version: int) -> tuple[int, ...]:
    stream = SeedStream(seed, request.name, version)
    if request.kind == "permutation":
        return stream.permutation(request.of)
    least = 1 if request.kind == "dice" else 0
    return tuple(stream.integer(request.of) + least for _ in range(request.count))
