"""The endpoints' functions, by subject, and their registration with the web framework."""
