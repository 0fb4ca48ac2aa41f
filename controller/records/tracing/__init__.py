"""OpenTelemetry traces of rounds, made from the events of a table (the extra `trace`)."""
