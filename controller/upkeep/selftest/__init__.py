"""The self-test: tries every channel of a table, one after another, while a person watches.

First come trials that the person carries out (emergency stop, keys, every sensor within reach),
then trials of the table's own parts: relay, lamps, axes, motors from switch to switch or for a
moment, dice, and at last the reader and the analogue inputs. A trial passes if its sensors and the
person confirm the announced effect. No part moves before the person has agreed to the trial.

`trials` has the order of the trials, `running` the steps of each one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.values.lazy import lazily

if TYPE_CHECKING:
    from controller.upkeep.selftest.asking import Watcher
    from controller.upkeep.selftest.report import SelfTestReport
    from controller.upkeep.selftest.running import TableSelfTest
    from controller.upkeep.selftest.trial import Result, TrialAnswer, TrialVerdict

# Each name is imported on first use: `naming` is used by programs that try no channel.
__getattr__ = lazily(
    __name__,
    {
        "Result": "trial",
        "SelfTestReport": "report",
        "TableSelfTest": "running",
        "TrialAnswer": "trial",
        "TrialVerdict": "trial",
        "Watcher": "asking",
    },
)
__all__ = ["Result", "SelfTestReport", "TableSelfTest", "TrialAnswer", "TrialVerdict", "Watcher"]
