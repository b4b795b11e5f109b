"""Takes more and more memory, until somebody minds."""

import time

kept = []
for step in range(256):
    kept.append(bytearray(b"x" * (4 << 20)))
    if step % 8 == 0:
        print("%d MiB" % (4 * (step + 1)), flush=True)
    time.sleep(0.005)
