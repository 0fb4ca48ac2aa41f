"""Text of metrics, read as Prometheus reads it."""

from __future__ import annotations

from prometheus_client.parser import text_string_to_metric_families

Values = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def values_of(text: bytes) -> Values:
    """Every sample by its name and its sorted labels."""
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text.decode())
        for sample in family.samples
    }


def value(values: Values, name: str, **labels: str) -> float | None:
    """One sample, named without the prefix; None if there is none."""
    return values.get((f"wallwright_{name}", tuple(sorted(labels.items()))))
