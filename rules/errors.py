"""Exceptions of the rules; each message is one sentence for the floor manager."""


class WallwrightError(Exception):
    """The root of every error that this project raises on purpose."""


class RulesError(WallwrightError, ValueError):
    """Raised for anything that the rules of a game do not allow."""


class NotationError(RulesError):
    """Raised for a text that is not a valid place, tile or throw."""


class IllegalOutcomeError(RulesError):
    """An outcome that the pending step cannot have (a seven on a die, a cut after the dice)."""


class IllegalSetupError(RulesError):
    """A set-up that no game offers (five players at pai gow's four walls, REVERSE for cut 7)."""


class MissingThrowError(RulesError):
    """A throw that is needed and was not given: by whom, how many dice, how often, what for."""

    def __init__(self, by: int, dice: int, times: int, why: str) -> None:
        count = ("1 die" if dice == 1 else f"{dice} dice") + ", twice over" * (times == 2)
        super().__init__(f"The {why} is missing: seat {by} throws {count}; give the faces.")
        self.by = by
        self.dice = dice
        self.times = times
        self.why = why
