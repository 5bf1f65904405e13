"""The assessment of a project: what a move to Ascend NPUs takes, for people and for programs."""
