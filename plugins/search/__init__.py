"""Find and replace in all files of a project."""
