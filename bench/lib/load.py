# SPDX-License-Identifier: Apache-2.0
"""Load from redis-benchmark, with the processor time it costs the server.

Keys are those of redis-benchmark: `key:` and a number of twelve digits, 16 bytes. The processor
time spans the whole run of redis-benchmark, so it holds the opening and closing of its connections
too: the same few for every server.
"""
import csv
import random
import shutil
import subprocess
import time
from dataclasses import dataclass

import process
import program
import server

CLIENTS = 50
VALUE_BYTES = 100
FILL_BATCH = 500

# Beside the load a server sees our own INFO and what redis-benchmark asks on its way in.
EXTRA_COMMANDS_MAX = 16


@dataclass(frozen=True)
class Case:
    """One kind of load."""

    command: str
    pipeline: int
    requests: int

    @property
    def name(self):
        suffix = f", pipeline {self.pipeline}" if self.pipeline > 1 else ""
        return self.command.upper() + suffix


@dataclass(frozen=True)
class Sample:
    """What one run of a case cost."""

    ops_per_s: float
    cpu_ns_per_op: float
    server_busy: float
    load_busy: float


def fill(port, keys):
    """Gives the server exactly the keys that redis-benchmark will draw from."""
    value = bytes(random.Random(1).choices(range(97, 123), k=VALUE_BYTES))
    with server.Client(port) as client:
        for begin in range(0, keys, FILL_BATCH):
            batch = range(begin, min(begin + FILL_BATCH, keys))
            client.send(b"".join(client.encode("set", b"key:%012d" % i, value) for i in batch))
            for _ in batch:
                client.receive()
        count = client.call("dbsize")
    if count != keys:
        raise program.BenchError(f"the server holds {count} keys and not {keys}")


def find_generator():
    path = shutil.which("redis-benchmark")
    if path is None:
        raise program.BenchError("redis-benchmark is missing: run tools/setup test")
    return path


def run_generator(port, case, keys, core):
    """The requests a second as redis-benchmark counts them."""
    command = [
        find_generator(), "-h", server.HOST, "-p", str(port), "-c", str(CLIENTS),
        "-t", case.command, "-P", str(case.pipeline), "-n", str(case.requests),
        "-r", str(keys), "-d", str(VALUE_BYTES), "--csv",
    ]
    ended = subprocess.run(server.pinned(core, command), capture_output=True, text=True)
    rows = list(csv.reader(ended.stdout.splitlines()))
    if ended.returncode != 0 or len(rows) != 2:
        raise program.BenchError(f"redis-benchmark failed:\n{ended.stdout}{ended.stderr}")
    return float(rows[1][1])


def run(target, case, keys, core):
    """One run of a case against a server that is filled."""
    if case.requests % case.pipeline != 0:
        raise ValueError("redis-benchmark would round the request count up")
    commands = target.command_count()
    load_s = process.children_time_s()
    clock = process.CpuClock(target.pid)
    begin_s = time.perf_counter()
    ops_per_s = run_generator(target.port, case, keys, core)
    wall_s = time.perf_counter() - begin_s
    cpu_ns = clock.elapsed_ns()
    load_s = process.children_time_s() - load_s

    extra = target.command_count() - commands - case.requests
    if not 0 <= extra <= EXTRA_COMMANDS_MAX:
        raise program.BenchError(f"{target.name} counts {extra} commands more than were sent")
    return Sample(ops_per_s, cpu_ns / case.requests, cpu_ns / 1e9 / wall_s, load_s / wall_s)
