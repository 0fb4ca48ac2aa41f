"""A small certificate authority for one floor: tables, floor services, brokers and readers.

Every party proves its identity to the broker with a certificate of this authority. The common name
of a certificate is the user name by which the broker limits its topics.
"""
