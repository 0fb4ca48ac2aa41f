"""Results of commands: lines written to files, pages and pictures for the terminal."""
