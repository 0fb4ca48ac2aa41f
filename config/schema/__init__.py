"""Configuration schema: a table as frozen, validated values (boards, channels, modules).

`Table.capabilities` lists a table's modules. Lengths are in metres and times in seconds, unless a
name ends in `_mm` or `_ms`. Unknown keys are errors. docs/build/CONFIGURATION.md is generated from
these classes.
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
    Threshold,
)
from config.schema.game import GameConfig, TileSize
from config.schema.modules import (
    BuzzerModule,
    ChainModule,
    DiceModule,
    DrumModule,
    FlipperModule,
    GantryModule,
    HeadModule,
    HeadsModule,
    KeysModule,
    LampsModule,
    LaneModule,
    LanesModule,
    LidModule,
    MagazineModule,
    Modules,
    ReaderModule,
    RelayModule,
    TowerModule,
    TrayModule,
    TraysModule,
)
from config.schema.part import Part, Pin, Positive, Unit, channel_keys, notes
from config.schema.table import FieldSize, Recovery, Table, TileRange

__all__ = [
    "AnalogChannel",
    "AxisChannel",
    "BoardConfig",
    "BuzzerModule",
    "ChainModule",
    "Channel",
    "DiceChannel",
    "DiceModule",
    "DrumModule",
    "FieldSize",
    "FlipperModule",
    "GameConfig",
    "GantryModule",
    "HeadModule",
    "HeadsModule",
    "KeysModule",
    "LampsModule",
    "LaneModule",
    "LanesModule",
    "LidModule",
    "MagazineModule",
    "Modules",
    "MotorChannel",
    "OutputChannel",
    "Part",
    "Pin",
    "Positive",
    "ReaderChannel",
    "ReaderModule",
    "Recovery",
    "RelayModule",
    "SensorChannel",
    "StripChannel",
    "Table",
    "Threshold",
    "TileRange",
    "TileSize",
    "TowerModule",
    "TrayModule",
    "TraysModule",
    "Unit",
    "channel_keys",
    "notes",
]
