"""The self-test: every channel of a table, one after another, while a person watches.

First what people do (the emergency stop, keys, every sensor that a hand can reach), then what the
table does: relay, lamps, motors for a moment or from switch to switch, axes, dice. A trial passes
if its sensors and its person agree. Nothing moves before the person has said so, trial by trial.

Read `trials` for what is tried in which order, `running` for how one trial goes.
"""

from __future__ import annotations

from controller.selftest.asking import Watcher
from controller.selftest.report import SelfTestReport
from controller.selftest.running import TableSelfTest
from controller.selftest.trial import Result, TrialAnswer, TrialVerdict

__all__ = ["Result", "SelfTestReport", "TableSelfTest", "TrialAnswer", "TrialVerdict", "Watcher"]
