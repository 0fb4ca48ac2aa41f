"""Announces a table to Home Assistant: MQTT discovery, one retained message for each entity."""
