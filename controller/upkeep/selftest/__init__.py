"""The self-test: tries every channel of a table, one after another, while a person watches.

First come trials that the person carries out (emergency stop, keys, every sensor within reach),
then trials of the table's own parts: relay, lamps, axes, motors from switch to switch or for a
moment, dice, and at last the reader and the analogue inputs. A trial passes if its sensors and the
person confirm the announced effect. No part moves before the person has agreed to the trial.

`running` has the order of the trials and the steps of each one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.values import lazily

if TYPE_CHECKING:
    from controller.upkeep.selftest.running import SelfTestReport, TableSelfTest
    from controller.upkeep.selftest.trial import Result, TrialAnswer, TrialVerdict, Watcher

# Each name is imported on first use: some programs use `trial` only.
__getattr__ = lazily(
    __name__,
    {
        "Result": "trial",
        "SelfTestReport": "running",
        "TableSelfTest": "running",
        "TrialAnswer": "trial",
        "TrialVerdict": "trial",
        "Watcher": "trial",
    },
)
__all__ = ["Result", "SelfTestReport", "TableSelfTest", "TrialAnswer", "TrialVerdict", "Watcher"]
