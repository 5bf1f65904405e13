"""What the timeline offers without a window.

`recognise` tells traces and profiles for a project scan; `info`, `stats`, `search`, `query` and
`convert` are the commands `studio trace …`, which the window uses as well.
"""

from plugins.timeline.core.recognise import (
    is_profile,
    is_trace,
    is_trace_archive,
    profile_facts,
    trace_facts,
)

__all__ = ["is_profile", "is_trace", "is_trace_archive", "profile_facts", "trace_facts"]
