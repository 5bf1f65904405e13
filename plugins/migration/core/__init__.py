"""The engine of the migration, without any window: analysis, findings, edits, reports."""
