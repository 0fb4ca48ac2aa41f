"""Names of the events that figures are computed from; docs/regulate/AUDIT.md lists them."""

from __future__ import annotations

from controller.records.audit.receipts.contents import RECEIPT
from controller.run.faults.failures import Fault

ROUND = RECEIPT
"""The receipt of a round, recorded when it is over, and again when its share is revealed later."""
SET = "set_built"
FAULT = "fault"
RECOVERED = "recovered"
PROMPT, ANSWER, WITHDRAWN = "operator_prompted", "prompt_answered", "prompt_withdrawn"
PROMPTS = (PROMPT, ANSWER, WITHDRAWN)
START, STOP = "power_up", "service_stopped"
RUN = "run_started"
PAUSED, RESUMED = "paused", "resumed"
SERVICE, SERVICE_END = "service_mode_entered", "service_mode_left"
COMMAND = "command"

JAM, FORGOTTEN = Fault.JAM.name, Fault.FORGOTTEN.name
"""The fault that counts as a jam, and the one whose assists do not count for the mean time to
assist, as in controller/web/metrics."""
OUT, BACK = "taken_out_of_play", "put_in_play"
"""Events of the table's part of the floor, when a request is carried out."""

MARKS = (RUN, FAULT, START, STOP, PAUSED, RESUMED, SERVICE, SERVICE_END, OUT, BACK)
"""Events at which a table begins or ceases to be in operation or in play."""
