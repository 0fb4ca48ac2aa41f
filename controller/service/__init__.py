"""The service: keeps one table running through an evening, and reports its status to clients."""
