"""The dashboard for Grafana shows metrics that exist, and every panel has a query."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from controller.web.metrics.catalogue import METRICS
from tests.packaging.test_alert_rules import DASHBOARD, NAME, names_of_the_exporter, promtool


def dashboard() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(DASHBOARD.read_text("utf-8"))
    return found


def queries() -> Iterator[str]:
    for panel in dashboard()["panels"]:
        if panel["type"] != "row":
            assert panel["targets"], panel["title"]
            yield from (target["expr"] for target in panel["targets"])


def test_every_metric_of_the_dashboard_is_one_of_a_table() -> None:
    text = "\n".join(queries()) + json.dumps(dashboard()["templating"])
    used = set(NAME.findall(text))
    assert len(used) > 20
    assert used <= names_of_the_exporter()


def test_promtool_reads_every_query(tmp_path: object) -> None:
    rules = [
        {"record": f"query:{number}", "expr": expression.replace("$instance", ".*")}
        for number, expression in enumerate(queries())
    ]
    text = json.dumps({"groups": [{"name": "dashboard", "rules": rules}]})
    file = f"{tmp_path}/queries.yml"
    with open(file, "w", encoding="utf-8") as opened:  # noqa: PTH123 - the path is a text
        opened.write(text)
    done = promtool("check", "rules", "--lint=none", file)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_query_selects_the_chosen_tables_and_shows_labels_that_exist() -> None:
    labels = {label for metric in METRICS.values() for label in metric.labels} | {"instance"}
    for panel in dashboard()["panels"]:
        for target in panel.get("targets", ()):
            assert 'instance=~"$instance"' in target["expr"], panel["title"]
            assert set(re.findall(r"{{(\w+)}}", target["legendFormat"])) <= labels


def test_panels_have_numbers_of_their_own_and_do_not_overlap() -> None:
    taken: set[tuple[int, int]] = set()
    numbers = [panel["id"] for panel in dashboard()["panels"]]
    assert len(set(numbers)) == len(numbers)
    for panel in dashboard()["panels"]:
        at = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(at["x"], at["x"] + at["w"])
            for y in range(at["y"], at["y"] + at["h"])
        }
        assert not cells & taken, panel["title"]
        assert at["x"] + at["w"] <= 24
        taken |= cells
