"""Rows of faults of the table as a whole: boards, link, power and journal."""

from __future__ import annotations

from controller.run.faults.catalogue.codes import Fault
from controller.run.faults.catalogue.row import CLEAR, RESET, STOP, FaultRow, Who
from firmware_bridge.board import FaultCode

ROWS = (
    FaultRow(
        fault=Fault.EMERGENCY,
        title="Emergency stop",
        expected="the emergency input closed",
        instead="the input open",
        cause="a person pressed the emergency stop, or its wire is broken",
        automatic="hardware cuts the power; the table pauses until the stop is released, then asks",
        please="Remove the reason for the emergency stop, release it, then reset {part}.",
        who=Who.DEALER,
        answers=(RESET, STOP),
        latched=FaultCode.EMERGENCY_STOP,
        example="board base",
    ),
    FaultRow(
        fault=Fault.OVER_CURRENT,
        title="Over-current",
        expected="a motor's current below its limit",
        instead="a higher current",
        cause="a blocked part; a short circuit",
        automatic="the table pauses and asks. Each lid, lift, lane or flipper of the board that was"
        " moving backs off, and a person is asked about them as for OBSTRUCTED. If the motor has an"
        " analogue input for its own current, this holds for its part only",
        please="Free the part that {part} drives, then clear the fault.",
        who=Who.ATTENDANT,
        answers=(CLEAR, STOP),
        latched=FaultCode.OVER_CURRENT,
        example="lid",
    ),
    FaultRow(
        fault=Fault.NO_EDGE,
        title="Motion without the expected edge",
        expected="an edge of the motor's sensor while it runs",
        instead="no edge within the limit",
        cause="a torn belt; a dead or dirty sensor",
        automatic="the board keeps its outputs safe; the table pauses and asks",
        please="Clean the sensor of {part} and check its belt, then clear the fault.",
        who=Who.ATTENDANT,
        answers=(CLEAR, STOP),
        latched=FaultCode.NO_EDGE,
        example="head2_belt",
    ),
    FaultRow(
        fault=Fault.BOTH_SWITCHES,
        title="Both limit switches active",
        expected="at most one switch of a part active",
        instead="both switches active, although the part cannot be in two places",
        cause="a stuck switch or a broken wire",
        automatic="reads the switches once more, then asks; if a board has latched the fault, the"
        " table pauses and asks at once",
        please="Check both switches of {part}; one of them is stuck.",
        who=Who.TECHNICIAN,
        answers=(CLEAR, STOP),
        latched=FaultCode.BOTH_SWITCHES,
        example="lift 2",
    ),
    FaultRow(
        fault=Fault.LIMIT_SWITCH,
        title="Limit switch during motion",
        expected="the limit switch inactive while an axis moves",
        instead="the switch became active",
        cause="lost steps; an obstacle; a loose switch",
        automatic="the board keeps its outputs safe; the table pauses and asks",
        please="Clear the way of {part}, then clear the fault.",
        who=Who.ATTENDANT,
        answers=(CLEAR, STOP),
        latched=FaultCode.LIMIT_SWITCH,
        example="gantry_x",
    ),
    FaultRow(
        fault=Fault.LATE_STEP,
        title="Late step of an axis",
        expected="each step of an axis at most 0.3 ms later than planned",
        instead="a later step, at which a motor can lose its position",
        cause="sensors that change all the time; a defect in the firmware",
        automatic="the board stops its axes by their ramp; the table pauses and asks. Afterwards"
        " the axes are homed before they move",
        please="Look for a loose cable among the sensors of the board of {part}, then clear the"
        " fault.",
        who=Who.TECHNICIAN,
        answers=(CLEAR, STOP),
        latched=FaultCode.LATE_STEP,
        example="gantry_x",
    ),
    FaultRow(
        fault=Fault.MAX_ON_TIME,
        title="Maximum on-time",
        expected="an output to be switched off within its `max_on`",
        instead="the output still on",
        cause="a part that takes much longer than usual; a `max_on` that is too short",
        automatic="the board keeps its outputs safe; the table pauses and asks",
        please="Find out why {part} was on for so long, then clear the fault.",
        who=Who.ATTENDANT,
        answers=(CLEAR, STOP),
        latched=FaultCode.MAXIMUM_ON_TIME,
        example="drum",
    ),
    FaultRow(
        fault=Fault.LEASE,
        title="Lease expired: the host stalled",
        expected="the host to renew the lease three times within its duration",
        instead="no renewal within the whole duration",
        cause="a busy or hanging host; a pulled cable",
        automatic="the board makes every output safe; the table pauses and goes on when the board"
        " answers",
        please="Check the cable of {part} and the load of its host.",
        who=Who.ATTENDANT,
        answers=(CLEAR, STOP),
        latched=FaultCode.LEASE_EXPIRED,
        example="board base",
    ),
    FaultRow(
        fault=Fault.BROWN_OUT,
        title="Brown-out",
        expected="the board's supply voltage within its limits",
        instead="a lower voltage",
        cause="a weak supply; too many motors at once",
        automatic="the table pauses; when the board answers again, it is configured, its axes are"
        " homed, and the table goes on",
        please="Measure the supply of {part}.",
        who=Who.TECHNICIAN,
        answers=(CLEAR, STOP),
        latched=FaultCode.BROWN_OUT,
        example="board base",
    ),
    FaultRow(
        fault=Fault.LOW_SUPPLY,
        title="Supply too low",
        expected="a supply above the level of the board's profile (docs/BOARDS.md)",
        instead="a lower voltage for 2 ms or longer, while the board still runs",
        cause="a supply that fails or is switched off; too many loads on the 5 V supply; a long or"
        " thin USB cable; a hub without a supply of its own",
        automatic="the board makes its outputs safe and saves its counts once; the table pauses and"
        " asks. The fault can be cleared after half a second at 92/90 of the level or more",
        please="Measure the 5 V supply of {part} at the board while its outputs are on; correct the"
        " supply, its cable or its load, then clear the fault.",
        who=Who.TECHNICIAN,
        answers=(CLEAR, STOP),
        latched=FaultCode.LOW_SUPPLY,
        example="board base",
    ),
    FaultRow(
        fault=Fault.WATCHDOG,
        title="Watchdog reset",
        expected="the board's main loop to reset the watchdog in time",
        instead="no reset in time, so the watchdog restarted the board",
        cause="a defect in the firmware; electrical interference",
        automatic="the table pauses; when the board answers again, it is configured, its axes are"
        " homed, and the table goes on",
        please="Note what {part} was doing, and report it to the makers.",
        who=Who.TECHNICIAN,
        answers=(CLEAR, STOP),
        latched=FaultCode.WATCHDOG,
        example="board base",
    ),
    FaultRow(
        fault=Fault.CONFIGURATION,
        title="Configuration corrupt",
        expected="a configuration with the right checksum, and a self-test without errors",
        instead="another checksum, or an error of the self-test",
        cause="a damaged memory of the board; a host with another table's file",
        automatic="no part of the table moves",
        please="Start the table again with the file that belongs to {part}.",
        who=Who.TECHNICIAN,
        answers=(CLEAR, STOP),
        latched=FaultCode.CONFIGURATION,
        example="board base",
    ),
    FaultRow(
        fault=Fault.UNEXPECTED_MOTION,
        title="Unexpected motion",
        expected="the safe level at the pin of an output that is off",
        instead="the other level for 3 ms",
        cause="a short circuit between wires; a wire on a wrong pin; a broken output of the board",
        automatic="the board keeps its outputs safe; the table pauses and asks",
        please="Cut the power of the motors, measure the pin of {part} at the board and correct its"
        " wiring, or replace the board. Then clear the fault.",
        who=Who.TECHNICIAN,
        answers=(CLEAR, STOP),
        latched=FaultCode.UNEXPECTED_MOTION,
        example="lid",
    ),
    FaultRow(
        fault=Fault.SELF_TEST,
        title="Board damaged",
        expected="the board's program, memory and clock as the board tests them at its start and"
        " all the time",
        instead="a changed program, a memory that does not keep its content, or a clock that is"
        " wrong by a third or more",
        cause="a damaged processor or crystal; strong electrical interference; an update of the"
        " firmware that was cut off",
        automatic="the board keeps its outputs safe until it is reset; the table pauses and asks",
        please="Switch {part} off and on again. If the fault comes back, write its firmware again;"
        " if it then comes back, replace the board.",
        who=Who.TECHNICIAN,
        answers=(CLEAR, STOP),
        latched=FaultCode.SELF_TEST,
        example="board base",
    ),
    FaultRow(
        fault=Fault.IMPOSSIBLE,
        title="The mechanism refuses",
        expected="a command that the mechanism can carry out",
        instead="no tile to grip, no room to set down, or a lift under load",
        cause="tiles in other places than the ledger has recorded",
        automatic="the board keeps its outputs safe; the table pauses and asks",
        please="Gather the set, start the table again, and report to the makers what {part} did.",
        who=Who.ATTENDANT,
        answers=(CLEAR, STOP),
        latched=FaultCode.IMPOSSIBLE,
        example="lift 2",
    ),
    FaultRow(
        fault=Fault.RELAY,
        title="Safety relay does not close",
        expected="the relay's contact closed within its time after its coil gets current",
        instead="the contact open, so the motors have no power",
        cause="a pressed emergency stop in the relay's circuit; a blown fuse; a burnt coil; a loose"
        " wire",
        automatic="releases the relay and closes it again",
        please="Check the fuse, the coil and the emergency circuit of {part}.",
        who=Who.TECHNICIAN,
        example="relay",
    ),
    FaultRow(
        fault=Fault.WELDED,
        title="Safety relay welded",
        expected="the relay's contact open before its coil gets current",
        instead="the contact closed, so that the relay cannot cut the motors' power",
        cause="a contact welded by a short circuit; a mirror contact wired to another relay",
        automatic="starts no motor, gives the coil no current, and asks",
        please="Cut the main supply, replace {part}, and look for the short circuit behind it.",
        who=Who.TECHNICIAN,
        example="relay",
    ),
    FaultRow(
        fault=Fault.BOARD,
        title="Board fault",
        expected="a board without a latched fault",
        instead="a latched fault, which the table reports with its channel",
        cause="see the row of the reported code",
        automatic="the table pauses and asks; after five questions it stops",
        please="Check the channel that {part} reports, release the emergency stop if it is pressed,"
        " then clear the fault.",
        who=Who.ATTENDANT,
        answers=(CLEAR, STOP),
    ),
    FaultRow(
        fault=Fault.REFUSED,
        title="Command refused",
        expected="the board to accept a command",
        instead="a refusal with its reason",
        cause="a latched fault, no lease, or a value out of range",
        automatic="stops the table",
        please="Remove the reason for which {part} refused the command, then run again.",
        who=Who.TECHNICIAN,
    ),
    FaultRow(
        fault=Fault.SILENT,
        title="Board silent or link lost",
        expected="a reply to every command",
        instead="no reply after all retries",
        cause="a pulled cable; a board without power",
        automatic="the board makes its outputs safe when its lease expires; the table pauses, goes"
        " on if the board answers again, and asks a person after 30 s",
        please="Check the cable and the power of {part}; if the table has stopped, run it again.",
        who=Who.ATTENDANT,
    ),
    FaultRow(
        fault=Fault.STRANGER,
        title="Another board answers",
        expected="the board that answered before: the serial number that the table's file names, or"
        " that the last run of the journal had, the same key and configuration, and counters that"
        " have not decreased",
        instead="another serial number or key, another table's configuration, or a lower count",
        cause="a board that was replaced; a cable in another table's board; a board that lost its"
        " memory; another program that used the board",
        automatic="the table pauses and asks; the board is neither configured nor driven",
        please="Connect {part} of this table again; if it is the right one, switch it off and on."
        " If it was replaced on purpose, stop and set its serial number in the table's file.",
        who=Who.TECHNICIAN,
        example="board base",
    ),
    FaultRow(
        fault=Fault.PROTOCOL,
        title="Protocol broken",
        expected="messages of the board that the protocol permits: the tag of the session, defined"
        " codes, channels of the right kind,"
        " values within their ranges, ends of motions in progress, counts that do not decrease, and"
        " at most 200 messages a second",
        instead="another message, which the evidence quotes; the host ignored it",
        cause="other firmware than this program's; a board with a defect; a device on the line that"
        " is not a board of this table",
        automatic="every output goes to its safe value; the table pauses and asks; a command whose"
        " reply or end was wrong continues from the progress that the board reports",
        please="Compare the firmware of {part} with `wallwright scan`, flash it if it is not"
        " current, and check what else its line reaches; then clear the fault. Replace the board if"
        " the fault returns.",
        who=Who.TECHNICIAN,
        answers=(CLEAR, STOP),
        example="board base",
    ),
    FaultRow(
        fault=Fault.POWER,
        title="Power cut",
        expected="an outcome in the journal for every step",
        instead="a step without an outcome",
        cause="a power failure, or a killed program, during the step",
        automatic="resumes the round: confirmed steps are not repeated, and sensors and counters"
        " show how far the interrupted step came",
        please="Check the step that the journal has as unfinished against the table.",
        who=Who.DEALER,
    ),
    FaultRow(
        fault=Fault.JOURNAL,
        title="Journal not written",
        expected="every intent on disk before a part moves",
        instead="an error of the file system",
        cause="a full or broken disk",
        automatic="stops the table: no part moves without an intent on disk",
        please="Free space on the disk or name another file with --journal, then run again.",
        who=Who.TECHNICIAN,
    ),
    FaultRow(
        fault=Fault.JOURNAL_LOCKED,
        title="Journal locked",
        expected="one hash chain in all copies of the journal",
        instead="copies that contradict each other, or a record that no copy has undamaged",
        cause="damaged disks; a copy that was changed by hand",
        automatic="stops the table; a single damaged copy is repaired without a fault",
        please="Keep the copies as they are, run 'wallwright doctor', then begin a new journal.",
        who=Who.TECHNICIAN,
    ),
    FaultRow(
        fault=Fault.CHANCE,
        title="Random choices not drawn",
        expected="entropy of the operating system that passes its health tests, and the key beside"
        " the journal that opens the shares of an interrupted run",
        instead="a test that failed, a generator that cannot be read, or a key that is missing or"
        " belongs to another journal",
        cause="a broken operating system or virtual machine; a journal that was copied without its"
        " key",
        automatic="stops the table: nothing is drawn from this source any more, and no drawn choice"
        " is drawn again",
        please="Find out why {part} failed; restore the key if it is missing. The source is tested"
        " again at the next start.",
        who=Who.TECHNICIAN,
        example="random source",
    ),
    FaultRow(
        fault=Fault.AUDIT,
        title="Audit log not written",
        expected="every significant event in the audit log",
        instead="an error of the file system",
        cause="a full or broken disk",
        automatic="stops the table and keeps the events; tries to write them every 5 s",
        please="Free space on the disk of the service's data folder, then clear the fault.",
        who=Who.TECHNICIAN,
    ),
    FaultRow(
        fault=Fault.AUDIT_LOCKED,
        title="Audit log locked",
        expected="events that agree with the signed head of the audit log",
        instead="a changed, missing or inserted event, head or key",
        cause="a damaged disk; a file of the log that was changed by hand",
        automatic="stops the table, and changes no file of the log",
        please="Keep the folder of the audit log as evidence: move it away, then start the service"
        " again.",
        who=Who.TECHNICIAN,
    ),
    FaultRow(
        fault=Fault.STORE,
        title="Sessions not stored",
        expected="sessions, hands, presets and replies in the file evening.db",
        instead="an error of the file system or of the file, or no answer within 10 s",
        cause="a full or broken disk; another program that has locked the file",
        automatic="stops the table and keeps what is to be stored; tries to write it every 5 s",
        please="Free space on the disk of the service's data folder, then clear the fault.",
        who=Who.TECHNICIAN,
    ),
    FaultRow(
        fault=Fault.UNPROVEN,
        title="State not proven",
        expected="journal, counters and sensors to agree on where every tile is",
        instead="a count that has decreased, a tile that comes although all of them were counted,"
        " a stuck tile that is gone, a push without an edge of the vane while tiles came, a count"
        " of shakes that does not show which faces fell, a journal with other steps than the run,"
        " a journal that has lost its records, or a round that was abandoned",
        cause="another board, or a board that lost its memory; a person who worked in the machine",
        automatic="stops the table; the next run asks people to gather every tile",
        please="Collect all tiles of the table and put them back into their boxes, set by set.",
        who=Who.ATTENDANT,
    ),
)
