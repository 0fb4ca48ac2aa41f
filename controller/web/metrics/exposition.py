"""Encodes readings in the text format of Prometheus, in a registry of their own.

prometheus_client is imported here only, so that only a service that is asked for metrics loads it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import accumulate

from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
)
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.registry import Collector

from controller.web.metrics.catalogue import METRICS, Distribution, Metric, MetricKind
from controller.web.metrics.readings import Sample

MEDIA_TYPE = CONTENT_TYPE_PLAIN_0_0_4
"""The type of the text."""
Family = CounterMetricFamily | GaugeMetricFamily | HistogramMetricFamily


Reading = tuple[Metric, tuple[str, ...], float | Distribution]
"""A metric, the values of its labels, and its value."""


def exposition(samples: Iterable[Sample]) -> bytes:
    """The text of these samples, and of the metrics of this process; it may run in any thread."""
    return text_of((METRICS[name], labels, value) for name, labels, value in samples)


def text_of(samples: Iterable[Reading]) -> bytes:
    """The text of samples of any metrics, and of the metrics of this process."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Samples(samples))
    ProcessCollector(registry=registry)
    return generate_latest(registry)


class _Samples(Collector):
    """Collects samples that are given; it keeps nothing."""

    def __init__(self, samples: Iterable[Reading]) -> None:
        self._samples = samples

    def collect(self) -> Iterator[Family]:
        families: dict[str, Family] = {}
        for metric, labels, value in self._samples:
            if metric.name not in families:
                families[metric.name] = _family(metric)
            _add(families[metric.name], labels, value)
        yield from families.values()


def _family(metric: Metric) -> Family:
    match metric.kind:
        case MetricKind.COUNTER:
            return CounterMetricFamily(metric.full_name, metric.text, labels=metric.labels)
        case MetricKind.GAUGE:
            return GaugeMetricFamily(metric.full_name, metric.text, labels=metric.labels)
        case MetricKind.HISTOGRAM:
            return HistogramMetricFamily(metric.full_name, metric.text, labels=metric.labels)


def _add(family: Family, labels: tuple[str, ...], value: float | Distribution) -> None:
    if isinstance(family, HistogramMetricFamily):
        assert isinstance(value, Distribution)
        limits = (*(f"{limit:g}" for limit in value.limits), "+Inf")
        counts = accumulate(value.classes)
        family.add_metric(labels, list(zip(limits, counts, strict=True)), value.total)
    else:
        assert not isinstance(value, Distribution)
        family.add_metric(labels, float(value))
