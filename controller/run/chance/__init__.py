"""The machine's random choices: their source, their commitments, and their verification.

`source` draws the machine's share of each shuffle cycle from the operating system through an
HMAC-DRBG with health tests. `records` derives every choice of a cycle from that share and the
players' shares, and `verification` lets a stranger repeat the derivation after the round.
`laboratory` runs statistical tests of a source and of what is drawn with it.
"""
