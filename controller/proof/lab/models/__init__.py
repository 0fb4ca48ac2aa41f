"""Exact models of shuffles whose laws are known, and samplers that draw orders from them.

The models calibrate the statistics of the laboratory: each figure is computed by whole numbers and
fractions, and agrees with the published tables of card shuffling.
"""
