# SPDX-License-Identifier: Apache-2.0
"""Measurements that the binary makes itself, inside one process: `filbert bench`."""
import json
import subprocess

import program


def run(binary, *words):
    """What `filbert bench WORDS` prints, as Python values."""
    ended = subprocess.run([binary, "bench", *words], capture_output=True, text=True)
    if ended.returncode != 0:
        raise program.BenchError(f"filbert bench {' '.join(words)} failed:\n{ended.stderr}")
    return json.loads(ended.stdout)
