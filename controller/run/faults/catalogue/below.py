"""Rows of faults from the lid to the trays, during the preparation of a set."""

from __future__ import annotations

from controller.run.faults.catalogue.row import CLEAR, STOP, Fault, FaultRow, Who
from firmware_bridge.board import FaultCode

ROWS = (
    FaultRow(
        fault=Fault.LID,
        title="Lid not fully open or closed",
        expected="a signal of lid_opened or lid_closed within twice the lid's travel time",
        instead="no signal within that time",
        cause="a tile or a hand on the lid's rim; a slipped belt; a dead switch",
        automatic="drives the lid again",
        please="Remove everything that lies on the rim of {part}.",
        who=Who.PLAYER,
        example="lid",
    ),
    FaultRow(
        fault=Fault.LIFT,
        title="Tray not fully up or down",
        expected="a signal of the lift's upper or lower switch within twice its travel time",
        instead="no signal within that time",
        cause="a tile beside its wall; a slipped belt; a dead switch",
        automatic="drives the lift again once; a tray does not move up and down repeatedly",
        please="Take the tile beside the wall on {part} away.",
        who=Who.ATTENDANT,
        example="lift 2",
    ),
    FaultRow(
        fault=Fault.OBSTRUCTED,
        title="Hand or chips in the way",
        expected="a motor's current below its limit, and no interruption of the light curtain",
        instead="a current above the limit, or an interrupted light curtain",
        cause="a hand, a chip or a tile in the way of a moving part",
        automatic="stops the part at once and waits for a person; after an over-current the part"
        " backs off first",
        please="Take your hands and everything else out of the way of {part}.",
        who=Who.PLAYER,
        answers=(CLEAR, STOP),
        latched=FaultCode.LIGHT_CURTAIN,
        example="lid",
    ),
    FaultRow(
        fault=Fault.JAM,
        title="Jam at a head",
        expected="one pulse of the sensor S1 for every tile, while the drum has enough tiles",
        instead="S1 active for longer than a tile takes, with or without an edge of the vane, or no"
        " edge of S1 although the drum is full",
        cause="a tile across the wheel or the belt; two tiles under one magnet",
        automatic="stops the wheel, reverses it, then runs it forward again",
        please="Take the tile that is stuck at {part} out and put it back into the drum.",
        who=Who.ATTENDANT,
    ),
    FaultRow(
        fault=Fault.STARVED,
        title="Starved head",
        expected="an edge of the sensor S1 for each of the last tiles",
        instead="no edge for longer than the last tiles may take, while other heads wait too; or"
        " no edge at any head since the lid was closed",
        cause="tiles under the disc or stuck to each other; weak magnets; the lid was closed before"
        " the set was pushed in",
        automatic="reverses the drum, then runs it forward again",
        please="Look into the drum: push the set in if it is not there, and look under the disc for"
        " tiles that do not reach {part}.",
        who=Who.ATTENDANT,
    ),
    FaultRow(
        fault=Fault.MISSING_TILE,
        title="Tile missing",
        expected="as many edges of the sensor S1 as the set has tiles",
        instead="fewer edges, when all other sides are complete",
        cause="a tile on the floor, in a pocket, in the other set, or under the disc",
        automatic="reverses the drum, then runs it forward again, in case the tile is still in it",
        please="Find the tiles that {part} still lacks and put them into the drum.",
        who=Who.DEALER,
    ),
    FaultRow(
        fault=Fault.EXTRA_TILE,
        title="One tile too many",
        expected="as many edges of the sensor S1 as the stack takes tiles",
        instead="more edges",
        cause="a tile of the other set; two tiles that were counted as one; a double edge of S1",
        automatic="asks a person: the machine cannot take a tile out of a tray",
        please="Take the surplus tile at {part} out of its stack and put it into the drum.",
        who=Who.DEALER,
    ),
    FaultRow(
        fault=Fault.LEFT_OVER,
        title="Tile left over",
        expected="no edge of the sensor S1 of any head after all tiles of the set were counted",
        instead="another edge",
        cause="a tile of the other set or of another game; a tile that a person put into the"
        " machine; a double edge of S1, so that a tile of the set was not lifted",
        automatic="asks before the walls rise, and then looks for another tile. If a counted tile"
        " can have been put back, because the run was resumed, the lid was opened or the table was"
        " paused during the build, the table stops with UNPROVEN instead",
        please="Take every tile that still lies at {part} out of the machine. If it does not belong"
        " to this set, keep it out. If it belongs to this set, the walls have a wrong tile or a"
        " gap: put it exactly there, or stop the table and count the set.",
        who=Who.ATTENDANT,
    ),
    FaultRow(
        fault=Fault.COUNT,
        title="Wrong total count",
        expected="the counts of all heads to add up to the number of tiles in the set",
        instead="another sum",
        cause="a game that was set up for other trays; an incomplete set that was pushed in",
        automatic="stops the table",
        please="Count the set, and look for tiles in the drum, on the belts and on the floor.",
        who=Who.ATTENDANT,
        example="trays",
    ),
    FaultRow(
        fault=Fault.FOREIGN,
        title="Wrong or mixed sets",
        expected="the tag of a tile of this set",
        instead="no known tag, or the tag of another set's tile",
        cause="sets that were mixed when they were pushed in; a tile of another table",
        automatic="stops the table: the set is not played",
        please="Take the tile at {part} out and put the right tile in exactly the same place.",
        who=Who.ATTENDANT,
        example="reader",
    ),
    FaultRow(
        fault=Fault.FORGOTTEN,
        title="Forgotten tile",
        expected="the lid to stay closed while a set is prepared below",
        instead="a press of the lid's key (together with the other key while a hand is played)",
        cause="a tile was left on the table when the set was pushed in",
        automatic="stops drum, belts and heads at once and opens the lid",
        please="Put the tile in and press the key; then {part} closes and the preparation goes on.",
        who=Who.PLAYER,
        example="lid",
    ),
    FaultRow(
        fault=Fault.FACE_UP,
        title="Face-up tile",
        expected="the face sensor inactive when a tile has come to the head",
        instead="the face sensor active",
        cause="a weak magnet in the tile or in the drum",
        automatic="turns the tile over, or sends it back into the drum and picks another one,"
        " if the head can do so",
        please="Turn the tile at {part} face down.",
        who=Who.DEALER,
    ),
    FaultRow(
        fault=Fault.PUSHER,
        title="Stack not pushed on",
        expected="one edge of the vane sensor S23 within twice the time of a push",
        instead="no edge",
        cause="a tile under the pusher, or too many stacks in the tray; a dirty vane",
        automatic="pushes again; a motor that can reverse first moves the pusher back",
        please="Clear the pusher of {part} and wipe its vane.",
        who=Who.ATTENDANT,
    ),
    FaultRow(
        fault=Fault.CHAIN,
        title="Chain not at its corner",
        expected="an edge of S4 at side 0, or of S5 at the next side, within twice the travel time;"
        " S4 inactive at every side but 0",
        instead="no edge, or S4 active after the chain left side 0",
        cause="a tile between the chain and its rail; a dead or stuck sensor",
        automatic="stops the chain and drives it again",
        please="Remove the tile between {part} and its rail, and check the sensors S4 and S5.",
        who=Who.ATTENDANT,
        example="chain",
    ),
    FaultRow(
        fault=Fault.MAGAZINE,
        title="Magazine not at its pocket",
        expected="an edge of the magazine's vane for each pocket, in the time of the turn; its home"
        " switch active at pocket 0 only; one edge of the sensor below it for each stroke of the"
        " ejector",
        instead="no edge, an edge too early or too late, or a stroke after which no tile fell",
        cause="a tile that hangs in its pocket; a missed edge; a dead or dirty sensor",
        automatic="turns the carousel back to its home switch and on to the pocket; repeats the"
        " stroke",
        please="Straighten the tile in the pocket under the ejector of {part}, leave it there,"
        " and check that the carousel turns freely.",
        who=Who.ATTENDANT,
        example="magazine",
    ),
    FaultRow(
        fault=Fault.DIRTY,
        title="Dirty or failing sensor",
        expected="tile times at S1, motor currents and building times as in the first sets of the"
        " journal",
        instead="a trend away from these values, or frequent recoveries of one part",
        cause="dust before a photo sensor; a belt that wears",
        automatic="goes on; `wallwright stats` warns before the part fails",
        please="Clean the sensor of {part} when the table is next at rest.",
        who=Who.TECHNICIAN,
    ),
)
