"""Finds lines that are too long: the plugin to copy."""
