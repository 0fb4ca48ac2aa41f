"""The kinds of injected faults: the effect, the sensors' readings, and the remedy of each.

`docs/build/INJECTED_FAULTS.md` is generated from this table, and a test compares the two. The
sensors' readings are all that the controller receives: no module above the board may import this
file.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass

from firmware_bridge.sim.faults import parts
from firmware_bridge.sim.faults.parts import Parts

BY_OUTPUTS = "each change of an output"
"""The occasion of all faults from outside: `@` needs no occasion, `#` and rates count them."""


class Realm(enum.Enum):
    """The component that applies a fault."""

    PLANT = "plant"
    BOARD = "board"
    LINE = "line"
    HOST = "host"


@dataclass(frozen=True)
class FaultKind:
    """One kind of injected fault.

    `does` is the effect, `shows` the sensors' readings. `measure` is the meaning of the number
    after `~` (empty: the kind takes none) and `usual` its default.
    """

    name: str
    does: str
    shows: str
    cure: str
    occasion: str
    parts: Parts
    measure: str = ""
    usual: float = 0.0
    realm: Realm = Realm.PLANT


_TILE = "each tile that the wheel lifts"
_SET = "each set that people push in"
_TRAVEL = "each start of the part from an end of its travel"
_START = "each start of one of the part's motors"
_CHANGE = "each change of the sensor"
_LIFTED = "each block that the gripper carries off"
INSIDE = (
    FaultKind(
        "jam",
        "A tile sticks at the counter and blocks the belt and the pusher.",
        "S1 stays active longer than a tile takes to pass; a push gives no vane edge; the belt's"
        " motor draws its stall current.",
        "Reversing the wheel loosens the tile, usually within three reversals. A person takes the"
        " tile out and puts it into the drum.",
        _TILE,
        parts.heads,
        "reversals of the wheel until the tile is loose",
    ),
    FaultKind(
        "double_feed",
        "The wheel lifts two tiles, end to end.",
        "One pulse of S1, twice as long as for one tile; finally one tile too many at this head and"
        " one too few at another.",
        "A person takes the second tile out and puts it into the drum.",
        _TILE,
        parts.heads,
    ),
    FaultKind(
        "starved",
        "A tile lies across the port, and the wheel lifts no tile.",
        "No edge of S1 while wheel, belt and drum run.",
        "Reversing the drum moves the tile. A person moves it by hand, under the disc.",
        _TILE,
        parts.heads,
        "reversals of the drum until the tile moves",
        1.0,
    ),
    FaultKind(
        "face_up",
        "A tile leaves the drum face up.",
        "The face sensor is active, if the head has one; otherwise no sensor shows the fault.",
        "The head's turner turns the tile over. A person turns it over.",
        _TILE,
        parts.heads,
    ),
    FaultKind(
        "missing_tile",
        "A tile falls on the floor while people push the set in.",
        "The heads count one tile too few.",
        "A person picks the tile up and puts it into the drum.",
        _SET,
        parts.drum,
    ),
    FaultKind(
        "extra_tile",
        "One tile too many is pushed in with the set.",
        "A head counts another tile after all tiles of the set were counted.",
        "A person takes the left-over tile out. If it belongs to the set, it is put where the extra"
        " tile is.",
        _SET,
        parts.drum,
    ),
    FaultKind(
        "foreign_tile",
        "A tile of another set, a quarter longer, replaces one of the set's own tiles.",
        "A pulse of S1 a quarter longer than for a tile of the set; a tag that is not in the set.",
        "A person puts the right tile exactly where the foreign tile lies.",
        _SET,
        parts.drum,
    ),
    FaultKind(
        "dirty_sensor",
        "Dirt delays the sensor, a little more each time; finally the sensor detects nothing.",
        "Pulses shorter than the tile at belt speed, with a falling trend; then motion without an"
        " edge.",
        "A person cleans the sensor.",
        _CHANGE,
        parts.sensors,
        "share of a pulse that is lost the first time; each further time loses a third of this"
        " share more",
        0.15,
    ),
    FaultKind(
        "stuck_sensor",
        "The sensor keeps its level.",
        "No edge where motion should give one; or both limit switches active, because one of them"
        " stays active.",
        "A person frees or replaces the sensor.",
        _CHANGE,
        parts.sensors,
    ),
    FaultKind(
        "bouncing_sensor",
        "The sensor's contact bounces for longer than its debounce time.",
        "One edge too many, at intervals of a few debounce times.",
        "A person replaces the sensor.",
        _CHANGE,
        parts.sensors,
    ),
    FaultKind(
        "limit_switch",
        "The limit switch does not close.",
        "The part has moved for long enough, but the switch is not reached in time.",
        "A person bends the switch back.",
        _CHANGE,
        parts.limits,
    ),
    FaultKind(
        "weak_motor",
        "The motor is slow.",
        "A limit switch is reached late, or not in time; tiles arrive late.",
        "A person replaces the motor or its supply.",
        _START,
        parts.slides_and_heads,
        "factor by which the motion takes longer",
        3.0,
    ),
    FaultKind(
        "slipping_belt",
        "The belt slips on its rollers and is slow.",
        "Pulses of S1 longer than the tile at belt speed, and further apart; a lower motor current,"
        " if it is measured.",
        "A person tightens the belt.",
        "each start of the belt",
        parts.belts,
        "factor by which the motion takes longer",
        2.0,
    ),
    FaultKind(
        "half_up",
        "The part catches half way and stays there.",
        "Neither limit switch is active; the far one is not reached in time.",
        "Another start in the same direction frees the part. A person pushes it on.",
        _TRAVEL,
        parts.slides,
        "further starts until the part is free",
        1.0,
    ),
    FaultKind(
        "obstruction",
        "A hand or chips stop the part half way.",
        "The motor's current exceeds its limit: the board latches OVER_CURRENT.",
        "The part can move back. A person removes the obstruction.",
        _TRAVEL,
        parts.slides,
        "seconds until the obstruction is removed unasked; without a number, a person is asked",
    ),
    FaultKind(
        "over_current",
        "The motor draws too much current for a moment, as with a worn bearing.",
        "The board latches OVER_CURRENT at the motor's channel.",
        "Clear the fault and repeat the order. At a real table a person oils the bearing.",
        _START,
        parts.motor_parts,
    ),
    FaultKind(
        "held_tile",
        "A tile hangs in its pocket of the magazine.",
        "A stroke of the ejector without an edge of the sensor below the magazine.",
        "Further strokes push it out. A person straightens the tile in its pocket.",
        "each stroke of the ejector into a pocket with a tile",
        parts.magazine,
        "further strokes until the tile falls",
        1.0,
    ),
    FaultKind(
        "dropped_tile",
        "The jaws drop the block that they hold: where they gripped it, or on the way.",
        "The sensor between the jaws is inactive while the jaws are closed.",
        "A person puts the tiles back where they were.",
        _LIFTED,
        parts.gripper,
    ),
    FaultKind(
        "misread",
        "The reader reads no tag, or the tag of another tile.",
        "No tag while the jaws hold a tile; or a tag that does not belong to this place.",
        "Read until two successive readings agree, at most four times; then a person names the"
        " tile. People who see another tile than the screen shows end the hand by the lid's key.",
        "each reading",
        parts.reader,
    ),
    FaultKind(
        "cocked_die",
        "A die leans on another and shows no face.",
        "A die that reads 0.",
        "Throw again.",
        "each throw",
        parts.dice,
    ),
)
OUTSIDE = (
    FaultKind(
        "reach_in",
        "A hand reaches through the light curtain.",
        "The curtain's sensors are active, on every board.",
        "The hand is withdrawn after this time, or when a person is asked.",
        BY_OUTPUTS,
        parts.curtain,
        "seconds until the hand is withdrawn; 0: when a person is asked",
        2.0,
    ),
    FaultKind(
        "added_tile",
        "A person puts a tile into the drum, from a box of spare tiles of the same kind.",
        "After all tiles of the next set, or of the set that is being built, were counted, a head"
        " counts another one.",
        "A person takes the left-over tile out. If it belongs to the set, it is put where the added"
        " tile is.",
        BY_OUTPUTS,
        parts.drum,
    ),
    FaultKind(
        "emergency_stop",
        "A person presses the emergency stop.",
        "The emergency input opens on every board; every board latches EMERGENCY_STOP.",
        "The same person, or a person who is asked, releases the emergency stop; then the named"
        " reset.",
        BY_OUTPUTS,
        parts.emergency,
        "seconds until the same person releases it; 0: when a person is asked",
        20.0,
    ),
    FaultKind(
        "board_reset",
        "The board's watchdog resets it: outputs off, no configuration, no session.",
        "Refusals or no answer; then an identity with one more boot and the cause watchdog (2).",
        "Identify, configure, reconcile.",
        BY_OUTPUTS,
        parts.boards,
        realm=Realm.BOARD,
    ),
    FaultKind(
        "brown_out",
        "The board's supply voltage sags, which resets the board.",
        "As a reset, with the cause brown-out (3).",
        "Identify, configure, reconcile.",
        BY_OUTPUTS,
        parts.boards,
        realm=Realm.BOARD,
    ),
    FaultKind(
        "board_silent",
        "The board neither receives nor sends; its lease expires and its outputs become safe.",
        "The host's requests are not answered.",
        "A person plugs the board in again.",
        BY_OUTPUTS,
        parts.boards,
        "seconds until a person notices; 0: when a person is asked",
        60.0,
        realm=Realm.BOARD,
    ),
    FaultKind(
        "link_noise",
        "Bits flip on the line, in both directions.",
        "Damaged frames and repeated commands; the same work, a little later.",
        "The noise ends by itself.",
        BY_OUTPUTS,
        parts.line,
        "seconds",
        5.0,
        realm=Realm.LINE,
    ),
    FaultKind(
        "link_unplugged",
        "The cable is unplugged: no byte passes in either direction.",
        "No board answers; every lease expires.",
        "A person plugs the cable in again.",
        BY_OUTPUTS,
        parts.line,
        "seconds until a person notices; 0: when a person is asked",
        60.0,
        realm=Realm.LINE,
    ),
    FaultKind(
        "host_stall",
        "The host neither receives nor sends for a while; boards and plant continue.",
        "The lease expires (HELD); then all waiting messages arrive at once.",
        "The stall ends by itself.",
        BY_OUTPUTS,
        parts.stalling,
        "seconds, 0.4 to 5",
        2.0,
        realm=Realm.LINE,
    ),
    FaultKind(
        "clock_jump",
        "The host's wall clock is set forwards.",
        "No effect: no duration is measured with the wall clock.",
        "None is needed.",
        BY_OUTPUTS,
        parts.host,
        "seconds",
        3600.0,
        realm=Realm.HOST,
    ),
    FaultKind(
        "full_disk",
        "The host's disk is full.",
        "The journal cannot be written.",
        "A person frees space on the disk.",
        BY_OUTPUTS,
        parts.host,
        realm=Realm.HOST,
    ),
    FaultKind(
        "slow_disk",
        "From then on each sync of the host's disk takes this long, as on a worn SD card.",
        "No sensor shows it: work that waits for a sync takes longer, and other work continues.",
        "None is needed.",
        BY_OUTPUTS,
        parts.host,
        "seconds",
        0.1,
        realm=Realm.HOST,
    ),
    FaultKind(
        "corrupt_journal",
        "The journal's file is damaged.",
        "The journal cannot be read at the next start.",
        "The table gathers its tiles and begins a new journal.",
        BY_OUTPUTS,
        parts.host,
        realm=Realm.HOST,
    ),
    FaultKind(
        "power_cut",
        "The power of the host, of one board, or of the whole table fails.",
        "A board: as a reset, with the cause power (1). The host: an unfinished step in the"
        " journal.",
        "The next start reconciles and continues.",
        BY_OUTPUTS,
        parts.host_or_all,
        realm=Realm.BOARD,
    ),
    FaultKind(
        "wrong_answer",
        "A person who is asked for help confirms without having done the work.",
        "The same fault again.",
        "Ask again.",
        "each time that a person is asked for help",
        parts.people,
    ),
    FaultKind(
        "closed_early",
        "A person closes the lid before the set from the box is pushed in.",
        "The lid closes, and then no head counts a tile.",
        "A person pushes the set in when asked to look into the drum.",
        "each time that the lid has opened for a set from its box",
        parts.people,
    ),
)
KINDS: Mapping[str, FaultKind] = {kind.name: kind for kind in (*INSIDE, *OUTSIDE)}
