#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Real client libraries, each through its scenario of tests/clients: what they send is understood
and what they get is what they expect. tests/clients/setup gets the libraries; without one its test
is skipped.
"""
import os
import subprocess
import unittest

import member
from member import SharedMemberTest

CLIENTS = os.path.join(member.ROOT, "tests", "clients")
LIBRARIES = os.path.join(member.ROOT, ".clients")


class Scenarios(SharedMemberTest):
    def _run(self, command, directory):
        if not os.path.exists(os.path.join(LIBRARIES, directory)):
            self.skipTest("the library is not here: run tests/clients/setup")
        result = subprocess.run(
            command, cwd=os.path.join(LIBRARIES, directory.split("/")[0]), capture_output=True,
            timeout=member.GUARD, check=False,
        )
        self.assertEqual(result.returncode, 0, result.stderr.decode() + result.stdout.decode())

    def test_python_redis(self):
        for version in ("2", "3"):
            program = os.path.join(LIBRARIES, "python", "bin", "python")
            scenario = os.path.join(CLIENTS, "python", "scenario.py")
            self._run([program, scenario, str(self.member.port), version], "python/bin/python")

    def test_node_redis(self):
        scenario = os.path.join(CLIENTS, "node", "redis_scenario.js")
        self._run(["node", scenario, str(self.member.port)], "node/node_modules/redis")

    def test_node_ioredis(self):
        scenario = os.path.join(CLIENTS, "node", "ioredis_scenario.js")
        self._run(["node", scenario, str(self.member.port)], "node/node_modules/ioredis")


if __name__ == "__main__":
    unittest.main()
