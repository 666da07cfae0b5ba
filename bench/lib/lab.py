# SPDX-License-Identifier: Apache-2.0
"""Measurements that the binary makes itself, inside one process: `filbert bench`."""
import json
import subprocess

import program
import server


def run(binary, *words, core=None):
    """What `filbert bench WORDS` prints, as Python values."""
    command = server.pinned(core, [binary, "bench", *words])
    ended = subprocess.run(command, capture_output=True, text=True)
    if ended.returncode != 0:
        raise program.BenchError(f"filbert bench {' '.join(words)} failed:\n{ended.stderr}")
    return json.loads(ended.stdout)
