"""A small plugin for tests of the window: it shows text files and remembers the cursor."""

NOTE = """
from PySide6.QtWidgets import QPlainTextEdit
class Note(QPlainTextEdit):
    def __init__(self, path):
        super().__init__(path.read_text())
        self.path = path
    def save_state(self):
        return {"place": self.textCursor().position()}
    def restore_state(self, state):
        cursor = self.textCursor()
        cursor.setPosition(state["place"])
        self.setTextCursor(cursor)
def make_view(studio, path):
    return Note(path)
"""

OPENER = """
[[openers]]
id = "notes.view"
title = "Note"
make = "ui:make_view"
patterns = ["*.py", "*.md", "*.yaml"]
"""
