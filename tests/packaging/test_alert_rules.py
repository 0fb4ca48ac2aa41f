"""The alert rules are valid, each is tested both ways, and they name metrics that exist."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from controller.floor.server.metrics import FLOOR_METRICS
from controller.run.health.statistics import CURRENT_DRIFT, WIDTH_DRIFT
from controller.web.metrics.catalogue import METRICS, MetricKind
from tests.pages import TOP

FOLDER = TOP / "packaging" / "prometheus"
RULES = FOLDER / "wallwright.rules.yml"
TESTS = FOLDER / "wallwright.test.yml"
DASHBOARD = TOP / "packaging" / "grafana" / "wallwright.json"
NAME = re.compile(r"(?<![:\w\"])(?:wallwright|process)_[a-z_]+")


def promtool(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    found = shutil.which("promtool")
    assert found is not None, "promtool is missing; run `make metrics-tools`."
    command = [found, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=FOLDER)


def groups() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = yaml.safe_load(RULES.read_text("utf-8"))["groups"]
    return found


def alerts() -> Iterator[dict[str, Any]]:
    return (rule for group in groups() for rule in group["rules"] if "alert" in rule)


def names_of_the_exporter() -> set[str]:
    """Every name of a text: a table's (test_observation.py) or the floor service's."""
    names = {"process_resident_memory_bytes"}
    for metric in (*METRICS.values(), *FLOOR_METRICS):
        parts = ("_bucket", "_sum", "_count") if metric.kind is MetricKind.HISTOGRAM else ("",)
        names |= {metric.full_name + part for part in parts}
    return names


def test_promtool_accepts_the_rules_and_the_example_of_a_configuration() -> None:
    for kind, file in (("rules", RULES.name), ("config", "prometheus.yml")):
        arguments = ("--syntax-only",) if kind == "config" else ()
        done = promtool("check", kind, *arguments, file)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_every_rule_fires_and_does_not_fire_as_its_tests_say() -> None:
    done = promtool("test", "rules", TESTS.name)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_alert_has_a_case_in_which_it_fires_and_one_in_which_it_does_not() -> None:
    cases: dict[str, set[bool]] = {}
    for test in yaml.safe_load(TESTS.read_text("utf-8"))["tests"]:
        for case in test["alert_rule_test"]:
            cases.setdefault(case["alertname"], set()).add(bool(case["exp_alerts"]))
    assert cases == {rule["alert"]: {True, False} for rule in alerts()}


def test_every_alert_says_what_to_do() -> None:
    for rule in alerts():
        assert rule["labels"]["severity"] in ("critical", "warning", "info")
        assert set(rule["annotations"]) == {"summary", "action"}
        assert all(text.endswith(".") for text in rule["annotations"].values())


def test_the_rules_name_metrics_that_a_table_has() -> None:
    text = "\n".join(rule["expr"] for group in groups() for rule in group["rules"])
    used = set(NAME.findall(text))
    assert used and used <= names_of_the_exporter()


def test_the_limits_of_drift_are_those_of_the_statistics() -> None:
    (rule,) = (rule for rule in alerts() if rule["alert"] == "WallwrightDrift")
    limits = [float(each) for each in re.findall(r"> ([\d.]+)", rule["expr"])]
    assert limits == [WIDTH_DRIFT, CURRENT_DRIFT]


def test_the_fields_of_an_alert_are_labels_of_its_metrics() -> None:
    labels = {label for metric in METRICS.values() for label in metric.labels}
    for rule in alerts():
        used = set(re.findall(r"\$labels\.(\w+)", str(rule["annotations"])))
        assert used <= labels | {"job", "instance"}, rule["alert"]
