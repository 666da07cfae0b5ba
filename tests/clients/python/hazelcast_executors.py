#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the Python client does with executors, against the member at the address: functions of the
member run by name, by JSON and by the ids of an object, on a key's owner, on a member and on all;
errors come back; an executor without room rejects; one that was shut down does so too. The member
has an executor "small" with one thread and room for one, and "wide" with room for 4000.
"""
import argparse
import unittest
import uuid

import hazelcast
from hazelcast.core import HazelcastJsonValue
from hazelcast.errors import HazelcastError, RejectedExecutionError, UnsupportedOperationError
from hazelcast.serialization.api import IdentifiedDataSerializable

ADDRESS = "127.0.0.1:5701"
GUARD = 60.0


class Function(IdentifiedDataSerializable):
    """One of the member's, by its number; the argument is its only field."""

    def __init__(self, number, argument):
        self.number = number
        self.argument = argument

    def write_data(self, object_data_output):
        object_data_output.write_string(self.argument)

    def read_data(self, object_data_input):
        raise NotImplementedError

    def get_factory_id(self):
        return 7071

    def get_class_id(self):
        return self.number


class Executors(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.client = hazelcast.HazelcastClient(cluster_members=[ADDRESS],
                                               cluster_connect_timeout=GUARD)
        cls.addClassCleanup(cls.client.shutdown)
        cls.member = cls.client.cluster_service.get_members()[0]

    def setUp(self):
        self.calls = self.client.get_executor(f"python-{uuid.uuid4().hex[:8]}")
        self.executor = self.calls.blocking()
        self.addCleanup(self.executor.destroy)

    def test_functions_by_name(self):
        self.assertEqual(self.executor.execute_on_key_owner("key", "echo hello you"), "hello you")
        self.assertEqual(self.executor.execute_on_member(self.member, "echo x"), "x")
        self.assertEqual(self.executor.execute_on_all_members("echo y"), ["y"])
        self.assertEqual(self.executor.execute_on_member(self.member, "sleep 1"), 1)

    def test_functions_by_json(self):
        value = HazelcastJsonValue({"function": "echo", "argument": "a\nb"})
        self.assertEqual(self.executor.execute_on_member(self.member, value), "a\nb")

    def test_functions_by_ids(self):
        self.assertEqual(self.executor.execute_on_key_owner("k", Function(1, "by ids")), "by ids")

    def test_maps_are_summed_where_they_are(self):
        name = f"numbers-{uuid.uuid4()}"
        numbers = self.client.get_map(name).blocking()
        self.addCleanup(numbers.destroy)
        numbers.put_all({f"key {i}": i for i in range(100)})
        self.assertEqual(self.executor.execute_on_member(self.member, f"map-sum {name}"), 4950)
        self.assertEqual(self.executor.execute_on_member(self.member, Function(3, name)), 100)
        part = self.executor.execute_on_key_owner("key 7", f"map-size {name}")
        self.assertTrue(1 <= part < 100)
        self.assertEqual(self.executor.execute_on_member(self.member, "map-size nowhere"), 0)
        numbers.put("text", "no number")
        with self.assertRaisesRegex(HazelcastError, "no whole number"):
            self.executor.execute_on_member(self.member, f"map-sum {name}")

    def test_what_is_unknown_is_refused(self):
        with self.assertRaisesRegex(UnsupportedOperationError, "names no function"):
            self.executor.execute_on_member(self.member, "unknown")
        with self.assertRaisesRegex(UnsupportedOperationError, "names no function"):
            self.executor.execute_on_member(self.member, Function(99, ""))
        with self.assertRaisesRegex(UnsupportedOperationError, "must be a string"):
            self.executor.execute_on_member(self.member, 5)

    def test_many_at_once(self):
        calls = [self.calls.execute_on_key_owner(i, f"echo {i}") for i in range(500)]
        self.assertEqual([call.result() for call in calls], [str(i) for i in range(500)])

    def test_without_room_it_rejects(self):
        small = self.client.get_executor("small")
        calls = [small.execute_on_member(self.member, "sleep 200") for _ in range(10)]
        results = []
        for call in calls:
            try:
                results.append(call.result())
            except RejectedExecutionError:
                results.append("rejected")
        self.assertEqual(set(results), {200, "rejected"})

    def test_many_that_wait_stop_no_other_requests(self):
        other = hazelcast.HazelcastClient(cluster_members=[ADDRESS],
                                          cluster_connect_timeout=GUARD)
        wide = other.get_executor("wide")
        for _ in range(1500):
            wide.execute_on_member(self.member, "sleep 3600000")
        # All on the same connection, more than it may have of other calls.
        numbers = other.get_map(f"numbers-{uuid.uuid4().hex[:8]}").blocking()
        numbers.put("key", 7)
        self.assertEqual(numbers.get("key"), 7)
        echo = other.get_executor("beside-wide").blocking()
        self.assertEqual(echo.execute_on_member(self.member, "echo x"), "x")
        numbers.destroy()
        other.shutdown()

    def test_what_a_client_left_behind_ends(self):
        other = hazelcast.HazelcastClient(cluster_members=[ADDRESS],
                                          cluster_connect_timeout=GUARD)
        for _ in range(2):
            other.get_executor("left").execute_on_member(self.member, "sleep 3600000")
        left = self.client.get_executor("left").blocking()
        other.shutdown()
        # Both of its threads slept; without an end to that nothing would run here.
        self.assertEqual(left.execute_on_member(self.member, "echo free"), "free")

    def test_shut_down_it_rejects(self):
        self.assertFalse(self.executor.is_shutdown())
        self.executor.shutdown()
        self.assertTrue(self.executor.is_shutdown())
        with self.assertRaises(RejectedExecutionError):
            self.executor.execute_on_member(self.member, "echo x")


def main():
    global ADDRESS
    parser = argparse.ArgumentParser()
    parser.add_argument("address", nargs="?", default=ADDRESS)
    known, rest = parser.parse_known_args()
    ADDRESS = known.address
    unittest.main(argv=["scenario", *rest])


if __name__ == "__main__":
    main()
