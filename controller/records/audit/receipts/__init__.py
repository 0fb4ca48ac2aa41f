"""Receipts of shuffle cycles and rounds: proven by the audit log, as JSON, text and PDF."""
