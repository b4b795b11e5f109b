"""Faults on purpose, for testing what runs this suite: YARD_INJECT=KIND:RANK[:TEXT].

They strike on that rank right before the first test whose name holds TEXT (without TEXT: before the first test).

    wrong_numerics   the first result that such a test compares is off on that rank only; what is sent is right
    raise            an exception, before anything is sent
    hang             sleeps for good
    crash            a segmentation fault
    exit             os._exit(3): no report, no farewell
    oom              allocates in steps of 64 MiB up to YARD_INJECT_OOM_MB (default 4096), then fails with MemoryError
    skip             the test is skipped on that rank only
"""

import os
import signal
import time
from typing import Optional

KINDS = ("wrong_numerics", "raise", "hang", "crash", "exit", "oom", "skip")


class Injection:
    """What YARD_INJECT asks for. `strike` is called before each test."""

    def __init__(self, text: Optional[str], rank: int) -> None:
        self.kind = ""
        self.skip = False
        self._where = ""
        if not text:
            return
        kind, _, rest = text.partition(":")
        number, _, where = rest.partition(":")
        if kind not in KINDS or not number.isdigit():
            raise ValueError(f"YARD_INJECT={text}: it is KIND:RANK[:TEXT], KIND one of {', '.join(KINDS)}")
        if int(number) == rank:
            self.kind, self._where = kind, where

    def strike(self, test: str) -> None:
        self.skip = False
        if self.kind == "wrong_numerics" or not self._struck(test):
            return
        kind, self.kind = self.kind, ""
        if kind == "skip":
            self.skip = True
        elif kind == "raise":
            raise RuntimeError("injected: an exception on this rank only")
        elif kind == "hang":
            while True:
                time.sleep(3600)
        elif kind == "crash":
            # As the kernel would send it; a handler that Python may have must not turn it into something milder.
            signal.signal(signal.SIGSEGV, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGSEGV)
        elif kind == "exit":
            os._exit(3)
        elif kind == "oom":
            _fill_memory(int(os.environ.get("YARD_INJECT_OOM_MB", "4096")))

    def wrong_numerics(self, test: str) -> bool:
        """True for the first result that `test` compares, once."""
        if self.kind != "wrong_numerics" or not self._struck(test):
            return False
        self.kind = ""
        return True

    def _struck(self, test: str) -> bool:
        return bool(self.kind) and self._where in test


def _fill_memory(limit_mb: int) -> None:
    step = 64
    held = []
    for used in range(0, limit_mb, step):
        # Written to, not only reserved.
        held.append(bytearray(b"\x01") * (step << 20))
        if used % 512 == 0:
            print(f"injected: {used + step} MiB allocated", flush=True)
    raise MemoryError(f"injected: {limit_mb} MiB allocated, and nothing stopped it")
