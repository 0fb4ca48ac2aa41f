"""`action in play.legal_actions` returns a result for any value and never raises.

Tested with actions of every class of every game, with legal fields, with fields of the right type
and with fields of any type, in positions from random plays with known and with hidden hands.
"""

from __future__ import annotations

from dataclasses import is_dataclass
from functools import cache
from itertools import islice
from random import Random
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.games import GAMES, rules_of
from rules.games.backgammon import actions as backgammon
from rules.games.backgammon.moves import Step
from rules.games.da_san import actions as da_san
from rules.games.dominoes import DOMINO_GAMES
from rules.games.dominoes import actions as dominoes
from rules.games.filipino import actions as filipino
from rules.games.pai_gow import actions as pai_gow
from rules.games.pai_gow.ranking import Split
from rules.games.wenzhou import actions as wenzhou
from rules.play import IllegalActionError, random_action
from tests.quick import slow_except, tries
from tests.rules.hidden_hands import dealt, houses

POSITIONS = tries(12, quick=6)
"""Positions of each game."""
DEEPEST = 70
MOST_OFFERED = 300
"""A hidden pai gow hand has 90,000 legal actions; the first 300 are enough for this test."""
DOMINOES = {game.name for game in DOMINO_GAMES}
CLASSES: dict[str, tuple[type[Any], ...]] = {
    "wenzhou": get_args(wenzhou.WenzhouAction),
    "filipino": (filipino.Act,),
    "pai_gow": get_args(pai_gow.Action),
    "backgammon": get_args(backgammon.Action),
    "da_san": get_args(da_san.Action),
}
FOREIGN = ["", "5m", "0z", "9x", "6-6", "6-4", "7-7", "4h", "10s", "Kd", "5m*", "\ud800", "a" * 99]
TEXTS = ["6", "4-4 side", "crosswise", "win", "draw", "double", "call", "drop", "beaver", "push"]
ODD: tuple[Any, ...] = (-7, 99, 10**5000, None, True, "", (), ("5m",), ([],), [])
WILD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([10**5000, -(10**5000), 1.0, float("nan"), float("inf"), b"5m", ...]),
    st.text(max_size=5),
    st.lists(st.integers(), max_size=3),
    st.dictionaries(st.text(max_size=2), st.integers(), max_size=2),
    st.builds(set),
    st.tuples(st.lists(st.text(max_size=2), max_size=2)),
)


def classes(game: str) -> tuple[type[Any], ...]:
    """Every class of action of a game; for a game without a list, the classes in some hands."""
    if game in CLASSES:
        return CLASSES[game]
    return get_args(dominoes.DominoAction) if game in DOMINOES else offered_classes(game)


@cache
def offered_classes(game: str) -> tuple[type[Any], ...]:
    plays = (play for play in positions(game) if play.settlement is None)
    return tuple(dict.fromkeys(type(action) for play in plays for action in play.legal_actions))


@cache
def positions(game: str) -> tuple[Any, ...]:
    """Plays at random depths, with every house, of known and of hidden hands."""
    found = []
    for number in range(POSITIONS):
        chance = Random(f"{game} {number}")
        house = houses(game)[number // 2 % len(houses(game))]
        setup, tiles = dealt(game, chance, parameters=house)
        play = rules_of(game).start(setup, tiles if number % 2 else {})
        for _ in range(chance.randrange(DEEPEST)):
            if play.settlement is not None or not (
                offered := tuple(islice(play.legal_actions, MOST_OFFERED))
            ):
                break
            play = play.apply(chance.choice(offered))
        found.append(play)
    return tuple(found)


def values(hint: Any, faces: tuple[str, ...]) -> st.SearchStrategy[Any]:
    """Values of this type, both probable and improbable ones."""
    origin, parts = get_origin(hint), get_args(hint)
    if hint is int:
        return st.one_of(st.integers(-2, 30), st.integers(), st.just(10**5000))
    if hint is str:
        return st.sampled_from([*faces, *FOREIGN, *TEXTS]) | st.text(max_size=8)
    if hint in (bool, NoneType):
        return st.booleans() if hint is bool else st.none()
    if origin is Literal:
        return st.sampled_from(parts)
    if origin in (UnionType, Union):
        return st.one_of([values(part, faces) for part in parts])
    if origin is tuple and parts[-1] is ...:
        return st.lists(values(parts[0], faces), max_size=18).map(tuple)
    if origin is tuple:
        return st.tuples(*(values(part, faces) for part in parts))
    if issubclass(hint, Split):
        tiles = dict.fromkeys(GAMES["pai_gow"].tiles.faces)
        four = st.lists(st.sampled_from(list(tiles)), min_size=4, max_size=4)
        return four.map(lambda tiles: Split((tiles[0], tiles[1]), (tiles[2], tiles[3])))
    assert issubclass(hint, Step) or is_dataclass(hint)
    return fields(hint, faces, wild=False)


def fields(kind: type[Any], faces: tuple[str, ...], *, wild: bool) -> st.SearchStrategy[Any]:
    """Actions of a class; if `wild`, their fields can have any type."""
    each = {
        name: values(hint, faces) | WILD if wild else values(hint, faces)
        for name, hint in get_type_hints(kind).items()
    }
    return st.builds(kind, **each)


@st.composite
def questions(draw: st.DrawFn, game: str) -> tuple[Any, Any]:
    """A position of a game, and a value to ask about."""
    play = draw(st.sampled_from(positions(game)))
    faces = tuple(dict.fromkeys(GAMES[game].tiles.faces)) or ("6-6",)
    every = [each for name in ("block", *CLASSES) for each in classes(name)]
    kind = draw(st.sampled_from(classes(game)) | st.sampled_from(every))
    action = draw(fields(kind, faces, wild=draw(st.booleans())) | WILD)
    return play, action


@pytest.mark.evidence
@pytest.mark.parametrize("game", slow_except(["pai_gow", "filipino"], GAMES))
def test_any_value_that_is_not_legal_is_refused_with_one_sentence(game: str) -> None:
    @settings(max_examples=tries(60, quick=30, evidence=300))
    @given(asked=questions(game))
    def each(asked: tuple[Any, Any]) -> None:
        play, action = asked
        if action in play.legal_actions:
            play.apply(action)
            return
        with pytest.raises(IllegalActionError) as refused:
            play.apply(action)
        assert 8 < len(str(refused.value)) < 400
        assert "\n" not in str(refused.value)

    each()


@pytest.mark.parametrize("game", slow_except(["backgammon", "wenzhou", "block"], GAMES))
def test_a_legal_action_with_one_field_changed_is_legal_or_refused(game: str) -> None:
    """Actions with one wrong field pass the first checks and reach the later ones."""
    chance = Random(game)
    faces = [*GAMES[game].tiles.faces, *FOREIGN, *TEXTS]
    for play in positions(game):
        offered = tuple(islice(play.legal_actions, MOST_OFFERED))
        for action in chance.sample(offered, min(len(offered), 25)):
            for name in get_type_hints(type(action)):
                for other in (*ODD, *faces[:40:8]):
                    own = {each: getattr(action, each) for each in get_type_hints(type(action))}
                    changed = type(action)(**(own | {name: other}))
                    if changed in play.legal_actions:
                        play.apply(changed)
                    else:
                        with pytest.raises(IllegalActionError):
                            play.apply(changed)


def test_a_move_beyond_the_board_is_not_legal() -> None:
    play = next(play for play in positions("backgammon") if play.dice is not None)
    for step in (Step(6, -3), Step(-1, -4), Step(99, 90), Step(6, 9), Step(0, -1), Step(13, 13)):
        assert backgammon.Move(play.turn, (step,)) not in play.legal_actions
        assert backgammon.Move(play.turn, (step,) * 9) not in play.legal_actions


def test_a_chow_of_tiles_that_the_set_lacks_is_not_legal() -> None:
    play = rules_of("wenzhou").start(*dealt("wenzhou", Random(1)))
    while not any(isinstance(action, wenzhou.Chow) for action in play.legal_actions):
        play = play.apply(random_action(play, Random(2).choice))
    chow = next(action for action in play.legal_actions if isinstance(action, wenzhou.Chow))
    for own in (("9x", "4m"), ("", ""), (["4m"], "5m"), ("4m",), (None, None), ("1f", "6-6")):
        assert wenzhou.Chow(chow.seat, own) not in play.legal_actions  # type: ignore[arg-type]


@pytest.mark.parametrize("game", GAMES)
def test_legal_actions_are_a_sequence_of_which_each_action_is_legal(game: str) -> None:
    for play in positions(game):
        legal = play.legal_actions
        few = list(islice(legal, MOST_OFFERED))
        if len(few) == MOST_OFFERED:
            continue
        assert len(legal) == len(few)
        assert list(legal) == few
        assert [legal[number] for number in range(len(few))] == few
        assert list(legal[1:3]) == few[1:3]
        assert all(legal[-1 - number] == few[-1 - number] for number in range(min(2, len(few))))
        with pytest.raises(IndexError):
            legal[len(few)]
        for action in few:
            # An action from the list and an equal action made elsewhere lead to the same play.
            again = rules_of(game).parse(action.seat, str(action))
            assert legal.require(action) is action
            assert again in legal
            assert play.apply(action) == play.apply(again)
