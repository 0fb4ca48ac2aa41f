"""Backup and restore: one encrypted file with all records of a table.

`creating` copies the data folder of a service consistently, also while the table runs
(`snapshots`), and packs the files behind a manifest (`archive`) into one file, which
`sealing` encrypts in the age format. `restoring` checks everything in a folder of its own and puts
that folder into place in one step (`replacing`).
"""
