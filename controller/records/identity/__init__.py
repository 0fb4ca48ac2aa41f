"""The signed manifest of the program's files, its checks, and answers to challenges."""
