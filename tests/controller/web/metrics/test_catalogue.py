"""The list of metrics agrees with the rest of the program and with Prometheus's conventions."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from controller.run import state_machine
from controller.run.pausing import pause_gate
from controller.web.metrics.catalogue import (
    CAUSES,
    GOING,
    HELD,
    METRICS,
    MODES,
    OTHER,
    PHASES,
    SECTIONS,
    MetricKind,
    bounded,
)

UNITS = ("seconds", "bytes", "ratio", "celsius", "info")


def test_the_states_of_the_labels_are_those_of_the_state_machine() -> None:
    assert PHASES == {"under": state_machine.UNDER, "top": state_machine.TOP}
    assert set(state_machine.MODE) == {GOING, *HELD}
    assert set(MODES) == {*state_machine.MODE, *state_machine.ABOVE} - {"running"}


def test_every_cause_of_a_pause_is_a_value_of_its_label() -> None:
    own = {pause_gate.SILENT, pause_gate.STRANGER, pause_gate.FAULT}
    assert own | {pause_gate.COMMAND, pause_gate.PROTOCOL} <= set(CAUSES)


@pytest.mark.parametrize("strange", ["Mei", 7, None, "jam"])
def test_a_value_that_is_not_in_the_list_counts_as_other(strange: object) -> None:
    assert bounded(strange, ("JAM", "LID")) == OTHER


def test_names_have_a_base_unit_and_counters_end_in_total() -> None:
    assert sum(map(len, SECTIONS.values())) == len(METRICS)
    for metric in METRICS.values():
        assert re.fullmatch(r"wallwright_[a-z_]+", metric.full_name)
        is_counter = metric.kind is MetricKind.COUNTER
        assert metric.name.endswith("_total") is is_counter, metric.name
        words = metric.name.removesuffix("_total").split("_")
        assert not {"ms", "millis", "percent", "minutes", "mb", "permille"} & set(words)
        if metric.kind is MetricKind.HISTOGRAM:
            assert words[-1] in UNITS, metric.name
            assert list(metric.limits) == sorted(metric.limits)


def test_the_program_starts_without_the_package_for_metrics() -> None:
    code = "import sys, controller.web.api.app; print('prometheus_client' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
