import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("module", "absent"),
    [
        ("studio.formats.chrome_trace", {"pandas"}),
        ("studio.trace", {"pandas"}),
        ("studio.trace.statistics", {"pandas"}),
        ("studio.formats.memory_record", {"pandas"}),
        ("plugins.timeline.core", {"pandas", "numpy", "msgspec"}),
    ],
)
def test_heavy_packages_are_imported_when_they_are_needed(module, absent):
    code = f"import sys, {module}; print(*sorted(name.split('.')[0] for name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not absent & set(done.stdout.split())
