"""The kinds of injected faults: the effect, the sensors' readings, and the remedy of each.

`docs/INJECTED_FAULTS.md` is generated from this table, and a test compares the two. The sensors'
readings are all that the controller gets: no module above the board may import this file.
"""

from __future__ import annotations

from collections.abc import Mapping

from firmware_bridge.sim.faults import parts
from firmware_bridge.sim.faults.kind import FaultKind
from firmware_bridge.sim.faults.outside_kinds import OUTSIDE

_TILE = "each tile that the wheel lifts"
_SET = "each set that people push in"
_TRAVEL = "each time it sets off from an end"
_START = "each start of one of its motors"
_CHANGE = "each change of the sensor"
_LIFTED = "each block that it carries off"

INSIDE = (
    FaultKind(
        "jam",
        "A tile sticks at the counter; belt and pusher stand still behind it.",
        "S1 stays active longer than a tile takes; a push gives no vane edge; the belt's motor"
        " draws its stall current.",
        "Reversing the wheel loosens it, mostly within three times; a person takes the tile out"
        " and gives it to the drum.",
        _TILE,
        parts.heads,
        "reversals of the wheel until it is loose",
    ),
    FaultKind(
        "double_feed",
        "The wheel lifts two tiles, end to end.",
        "One edge of S1, twice as long as a tile; in the end a tile too many here and one too few"
        " elsewhere.",
        "A person takes the second tile out and gives it to the drum.",
        _TILE,
        parts.heads,
    ),
    FaultKind(
        "starved",
        "A tile lies across the port and the wheel gets hold of none.",
        "No edge of S1 while wheel, belt and drum run.",
        "Reversing the drum moves it; a person looks under the disc.",
        _TILE,
        parts.heads,
        "reversals of the drum until it moves",
        1.0,
    ),
    FaultKind(
        "face_up",
        "A tile comes out of the drum face up.",
        "The face sensor, where the head has one; otherwise nothing but people's eyes.",
        "The head's turner; a person turns it over.",
        _TILE,
        parts.heads,
    ),
    FaultKind(
        "missing_tile",
        "A tile falls on the floor while people push the set in.",
        "The heads count one tile too few.",
        "A person picks it up and gives it to the drum.",
        _SET,
        parts.drum,
    ),
    FaultKind(
        "extra_tile",
        "A tile too many is pushed in with the set.",
        "The heads count one tile too many: one is left over in the drum or on a belt.",
        "A person takes it out; where it was counted, what is left over takes its place.",
        _SET,
        parts.drum,
    ),
    FaultKind(
        "foreign_tile",
        "A tile of another set, a quarter longer, takes the place of one of the set's own.",
        "An edge of S1 a quarter longer than the tile; a tag that the reader's set does not have.",
        "A person puts the right one exactly where it lies.",
        _SET,
        parts.drum,
    ),
    FaultKind(
        "dirty_sensor",
        "Dirt makes it see late, a little more each time; in the end it sees nothing.",
        "Edges shorter than the tile at belt speed, the trend downwards; then motion without the"
        " edge.",
        "A person wipes it.",
        _CHANGE,
        parts.sensors,
        "share of a pulse that is lost at the first time, and a third of that more each time after",
        0.15,
    ),
    FaultKind(
        "stuck_sensor",
        "It stays as it is.",
        "No edge where motion should give one; a switch that stays active while the other one"
        " closes: both limits active.",
        "A person frees or exchanges it.",
        _CHANGE,
        parts.sensors,
    ),
    FaultKind(
        "bouncing_sensor",
        "Its contact bounces longer than its debounce time.",
        "One edge more than there should be, within a few milliseconds.",
        "A person exchanges it.",
        _CHANGE,
        parts.sensors,
    ),
    FaultKind(
        "limit_switch",
        "The end switch does not close.",
        "The part has travelled long enough and the switch is not reached in time.",
        "A person bends it back.",
        _CHANGE,
        parts.limits,
    ),
    FaultKind(
        "weak_motor",
        "The motor is slow.",
        "A switch reached late, or not within its time; tiles that come late.",
        "A person exchanges the motor or its supply.",
        _START,
        parts.slides_and_heads,
        "times as long as it should take",
        3.0,
    ),
    FaultKind(
        "slipping_belt",
        "The belt slips on its rollers and carries slowly.",
        "Every edge of S1 longer than the tile at belt speed, and further apart; less current,"
        " where it is measured.",
        "A person tightens it.",
        "each start of the belt",
        parts.belts,
        "times as long as it should take",
        2.0,
    ),
    FaultKind(
        "half_up",
        "The part catches half way and hangs there.",
        "Neither switch active; the far one is not reached in time.",
        "Ordering it on once more frees it; a person pushes it on.",
        _TRAVEL,
        parts.slides,
        "further starts until it comes free",
        1.0,
    ),
    FaultKind(
        "obstruction",
        "A hand or chips stop the part half way.",
        "The motor's current over its limit: the board latches OVER_CURRENT.",
        "It can back off; a person takes the hand away.",
        _TRAVEL,
        parts.slides,
        "seconds until it is out of the way by itself (else a person is asked)",
    ),
    FaultKind(
        "over_current",
        "The motor draws too much for a moment, as with a worn bearing.",
        "The board latches OVER_CURRENT at the motor's channel.",
        "Clear the fault and order it again; a person oils it.",
        _START,
        parts.motor_parts,
    ),
    FaultKind(
        "dropped_tile",
        "The jaws lose what they hold: back where it stood, or on the felt half way.",
        "The sensor between the jaws is inactive while they are closed.",
        "A person puts the tiles back where they were.",
        _LIFTED,
        parts.gripper,
    ),
    FaultKind(
        "misread",
        "The reader reads nothing, or the tag of another tile.",
        "No tag where the jaws hold a tile; or one that does not belong here.",
        "Read again; a person wipes the reader.",
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

KINDS: Mapping[str, FaultKind] = {kind.name: kind for kind in (*INSIDE, *OUTSIDE)}
