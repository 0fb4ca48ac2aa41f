"""Statistical tests of the random source, and of the permutations and dice that are made of it.

`bit_tests` has tests of NIST SP 800-22 for the stream, `choice_tests` tests of drawn choices, and
`laboratory` draws with a source and runs all of them. Needs the packages of the extra `lab`.
"""
