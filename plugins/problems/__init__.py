"""The problems: all findings of the project, whatever plugin they come from."""
