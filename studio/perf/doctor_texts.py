"""What the import doctor calls things, and what is lost without them."""

from __future__ import annotations

from studio.i18n import tr


def titles() -> dict[str, str]:
    """What each kind of file holds."""
    return {
        "kernels": tr("Operators on the device"),
        "published_steps": tr("Step times of the profiler"),
        "operator_statistic": tr("Statistics of operators"),
        "api_statistic": tr("Statistics of CANN calls"),
        "operator_details": tr("Host operators with call stacks"),
        "allocations": tr("Memory blocks of operators"),
        "memory": tr("Memory over time"),
        "module_memory": tr("Memory of CANN's modules"),
        "static_memory": tr("Memory planned for graphs"),
        "cache": tr("L2 cache"),
        "communication_times": tr("Times of communication"),
        "trace": tr("Timeline"),
        "database": tr("Database of the profiler"),
        "analysis": tr("Database of step and communication times"),
        "pack": tr("Packed profile"),
        "snapshot": tr("Memory snapshot of PyTorch"),
        "memscope": tr("Memory events of msMemScope"),
        "step_trace_raw": tr("Iterations (MindInsight)"),
        "output_timeline": tr("Operators on the device (MindInsight)"),
        "timeline": tr("Timeline (MindInsight)"),
        "types": tr("Statistics of operators (MindInsight)"),
        "details": tr("Details of operators (MindInsight)"),
        "framework": tr("Operators of the framework (MindInsight)"),
        "pipeline": tr("Data pipeline (MindInsight)"),
        "hccl": tr("Communication (MindInsight)"),
    }


def losses(form: str) -> dict[str, tuple[str, str]]:
    """For each table: that it is missing, and what cannot be said without it."""
    return {
        "kernels": (
            tr("No operators of the device were recorded."),
            tr("No operator table; of steps only the time on the host is known.")
            if form == "Kineto trace"
            else tr("No operator table, and step times only as the profiler published them."),
        ),
        "host_ops": (
            tr("The host was not recorded (no timeline, no PYTORCH_API)."),
            tr("Idle time cannot be split into causes, operators have no call stacks."),
        ),
        "launches": (
            tr("Nothing links operators of the device with the host."),
            tr("Idle time cannot be split into causes, operators have no source lines."),
        ),
        "memory": (
            tr("No memory over time was recorded."),
            tr("No memory curves and no peaks."),
        ),
        "allocations": (
            tr("No memory blocks were recorded."),
            tr("A memory peak cannot be explained by operators."),
        ),
        "counters": (
            tr("No performance counters were recorded."),
            tr("Not known how busy the cores were, or what limits an operator."),
        ),
        "host_steps": (
            tr("No steps were marked on the host (no ProfilerStep)."),
            tr("Preparing time is unknown; call profiler.step() after every step."),
        ),
    }


def device_activity(form: str) -> str:
    """What the profiler of a form calls the device; PyTorch's own says CUDA for ROCm as well."""
    return "CUDA" if form == "Kineto trace" else "NPU"


def how_to_record(form: str) -> dict[str, str]:
    """For each table: what to switch on next time, by the form of the profile."""
    kineto = form == "Kineto trace"
    return {
        "kernels": tr("Record with ProfilerActivity.{device}.", device=device_activity(form)),
        "host_ops": tr("Record with ProfilerActivity.CPU.")
        if kineto
        else tr("Record with ProfilerActivity.CPU and keep trace_view.json."),
        "memory": tr("Record with profile_memory=True."),
        "allocations": tr("Record with profile_memory=True."),
        "counters": tr("Record with profiler_level Level1 or Level2 and aic_metrics."),
        "host_steps": tr("Use a schedule and call profiler.step()."),
    }
