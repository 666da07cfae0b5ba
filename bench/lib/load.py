# SPDX-License-Identifier: Apache-2.0
"""Load on a server, with the processor time it costs the server: from `filbert bench resp`, or from
redis-benchmark.

Keys are `key:` (of counters another word) and a number, 16 bytes. The processor time spans the
generator's whole run, so it holds the opening and closing of its connections too: the same few for
every server.
"""
import csv
import json
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

# redis-benchmark ends after a number of requests: as many as a server does in a second or so.
REDIS_BENCHMARK_OPS_PER_S = {1: 80_000, 16: 480_000, 64: 640_000}


@dataclass(frozen=True)
class Case:
    """One kind of load."""

    command: str
    pipeline: int
    batch: int = 1  # keys of one request

    @property
    def name(self):
        of_keys = f" of {self.batch}" if self.batch > 1 else ""
        suffix = f", pipeline {self.pipeline}" if self.pipeline > 1 else ""
        return self.command.upper() + of_keys + suffix


@dataclass(frozen=True)
class Sample:
    """What one run of a case cost."""

    ops_per_s: float
    cpu_ns_per_op: float
    server_busy: float
    load_busy: float
    load_ns_per_op: float


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


def knows(target, command):
    """Whether the server has the command; without arguments it is wrong, but known."""
    try:
        with server.Client(target.port) as client:
            client.call(command)
    except program.BenchError as error:
        return "unknown command" not in str(error).lower()
    return True


class RedisBenchmark:
    """redis-benchmark; its requests are counted, not timed."""

    name = "redis-benchmark"

    def __init__(self):
        self._path = shutil.which("redis-benchmark")
        if self._path is None:
            raise program.BenchError("redis-benchmark is missing: run tools/setup test")

    @staticmethod
    def can_run(case):
        return case.batch == 1

    def run(self, port, case, keys, core, seconds):
        """(requests, requests a second) as it counts them."""
        batches = int(REDIS_BENCHMARK_OPS_PER_S[case.pipeline] * seconds) // case.pipeline
        requests = max(batches, CLIENTS) * case.pipeline
        command = [
            self._path, "-h", server.HOST, "-p", str(port), "-c", str(CLIENTS),
            "-t", case.command, "-P", str(case.pipeline), "-n", str(requests),
            "-r", str(keys), "-d", str(VALUE_BYTES), "--csv",
        ]
        ended = subprocess.run(server.pinned(core, command), capture_output=True, text=True)
        rows = list(csv.reader(ended.stdout.splitlines()))
        if ended.returncode != 0 or len(rows) != 2:
            raise program.BenchError(f"redis-benchmark failed:\n{ended.stdout}{ended.stderr}")
        return requests, float(rows[1][1])


class FilbertBench:
    """`filbert bench resp`."""

    name = "filbert bench resp"

    def __init__(self, binary):
        self._binary = binary

    @staticmethod
    def can_run(_):
        return True

    def run(self, port, case, keys, core, seconds):
        """(requests, requests a second) as it counts them."""
        command = [
            self._binary, "bench", "resp", "--address", f"{server.HOST}:{port}",
            "--command", case.command, "--connections", str(CLIENTS),
            "--pipeline", str(case.pipeline), "--batch", str(case.batch), "--keys", str(keys),
            "--value-size", str(VALUE_BYTES), "--duration", f"{round(seconds * 1000)}ms", "--json",
        ]
        ended = subprocess.run(server.pinned(core, command), capture_output=True, text=True)
        if ended.returncode != 0:
            raise program.BenchError(f"filbert bench resp failed:\n{ended.stderr}")
        found = json.loads(ended.stdout)
        if found["misses"] > 0:
            raise program.BenchError(f"the server lacks keys: {found['misses']} misses")
        return found["requests"], found["ops_per_s"]


@dataclass(frozen=True)
class Load:
    """A generator with what all its runs share; the server is filled."""

    generator: object
    keys: int
    core: int  # None: any
    seconds: float

    def run(self, target, case):
        """One run of a case."""
        commands = target.command_count()
        load_s = process.children_time_s()
        clock = process.CpuClock(target.pid)
        begin_s = time.perf_counter()
        requests, ops_per_s = self.generator.run(
            target.port, case, self.keys, self.core, self.seconds
        )
        wall_s = time.perf_counter() - begin_s
        cpu_ns = clock.elapsed_ns()
        load_s = process.children_time_s() - load_s

        extra = target.command_count() - commands - requests
        if not 0 <= extra <= EXTRA_COMMANDS_MAX:
            raise program.BenchError(f"{target.name} counts {extra} commands more than were sent")
        return Sample(
            ops_per_s, cpu_ns / requests, cpu_ns / 1e9 / wall_s, load_s / wall_s,
            load_s * 1e9 / requests,
        )
