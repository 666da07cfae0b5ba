#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Maps of a real member do what the section `map` says: entries expire by themselves, limits hold
with eviction and without, rules for names win, and each map shows its figures.
"""
import unittest

from member import MemberTest, wait_until


def fill(connection, count, value="v"):
    """Sets key:0 to key:count-1; returns the replies."""
    return [connection.command("SET", f"key:{i}", value) for i in range(count)]


class Expiry(MemberTest):
    def test_entries_expire_without_anybody_asking(self):
        started = self.start_member({"map.ttl": "50ms"})
        with started.connect() as connection:
            self.assertEqual(set(fill(connection, 500)), {"OK"})
            wait_until(lambda: connection.command("DBSIZE") == 0, "the entries to expire")
        self.assertEqual(started.metric("filbert_map_entries", map="default"), 0)
        self.assertEqual(started.metric("filbert_map_expired_total", map="default"), 500)

    def test_idle_entries_expire_and_used_ones_stay(self):
        started = self.start_member({"map.named": "default max_idle=1s"})
        with started.connect() as connection:
            self.assertEqual(set(fill(connection, 50)), {"OK"})

            def is_alone():
                connection.command("GET", "key:7")
                return connection.command("DBSIZE") == 1

            wait_until(is_alone, "the idle entries to expire")
            self.assertEqual(connection.command("GET", "key:7"), b"v")


class Limits(MemberTest):
    def test_eviction_makes_room(self):
        started = self.start_member({"map.eviction": "lru", "map.entries_max": 1000})
        with started.connect() as connection:
            self.assertEqual(set(fill(connection, 5000)), {"OK"})
            # Each of the 271 partitions has room for 4, rounded up.
            self.assertLessEqual(connection.command("DBSIZE"), 4 * 271)
            self.assertEqual(connection.command("GET", "key:4999"), b"v")
        self.assertGreater(started.metric("filbert_map_evicted_total", map="default"), 3000)

    def test_full_map_refuses_and_stays_readable(self):
        started = self.start_member({"map.named": "def* partition_entries_max=1"})
        with started.connect() as connection:
            # So many that every partition is met, wherever the member's seed places them.
            replies = fill(connection, 10_000)
            self.assertEqual(connection.command("DBSIZE"), replies.count("OK"))
            self.assertEqual(replies.count("OK"), 271)
            first = replies.index("OK")
            self.assertEqual(connection.command("GET", f"key:{first}"), b"v")
            self.assertEqual(connection.command("SET", f"key:{first}", "w"), "OK")
            self.assertEqual(connection.command("DEL", f"key:{first}"), 1)
            self.assertEqual(connection.command("SET", f"key:{first}", "x"), "OK")

    def test_keys_of_a_full_map_are_renamed_and_not_copied(self):
        full = ("OOM command not allowed: the map has reached entries_max: "
                "remove entries, or raise it")
        started = self.start_member({"map.entries_max": 100})
        with started.connect() as connection:
            self.assertEqual(set(fill(connection, 100)), {"OK"})
            self.assertEqual(connection.command("SET", "more", "v"), full)
            for i in range(100):
                self.assertEqual(connection.command("RENAME", f"key:{i}", f"new:{i}"), "OK")
            self.assertEqual(connection.command("RENAMENX", "new:1", "other"), 1)
            self.assertEqual(connection.command("COPY", "other", "copy"), full)
            self.assertEqual(connection.command("DEL", "other"), 1)
            # A collection is a key like others; in another database it is one more.
            self.assertEqual(connection.command("RPUSH", "list", *range(1000)), 1000)
            self.assertEqual(connection.command("RENAME", "list", "renamed"), "OK")
            self.assertEqual(connection.command("SELECT", 1), "OK")
            self.assertEqual(set(fill(connection, 100)), {"OK"})
            self.assertEqual(connection.command("SELECT", 0), "OK")
            self.assertEqual(connection.command("MOVE", "renamed", 1), full)
            self.assertEqual(connection.command("MOVE", "new:2", 1), full)
            self.assertEqual(connection.command("LLEN", "renamed"), 1000)
            self.assertEqual(connection.command("GET", "new:99"), b"v")
            self.assertEqual(connection.command("DBSIZE"), 100)


class Figures(MemberTest):
    def test_reads_and_writes_are_counted(self):
        started = self.start_member()
        with started.connect() as connection:
            fill(connection, 10)
            connection.command("GET", "key:1")
            connection.command("GET", "missing")
            connection.command("DEL", "key:1")
        wanted = {"entries": 9, "puts_total": 10, "gets_total": 2, "hits_total": 1,
                  "removes_total": 1, "locks": 0, "evicted_total": 0}
        for name, number in wanted.items():
            self.assertEqual(started.metric(f"filbert_map_{name}", map="default"), number, name)


if __name__ == "__main__":
    unittest.main()
