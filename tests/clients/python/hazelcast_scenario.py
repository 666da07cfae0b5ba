#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the Python client does with maps, against the member at --address: every operation gives
what its documentation says. Runs alone; names of maps are new in every run.
"""
import argparse
import threading
import unittest
import uuid

import hazelcast
from hazelcast.core import HazelcastJsonValue
from hazelcast.errors import IllegalMonitorStateError, IllegalStateError, UnsupportedOperationError

ADDRESS = "127.0.0.1:5701"
GUARD = 60.0


def connect(**options):
    options.setdefault("cluster_connect_timeout", GUARD)
    return hazelcast.HazelcastClient(cluster_members=[ADDRESS], **options)


class Scenario(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.client = connect()
        cls.addClassCleanup(cls.client.shutdown)

    def setUp(self):
        self.name = f"map-{uuid.uuid4()}"
        self.map = self.client.get_map(self.name).blocking()
        self.addCleanup(self.map.destroy)

    def other(self):
        """The map as another client sees it."""
        client = connect()
        self.addCleanup(client.shutdown)
        return client.get_map(self.name).blocking()


class Entries(Scenario):
    def test_put_get_and_remove(self):
        self.assertIsNone(self.map.get("k"))
        self.assertIsNone(self.map.put("k", "v"))
        self.assertEqual(self.map.put("k", "w"), "v")
        self.map.set("k", "x")
        self.assertEqual(self.map.get("k"), "x")
        self.assertTrue(self.map.contains_key("k"))
        self.assertEqual(self.map.remove("k"), "x")
        self.map.delete("k")
        self.assertFalse(self.map.contains_key("k"))

    def test_values_of_all_kinds_come_back(self):
        values = [1, 2.5, True, "ü€", b"bytes", HazelcastJsonValue({"a": 1}), uuid.uuid4(), ["a", 1]]
        for value in values:
            self.map.set("k", value)
            self.assertEqual(self.map.get("k"), value)

    def test_conditional_writes(self):
        self.assertIsNone(self.map.replace("k", "v"))
        self.assertIsNone(self.map.put_if_absent("k", "v"))
        self.assertEqual(self.map.put_if_absent("k", "w"), "v")
        self.assertEqual(self.map.replace("k", "w"), "v")
        self.assertFalse(self.map.replace_if_same("k", "v", "x"))
        self.assertTrue(self.map.replace_if_same("k", "w", "x"))
        self.assertFalse(self.map.remove_if_same("k", "w"))
        self.assertTrue(self.map.remove_if_same("k", "x"))
        self.assertTrue(self.map.is_empty())

    def test_times_to_live(self):
        self.map.put("short", "v", ttl=0.5)
        self.map.put("long", "v", ttl=1000)
        self.map.set("idle", "v", max_idle=1000)
        self.assertLessEqual(self.map.get_entry_view("long").ttl, 1000000)
        self.assertTrue(self.map.set_ttl("long", 2000))
        self.assertFalse(self.map.set_ttl("none", 2000))
        end = threading.Event()
        while self.map.get("short") is not None:
            end.wait(0.02)
        self.assertEqual(sorted(self.map.key_set()), ["idle", "long"])

    def test_evict_and_entry_view(self):
        self.map.set("k", "v")
        view = self.map.get_entry_view("k")
        self.assertEqual((view.key, view.value), ("k", "v"))
        self.assertIsNone(self.map.get_entry_view("none"))
        self.assertTrue(self.map.evict("k"))
        self.assertFalse(self.map.evict("k"))

    def test_ten_megabytes(self):
        value = bytes(10 * 1024 * 1024)
        self.map.set("k", value)
        self.assertEqual(self.map.get("k"), value)


class Many(Scenario):
    COUNT = 10000

    def test_whole_map(self):
        entries = {i: str(i) for i in range(self.COUNT)}
        self.map.put_all(entries)
        self.assertEqual(self.map.size(), self.COUNT)
        self.assertEqual(self.map.get_all(list(entries)), entries)
        self.assertEqual(set(self.map.key_set()), set(entries))
        self.assertEqual(sorted(self.map.values()), sorted(entries.values()))
        self.assertEqual(dict(self.map.entry_set()), entries)
        self.assertTrue(self.map.contains_value("77"))
        self.assertFalse(self.map.contains_value("no"))
        self.map.clear()
        self.assertEqual(self.map.size(), 0)
        self.map.put_all({1: "a", 2: "b"})
        self.map.evict_all()
        self.assertTrue(self.map.is_empty())

    def test_many_requests_at_once(self):
        futures = [self.client.get_map(self.name).set(i, i) for i in range(2000)]
        for future in futures:
            future.result()
        futures = [self.client.get_map(self.name).get(i) for i in range(2000)]
        self.assertEqual([future.result() for future in futures], list(range(2000)))


class Locks(Scenario):
    def test_lock_is_reentrant_and_its_owner_s(self):
        other = self.other()
        self.map.lock("k")
        self.assertTrue(self.map.try_lock("k"))
        self.assertTrue(other.is_locked("k"))
        self.assertFalse(other.try_lock("k"))
        self.assertFalse(other.try_lock("k", timeout=0.05))
        self.assertFalse(other.try_put("k", "v"))
        with self.assertRaises(IllegalMonitorStateError):
            other.unlock("k")
        self.map.unlock("k")
        self.assertTrue(other.is_locked("k"))
        self.map.unlock("k")
        self.assertTrue(other.try_lock("k", timeout=GUARD))
        self.map.force_unlock("k")
        self.assertFalse(other.is_locked("k"))

    def test_writer_waits_for_the_lock(self):
        other = self.other()
        self.map.lock("k")
        self.map.put("k", "mine")
        future = self.client_of(other, "k")
        self.assertFalse(future.done())
        self.map.unlock("k")
        self.assertEqual(future.result(), "mine")
        self.assertEqual(self.map.get("k"), "theirs")

    @staticmethod
    def client_of(blocking_map, key):
        return blocking_map._wrapped.put(key, "theirs")

    def test_client_that_is_gone_locks_nothing(self):
        client = connect()
        client.get_map(self.name).blocking().lock("k")
        self.assertTrue(self.map.is_locked("k"))
        client.shutdown()
        self.assertTrue(self.map.try_lock("k", timeout=GUARD))
        self.map.unlock("k")


class Session(Scenario):
    def test_objects_are_listed(self):
        self.assertIn(self.name, [item.name for item in self.client.get_distributed_objects()])

    def test_what_is_not_served_says_so(self):
        with self.assertRaises(UnsupportedOperationError):
            self.client.get_queue("q").blocking()
        self.assertIsNone(self.map.get("k"))

    def test_wrong_cluster_name_is_refused(self):
        with self.assertRaises(IllegalStateError):
            connect(cluster_name="other", cluster_connect_timeout=0.2)


def main():
    global ADDRESS
    parser = argparse.ArgumentParser()
    parser.add_argument("--address", default=ADDRESS)
    known, rest = parser.parse_known_args()
    ADDRESS = known.address
    unittest.main(argv=["scenario", *rest])


if __name__ == "__main__":
    main()
