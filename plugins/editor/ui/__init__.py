"""The editor's views."""
