"""Accounts: users, their logins, machines' API tokens and paired devices."""
