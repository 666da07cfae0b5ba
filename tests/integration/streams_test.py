#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A member does not depend on those who read its standard output and its log: it starts, serves and
ends with 0 though a pipe or a terminal is full, stopped, or cannot be written at all; under nohup
it outlives its terminal.
"""
import contextlib
import fcntl
import os
import pty
import signal
import socket
import subprocess
import tempfile
import termios
import unittest

import member
from member import Connection, wait_until


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


@contextlib.contextmanager
def full_pipe():
    """The end to write of a pipe that blocks and takes nothing; nobody reads the other."""
    reader, writer = os.pipe()
    try:
        os.set_blocking(writer, False)
        with contextlib.suppress(BlockingIOError):
            while True:
                os.write(writer, bytes(4096))
        os.set_blocking(writer, True)
        yield writer
    finally:
        os.close(reader)
        os.close(writer)


class Streams(unittest.TestCase):
    def _connect(self, port):
        with contextlib.suppress(ConnectionRefusedError):
            return Connection(port)
        return None

    def _check(self, command=("start",), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
               ignored=()):
        """Starts a member with these, asks it something, and ends it."""

        def ignore():
            for number in ignored:
                signal.signal(number, signal.SIG_IGN)

        port = free_port()
        process = subprocess.Popen(
            [member.binary(), *command, "--listen", f"127.0.0.1:{port}",
             "--set", "log.level=debug"],
            env=member.clean_environment(),
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            preexec_fn=ignore,
        )
        try:
            with wait_until(lambda: self._connect(port), "the member to listen") as connection:
                for number in ignored:
                    process.send_signal(number)
                self.assertEqual(connection.command("PING"), "PONG")
            process.terminate()
            self.assertEqual(process.wait(member.GUARD), 0)
        finally:
            process.kill()
            process.wait()

    def test_log_that_nobody_reads_does_not_hold_the_end(self):
        with full_pipe() as pipe:
            self._check(stderr=pipe)

    def test_screen_that_nobody_reads_does_not_hold_the_member(self):
        with full_pipe() as pipe:
            self._check(stdout=pipe)

    def test_stopped_terminal_does_not_hold_the_member(self):
        outer, inner = pty.openpty()
        try:
            termios.tcflow(inner, termios.TCOOFF)
            self._check(stdout=inner, stderr=inner)
        finally:
            os.close(inner)
            os.close(outer)

    def test_pipe_of_the_parent_stays_as_it_was(self):
        reader, writer = os.pipe()
        try:
            self._check(stdout=writer, stderr=writer)
            self.assertEqual(fcntl.fcntl(writer, fcntl.F_GETFL) & os.O_NONBLOCK, 0)
            self.assertIn(b"Filbert", os.read(reader, 65536))
        finally:
            os.close(reader)
            os.close(writer)

    def test_full_device_is_no_failure_of_a_member_with_services(self):
        with open("/dev/full", "wb") as full:
            self._check(command=("serve", f"{member.ROOT}/examples/front.yaml"), stdout=full)


    def test_hangup_that_is_ignored_does_not_end_the_member(self):
        with tempfile.TemporaryFile() as log:
            self._check(stderr=log, ignored=[signal.SIGHUP])
            log.seek(0)
            # Of two signals that wait the member would take the hangup first.
            self.assertIn(b"event=stopping signal=SIGTERM", log.read())


if __name__ == "__main__":
    member.main()
