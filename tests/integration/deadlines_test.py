#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Commands that wait are answered when their time is over, although every partition thread is at
something long: what counts is the order of the answers.
"""
import json
import select
import unittest

from member import SharedMemberTest, encode, wait_until

THREADS = 2
BURN_US = 4_000_000
WAITERS = 4


class Deadlines(SharedMemberTest):
    OPTIONS = {
        "debug.commands": "true",
        "partition.threads": str(THREADS),
        "slow.threshold": "5ms",
    }

    def _burning(self):
        _, _, body = self.connect().get("/debug/slow-operations?format=json")
        entries = json.loads(body)["slow_operations"]
        return sum(entry["running"] for entry in entries if entry["op"] == "filbert.burn")

    def _wait(self, keys):
        connections = [self.connect() for _ in keys]
        for connection, key in zip(connections, keys):
            connection.send(encode("BLPOP", key, "0.1"))
        return connections

    def test_waits_end_in_time_while_all_partition_threads_are_busy(self):
        # The keys are none of the partitions that burn; all keys are always in the same.
        before = self._wait([f"before-{i}" for i in range(WAITERS)])
        burners = [self.connect() for _ in range(THREADS)]
        for i, burner in enumerate(burners):
            burner.send(encode("FILBERT.BURN", BURN_US, f"burn-{i}"))
        wait_until(lambda: self._burning() == THREADS, "all threads to burn")
        during = self._wait([f"during-{i}" for i in range(WAITERS)])
        for connection in before + during:
            self.assertIsNone(connection.read_reply())
        answered, _, _ = select.select([burner.socket for burner in burners], [], [], 0)
        self.assertEqual(answered, [], "a thread was free before the last wait was over")
        self.assertGreater(self.member.metric("filbert_alarm_reliefs_total"), 0)
        for burner in burners:
            self.assertEqual(burner.read_reply(), "OK")


if __name__ == "__main__":
    unittest.main()
