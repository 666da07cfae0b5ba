# SPDX-License-Identifier: Apache-2.0
"""The programs that go through the scenario of the clients, and a member of Hazelcast itself
to compare with. Used by tests/clients/run and by tests/integration/hazelcast_clients_test.py.
"""
import os
import subprocess
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LIBRARIES = os.path.join(ROOT, ".clients")
CLIENTS = os.path.join(ROOT, "tests", "clients")
GUARD = 240.0

# The folder of the library in .clients, and the command, which gets the address and the mode.
PROGRAMS = {
    "python": (
        "python/bin/python",
        [os.path.join(LIBRARIES, "python/bin/python"),
         os.path.join(CLIENTS, "python/hazelcast_scenario.py")],
    ),
    "python structures": (
        "python/bin/python",
        [os.path.join(LIBRARIES, "python/bin/python"),
         os.path.join(CLIENTS, "python/hazelcast_structures.py")],
    ),
    "python executors": (
        "python/bin/python",
        [os.path.join(LIBRARIES, "python/bin/python"),
         os.path.join(CLIENTS, "python/hazelcast_executors.py")],
    ),
    "node": ("node/node_modules/hazelcast-client",
             ["node", os.path.join(CLIENTS, "node/hazelcast.js")]),
    "node structures": (
        "node/node_modules/hazelcast-client",
        ["node", os.path.join(CLIENTS, "node/hazelcast_structures.js")],
    ),
    "go": ("hazelcast_go/scenario", [os.path.join(LIBRARIES, "hazelcast_go/scenario")]),
    "java": ("java/HazelcastScenario.class",
             ["java", "-Xmx512m", "-cp", "*:.", "HazelcastScenario"]),
    "go structures": ("hazelcast_go/scenario",
                      [os.path.join(LIBRARIES, "hazelcast_go/scenario")]),
    "java structures": ("java/HazelcastStructures.class",
                        ["java", "-Xmx512m", "-cp", "*:.", "HazelcastStructures"]),
    "java executors": ("java/HazelcastExecutors.class",
                       ["java", "-Xmx512m", "-cp", "*:.", "HazelcastExecutors"]),
}

# What Hazelcast's own members do not have.
OURS = {
    "two worlds": (
        "python/bin/python",
        [os.path.join(LIBRARIES, "python/bin/python"),
         os.path.join(CLIENTS, "python/two_worlds.py")],
    ),
}

# What the command gets behind the address.
MODES = {"go structures": ["structures"]}


def _program(name):
    return PROGRAMS[name] if name in PROGRAMS else OURS[name]


def is_here(name):
    return os.path.exists(os.path.join(LIBRARIES, _program(name)[0]))


def _folder(name):
    return os.path.join(LIBRARIES, _program(name)[0].split("/")[0])


def run(name, address, *modes):
    """Runs the whole scenario; None, or what the program said when it failed."""
    command = [*_program(name)[1], address, *MODES.get(name, []), *modes]
    done = subprocess.run(command, cwd=_folder(name), capture_output=True,
                          text=True, timeout=GUARD, check=False)
    return None if done.returncode == 0 else done.stdout[-2000:] + done.stderr[-4000:]


def run_through_restart(name, address, restart):
    """Lets restart() start the member again while the program's client is connected."""
    with subprocess.Popen([*PROGRAMS[name][1], address, "restart"], cwd=_folder(name), text=True,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as program:
        try:
            line = program.stdout.readline()
            if line.strip() == "ready":
                restart()
            out, err = program.communicate("go on\n", timeout=GUARD)
        finally:
            program.kill()
    return None if program.returncode == 0 else line + out[-2000:] + err[-4000:]


class Hazelcast:
    """A member of Hazelcast 5.7.0 from the library that the Java client is in."""

    def __init__(self, port):
        self.address = f"127.0.0.1:{port}"
        self.log = tempfile.TemporaryFile("w+")
        options = {
            "hz.network.port.port": port,
            "hz.network.public-address": self.address,
            "hz.network.join.multicast.enabled": "false",
            "hazelcast.phone.home.enabled": "false",
        }
        self.process = subprocess.Popen(
            ["java", "-Xmx1g", *[f"-D{name}={value}" for name, value in options.items()],
             "-cp", "*", "com.hazelcast.core.server.HazelcastMemberStarter"],
            cwd=os.path.join(LIBRARIES, "java"), stdout=self.log, stderr=subprocess.STDOUT)
        end = time.monotonic() + GUARD
        while "is STARTED" not in self._said():
            if self.process.poll() is not None or time.monotonic() > end:
                raise RuntimeError("Hazelcast does not start: " + self._said()[-2000:])
            time.sleep(0.1)

    def _said(self):
        self.log.seek(0)
        return self.log.read()

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=GUARD)
        self.log.close()
