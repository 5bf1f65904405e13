"""The window: shell, docks, palette, theme, table, chart, code editor. The only user of Qt here."""
