"""How a table is wired: which lead goes to which pin, as a list and as a drawing."""
