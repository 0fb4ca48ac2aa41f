"""Writes docs/floor/METRICS.md from the list of metrics."""

from __future__ import annotations

from collections.abc import Iterator

from controller.floor.server.metrics import FLOOR_METRICS
from controller.web.metrics.catalogue import (
    ASKED,
    CAUSES,
    CODES,
    MODES,
    PHASES,
    PROMPT_KINDS,
    ROLES,
    SECTIONS,
    SERVICE_STATES,
    Metric,
)

_INTRODUCTION = """\
# Metrics

This page is generated from `controller/web/metrics/catalogue.py` by `make docs`.

A table's service serves its metrics at `GET /metrics`, in the text format of Prometheus. The
request needs a login, as every other one does: a technician makes an API token with the role
`metrics` in the panel, and Prometheus sends it. This token reads the metrics and nothing else. A
request without a token is refused, also from the table's own computer, because a proxy on that
computer would make the metrics public. Until the table has tested itself, the answer is `503
starting`.

```console
$ curl -H "Authorization: Bearer $TOKEN" https://table-1.example:8443/metrics
```

The metrics contain no name of a person, no evidence of a fault and no tile. Labels take a bounded
number of values: those of a list in the program, and the names of boards and parts in the table's
configuration. A value that is in no list counts as `other`.

Counters begin with the service, except those of the audit log. On a simulated table, times are
seconds of the table's clock, which can run faster than real time; the lag of the event loop, the
computer's time and the metrics of the process are real.

| what | measured |
|---|---|
| series of a table after a round on the table `robotic`, with two boards | 426 |
| size of a scrape | 33 kB |
| time in the table's event loop for a scrape | 0.40 ms |
| time in a worker thread for a scrape | 28 ms |

Measured by `python -m benchmarks metrics_scrape` on a busy computer with two cores; the times are
medians of 200 scrapes.

## Alerts and a dashboard

`packaging/prometheus/` has alert rules for a table and for a floor of tables
(`wallwright.rules.yml`), a test of each rule (`promtool test rules wallwright.test.yml`), and an
example of a configuration (`prometheus.yml`). The rules expect the job `wallwright` for tables and
`wallwright_floor` for the floor service. While a floor service works, it decides which tables are
lost: a table that was switched off raises no alert.
`packaging/grafana/wallwright.json` is a dashboard, which Grafana imports; it asks for the data
source and offers the tables to choose from.

Useful figures: tiles per jam is `increase(wallwright_tiles_lifted_total[1d]) /
increase(wallwright_jams_total[1d])`; the mean time to assist (MTTA) is
`rate(wallwright_assist_duration_seconds_sum[1d]) /
rate(wallwright_assist_duration_seconds_count[1d])`. `wallwright stats` computes the same figures
from the whole journal.

Beside the metrics below, the text has those of the process: `process_cpu_seconds_total`,
`process_resident_memory_bytes`, `process_virtual_memory_bytes`, `process_start_time_seconds`,
`process_open_fds` and `process_max_fds`.
"""

_LABELS = (
    ("`state` of the service", SERVICE_STATES),
    ("`mode`", MODES),
    ("`phase` of `under`", PHASES["under"]),
    ("`phase` of `top`", PHASES["top"]),
    ("`kind` of a prompt", PROMPT_KINDS),
    ("`role`", ROLES),
    ("`cause` of a pause", CAUSES),
)


def page() -> str:
    """Return the text of docs/floor/METRICS.md."""
    return "\n".join([_INTRODUCTION, *_sections(), *_values(), *_floor()])


def _sections() -> Iterator[str]:
    for title, metrics in SECTIONS.items():
        yield from (
            f"## {title}",
            "",
            "| metric | type | labels | what it is |",
            "|---|---|---|---|",
        )
        yield from map(_row, metrics)
        yield ""


def _floor() -> Iterator[str]:
    """The metrics of the floor service, which has no metrics of tables."""
    yield from (
        "## The floor service",
        "",
        "`wallwright floor serve` has metrics of its own at `/metrics` of the floor's page, for a",
        "token of the role `metrics`. Tables are counted, not named: a floor can have thousands.",
        "",
        "| metric | type | labels | what it is |",
        "|---|---|---|---|",
    )
    yield from map(_row, FLOOR_METRICS)
    yield ""


def _row(metric: Metric) -> str:
    labels = ", ".join(f"`{label}`" for label in metric.labels) or "-"
    text = metric.text
    if metric.limits:
        text += f" Limits: {', '.join(f'{limit:g}' for limit in metric.limits)}."
    return f"| `{metric.full_name}` | {metric.kind.value} | {labels} | {text} |"


def _values() -> Iterator[str]:
    yield from ("## Values of labels", "", "| label | values |", "|---|---|")
    for label, values in _LABELS:
        yield f"| {label} | {', '.join(f'`{value}`' for value in values)} |"
    yield (
        f"| `code` | the {len(CODES)} codes of [FAULTS.md](../operate/FAULTS.md); recoveries and"
        f" assists always show the {len(ASKED)} that are retried and asked about |"
    )
    yield ""
