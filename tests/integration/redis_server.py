# SPDX-License-Identifier: Apache-2.0
"""The real Redis, to compare with: tools/peer gets it."""
import os
import shutil
import signal
import socket
import subprocess
import tempfile

import member
from member import Connection, wait_until


class RedisServer:
    """A redis-server of its own, without persistence."""

    def __init__(self):
        peer = subprocess.run(
            [os.path.join(member.ROOT, "tools", "peer"), "redis-server"],
            capture_output=True,
            check=True,
        )
        self.directory = tempfile.mkdtemp()
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.process = subprocess.Popen(
            [peer.stdout.decode().strip(), "--port", str(self.port), "--save", ""]
            + ["--dir", self.directory, "--bind", "127.0.0.1", "--appendonly", "no"]
            # On a busy machine any command may be slow, and be in the log.
            + ["--enable-debug-command", "yes", "--slowlog-log-slower-than", "-1"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        wait_until(self._is_up, "redis-server")

    def _is_up(self):
        try:
            with Connection(self.port) as connection:
                return connection.command("PING") == "PONG"
        except OSError:
            return False

    def stop(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        shutil.rmtree(self.directory)
