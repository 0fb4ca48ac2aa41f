"""The option `--trace`: a listener of events that makes a trace of each round."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from controller.cli.errors import BadInputError, print_error
from controller.cli.output.line_output import open_output
from controller.events import Listener


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
