"""The legal actions of a Wenzhou hand, and the priority of claims."""
