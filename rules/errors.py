"""Exceptions of the rules; each message is one sentence for the floor manager."""


class WallwrightError(Exception):
    """Base class of the errors that this project raises."""


class RulesError(WallwrightError, ValueError):
    """Raised for anything that the rules of a game do not allow."""


class NotationError(RulesError):
    """Raised for a text that is not a valid place, tile or throw."""


class IllegalOutcomeError(RulesError):
    """Raised for an outcome that the pending step cannot have, such as a seven on a die."""


class IllegalSetupError(RulesError):
    """Raised for a set-up that no game offers, such as nine players or REVERSE for cut 7."""


class MissingThrowError(RulesError):
    """Raised where a throw is missing; holds the seat, the dice, the repetitions, the purpose."""

    def __init__(self, by: int, dice: int, times: int, why: str) -> None:
        count = ("1 die" if dice == 1 else f"{dice} dice") + ", twice over" * (times == 2)
        super().__init__(f"The {why} is missing: seat {by} throws {count}; give the faces.")
        self.by = by
        self.dice = dice
        self.times = times
        self.why = why
