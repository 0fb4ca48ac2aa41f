"""Validates a game choice with a table and converts it to orders of rounds; keeps saved choices."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from config.errors import Finding, dotted
from config.layout.staging import DoesNotFitError, Staging
from config.loader import game_names, load_game
from config.schema import GameConfig, Table
from config.validation.checks import fit
from config.validation.game_parameters import accepted
from controller.run.orders import Orders
from controller.run.planning.setup_forecast import staging_of
from controller.service.evening.evening_store import EveningStore
from controller.service.evening.store_thread import StoreThread
from controller.service.status import GameChoice
from rules.errors import RulesError, WallwrightError
from rules.games import GAMES, find_plugin
from rules.geometry import Walls

WINDS = ("East", "South", "West", "North")


class ChoiceRefusedError(WallwrightError, ValueError):
    """A game choice that this table cannot play, or house rules that the game does not have."""


@dataclass(frozen=True)
class PlannedGame:
    """A valid game choice: its configuration, the orders of its rounds, and its staging."""

    choice: GameChoice
    config: GameConfig
    orders: Orders
    staging: Staging

    @property
    def seats(self) -> int:
        """The number of players."""
        return self.orders.setup(self.orders.dealer).seating.players

    @property
    def has_winds(self) -> bool:
        """Whether seats are named by winds: in games of four players with walls."""
        return isinstance(self.staging.layout, Walls) and self.seats == len(WINDS)

    def wind(self, seat: int, dealer: int) -> str:
        """The wind of a seat if `dealer` is East; empty in games without winds."""
        return WINDS[(seat - dealer) % self.seats] if self.has_winds else ""

    def uses_tiles_of(self, other: PlannedGame) -> bool:
        """Whether both choices use the same tiles in the same trays.

        Then a set that was shuffled for one of them can be dealt for the other.
        """
        return (
            self.orders.game.tiles == other.orders.game.tiles
            and self.config.tile == other.config.tile
            and self.staging.fills == other.staging.fills
            and dict(self.staging.lanes) == dict(other.staging.lanes)
        )


def planned(table: Table, choice: GameChoice) -> PlannedGame:
    """Validate a choice for a table. Raises ChoiceRefusedError with a sentence."""
    if choice.game not in GAMES:
        raise ChoiceRefusedError(
            f"There is no game '{choice.game}'; there are {', '.join(sorted(GAMES))}."
        )
    config = load_game(choice.game)
    given = {**config.parameters, **choice.house_rules}
    parameters, findings = accepted(choice.game, given)
    if findings:
        raise ChoiceRefusedError(_sentence(findings))
    game = GAMES[choice.game]
    plugin, follow = find_plugin(choice.game), choice.follow
    if plugin.rules is None and follow == "result":
        follow = "none"  # a game that can only be dealt has no match
    orders = Orders(
        game,
        parameters,
        dealer=choice.dealer,
        players=choice.players,
        answers=dict(choice.answers),
        follow=follow,
        draw_seats=choice.draw_seats,
        waits_for_result=choice.waits_for_result,
    )
    try:
        orders.setup(orders.dealer)
        if orders.has_match:
            orders.first_match()
        elif choice.draw_seats:
            raise ChoiceRefusedError(
                "`draw_seats` needs results of the hands; set `follow` to `result` or `play`, or"
                " leave `draw_seats` out."
            )
        verdict = fit(table, game, config)
        if not verdict.fits:
            raise ChoiceRefusedError(
                f"{game.title} does not fit the table {table.name}: {' '.join(verdict.reasons)}"
            )
        return PlannedGame(choice, config, orders, staging_of(table, orders))
    except (RulesError, DoesNotFitError) as error:
        raise ChoiceRefusedError(f"{game.title}: {error}") from error


def any_game(table: Table) -> PlannedGame:
    """The first game that fits the table, for its tiles. Raises ChoiceRefusedError."""
    for name in game_names():
        with suppress(ChoiceRefusedError):
            game = planned(table, GameChoice(game=name))
            if game.staging.layout.count:
                return game
    raise ChoiceRefusedError(f"No game fits the table {table.name}; check its file.")


def _sentence(findings: Sequence[Finding]) -> str:
    """The findings as one text, each with its key."""
    return " ".join(f"{dotted(each.path)} {each.wrong}; {each.cure}." for each in findings)


class SavedGames:
    """The saved games of one table, which the store keeps."""

    def __init__(self, store: EveningStore, thread: StoreThread) -> None:
        self._thread = thread
        self._choices = {
            name: GameChoice.model_validate(choice) for name, choice in store.presets().items()
        }

    def all(self) -> dict[str, GameChoice]:
        """The saved games with house rules, by name."""
        return dict(self._choices)

    def save(self, name: str, choice: GameChoice) -> None:
        """Save a game with its house rules; a preset with this name is replaced."""
        self._choices[name] = choice
        facts = choice.model_dump(mode="json")
        self._thread.write(lambda store: store.put_preset(name, facts))

    def delete(self, name: str) -> None:
        """Delete a preset. Raises KeyError if there is none with this name."""
        del self._choices[name]
        self._thread.write(lambda store: store.put_preset(name, None))
