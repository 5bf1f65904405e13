"""The migration in the window: list of findings, aligned comparison, reasons."""
