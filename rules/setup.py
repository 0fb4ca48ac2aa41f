"""A game's set-up as an immutable value that waits for the outcome of one step at a time.

A game defines its set-up as a script: a generator that yields each `Step` in the order of play,
receives its outcome and finally returns `Ready`. `Setup` holds the outcomes so far. `pending` is
the step that waits for an outcome; `apply` returns the next value and does not change this one:

    setup = WENZHOU.setup(dealer=0)
    while setup.pending is not None:
        setup = setup.apply(outcome_of(setup.pending))

A value is determined by its game, seating, parameters and outcomes. A journal that keeps those
four can therefore restore it (`replay`). `settle` runs a set-up to its end without a machine, and
`facts` converts it to plain JSON values.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from rules.dice import Dice
from rules.errors import IllegalOutcomeError, IllegalSetupError, MissingThrowError
from rules.geometry import BareTable, Break, CardPlace, Layout, Place, Seat, WallPlace
from rules.steps import (
    Arrange,
    Build,
    Choose,
    DrawLot,
    Facts,
    Outcome,
    Packet,
    Ready,
    Replace,
    Step,
    Throw,
    TurnUp,
    layout_facts,
)
from rules.tiles import Face, TileSet, tile_set

FIRST_REPLACEMENTS = 6
Script = Generator[Step, Outcome, Ready]
Answer = TypeVar("Answer", bound=int | str)


@dataclass(frozen=True)
class Seating:
    """The number of players and the dealer's seat."""

    players: int
    dealer: Seat


@dataclass(frozen=True)
class Game:
    """One game: its tile set, its possible numbers of players, its parameters and its script."""

    name: str
    title: str
    tiles_name: str
    players: tuple[int, ...]
    parameters: Callable[[], Any]
    script: Callable[[Seating, Any], Script]
    seats: int = 4
    own_tiles: TileSet | None = None
    """The tile set of a game whose set is not in `rules.tiles`; None: the set `tiles_name`."""
    usually: int | None = None
    """The usual number of players; None: the largest number that the game seats."""

    @property
    def usual_players(self) -> int:
        """The number of players if the caller gives none."""
        return self.usually or self.players[-1]

    @property
    def tiles(self) -> TileSet:
        return self.own_tiles or tile_set(self.tiles_name)

    def setup(
        self, *, players: int | None = None, dealer: Seat = 0, parameters: Any = None
    ) -> Setup:
        """Returns a set-up whose pending step is its first one.

        Raises IllegalSetupError for a number of players or a dealer that the game cannot seat.
        """
        count = self.usual_players if players is None else players
        if count not in self.players:
            raise IllegalSetupError(
                f"{self.title} is played by {_list(self.players)} players, not {count}."
            )
        if not 0 <= dealer < count:
            raise IllegalSetupError(
                f"There is no seat {dealer} for the dealer; with {count} players seats are 0 to"
                f" {count - 1}."
            )
        chosen = self.parameters() if parameters is None else parameters
        return Setup(self, Seating(count, dealer), chosen)


@dataclass(frozen=True)
class Setup:
    """A set-up in progress. Set-ups with equal outcomes are equal.

    `done` pairs every finished step with its outcome. `pending` is the step that waits for an
    outcome. It is None once the set-up is complete; then `ready` is the result for the play.
    """

    game: Game
    seating: Seating
    parameters: Any
    outcomes: tuple[Outcome, ...] = ()
    done: tuple[tuple[Step, Outcome], ...] = field(init=False, compare=False)
    pending: Step | None = field(init=False, compare=False)
    ready: Ready | None = field(init=False, compare=False)
    _script: list[Script] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        script = self.game.script(self.seating, self.parameters)
        done: list[tuple[Step, Outcome]] = []
        pending, ready = _advance(script, None)
        for outcome in self.outcomes:
            if pending is None:
                raise IllegalOutcomeError(
                    f"The set-up is complete; leave out the further outcome {outcome!r}."
                )
            checked = _checked(self.game, pending, outcome)
            done.append((pending, checked))
            pending, ready = _advance(script, checked)
        self._become(tuple(done), pending, ready, script)

    def apply(self, outcome: Outcome = None) -> Setup:
        """Returns the set-up after the pending step with this outcome; this value is unchanged.

        Raises IllegalOutcomeError for an impossible outcome, and if no step is pending.
        """
        if self.pending is None:
            raise IllegalOutcomeError(
                "The set-up is complete; there is no step to apply an outcome to."
            )
        checked = _checked(self.game, self.pending, outcome)
        if not self._script:
            # A generator cannot be copied, and another branch has already used the script of this
            # value. So the script is run again from its start.
            return Setup(self.game, self.seating, self.parameters, (*self.outcomes, checked))
        script = self._script.pop()
        after = object.__new__(Setup)
        for name in ("game", "seating", "parameters"):
            object.__setattr__(after, name, getattr(self, name))
        object.__setattr__(after, "outcomes", (*self.outcomes, checked))
        pending, ready = _advance(script, checked)
        after._become((*self.done, (self.pending, checked)), pending, ready, script)
        return after

    def _become(
        self,
        done: tuple[tuple[Step, Outcome], ...],
        pending: Step | None,
        ready: Ready | None,
        script: Script,
    ) -> None:
        object.__setattr__(self, "done", done)
        object.__setattr__(self, "pending", pending)
        object.__setattr__(self, "ready", ready)
        object.__setattr__(self, "_script", [] if pending is None else [script])

    @property
    def layout(self) -> Layout:
        """The walls, pile or boneyard that the set is built into."""
        for step in (*(step for step, _ in self.done), self.pending):
            if isinstance(step, Build):
                return step.layout
        return BareTable()

    @property
    def throws(self) -> tuple[tuple[Throw, Dice], ...]:
        """Every throw so far, with its faces."""
        return tuple(
            (step, outcome)
            for step, outcome in self.done
            if isinstance(step, Throw) and isinstance(outcome, tuple)
        )

    @property
    def deal(self) -> tuple[Packet, ...]:
        """Every packet dealt so far, in order."""
        return tuple(step for step, _ in self.done if isinstance(step, Packet))

    @property
    def hands(self) -> dict[Seat, tuple[Place, ...]]:
        """For each seat, the places from which its tiles came, in the order of the deal."""
        hands: dict[Seat, tuple[Place, ...]] = {}
        for step, _ in self.done:
            if isinstance(step, Packet):
                hands[step.seat] = hands.get(step.seat, ()) + step.places
            elif isinstance(step, Replace):
                hands[step.seat] = (*hands.get(step.seat, ()), step.place)
        return hands

    @property
    def left(self) -> int:
        """The number of tiles not dealt, including the indicator."""
        return self.layout.count - sum(len(hand) for hand in self.hands.values())


def settle(
    setup: Setup, throws: Iterable[Dice] = (), answers: Mapping[str, int | str] | None = None
) -> Setup:
    """Runs a set-up to its end with these throws, in order, and these answers by their question.

    A question without an answer gets its default. Tiles turned up or drawn as lots stay unknown.
    Raises MissingThrowError if there are too few throws, IllegalSetupError for a throw or an answer
    that the set-up does not ask for, and IllegalOutcomeError for an impossible one.
    """
    given = iter(throws)
    answers = answers or {}
    asked: set[str] = set()
    while (step := setup.pending) is not None:
        match step:
            case Throw():
                dice = next(given, None)
                if dice is None:
                    raise MissingThrowError(step.by, step.dice, step.times, step.why)
                setup = setup.apply(dice)
            case Choose():
                asked.add(step.what)
                setup = setup.apply(answers.get(step.what, step.default))
            case _:
                setup = setup.apply()
    if spare := list(given):
        count = len(setup.throws)
        raise IllegalSetupError(
            f"{setup.game.title} takes {count or 'no'} throw{'s' * (count != 1)}; leave out"
            f" {' and '.join(','.join(map(str, dice)) for dice in spare)}."
        )
    if unasked := sorted(answers.keys() - asked):
        raise IllegalSetupError(
            f"{setup.game.title} does not ask for {' or '.join(unasked)}; leave it out."
        )
    return setup


def replay(game: Game, seating: Seating, parameters: Any, outcomes: Iterable[Outcome]) -> Setup:
    """Returns the set-up after these outcomes. Raises as `Game.setup` and `Setup.apply` do."""
    begun = game.setup(players=seating.players, dealer=seating.dealer, parameters=parameters)
    return Setup(game, begun.seating, begun.parameters, tuple(outcomes))


def throw(by: Seat, dice: int, why: str, times: int = 1) -> Generator[Step, Outcome, Dice]:
    """For scripts: asks for a throw and returns its faces."""
    outcome = yield Throw(by, dice, why, times)
    assert isinstance(outcome, tuple)
    return outcome


def choose(
    by: Seat, what: str, among: Iterable[Answer], default: Answer
) -> Generator[Step, Outcome, Answer]:
    """For scripts: asks a person and returns the answer."""
    offered = tuple(among)
    outcome = yield Choose(by, what, offered, default)
    return offered[offered.index(outcome)]


def see(step: TurnUp | DrawLot) -> Generator[Step, Outcome, Face | None]:
    """For scripts: has a tile shown and returns its face, or None if it was not seen."""
    outcome = yield step
    return outcome if isinstance(outcome, str) else None


def _checked(game: Game, step: Step, outcome: Outcome) -> Outcome:
    checked = step.check(outcome)
    if isinstance(step, TurnUp | DrawLot) and checked is not None and checked not in game.tiles:
        raise IllegalOutcomeError(
            f"'{checked}' is not a tile of {game.title}; read the tile again."
        )
    return checked


def _advance(script: Script, outcome: Outcome) -> tuple[Step | None, Ready | None]:
    try:
        return script.send(outcome), None
    except StopIteration as end:
        return None, end.value


def _list(numbers: tuple[int, ...]) -> str:
    texts = [str(number) for number in numbers]
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} or {texts[-1]}"


def facts(setup: Setup) -> Facts:
    """The results of the set-up so far, as the values that `wallwright plan` prints.

    Places are texts. A value that the game does not have, or that is not known yet, is null or
    empty.
    """
    ready = setup.ready
    return {
        "game": setup.game.name,
        "players": setup.seating.players,
        "dealer": setup.seating.dealer,
        "tiles": setup.layout.count,
        **layout_facts(setup.layout),
        "choices": [
            {"by": step.by, "what": step.what, "answer": answer}
            for step, answer in setup.done
            if isinstance(step, Choose)
        ],
        "throws": [
            {"by": step.by, "dice": list(dice), "sum": sum(dice), "why": step.why}
            for step, dice in setup.throws
        ],
        "break": break_facts(ready.opened) if ready and ready.opened else None,
        "setup_moves": [
            _without_step(step.facts())
            for step, _ in setup.done
            if isinstance(step, Arrange) and step.announces
        ],
        "deal": [
            _without_step(step.facts())
            for step, _ in setup.done
            if isinstance(step, Packet | Replace)
        ],
        "indicator": indicator_facts(setup),
        "first_draw": str(ready.draws[0]) if ready and ready.draws else None,
        "replacements": (
            [str(place) for place in ready.replacements[:FIRST_REPLACEMENTS]] if ready else []
        ),
        "left": setup.left,
    }


def break_facts(opened: Break) -> Facts:
    """Where the deal began: the wall and its last remaining column, or the last card that stays."""
    first = str(opened.first)
    match opened.after:
        case WallPlace(owner, column):
            return {"wall": owner, "column": column, "first": first}
        case CardPlace(number):
            return {"after": number, "first": first}
    return {"after": str(opened.after), "first": first}


def indicator_facts(setup: Setup) -> Facts | None:
    """The indicator: its place, the seat that turned it, its face if seen. None without one."""
    if setup.ready is None:
        return None
    for step, outcome in reversed(setup.done):
        if isinstance(step, TurnUp) and step.place == setup.ready.indicator:
            seen = {} if outcome is None else {"tile": outcome}
            return {"at": str(step.place), "turned_by": step.by, **seen}
    return None


def _without_step(step_facts: Facts) -> Facts:
    return {key: value for key, value in step_facts.items() if key != "step"}
