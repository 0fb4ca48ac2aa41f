"""The pit report: figures and incidents of a room in a time range, as CSV and as PDF."""
