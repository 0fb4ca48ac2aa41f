"""Checks of the options of `wallwright run`, before anything moves, and the trace of `--trace`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from controller.cli.errors import BadInputError, print_error
from controller.cli.output.line_output import open_output
from controller.events import Listener
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
    for number in range(players if orders.has_match and rounds > 1 else min(rounds, players)):
        dealer = (orders.dealer + number) % players
        try:
            _check_round(orders, dealer)
        except RulesError as error:
            if not number:
                raise
            when = "a later round" if orders.has_match else f"round {number + 1}"
            safe = 1 if orders.has_match else number
            raise BadInputError(
                f"In {when}, in which seat {dealer} throws first, an option is not allowed:"
                f" {error} Leave the option out, or give --rounds {safe}."
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


def trace_file(place: str | None) -> str | None:
    """The file of `--trace`; None without one. Raises BadInputError for a wrong address."""
    if place is None:
        return None
    from controller.records.tracing import TraceError, address_of, is_address

    if not is_address(place):
        if place == "-":
            raise BadInputError(
                "`--trace` must be a file or the address of a collector, such as"
                " http://127.0.0.1:4318; got '-'."
            )
        return place
    try:
        address_of(place)
    except TraceError as error:
        raise BadInputError(str(error)) from None
    return None


@contextmanager
def traced(place: str | None, attributes: Mapping[str, str]) -> Iterator[Listener | None]:
    """A listener that traces rounds to a file or an address; None without a place.

    At the end, a sentence about spans that were lost is printed. Raises BadInputError if the file
    cannot be written, and ModuleNotFoundError without the extra `trace`.
    """
    if place is None:
        yield None
        return
    file = trace_file(place)
    from controller.records.tracing import TraceOutput

    named = {f"wallwright.{key}": value for key, value in attributes.items()}
    with open_output("The trace", file, "a") as stream:
        output = TraceOutput(place, stream, named)
        try:
            yield output.tracer.on_event
        finally:
            output.close()
            if output.failure:
                print_error(output.failure)
