"""A table as frozen, validated values: boards with channels, and the modules made of them.

What a table can do follows from its modules (`Table.capabilities`). Lengths are metres, times
seconds, unless a name ends in `_mm` or `_ms`. Unknown keys are errors. docs/CONFIGURATION.md is
made from what is here.
"""

from __future__ import annotations

from config.schema.channels import (
    AnalogChannel,
    AxisChannel,
    BoardConfig,
    Channel,
    DiceChannel,
    MotorChannel,
    OutputChannel,
    ReaderChannel,
    SensorChannel,
    StripChannel,
)
from config.schema.game import GameConfig, TileSize
from config.schema.modules import (
    Buzzer,
    Chain,
    Dice,
    Drum,
    Flipper,
    Gantry,
    Head,
    Heads,
    Keys,
    Lamps,
    Lane,
    Lanes,
    Lid,
    Modules,
    Reader,
    Relay,
    Tower,
    Tray,
    Trays,
)
from config.schema.part import Part, Pin, Positive, Unit
from config.schema.table import FieldSize, Recovery, Table, TileRange

__all__ = [
    "AnalogChannel",
    "AxisChannel",
    "BoardConfig",
    "Buzzer",
    "Chain",
    "Channel",
    "Dice",
    "DiceChannel",
    "Drum",
    "FieldSize",
    "Flipper",
    "GameConfig",
    "Gantry",
    "Head",
    "Heads",
    "Keys",
    "Lamps",
    "Lane",
    "Lanes",
    "Lid",
    "Modules",
    "MotorChannel",
    "OutputChannel",
    "Part",
    "Pin",
    "Positive",
    "Reader",
    "ReaderChannel",
    "Recovery",
    "Relay",
    "SensorChannel",
    "StripChannel",
    "Table",
    "TileRange",
    "TileSize",
    "Tower",
    "Tray",
    "Trays",
    "Unit",
]
