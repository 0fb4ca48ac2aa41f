"""The floor's database: events of every table, acknowledgements and requests.

SQLite for a few tables, PostgreSQL for a floor; SQLAlchemy Core writes the SQL for both.
"""
