"""Configuration schema: a table as frozen, validated values (boards, channels, modules).

`Table.capabilities` lists a table's modules. Lengths are metres, times seconds, unless a name
ends in `_mm` or `_ms`. Unknown keys are errors. docs/CONFIGURATION.md is generated from these
classes.
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
