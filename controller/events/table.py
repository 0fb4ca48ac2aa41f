"""The table of events: what each event of a table's stream means, for every module that uses it.

To add an event, add one row here and emit it; docs/reference/EVENTS.md needs its section with an
example. The order of the rows is that of the page.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Self

from controller.events import keys as k
from controller.events import words as w
from controller.events.row import Count, EventKey, EventMeaning, HostCodes, says, shows

WITHIN_A_ROUND = HostCodes(
    "Rounds",
    note="SAS and G2S have no code for this part of a round; the audit log and the receipt have"
    " it.",
)
_CALL_ENDED = HostCodes("Faults and calls", ("72",), ("G2S_CBE302",))


SETTLEMENT = (
    EventKey("name", str, "the name of the hand's result"),
    EventKey("multiplier", int | float, "the multiplier of the result"),
    EventKey("winner", int | None, "a seat, or null"),
    EventKey(
        "payments",
        list,
        "each `from` a seat `to` a seat or `house`, its `amount`, and `why`",
    ),
    EventKey("reasons", list, "why the hand has this result, in sentences"),
    EventKey("scores", list, "of the match after this hand, one for each seat"),
    EventKey("match_over", bool, "whether the match has ended"),
    EventKey(
        "next_dealer",
        int | None,
        "who deals the next hand; null if seats are drawn or the bank is offered first",
    ),
)
"""The keys of a settlement, in events about the end of a hand."""


class EventName(StrEnum):
    """Every event of the stream: its name, which is the member's value, and its row."""

    _value_: str
    row: EventMeaning

    def __new__(cls, row: EventMeaning) -> Self:
        member = str.__new__(cls, row.name)
        member._value_ = row.name
        member.row = row
        return member

    RUN_STARTED = EventMeaning(
        "run_started",
        "the first event of every run",
        (k.VERSION,),
        history_text="The table begins a run.",
        recorded=WITHIN_A_ROUND,
        is_traced=False,
    )
    JOURNAL_COPY_REPAIRED = EventMeaning(
        "journal_copy_repaired",
        "a damaged, short or missing copy of the journal was repaired",
        (k.MESSAGE,),
        words=says("{message}", "warning"),
        recorded=HostCodes("Faults and calls", ("31",), ("G2S_CBE311",)),
        counts=(Count("copies_repaired"),),
        is_about_people=True,
    )
    STATE = EventMeaning(
        "state",
        "an activity enters its next state",
        (
            EventKey("under", str, "the state of the preparation of the next set"),
            EventKey("top", str, "the state of the play of the current set"),
        ),
        is_traced=False,
    )
    CHANCE_COMMITTED = EventMeaning(
        "chance_committed",
        "the machine's share of the random choices of a shuffle cycle is drawn, and still secret",
        (
            EventKey("cycle", int, "the number of the cycle"),
            EventKey("commitment", str, "the hash of the machine's share"),
        ),
        history_text="The machine has committed to its share of the random choices.",
        recorded=WITHIN_A_ROUND,
    )
    CHANCE_REVEALED = EventMeaning(
        "chance_revealed",
        "the round of a cycle is over, and the machine's share is revealed",
        (k.SET, EventKey("record", dict, "every share and every choice of the cycle")),
        words=says("The machine's share of cycle {record[cycle]} is revealed."),
    )
    SET_BUILT = EventMeaning(
        "set_built",
        "the machine has built a set in the trays",
        (
            k.SET,
            EventKey("counted", int, "the number of tiles that passed the counters"),
            EventKey("picks", dict, "the number of tiles that each head has lifted"),
            EventKey(
                "tile_ms",
                int | float,
                "nominal time of a tile at a head's sensor S1, ms",
                is_optional=True,
            ),
            EventKey("heads", dict, "for each head the sampled times at S1", is_optional=True),
            EventKey(
                "drawn_mv", dict, "for each current sensor the median reading, mV", is_optional=True
            ),
        ),
        recorded=WITHIN_A_ROUND,
        counts=(Count("sets"), Count("tiles", amount="counted")),
        is_traced=False,
    )
    WALLS_RAISED = EventMeaning(
        "walls_raised",
        "the walls are on the table",
        (k.SET,),
        words=says("The walls are on the table."),
    )
    STEP = EventMeaning(
        "step",
        "the next step of the set-up begins",
        (EventKey("step", str, "the kind of the step"),),
        more_keys="the keys of that step",
        line=w.step_line,
        is_hidden_if_mixed=True,
        is_traced=False,
    )
    MOVE = EventMeaning(
        "move",
        "the machine begins one move of that step",
        (EventKey("move", str, "the kind of the move"),),
        more_keys="the keys of that move",
        is_hidden_if_mixed=True,
        is_traced=False,
    )
    DICE_THROWN = EventMeaning(
        "dice_thrown",
        "dice have been thrown",
        (k.BY, EventKey("dice", list, "the faces in order")),
        words=w.dice_sentence,
        line=w.dice_line,
        recorded=WITHIN_A_ROUND,
        is_confirmed_step=True,
    )
    CHOICE_MADE = EventMeaning(
        "choice_made",
        "a person or an option of the command has made a choice",
        (
            k.BY,
            EventKey("what", str, "the name of the choice"),
            EventKey("answer", str | int, "the value that was chosen"),
        ),
        words=w.choice_sentence,
        line=shows("{what}: {answer}"),
        recorded=WITHIN_A_ROUND,
        is_confirmed_step=True,
    )
    DELIVERED = EventMeaning(
        "delivered",
        "tiles were delivered to a seat",
        (
            k.SEAT,
            EventKey("from", list, "the places of the tiles, in order"),
            EventKey(
                "hand", int, "the number of the hand, in games that number hands", is_optional=True
            ),
        ),
        line=w.delivered_line,
        is_confirmed_step=True,
        is_hidden_if_mixed=True,
        is_traced=False,
    )
    TILE_TURNED_UP = EventMeaning(
        "tile_turned_up",
        "a tile has been turned face up",
        (k.AT, k.TILE, k.BY),
        words=w.turned_up_sentence,
        line=w.turned_up_line,
        recorded=WITHIN_A_ROUND,
        is_confirmed_step=True,
    )
    READY = EventMeaning(
        "ready",
        "the set-up is complete, and play can begin",
        (k.DEALER, k.SET),
        words=says("The table is ready to play."),
        line=shows("ready to play"),
        recorded=HostCodes(
            "Rounds", ("7E",), ("G2S_GPE103",), "The set-up is complete, and play can begin."
        ),
    )
    ACTION_TAKEN = EventMeaning(
        "action_taken",
        "with `--play`: a seat has taken an action in the hand",
        (k.SEAT, k.DO),
        line=shows("seat {seat}: {do}"),
        is_hidden_if_mixed=True,
    )
    ACTIONS_TAKEN_BACK = EventMeaning(
        "actions_taken_back",
        "a person has taken back the last actions of the hand",
        (
            k.DO,
            EventKey("acts", int, "the number of actions that were taken back"),
            EventKey("by", str, "the name of the person"),
            EventKey("reason", str, "the reason that the person gave"),
        ),
        words=w.taken_back_sentence,
        recorded=WITHIN_A_ROUND,
    )
    SETTLED = EventMeaning(
        "settled",
        "with `--play`: the hand is over; gives the payments",
        SETTLEMENT,
        words=w.settled_sentence,
        line=w.settled_line,
        recorded=HostCodes("Rounds", ("7F",), ("G2S_GPE112",)),
    )
    RESULT_ASKED = EventMeaning(
        "result_asked",
        "a hand is over that people report: its result can be entered now",
        (k.HAND,),
        words=says("The hand is over. Who has won?"),
        line=shows("the hand is over: who has won?"),
        is_traced=False,
    )
    RESULT_OVERDUE = EventMeaning(
        "result_overdue",
        "the table waits for the result of a hand, and nobody has entered it",
        (k.HAND,),
        words=says("The table waits: nobody has said who won.", "warning"),
        line=shows("the table waits for the result of the hand"),
    )
    RESULT_REPORTED = EventMeaning(
        "result_reported",
        "a person has entered or corrected the result of a hand; gives the payments",
        (
            k.HAND,
            EventKey("result", dict, "the fields of the game's result"),
            EventKey(
                "dealt_as",
                dict | None,
                "in a correction after the next deal: the result by which that hand was dealt",
                is_optional=True,
            ),
            EventKey("by", str, "the name of the person"),
            EventKey(
                "reason", str, "in a correction: why the earlier report was wrong", is_optional=True
            ),
            EventKey(
                "again",
                bool,
                "true if an interrupted run had taken the report, and this run repeats the event",
                is_optional=True,
            ),
            EventKey("counted", bool, "whether the result says the payments"),
            *SETTLEMENT,
        ),
        words=w.reported_sentence,
        line=w.settled_line,
        recorded=HostCodes("Rounds", ("7F",), ("G2S_GPE112",)),
    )
    SEATS_DRAWN = EventMeaning(
        "seats_drawn",
        "with `--play`: seats were drawn, and the players move",
        (EventKey("moves", list, "for each seat the seat to which its player moves"), k.DEALER),
        words=says("New seats were drawn."),
        line=w.seats_line,
        recorded=WITHIN_A_ROUND,
    )
    HAND_ABANDONED = EventMeaning(
        "hand_abandoned",
        "with `--play`: the lid's key ended the hand before its settlement",
        (k.DEALER,),
        words=says("The hand was abandoned.", "warning"),
        line=shows("the hand was ended before its settlement"),
        recorded=HostCodes(
            "Rounds",
            ("7F",),
            ("G2S_GPE112",),
            "The round ended without a result; neither protocol has a code for that.",
        ),
        is_about_people=True,
    )
    RUN_RESUMED = EventMeaning(
        "run_resumed",
        "the run resumes an interrupted run from its journal",
        (EventKey("entries", int, "the number of entries of the interrupted run"),),
        words=says("The table resumes where it was stopped."),
        recorded=HostCodes(
            "Rounds", note="The round that was interrupted goes on: its start was reported before."
        ),
    )
    PUT_AWAY_REQUESTED = EventMeaning(
        "put_away_requested",
        "an operator is asked to put every tile away; then the table starts a new round",
        (k.WHY,),
        words=says("Every tile has to be put away: {why}.", "warning"),
        recorded=HostCodes(
            "Faults and calls", note="`operator_prompted` follows it and reports the call."
        ),
        is_about_people=True,
    )
    PAUSED = EventMeaning(
        "paused",
        "the table is paused: the outputs of all boards have their safe values",
        (k.WHY, k.BOARD, k.CHANNEL),
        words=w.paused_sentence,
        lasting_line=w.paused_line,
        recorded=HostCodes(
            "Faults and calls",
            ("20",),
            ("G2S_CBE203",),
            "SAS has no exception for an emergency stop or a light curtain.",
        ),
        counts=(Count("pauses", by="why"),),
        is_about_people=True,
    )
    PROTOCOL_BROKEN = EventMeaning(
        "protocol_broken",
        "a board sent a message that breaks the protocol, and the host ignored it",
        (k.BOARD, k.MESSAGE),
        words=says("{message}", "warning"),
        recorded=HostCodes(
            "Faults and calls",
            note="The event adds the text of a message to `paused`, which has reported the fault.",
        ),
        is_about_people=True,
    )
    BOARD_RESET = EventMeaning(
        "board_reset",
        "a board was reset during the run, and answers again",
        (
            k.BOARD,
            EventKey("boots", int, "the number of starts of the board"),
            EventKey("cause", str, "the cause of the last reset"),
        ),
        words=says("Board {board} was reset and answers again.", "warning"),
        recorded=HostCodes(
            "Faults and calls",
            g2s=("G2S_CBE402",),
            note="SAS has no exception for the reset of a board; `paused` before it reports the"
            " fault.",
        ),
        counts=(Count("board_resets", by="board"),),
        is_about_people=True,
    )
    MOTOR_REVERSED = EventMeaning(
        "motor_reversed",
        "the motor of a part that was blocked by an obstacle has run backwards",
        (k.CHANNEL, EventKey("reversed_s", int | float, "seconds that the motor ran backwards")),
        lasting_line=shows("{channel} ran backwards, away from an obstacle"),
    )
    RESUMED = EventMeaning(
        "resumed",
        "the pause has ended, and the table resumes at the same step",
        (EventKey("paused_s", int | float, "the duration of the pause, seconds"),),
        words=says("The table resumes after {paused_s:.0f} s."),
        lasting_line=shows("resumed after {paused_s} s"),
        recorded=HostCodes(
            "Faults and calls",
            g2s=("G2S_CBE205",),
            note="SAS has no exception for the end of a general tilt.",
        ),
        counts=(Count("paused_s", amount="paused_s"),),
        is_about_people=True,
    )
    RECOVERED = EventMeaning(
        "recovered",
        "a part succeeded on a later attempt",
        (k.CODE, k.PART, EventKey("attempt", int, "the attempt that succeeded, counted from 1")),
        words=says("{part} works again after {code}, at attempt {attempt}.", "warning"),
        lasting_line=shows("{code} at {part}: recovered on attempt {attempt}"),
        recorded=HostCodes(
            "Faults and calls",
            note="The table has corrected the fault by itself; it was not reported before.",
        ),
        counts=(Count("recoveries", by="code"),),
        is_about_people=True,
    )
    OPERATOR_PROMPTED = EventMeaning(
        "operator_prompted",
        "an operator is prompted to remove a fault",
        (k.CODE, k.PART, k.EVIDENCE, EventKey("request", str, "the work for the operator"), k.ROLE),
        words=says("A prompt about {part} is open for the role {role}: {evidence}.", "warning"),
        line=shows("{code} at {part}, waiting for the {role}"),
        lasting_line=shows("{code} at {part}, waiting for the {role}: {evidence}. {request}"),
        recorded=HostCodes("Faults and calls", ("71",), ("G2S_CBE301",)),
        counts=(Count("prompts", by="code"),),
        is_about_people=True,
    )
    PROMPT_ANSWERED = EventMeaning(
        "prompt_answered",
        "the operator has answered",
        (k.CODE, k.PART, k.ROLE, EventKey("answer", str, "the answer")),
        words=says("The prompt about {part} was answered: {answer}."),
        lasting_line=shows("{code} at {part}: the {role} answered '{answer}'"),
        recorded=_CALL_ENDED,
        counts=(Count("assists", by="code"),),
        is_about_people=True,
    )
    PROMPT_WITHDRAWN = EventMeaning(
        "prompt_withdrawn",
        "the prompt ended without an answer",
        (k.CODE, k.PART),
        lasting_line=shows("{code} at {part}: the prompt was withdrawn"),
        recorded=_CALL_ENDED,
        is_about_people=True,
    )
    SIGNAL_FAILED = EventMeaning(
        "signal_failed",
        "a command to a lamp of the tower or to the buzzer failed",
        (k.CHANNEL, k.WHY),
        recorded=HostCodes(
            "Faults and calls",
            note="A lamp or the buzzer did not answer; the table plays on without it.",
        ),
    )
    FAULT = EventMeaning(
        "fault",
        "the table cannot continue without help, and stops",
        (k.CODE, k.PART, k.EVIDENCE),
        words=says("{code} at {part}: {evidence}.", "fault"),
        lasting_line=shows("FAULT {part}: {evidence}"),
        recorded=HostCodes(
            "Faults and calls",
            note="The codes depend on the fault; the list of faults has them.",
        ),
        counts=(Count("faults", by="code"),),
        is_about_people=True,
    )
    TILES_REVEALED = EventMeaning(
        "tiles_revealed",
        "with `--reveal`: the true position of every tile",
        (
            EventKey("when", str, "the event after which it is emitted"),
            EventKey("places", dict, "the tile at each place", is_optional=True),
            EventKey("hands", dict, "each seat's tiles in the order of delivery", is_optional=True),
        ),
        is_traced=False,
    )
    SUMMARY = EventMeaning("summary", "the last line", k.SUMMARY, is_traced=False)
