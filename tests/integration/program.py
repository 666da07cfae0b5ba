# SPDX-License-Identifier: Apache-2.0
"""An example program with a service under test, on a free port of the loopback."""
import os
import signal
import subprocess
import urllib.request

import member


class Program:
    """One of the programs beside the binary, by its name."""

    def __init__(self, name, **environment):
        path = os.path.join(os.path.dirname(member.binary()), name)
        clean = {k: v for k, v in os.environ.items() if not k.startswith("FILBERT_")}
        self.process = subprocess.Popen(
            [path],
            env={**clean, "FILBERT_NET__LISTEN": "127.0.0.1:0", **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.port = None
        self.said = ""
        for line in self.process.stderr:
            self.said += line
            if "event=listening" in line:
                self.port = int(line.split("address=127.0.0.1:")[1].split()[0])
                break

    def url(self, target):
        return f"http://127.0.0.1:{self.port}{target}"

    def get(self, target):
        with urllib.request.urlopen(self.url(target), timeout=member.GUARD) as response:
            return response.status, response.read().decode()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        _, error = self.process.communicate(timeout=member.GUARD)
        return self.process.returncode, error


def start(case, name, **environment):
    """Starts a program that ends with the test case."""
    program = Program(name, **environment)
    case.addCleanup(program.process.stdout.close)
    case.addCleanup(program.process.stderr.close)
    case.addCleanup(program.process.wait)
    case.addCleanup(program.process.kill)
    return program
