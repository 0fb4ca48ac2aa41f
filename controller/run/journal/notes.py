"""Notes of the journal: values recorded between an intent and its outcome.

A later run needs them to resume an interrupted step.

    ShakesBefore(7)  <->  {"shakes": 7}

Every note is one of the classes below; only `encode` and `decode` convert them to and from JSON.
Journals of version 0.1 can be read: the JSON of their notes has not changed. That version cannot
read `lane`, `surplus`, `share`, `player` and `drawn`, which are new in 0.2, nor `fell`, which is
new in 0.3.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, assert_never

from rules.errors import WallwrightError


@dataclass(frozen=True)
class MovesMade:
    """Note: the number of moves of a step, counted from the first, that are confirmed."""

    moves: int


@dataclass(frozen=True)
class Flipped:
    """Note: the flipper has turned its tile and has not yet returned."""


@dataclass(frozen=True)
class KeyPresses:
    """Note: the lid is open; `count` is the board's count of key presses at that time."""

    count: int


@dataclass(frozen=True)
class ShakesBefore:
    """Note: the dice are about to be shaken; `shakes` is the board's count of earlier shakes."""

    shakes: int


@dataclass(frozen=True)
class FacesFallen:
    """Note: the faces that one shake of the dice has shown.

    `shake` is the board's count of shakes before it, as in `ShakesBefore`. So the same shake counts
    once, even if several runs have noted it. It is None in journals before version 0.3.
    """

    faces: tuple[int, ...]
    shake: int | None = None


@dataclass(frozen=True)
class TagRead:
    """Note: the tag of the turned tile in the jaws; None if no tag could be read."""

    tag: int | None


@dataclass(frozen=True)
class CountedFrom:
    """Note: the counts of the sensors at the beginning of a build, by sensor channel."""

    counts: tuple[tuple[str, int], ...]

    @classmethod
    def of(cls, counts: Mapping[str, int]) -> CountedFrom:
        """Create the note from the counts by sensor."""
        return cls(tuple(counts.items()))


@dataclass(frozen=True)
class TileSticks:
    """Note: a tile sticks under a counter.

    `through` is the number of tiles that had passed the counter in this build; `asked` whether a
    person was prompted to remove the tile.
    """

    counter: str
    through: int
    asked: bool


@dataclass(frozen=True)
class TileFree:
    """Note: no tile sticks under this counter any more."""

    counter: str


@dataclass(frozen=True)
class PushDoubted:
    """Note: a vane gave no signal, so the number of stacks that its pusher has pushed is unknown.

    `why` is the evidence.
    """

    vane: str
    why: str


@dataclass(frozen=True)
class PushProven:
    """Note: a vane gives signals again, and its pusher has pushed no stack that was not counted."""

    vane: str


@dataclass(frozen=True)
class LaneFilled:
    """A hand lane has all its tiles and its gate is shut: later tiles belong elsewhere."""

    seat: int


@dataclass(frozen=True)
class TilesSurplus:
    """So many more tiles than due have passed a counter; 0 once people have removed them."""

    counter: str
    tiles: int


@dataclass(frozen=True)
class ChainAt:
    """Note: the chain has arrived at a side, at this edge `count` of its corner sensor."""

    side: int
    count: int


@dataclass(frozen=True)
class ChainLost:
    """Note: the chain missed its corner sensor, so the side at which the chain is, is unknown."""


@dataclass(frozen=True)
class ShareCommitted:
    """Note: the machine's share of a cycle is drawn; `sealed` is the share, encrypted.

    `device` names the device that has drawn it. `commitment` is the published hash of the share.
    Both hashes and the sealed share are hexadecimal.
    """

    device: str
    commitment: str
    sealed: str


@dataclass(frozen=True)
class PlayerShareAdded:
    """Note: the player at a seat has added a text to the random choices of a cycle."""

    seat: int
    text: str


@dataclass(frozen=True)
class ChoicesDrawn:
    """Note: the random choices of a cycle are drawn; `digest` is their hash, hexadecimal."""

    digest: str


Note = (
    MovesMade
    | Flipped
    | KeyPresses
    | ShakesBefore
    | FacesFallen
    | TagRead
    | CountedFrom
    | TileSticks
    | TileFree
    | PushDoubted
    | PushProven
    | LaneFilled
    | TilesSurplus
    | ChainAt
    | ChainLost
    | ShareCommitted
    | PlayerShareAdded
    | ChoicesDrawn
)
N = TypeVar("N")
_HASH = re.compile("[0-9a-f]{64}")


class UnknownNoteError(WallwrightError, ValueError):
    """A JSON value is not a note of this version; the message gives the reason."""


def notes_of(notes: Iterable[Note], kind: type[N]) -> list[N]:
    """The notes of one kind, in order."""
    return [note for note in notes if isinstance(note, kind)]


def last_of(notes: Iterable[Note], *kinds: type[N]) -> N | None:
    """The last note of one of these kinds; None if there is none."""
    return next((note for note in reversed([*notes]) if isinstance(note, kinds)), None)


def encode(note: Note) -> object:
    """A note as a JSON value."""
    match note:
        case MovesMade(moves):
            return {"made": moves}
        case Flipped():
            return "flipped"
        case KeyPresses(count):
            return {"presses": count}
        case ShakesBefore(shakes):
            return {"shakes": shakes}
        case FacesFallen(faces, None):
            return {"faces": list(faces)}
        case FacesFallen(faces, shake):
            return {"fell": {"shake": shake, "faces": list(faces)}}
        case TagRead(tag):
            return {"tag": tag}
        case CountedFrom(counts):
            return {"feeding": dict(counts)}
        case TileSticks(counter, through, asked):
            return {"stuck": {counter: {"through": through, "asked": asked}}}
        case TileFree(counter):
            return {"stuck": {counter: None}}
        case PushDoubted(vane, why):
            return {"doubt": {vane: why}}
        case PushProven(vane):
            return {"doubt": {vane: None}}
        case LaneFilled(seat):
            return {"lane": seat}
        case TilesSurplus(counter, tiles):
            return {"surplus": {counter: tiles}}
        case ChainAt(side, count):
            return {"chain": {"side": side, "count": count}}
        case ChainLost():
            return {"chain": None}
        case ShareCommitted(device, commitment, sealed):
            return {"share": {"device": device, "commitment": commitment, "sealed": sealed}}
        case PlayerShareAdded(seat, text):
            return {"player": {"seat": seat, "share": text}}
        case ChoicesDrawn(digest):
            return {"drawn": digest}
    assert_never(note)


def decode(content: object) -> Note:
    """Decode a note from its JSON value. Raises UnknownNoteError."""
    if content == "flipped":
        return Flipped()
    if not isinstance(content, dict) or len(content) != 1:
        raise UnknownNoteError("it is not an object with one key")
    ((kind, value),) = content.items()
    if kind not in _DECODERS:
        raise UnknownNoteError(f"the key '{kind}' is unknown")
    return _DECODERS[kind](value)


def _stuck(value: Any) -> Note:
    counter, rest = _only(value)
    if rest is None:
        return TileFree(counter)
    through, asked = _keys(rest, "through", "asked")
    if not isinstance(asked, bool):
        raise UnknownNoteError("'asked' is neither true nor false")
    return TileSticks(counter, _count(through), asked)


def _doubt(value: Any) -> Note:
    vane, why = _only(value)
    return PushProven(vane) if why is None else PushDoubted(vane, _text(why))


def _surplus(value: Any) -> Note:
    counter, tiles = _only(value)
    return TilesSurplus(counter, _count(tiles))


def _chain(value: Any) -> Note:
    if value is None:
        return ChainLost()
    side, count = _keys(value, "side", "count")
    return ChainAt(_count(side), _count(count))


def _committed(value: Any) -> Note:
    device, commitment, sealed = _keys(value, "device", "commitment", "sealed")
    return ShareCommitted(_text(device), _hash(commitment), _hash(sealed))


def _player(value: Any) -> Note:
    seat, text = _keys(value, "seat", "share")
    return PlayerShareAdded(_count(seat), _text(text))


def _faces(value: Any) -> Note:
    if not isinstance(value, list):
        raise UnknownNoteError("the faces are not a list")
    return FacesFallen(tuple(map(_count, value)))


def _fell(value: Any) -> Note:
    shake, faces = _keys(value, "shake", "faces")
    if not isinstance(faces, list):
        raise UnknownNoteError("the faces are not a list")
    return FacesFallen(tuple(map(_count, faces)), _count(shake))


def _feeding(value: Any) -> Note:
    if not isinstance(value, dict):
        raise UnknownNoteError("the counts are not an object with one key per sensor")
    return CountedFrom(tuple((sensor, _integer(count)) for sensor, count in value.items()))


_DECODERS: Mapping[str, Callable[[Any], Note]] = {
    "made": lambda value: MovesMade(_count(value)),
    "presses": lambda value: KeyPresses(_count(value)),
    "shakes": lambda value: ShakesBefore(_count(value)),
    "faces": _faces,
    "fell": _fell,
    "tag": lambda value: TagRead(None if value is None else _count(value)),
    "feeding": _feeding,
    "stuck": _stuck,
    "doubt": _doubt,
    "lane": lambda value: LaneFilled(_count(value)),
    "surplus": _surplus,
    "chain": _chain,
    "share": _committed,
    "player": _player,
    "drawn": lambda value: ChoicesDrawn(_hash(value)),
}


def _integer(value: Any) -> int:
    if type(value) is not int:
        raise UnknownNoteError(f"{value!r} is not a whole number")
    return value


def _count(value: Any) -> int:
    if _integer(value) < 0:
        raise UnknownNoteError(f"{value} is below 0")
    return int(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise UnknownNoteError(f"{value!r} is not a text")
    return value


def _hash(value: Any) -> str:
    if not _HASH.fullmatch(_text(value)):
        raise UnknownNoteError(f"{value!r} does not have 64 hexadecimal digits")
    return str(value)


def _only(value: Any) -> tuple[str, Any]:
    """The only key of an object, and its value."""
    if not isinstance(value, dict) or len(value) != 1:
        raise UnknownNoteError(f"{value!r} does not name one part")
    ((part, rest),) = value.items()
    return str(part), rest


def _keys(value: Any, *keys: str) -> list[Any]:
    """The values of exactly these keys of an object."""
    if not isinstance(value, dict) or value.keys() != set(keys):
        raise UnknownNoteError(f"{value!r} does not have exactly the keys {' and '.join(keys)}")
    return [value[key] for key in keys]
