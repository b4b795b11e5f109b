"""What it costs to compile the programs. Called by harness.py."""

import os
import pathlib
import resource
import subprocess
import tempfile

from common import Failure, say

# name: (unit, floor, larger is better), as in harness.py.
FIGURES = {"build.programs_cpu": ("s", None, False)}


def measure():
    """Seconds of the processor, user and system, that a build of the programs takes in a new folder with an empty compiler cache."""
    root = pathlib.Path(__file__).parents[2]
    with tempfile.TemporaryDirectory(prefix="yard-bench-", dir=root / "build") as work:
        environment = {**os.environ, "CCACHE_DIR": f"{work}/ccache", "CCACHE_BASEDIR": str(root)}

        def cmake(*arguments):
            result = subprocess.run(["cmake", *arguments], cwd=root, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
            if result.returncode != 0:
                raise Failure(f"cmake {' '.join(arguments)} exits {result.returncode}: {(result.stdout + result.stderr).strip()[-500:]}")

        say("building the programs, which takes minutes")
        cmake("--preset", "release", "-B", f"{work}/build", "-DYARDMASTER_BUILD_TESTS=OFF", "-DYARDMASTER_BUILD_BENCH=OFF")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        cmake("--build", f"{work}/build")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {"build.programs_cpu": after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime}, {}
