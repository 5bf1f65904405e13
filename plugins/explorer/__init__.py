"""The explorer: what is recognised in the project, and its files."""
