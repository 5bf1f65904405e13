"""The training steps of a trace (`studio.trace.steps`)."""

from studio.trace.steps import Step, Steps, find_steps

__all__ = ["Step", "Steps", "find_steps"]
