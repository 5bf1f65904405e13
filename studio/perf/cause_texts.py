"""How the causes of idle time are called, and what each of them means."""

from __future__ import annotations

from studio.i18n import tr


def cause_title(cause: str) -> str:
    """Name a cause of `studio.perf.gaps.CAUSES`."""
    return {
        "copies": tr("memory copies"),
        "data_loading": tr("data loading"),
        "gc": tr("garbage collection"),
        "memory_api": tr("memory calls"),
        "synchronisation": tr("synchronisation"),
        "queue_empty": tr("launch queue empty"),
        "host_bound": tr("host not launched yet"),
        "device_wait": tr("waiting for another stream"),
        "launch_delay": tr("launch delay"),
        "scheduling": tr("scheduling on the device"),
        "unexplained": tr("not explained"),
    }.get(cause, cause)


def cause_meaning(cause: str) -> str:
    """Say what a cause means."""
    return {
        "copies": tr("Memory was copied and nothing else ran."),
        "data_loading": tr("The host fetched the next batch."),
        "gc": tr("Python collected garbage."),
        "memory_api": tr("The host allocated or released device memory."),
        "synchronisation": tr("The host waited for the device before it launched more."),
        "queue_empty": tr("Python had not queued the next operator yet."),
        "host_bound": tr("The next operator was queued, but not launched yet."),
        "device_wait": tr("The stream waited for an event of another stream."),
        "launch_delay": tr("Launched inside the gap and not begun yet."),
        "scheduling": tr("Launched before the gap: what the device needs between operators."),
        "unexplained": tr("It is not recorded what launched the next operator."),
    }.get(cause, "")
