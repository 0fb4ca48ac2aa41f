"""The desk: takes the commands of clients, checks them, and executes them."""
