"""The floor service: stores the events of tables, keeps their last states, sends requests.

`room` is the live state that the page shows, and `port` is all that the page can use of the
service.
"""
