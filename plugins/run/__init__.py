"""Run scripts, modules and shell commands of a project, and read what they write."""
