"""What is known of blocks, in words."""

from __future__ import annotations

from studio.i18n import tr


def state_word(state: str) -> str:
    """Say what became of a block."""
    return {
        "released": tr("released"),
        "held": tr("never released"),
        "allocated before": tr("allocated before the recording"),
        "not timed": tr("times not recorded"),
    }.get(state, state)


def size_class_word(name: str) -> str:
    """Name a size class of PyTorch's allocator."""
    return {
        "up to 1 MiB": tr("up to 1 MiB"),
        "1 to 10 MiB": tr("1 to 10 MiB"),
        "over 10 MiB": tr("over 10 MiB"),
    }.get(name, name)


def lifetime_word(name: str) -> str:
    """Name a class of lifetimes."""
    return {
        "up to 1 ms": tr("up to 1 ms"),
        "1 to 10 ms": tr("1 to 10 ms"),
        "10 to 100 ms": tr("10 to 100 ms"),
        "100 ms to 1 s": tr("100 ms to 1 s"),
        "over 1 s": tr("over 1 s"),
        "never released": tr("never released"),
        "allocated before": tr("allocated before the recording"),
    }.get(name, name)
