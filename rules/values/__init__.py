"""Tools for frozen values: fast copies, typed fields, lazy imports."""
