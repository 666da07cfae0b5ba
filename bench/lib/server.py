# SPDX-License-Identifier: Apache-2.0
"""Servers under test: Filbert and its peers as processes of their own, and a client for set-up.

A server listens on a free port of 127.0.0.1 and lives in a `with` block; leaving the block stops
it. Only processes that were started here are ever stopped.
"""
import os
import random
import re
import socket
import subprocess
import tempfile
import time

import process
import program

HOST = "127.0.0.1"
START_ATTEMPTS = 3
START_TIMEOUT_S = 20.0
STOP_TIMEOUT_S = 20.0


class Cores:
    """Which cores servers and load run on: two of those this process may use, or all."""

    def __init__(self, is_pinned):
        allowed = sorted(os.sched_getaffinity(0))
        can_pin = len(allowed) >= 2
        self.server = allowed[0] if is_pinned and can_pin else None
        self.load = allowed[1] if is_pinned and can_pin else None
        self._reason = "" if can_pin else ": there is one core only"

    def describe(self):
        if self.server is None:
            return f"unpinned{self._reason}"
        return f"pinned: server on core {self.server}, load on core {self.load}"


def pinned(core, command):
    return command if core is None else ["taskset", "--cpu-list", str(core)] + command


def free_port():
    """A port that nobody uses, outside the range of outgoing connections.

    Inside that range a client that polls a port before anybody listens may be given the very port
    as its own, and then talks to itself.
    """
    first, last = process.ephemeral_ports()
    candidates = [port for port in range(10000, 65000) if not first <= port <= last]
    for port in random.sample(candidates, len(candidates)):
        with socket.socket() as probe:
            try:
                probe.bind((HOST, port))
            except OSError:
                continue
            return port
    raise program.BenchError("no free port")


class Client:
    """A simple RESP connection: a command, or a batch of them, and the replies."""

    def __init__(self, port):
        self._socket = socket.create_connection((HOST, port), timeout=START_TIMEOUT_S)
        self._file = self._socket.makefile("rb")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._file.close()
        self._socket.close()

    @staticmethod
    def encode(*words):
        parts = [b"*%d\r\n" % len(words)]
        for word in words:
            data = word if isinstance(word, bytes) else str(word).encode()
            parts.append(b"$%d\r\n%s\r\n" % (len(data), data))
        return b"".join(parts)

    def send(self, data):
        self._socket.sendall(data)

    def receive(self):
        line = self._file.readline()
        if not line.endswith(b"\r\n"):
            raise program.BenchError("the server closed the connection")
        kind, rest = line[:1], line[1:-2]
        if kind == b"-":
            raise program.BenchError(f"the server answered {rest.decode(errors='replace')}")
        if kind == b"$" and rest != b"-1":
            return self._file.read(int(rest) + 2)[:-2].decode()
        return int(rest) if kind == b":" else rest.decode()

    def call(self, *words):
        self.send(self.encode(*words))
        return self.receive()


def http_get(port, path):
    """(status, body) of one request; raises OSError where nobody listens."""
    with socket.create_connection((HOST, port), timeout=START_TIMEOUT_S) as connection:
        request = f"GET {path} HTTP/1.1\r\nHost: {HOST}\r\nConnection: close\r\n\r\n"
        connection.sendall(request.encode())
        data = b"".join(iter(lambda: connection.recv(65536), b""))
    head, _, body = data.partition(b"\r\n\r\n")
    status = re.match(rb"HTTP/1\.1 (\d{3}) ", head)
    return int(status.group(1)) if status else 0, body.decode()


class Server:
    """A running server. `command` makes the argument list for a port and a scratch folder."""

    def __init__(self, name, command, is_ready, core=None):
        self.name = name
        self.version = ""
        self.port = None
        self.ready_ns = None
        self.poll_pause_s = 0.002
        self._command = command
        self._is_ready = is_ready
        self._core = core
        self._folder = None
        self._process = None

    @property
    def pid(self):
        return self._process.pid

    def __enter__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="filbert-bench-")
        try:
            # Somebody else may take the port between our look and the server's.
            for _ in range(START_ATTEMPTS):
                self.ready_ns = self._start()
                if self.ready_ns is not None:
                    return self
                self.stop()
            raise program.BenchError(f"{self.name} did not start:\n{self._output()}")
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_):
        self.stop()
        self._folder.cleanup()

    def _launch(self):
        self.port = free_port()
        command = pinned(self._core, self._command(self.port, self._folder.name))
        with open(os.path.join(self._folder.name, "output"), "wb") as output:
            begin_ns = time.perf_counter_ns()
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT
            )
        return begin_ns

    def _answers(self):
        try:
            return self._is_ready(self.port)
        except (OSError, program.BenchError):
            return False

    def _start(self):
        """How long it took from before exec until ready, or None when it did not get there."""
        begin_ns = self._launch()
        while time.perf_counter_ns() - begin_ns < START_TIMEOUT_S * 1e9:
            if self._answers():
                ready_ns = time.perf_counter_ns() - begin_ns
                return ready_ns if self._process.poll() is None else None
            if self._process.poll() is not None:
                return None
            time.sleep(self.poll_pause_s)
        return None

    def stop(self):
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None

    def _output(self):
        with open(os.path.join(self._folder.name, "output"), errors="replace") as file:
            return file.read()[-4000:]

    def command_count(self):
        """Commands the server has run so far, by its own count."""
        with Client(self.port) as client:
            stats = client.call("info", "stats")
        return int(re.search(r"^total_commands_processed:(\d+)", stats, re.M).group(1))


def is_http_ready(port):
    return http_get(port, "/readyz")[0] == 200


def is_resp_ready(port):
    with Client(port) as client:
        return client.call("ping") == "PONG"


def first_version(command):
    text = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    match = re.search(r"\d+\.\d+\.\d+", text)
    return match.group(0) if match else "unknown"


def filbert(binary, core=None, options=()):
    server = Server(
        "filbert",
        lambda port, _: [binary, "start", "--listen", f"{HOST}:{port}", *options],
        is_http_ready,
        core,
    )
    server.version = first_version([binary, "version"])
    return server


def redis(binary, core=None):
    """redis-server without persistence, as Filbert has none yet."""
    server = Server(
        "redis",
        lambda port, folder: [
            binary, "--bind", HOST, "--port", str(port), "--dir", folder,
            "--save", "", "--appendonly", "no",
        ],
        is_resp_ready,
        core,
    )
    server.version = first_version([binary, "--version"])
    return server


def metric(port, name):
    """The sum of a metric's series on the metrics page; raises when it has none."""
    _, page = http_get(port, "/metrics")
    values = re.findall(rf"^{name}(?:\{{[^}}]*\}})? (\S+)$", page, re.M)
    if not values:
        raise program.BenchError(f"the metrics page has no {name}")
    return sum(float(value) for value in values)
