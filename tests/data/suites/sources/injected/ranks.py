"""One rank of the suites that fail on purpose: ranks.py hello|wrong|hang|crash|port."""

import os
import signal
import socket
import struct
import sys
import time

RANK = int(os.environ.get("RANK", "0"))


def write_npy(path, values):
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }" % len(values)
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack("<%df" % len(values), *values))


def hello():
    print("PASS hello")


def wrong():
    folder = os.environ["YARD_TENSORS_FOLDER"]
    expected = [float(i) for i in range(256)]
    actual = list(expected)
    if RANK == 2:
        actual[17] += 0.5
    write_npy(os.path.join(folder, "sum.expected.npy"), expected)
    write_npy(os.path.join(folder, "sum.actual.npy"), actual)
    # The comparison was made, and its result dropped.
    print("[PRECISION_PASS]")


def hang():
    print("rank %d before the barrier" % RANK)
    if RANK == 1:
        # A child of its own that nobody would see if only this process were ended.
        if os.fork() == 0:
            os.setsid()
        while True:
            time.sleep(1)
    print("rank %d after the barrier" % RANK)


def crash():
    name = os.environ.get("SHM_NAME")
    if name:
        with open(os.path.join("/dev/shm", "%s-%d" % (name, RANK)), "w") as file:
            file.write("left behind")
    print("rank %d computes" % RANK)
    if RANK == 1:
        os.kill(os.getpid(), signal.SIGSEGV)
    time.sleep(0.5)
    print("RuntimeError: [pair.cc:589] Connection closed by peer [127.0.0.1]:41234", file=sys.stderr)
    sys.exit(1)


def port():
    if RANK == 0:
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", int(os.environ["TAKEN_PORT"])))
    time.sleep(0.3)


{"hello": hello, "wrong": wrong, "hang": hang, "crash": crash, "port": port}[sys.argv[1]]()
