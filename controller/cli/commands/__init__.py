"""The commands of `wallwright`: one file for each, or for a group of commands."""
