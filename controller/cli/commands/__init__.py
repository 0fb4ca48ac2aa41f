"""The commands of `wallwright`: one file each, or one for two lists of the same kind."""
