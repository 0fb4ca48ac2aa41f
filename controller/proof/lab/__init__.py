"""The shuffle laboratory: exact models of shuffles, statistics of permutations, and their report.

Throughout this package a permutation is an *order*: `order[i]` is the number of the tile that comes
out at place i, and tiles are numbered from 0 in the order in which they went in. The unchanged
order is 0, 1, 2, ... Many orders together are an array with one row for each cycle.
"""
