"""Capabilities of the studio, one folder each; see CONTRIBUTING.md."""
