"""Checks of the options of `wallwright run`, before anything moves."""

from __future__ import annotations

from controller.cli.errors import BadInputError
from controller.run.orders import Orders
from rules.errors import RulesError
from rules.geometry import Seat
from rules.steps import Choose, Throw

_OPTIONS = ("cut", "wall")
"""Questions of a set-up that the option of the same name answers in every round."""


def check_orders(orders: Orders, rounds: int) -> None:
    """Apply the given throws and answers to the set-up of every round, before anything moves.

    Raises RulesError or BadInputError for a throw or answer that a round does not allow. The error
    names a later round, in which another seat throws first. In a match each seat is tried, since
    the dealer of a later hand depends on the results.
    """
    players = orders.setup(orders.dealer).seating.players
    for number in range(players if orders.play and rounds > 1 else min(rounds, players)):
        dealer = (orders.dealer + number) % players
        try:
            _check_round(orders, dealer)
        except RulesError as error:
            if not number:
                raise
            when = "a later round" if orders.play else f"round {number + 1}"
            raise BadInputError(
                f"In {when}, in which seat {dealer} throws first, an option is not allowed:"
                f" {error} Leave the option out, or give --rounds {1 if orders.play else number}."
            ) from error


def _check_round(orders: Orders, dealer: Seat) -> None:
    """Apply the given throws and answers to one set-up, up to the first throw that is not given.

    The table throws the missing ones itself.
    """
    setup = orders.setup(dealer)
    throws = list(orders.throws)
    unasked = {question for question in orders.answers if question in _OPTIONS}
    while (step := setup.pending) is not None:
        match step:
            case Throw() if not throws:
                break
            case Throw():
                setup = setup.apply(throws.pop(0))
            case Choose():
                unasked.discard(step.what)
                setup = setup.apply(orders.answers.get(step.what, step.default))
            case _:
                setup = setup.apply()
    if throws:
        spare = ",".join(str(face) for face in throws[0])
        count = "further throw" if setup.throws else "throw"
        raise BadInputError(f"{orders.game.title} takes no {count}; leave out --throw {spare}.")
    if isinstance(step, Throw) and unasked:
        option = min(unasked)
        raise BadInputError(
            f"The {step.why} decides whether this {option} is allowed; give its dice with --throw,"
            f" or leave out --{option}."
        )


def pace_of(speed: str | None, *, real: bool) -> float | None:
    """The value of `--speed` as `RunJob.pace`. Raises BadInputError."""
    if speed is None:
        return 1.0 if real else None
    if real and speed != "real":
        raise BadInputError(
            f"Real boards run in real time; leave out --speed {speed}, or leave out --port to"
            " simulate the table."
        )
    match speed:
        case "virtual":
            return None
        case "real":
            return 1.0
    try:
        factor = float(speed)
    except ValueError:
        factor = 0.0
    if not 0 < factor < 1e6:
        raise BadInputError(
            f"`--speed` must be virtual, real, or a factor such as 10, above 0 and below 1000000;"
            f" got '{speed}'."
        )
    return factor
