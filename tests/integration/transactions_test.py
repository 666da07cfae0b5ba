#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Transactions and commands of many keys while others use the same partitions: money moves between
accounts by EXEC and by WATCH, and every look at all accounts at once finds the same sum; pipelines
that mix one and many keys are answered in order; every sweep finds every key.
"""
import random
import threading
import time
import unittest

from member import Member, encode

ACCOUNTS = [f"account:{i}" for i in range(20)]
START = 1000
SECONDS = 2.0


class Bank(unittest.TestCase):
    def setUp(self):
        self.member = Member({"debug.commands": "true"})
        self.addCleanup(self.member.stop)
        self.errors = []
        self.end = time.monotonic() + SECONDS
        with self.member.connect() as connection:
            words = [word for name in ACCOUNTS for word in (name, START)]
            self.assertEqual(connection.command("MSET", *words), "OK")

    def _repeat(self, step, seed):
        drawn = random.Random(seed)
        try:
            with self.member.connect() as connection:
                while time.monotonic() < self.end and not self.errors:
                    step(connection, drawn)
        except BaseException as error:  # told by the test's own thread
            self.errors.append(repr(error))

    @staticmethod
    def _ask(connection, *commands):
        connection.send(b"".join(encode(*words) for words in commands))
        return [connection.read_reply() for _ in commands]

    def _move(self, connection, drawn):
        giver, taker = drawn.sample(ACCOUNTS, 2)
        replies = self._ask(
            connection, ["MULTI"], ["DECRBY", giver, 7], ["INCRBY", taker, 7], ["EXEC"]
        )
        self.assertEqual(len(replies[-1]), 2)

    def _move_watched(self, connection, drawn):
        giver, taker = drawn.sample(ACCOUNTS, 2)
        replies = self._ask(connection, ["WATCH", giver, taker], ["MGET", giver, taker])
        left, right = (int(value) for value in replies[1])
        sets = [["SET", giver, left - 1], ["SET", taker, right + 1]]
        self._ask(connection, ["MULTI"], *sets, ["EXEC"])

    def _look(self, connection, _):
        replies = self._ask(connection, ["MULTI"], ["MGET", *ACCOUNTS], ["EXEC"])
        self.assertEqual(sum(int(value) for value in replies[-1][0]), START * len(ACCOUNTS))

    def _use_many(self, connection, drawn):
        mine = f"many:{drawn.random()}:"
        keys = [f"{mine}{i}" for i in range(100)]
        replies = self._ask(
            connection,
            ["MSET", *[word for key in keys for word in (key, key)]],
            ["SET", keys[99], "last"],
            ["MGET", *keys],
            ["RENAME", keys[0], mine],
            ["EXISTS", keys[0], mine],
            ["DEL", mine, *keys],
        )
        self.assertEqual([bytes(value).decode() for value in replies[2]], keys[:99] + ["last"])
        self.assertEqual([replies[0], replies[3], replies[4], replies[5]], ["OK", "OK", 1, 100])

    def _burn(self, connection, drawn):
        self._ask(connection, *[["FILBERT.BURN", 30, drawn.choice(ACCOUNTS)] for _ in range(32)])

    def _sweep(self, connection, _):
        self.assertEqual(len(connection.command("KEYS", "account:*")), len(ACCOUNTS))
        seen = set()
        cursor = b"0"
        while True:
            cursor, keys = connection.command("SCAN", cursor, "MATCH", "account:*", "COUNT", 50)
            seen.update(bytes(key) for key in keys)
            if int(cursor) == 0:
                break
        self.assertEqual(len(seen), len(ACCOUNTS))

    def test_sum_stays_and_order_is_kept(self):
        steps = [self._move, self._move, self._move_watched, self._move_watched, self._look]
        steps += [self._use_many, self._use_many, self._burn, self._sweep]
        threads = [
            threading.Thread(target=self._repeat, args=(step, seed))
            for seed, step in enumerate(steps)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(self.errors, [])


if __name__ == "__main__":
    unittest.main()
