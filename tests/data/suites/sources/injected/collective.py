"""A rank of a job of PyTorch over gloo: rank 2 reads a file that never comes while the others reduce."""

import os
import subprocess
import time

RANK = int(os.environ["RANK"])
JOINED = os.path.join(os.environ["OUT"], "joined")

# However slow the machine is: silence begins when all ranks have met.
subprocess.Popen(["sh", "-c", 'while [ ! -e "$0" ]; do echo loading; sleep 0.3; done', JOINED])

import torch
import torch.distributed as dist


def load_shard():
    while not os.path.exists("shard-that-never-comes"):
        time.sleep(0.05)


def step():
    if RANK == 2:
        load_shard()
    dist.all_reduce(torch.ones(4))


dist.init_process_group("gloo")
open(JOINED, "w").close()
print("rank %d has joined" % RANK, flush=True)
step()
