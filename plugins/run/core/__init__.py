"""Run configurations, interpreters, processes, and the text that programs write to terminals."""
