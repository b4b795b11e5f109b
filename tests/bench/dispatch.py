"""What dispatch costs: decisions about many runners and jobs, transitions with the store, and the wait of an idle worker. Called by harness.py."""

import json
import statistics

from common import Failure, run

# name: (unit, floor, larger is better), as in harness.py.
FIGURES = {
    "dispatch.decision_p99": ("ms", 5, False),
    "dispatch.memory": ("MiB", 500, False),
    "dispatch.transitions": ("transitions/s", 2000, True),
    "dispatch.idle_worker_p99": ("ms", 20, False),
}


def benchmarks(folder, program, wanted, *options):
    """The runs of a program's benchmarks that a pattern matches."""
    path = folder / "bench" / program
    if not path.exists():
        raise Failure(f"{path} is not built")
    runs = [one for one in json.loads(run([str(path), f"--benchmark_filter={wanted}", "--benchmark_format=json", *options]))["benchmarks"]
            if one.get("run_type") == "iteration"]
    if not runs:
        raise Failure(f"{program} has no benchmark {wanted}")
    return runs


def measure(folder, smoke, names):
    """Figures by name, and for those that there are none of, why."""
    values = {}
    if {"dispatch.decision_p99", "dispatch.memory"} & set(names):
        # In one process: a queue that is full takes seconds to fill.
        runs = benchmarks(folder, "dispatch_bench", ".")
        values["dispatch.decision_p99"] = max(one["p99_ms"] for one in runs)
        values["dispatch.memory"] = max(one["resident_mib"] for one in runs)
    if "dispatch.transitions" in names:
        seconds = 0.01 if smoke else 3
        values["dispatch.transitions"] = max(one["items_per_second"] for one in
                                             benchmarks(folder, "dispatch_store_bench", "Transitions", f"--benchmark_min_time={seconds}"))
    if "dispatch.idle_worker_p99" in names:
        rounds = 1 if smoke else 3
        values["dispatch.idle_worker_p99"] = statistics.median(
            benchmarks(folder, "dispatch_store_bench", "IdleWorker")[0]["p99_ms"] for _ in range(rounds))
    return {name: value for name, value in values.items() if name in names}, {}
