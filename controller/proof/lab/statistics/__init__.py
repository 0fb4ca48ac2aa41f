"""Statistics of orders: each compares observed cycles with a perfect shuffle.

Every statistic has an exact expectation under a perfect shuffle, a p value, and the size of the
effect that this number of cycles finds with 99 % probability. They are functions of orders only
(`controller.proof.lab`), so they judge simulated and recorded cycles in the same way.
"""
