"""The project as everyone sees it: items, documents, findings, locations, selection, context."""
