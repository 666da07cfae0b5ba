# SPDX-License-Identifier: Apache-2.0
"""Programs of Hazelcast's own clients as load: one call at a time, 256 in flight, 1000 keys a call.

The libraries come from tests/clients/setup, into .clients; who is not there is left out.
"""
import json
import os
import subprocess

import process
import program
import server

LIBRARIES = os.path.join(program.ROOT, ".clients")
SOURCES = os.path.join(program.ROOT, "tests", "clients")
BATCH = 1000  # keys of a getall and a putall

# Where the library is, and the command before the address. On two processors the Java client would
# start a thread for each asynchronous call without the property.
PROGRAMS = {
    "Go": ("hazelcast_go", ["./scenario"]),
    "Java": ("java", ["java", "-Xmx512m",
                      "-Djava.util.concurrent.ForkJoinPool.common.parallelism=2", "-cp", "*:.",
                      "HazelcastMeasure"]),
    "Python": ("python", ["bin/python", os.path.join(SOURCES, "python/hazelcast_measure.py")]),
    "Node.js": ("node", ["node", os.path.join(SOURCES, "node/hazelcast_measure.js")]),
}


def available():
    return [name for name, (folder, _) in PROGRAMS.items()
            if os.path.isdir(os.path.join(LIBRARIES, folder))]


def run(name, target, kind, seconds, core):
    """What the program found, with the server's processor time a call beside it."""
    folder, words = PROGRAMS[name]
    words = [*words, f"{server.HOST}:{target.port}", *(["measure"] if name == "Go" else []), kind,
             str(seconds)]
    clock = process.CpuClock(target.pid)
    ended = subprocess.run(server.pinned(core, words), cwd=os.path.join(LIBRARIES, folder),
                           capture_output=True, text=True, check=False)
    cpu_ns = clock.elapsed_ns()
    if ended.returncode != 0:
        raise program.BenchError(f"the {name} client failed:\n{ended.stderr[-2000:]}")
    found = json.loads(ended.stdout.strip().splitlines()[-1])
    found["calls_per_s"] = found["calls"] / found["seconds"]
    found["server_ns_per_call"] = cpu_ns / found["calls"]
    return found
