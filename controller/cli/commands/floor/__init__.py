"""`wallwright floor`: the service of a floor with many tables, its tables and certificates."""

from __future__ import annotations

from controller.cli.command import LazyGroup

floor = LazyGroup(
    "floor",
    "controller.cli.commands.floor",
    {
        "serve": (
            "serve",
            "Store the events of a floor's tables, and show the floor, until stopped.",
        ),
        "demo": (
            "serve",
            "Run a broker, a database, the floor service and simulated tables on this computer.",
        ),
        "tables": (
            "tables",
            "List the tables of a floor with their names, titles and retirements.",
        ),
        "retire": ("tables", "Take a table off the floor; its history stays readable."),
        "unretire": (
            "tables",
            "Take a retired table back, or enrol another one under its name; the history goes on.",
        ),
        "rename": (
            "tables",
            "Give a table another title; its name, its certificate and its history stay.",
        ),
        "ca": ("ca", "Issue, renew and revoke the certificates of a floor."),
    },
    help="Run the floor service of many tables, retire tables, and issue certificates.",
)
