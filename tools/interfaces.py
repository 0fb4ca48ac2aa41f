"""Lists what other people's programs use: options of commands, the API, events and metrics.

`python -m tools.interfaces` prints the list as JSON. That of each release is kept in
`tests/samples/RELEASE/interfaces.json`; a test finds whatever a later program has no longer.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from unittest.mock import Mock

import click

from controller.cli.application import app
from controller.cli.command import commands_of
from controller.events.table import EventName
from controller.floor.server.metrics import FLOOR_METRICS
from controller.web.api.app import api_application, openapi
from controller.web.metrics.catalogue import METRICS

Interfaces = Mapping[str, Mapping[str, list[str]]]
"""For each kind of interface, its entries: for each name what it has, such as a command's options.
"""
METHODS = ("get", "post", "put", "patch", "delete")


def interfaces() -> Interfaces:
    """The interfaces of this program."""
    described = openapi(api_application(*[Mock() for _ in range(5)]))
    return {
        "commands": dict(_commands()),
        "requests": dict(_requests(described)),
        "schemas": {
            name: sorted(schema.get("properties", {}))
            for name, schema in described["components"]["schemas"].items()
        },
        "events": {name.value: [key.name for key in name.row.keys] for name in EventName},
        "metrics": dict(_metrics()),
    }


def _commands() -> Iterator[tuple[str, list[str]]]:
    """Each command with its options and arguments."""
    waiting = list(commands_of(app).items())
    while waiting:
        name, command = waiting.pop()
        yield name, sorted(option for each in command.params for option in _written(each))
        waiting += [(f"{name} {each}", below) for each, below in commands_of(command).items()]


def _written(parameter: click.Parameter) -> Iterable[str]:
    return (*parameter.opts, *parameter.secondary_opts)


def _requests(described: Mapping[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """Each request with its parameters."""
    for path, operations in described["paths"].items():
        for method in METHODS:
            if operation := operations.get(method):
                yield (
                    f"{method.upper()} {path}",
                    sorted(each["name"] for each in operation.get("parameters", ())),
                )


def _metrics() -> Iterator[tuple[str, list[str]]]:
    """Each metric with its labels."""
    for metric in (*METRICS.values(), *FLOOR_METRICS):
        yield metric.full_name, list(metric.labels)


def interfaces_text() -> str:
    """The interfaces of this program as JSON."""
    return json.dumps(interfaces(), indent=0, sort_keys=True) + "\n"


if __name__ == "__main__":
    sys.stdout.write(interfaces_text())
