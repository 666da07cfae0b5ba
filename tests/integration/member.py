# SPDX-License-Identifier: Apache-2.0
"""A real member under test: starts it, talks to it, reads its figures, stops it.

The binary's path comes from the environment variable FILBERT_BINARY. Nothing here sleeps for a
fixed time to get in step: what must come is polled for, and GUARD only ends a wait that would
never end. A member that was stopped must have ended with 0 and without a sanitizer's report.
"""
import contextlib
import fcntl
import json
import os
import re
import resource
import select
import signal
import socket
import subprocess
import sys
import tempfile
import termios
import threading
import time
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Seconds after which a wait is given up; generous, because sanitizers and busy machines are slow.
GUARD = 60.0

SANITIZER_REPORT = re.compile(r"Sanitizer:|runtime error:|filbert: crashed|assertion failed")


def binary():
    path = os.environ.get("FILBERT_BINARY", "")
    if not os.access(path, os.X_OK):
        sys.exit("FILBERT_BINARY must name the filbert program: ctest sets it, or set it by hand")
    return path


def is_sanitized():
    """Whether the binary was built with a sanitizer, which needs memory of its own."""
    with open(binary(), "rb") as file:
        content = file.read()
    return b"__asan_init" in content or b"__tsan_init" in content


def raise_descriptor_limit():
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def wait_until(is_done, what, guard=GUARD):
    """Polls until is_done() is true and returns what it gave."""
    end = time.monotonic() + guard
    while True:
        result = is_done()
        if result:
            return result
        if time.monotonic() > end:
            raise AssertionError(f"gave up waiting for {what}")
        time.sleep(0.002)


def run(*arguments, environment=None, stdin=None):
    """Runs a command of the binary to its end."""
    return run_program([binary(), *arguments], environment, stdin)


def run_program(command, environment=None, stdin=None):
    return subprocess.run(
        command,
        env=clean_environment(environment),
        input=stdin,
        stdin=subprocess.DEVNULL if stdin is None else None,
        capture_output=True,
        timeout=GUARD,
        check=False,
    )


def clean_environment(changes=None):
    """The environment without what would configure a member or colour its output."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("FILBERT_") and k != "NO_COLOR"}
    return {**kept, **(changes or {})}


# RESP ---------------------------------------------------------------------------------------


class ErrorReply(str):
    """-ERR ..., without the dash."""


class SimpleReply(str):
    """+OK, without the plus."""


def encode(*words):
    """A command as an array of bulks."""
    parts = [b"*%d\r\n" % len(words)]
    for word in words:
        data = word if isinstance(word, (bytes, bytearray)) else str(word).encode()
        parts += [b"$%d\r\n" % len(data), data, b"\r\n"]
    return b"".join(parts)


class Connection:
    """One TCP connection; reads with a guard, keeps what was received and not yet asked for."""

    def __init__(self, port, receive_buffer=None):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if receive_buffer is not None:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(GUARD)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            self.socket.connect(("127.0.0.1", port))
        except OSError:
            self.socket.close()
            raise
        self.received = bytearray()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def reset(self):
        """Closes with RST instead of FIN."""
        self.socket.setsockopt(
            socket.SOL_SOCKET, socket.SO_LINGER, (1).to_bytes(4, "little") + bytes(4)
        )
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def send_some(self, data):
        """Sends what a peer that may close meanwhile takes."""
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self.socket.sendall(data)

    def finish(self):
        """Sends the end of the stream; reading goes on."""
        self.socket.shutdown(socket.SHUT_WR)

    def _fill(self):
        data = self.socket.recv(1 << 20)
        if not data:
            raise EOFError(f"the member closed the connection behind {bytes(self.received[:200])}")
        self.received += data

    def read(self, size):
        while len(self.received) < size:
            self._fill()
        data = bytes(self.received[:size])
        del self.received[:size]
        return data

    def read_line(self):
        """A line without its CR LF."""
        end = self.received.find(b"\r\n")
        while end < 0:
            seen = max(0, len(self.received) - 1)
            self._fill()
            end = self.received.find(b"\r\n", seen)
        return self.read(end + 2)[:-2]

    def read_to_end(self):
        """Everything up to the end of the stream. A reset is no end and raises."""
        with contextlib.suppress(EOFError):
            while True:
                self._fill()
        data = bytes(self.received)
        self.received.clear()
        return data

    def read_to_close(self):
        """Everything up to the end of the stream or a reset."""
        with contextlib.suppress(ConnectionResetError):
            return self.read_to_end()
        data = bytes(self.received)
        self.received.clear()
        return data

    def unsent_bytes(self):
        """Bytes that the other side's kernel has not acknowledged."""
        count = fcntl.ioctl(self.socket, termios.TIOCOUTQ, bytes(4))
        return int.from_bytes(count, sys.byteorder)

    def read_reply(self):
        """A RESP reply: None, int, bytes, list, dict, SimpleReply or ErrorReply."""
        line = self.read_line()
        marker, rest = line[:1], line[1:]
        if marker == b"+":
            return SimpleReply(rest.decode())
        if marker == b"-":
            return ErrorReply(rest.decode("latin-1"))
        if marker == b":":
            return int(rest)
        if marker == b"_" or rest == b"-1":
            return None
        if marker in (b"$", b"="):
            data = self.read(int(rest) + 2)
            if data[-2:] != b"\r\n":
                raise AssertionError("a bulk does not end with CR LF")
            return data[4:-2] if marker == b"=" else data[:-2]
        if marker in (b"*", b"~"):
            return [self.read_reply() for _ in range(int(rest))]
        if marker == b"%":
            return {self.read_reply(): self.read_reply() for _ in range(int(rest))}
        raise AssertionError(f"not a RESP reply: {line!r}")

    def command(self, *words):
        self.send(encode(*words))
        return self.read_reply()

    # HTTP

    def read_response(self, has_body=True):
        """(status, {header: value}, body) with names in lower case."""
        version, status, _ = self.read_line().split(b" ", 2)
        if version != b"HTTP/1.1":
            raise AssertionError(f"not an HTTP response: {version!r}")
        headers = {}
        for line in iter(self.read_line, b""):
            name, _, value = line.partition(b":")
            headers[name.decode().lower()] = value.strip().decode()
        size = int(headers["content-length"]) if has_body else 0
        return int(status), headers, self.read(size)

    def get(self, path, method="GET"):
        self.send(f"{method} {path} HTTP/1.1\r\nHost: [::1]\r\n\r\n".encode())
        return self.read_response(has_body=method != "HEAD")


# The member ---------------------------------------------------------------------------------

METRIC_LINE = re.compile(r"^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$")
METRIC_LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


def parse_metrics(text):
    """[(name, {label: value}, number)]"""
    series = []
    for line in text.splitlines():
        if line.startswith("#") or not line:
            continue
        match = METRIC_LINE.match(line)
        if match is None:
            raise AssertionError(f"not a line of metrics: {line!r}")
        name, labels, number = match.groups()
        series.append((name, dict(METRIC_LABEL.findall(labels or "")), float(number)))
    return series


class Member:
    """A started member. Use start_member of the test classes below."""

    def __init__(self, options=None, arguments=(), environment=None, descriptors_max=None,
                 cgroup=None, command=("start",), log_path=None):
        # Several loops by default: what crosses threads is then part of every test.
        options = {"net.io_threads": 3, **(options or {})}
        flags = [w for name, value in options.items() for w in ("--set", f"{name}={value}")]
        self.log = open(log_path, "r+b", buffering=0) if log_path else tempfile.TemporaryFile()

        def limit():
            if cgroup is not None:
                with open(os.path.join(cgroup, "cgroup.procs"), "w", encoding="utf-8") as file:
                    file.write(str(os.getpid()))
            if descriptors_max is not None:
                is_one = isinstance(descriptors_max, int)
                limits = (descriptors_max, descriptors_max) if is_one else descriptors_max
                resource.setrlimit(resource.RLIMIT_NOFILE, limits)

        self.process = subprocess.Popen(
            [binary(), *command, "--listen", "127.0.0.1:0", *flags, *arguments],
            env=clean_environment(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self.log,
            preexec_fn=limit,
        )
        self._admin = None
        self.port = 0
        try:
            self.screen = self._read_screen()
            self.port = int(re.search(r"^  listen +\S+:(\d+) ", self.screen, re.M).group(1))
        except BaseException:
            self.kill()
            raise

    @property
    def pid(self):
        return self.process.pid

    def _read_screen(self):
        """The first screen, up to its last line."""
        descriptor = self.process.stdout.fileno()
        screen = b""
        end = time.monotonic() + GUARD
        while b"curl http://" not in screen or not screen.endswith(b"\n\n"):
            ready, _, _ = select.select([descriptor], [], [], max(0, end - time.monotonic()))
            data = os.read(descriptor, 65536) if ready else b""
            if not data:
                raise AssertionError(f"no first screen: {screen!r}, log: {self.log_text()}")
            screen += data
        return screen.decode()

    def log_text(self):
        size = os.fstat(self.log.fileno()).st_size
        return os.pread(self.log.fileno(), size, 0).decode("utf-8", errors="replace")

    def connect(self, **options):
        return Connection(self.port, **options)

    def command(self, *words):
        """One command on a connection of its own."""
        with self.connect() as connection:
            return connection.command(*words)

    def admin(self):
        """An HTTP connection that stays open, so that reading figures changes none of them."""
        if self._admin is None:
            self._admin = self.connect()
        return self._admin

    def metrics(self):
        status, _, body = self.admin().get("/metrics")
        if status != 200:
            raise AssertionError(f"/metrics says {status}")
        return parse_metrics(body.decode())

    def metric(self, wanted, **labels):
        """The sum of all series of that name with these labels."""
        found = [
            number
            for name, present, number in self.metrics()
            if name == wanted and labels.items() <= present.items()
        ]
        if not found:
            raise AssertionError(f"/metrics has no {wanted} with {labels}")
        return sum(found)

    def closed(self, reason):
        return self.metric("filbert_connections_closed_total", reason=reason)

    def wait_for_metric(self, is_right, name, **labels):
        def read():
            value = self.metric(name, **labels)
            return (value,) if is_right(value) else None

        return wait_until(read, f"{name} {labels}")[0]

    def wait_for_closed(self, reason, count):
        self.wait_for_metric(
            lambda n: n >= count, "filbert_connections_closed_total", reason=reason
        )

    def resident_bytes(self):
        with open(f"/proc/{self.pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")

    def descriptor_count(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def signal(self, number=signal.SIGTERM):
        self.process.send_signal(number)

    def wait(self):
        """The exit code, when the member has ended by itself."""
        code = self.process.wait(GUARD)
        self.process.stdout.close()
        self._close_admin()
        return code

    def _close_admin(self):
        if self._admin is not None:
            self._admin.close()
            self._admin = None

    def stop(self):
        """Ends the member as an operator does; it must end well."""
        self._close_admin()
        if self.process.returncode is None:
            self.signal(signal.SIGTERM)
        code = self.wait()
        report = self.log_text()
        self.log.close()
        if code != 0 or SANITIZER_REPORT.search(report):
            raise AssertionError(f"the member ended with {code}:\n{report[-20000:]}")

    def kill(self):
        self._close_admin()
        if self.process.returncode is None:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        self.log.close()


class Witness:
    """Clients that keep asking while something bad happens beside them.

    Each has a connection of its own, as many as there are loops, so that every loop has one.
    """

    def __init__(self, member, count=3):
        self.connections = [member.connect() for _ in range(count)]
        self.problem = None
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def _ask(self, number):
        for index, connection in enumerate(self.connections):
            value = b"%d" % number
            replies = [
                connection.command("SET", f"witness{index}", value),
                connection.command("GET", f"witness{index}"),
                connection.command("PING"),
            ]
            if replies != ["OK", value, "PONG"]:
                raise AssertionError(f"wrong replies: {replies}")

    def _run(self):
        number = 0
        try:
            while not self._is_over.wait(0.005):
                self._ask(number)
                number += 1
            self._ask(number)
        except (OSError, EOFError, AssertionError) as problem:
            self.problem = problem

    def __enter__(self):
        self._ask(0)
        self._thread.start()
        return self

    def __exit__(self, kind, *_):
        self._is_over.set()
        self._thread.join(GUARD)
        for connection in self.connections:
            connection.close()
        if kind is None and (self.problem is not None or self._thread.is_alive()):
            raise AssertionError(f"another client was not served: {self.problem!r}")


class MemberTest(unittest.TestCase):
    """Tests that start members of their own."""

    def start_member(self, options=None, **others):
        member = Member(options, **others)
        self.addCleanup(member.stop)
        return member


class SharedMemberTest(unittest.TestCase):
    """Tests that share one member, because they leave it as they found it."""

    OPTIONS = {}

    @classmethod
    def setUpClass(cls):
        cls.member = Member(cls.OPTIONS)
        cls.addClassCleanup(cls.member.stop)

    def connect(self, **options):
        connection = self.member.connect(**options)
        self.addCleanup(connection.close)
        return connection


def parse_logfmt(line):
    """{key: value} of one line; raises when it is no logfmt."""
    fields = {}
    rest = line
    pattern = re.compile(r'([A-Za-z0-9_.-]+)=("(?:[^"\\]|\\.)*"|[^\s"=]+)(?: |$)')
    while rest:
        match = pattern.match(rest)
        if match is None:
            raise AssertionError(f"no logfmt at {rest!r} of {line!r}")
        key, value = match.groups()
        if key in fields:
            raise AssertionError(f"{key} stands twice in {line!r}")
        fields[key] = json.loads(value) if value.startswith('"') else value
        rest = rest[match.end() :]
    return fields


class _Result(unittest.TextTestResult):
    """Tells why a test was skipped, for tools/test-summary."""

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.stream.writeln(f"\nSKIPPED {test.id()}: {reason}")


def main():
    raise_descriptor_limit()
    binary()
    unittest.main(testRunner=unittest.TextTestRunner(verbosity=1, resultclass=_Result))
