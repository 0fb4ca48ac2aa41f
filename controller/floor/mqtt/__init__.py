"""A connection to an MQTT 5 broker, as tables and the floor use it."""
