"""Names of the events that figures are computed from; docs/regulate/AUDIT.md lists them."""

from __future__ import annotations

from controller.events import EventName
from controller.records.audit.receipts.receipt import RECEIPT

ROUND = RECEIPT
"""The receipt of a round, recorded when it is over, and again when its share is revealed later."""
SET = EventName.SET_BUILT.value
FAULT = EventName.FAULT.value
RECOVERED = EventName.RECOVERED.value
PROMPT, ANSWER, WITHDRAWN = (
    EventName.OPERATOR_PROMPTED.value,
    EventName.PROMPT_ANSWERED.value,
    EventName.PROMPT_WITHDRAWN.value,
)
PROMPTS = (PROMPT, ANSWER, WITHDRAWN)
START, STOP = "power_up", "service_stopped"
RUN = EventName.RUN_STARTED.value
PAUSED, RESUMED = EventName.PAUSED.value, EventName.RESUMED.value
SERVICE, SERVICE_END = "service_mode_entered", "service_mode_left"
COMMAND = "command"

OUT, BACK = "taken_out_of_play", "put_in_play"
"""Events of the table's part of the floor, when a request is carried out."""

MARKS = (RUN, FAULT, START, STOP, PAUSED, RESUMED, SERVICE, SERVICE_END, OUT, BACK)
"""Events at which a table begins or ceases to be in operation or in play."""
