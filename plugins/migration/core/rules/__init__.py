"""The rules, one file per family: what they know as data, how they look as small functions.

A family has `RULES` and any of `HANDLERS` (run at each node of a type), `LATE_HANDLERS` (run after
all of those, when it is known which names flow into devices).
"""
