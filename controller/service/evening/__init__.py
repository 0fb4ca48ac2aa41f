"""The evening: sessions, their programme of games, their scores and their records."""
