"""Searching files by text or regular expression, and the edits that replace what was found."""
