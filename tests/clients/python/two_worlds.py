#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a Redis client and a Hazelcast client, both unmodified, see of each other's lists and sets
under the names of docs/adr/0011, against the member at the address; and what Hazelcast's members do
not have: filters of ring buffers by expression.
"""
import argparse
import threading
import unittest
import uuid

import hazelcast
import redis
from hazelcast.errors import ClassCastError, HazelcastError
from hazelcast.predicate import sql

ADDRESS = "127.0.0.1:5701"
GUARD = 60.0


class Worlds(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        host, port = ADDRESS.split(":")
        cls.grid = hazelcast.HazelcastClient(cluster_members=[ADDRESS],
                                             cluster_connect_timeout=GUARD)
        cls.addClassCleanup(cls.grid.shutdown)
        cls.redis = redis.Redis(host, int(port), decode_responses=True, socket_timeout=GUARD)
        cls.addClassCleanup(cls.redis.close)
        cls.other = redis.Redis(host, int(port), db=3, decode_responses=True)
        cls.addClassCleanup(cls.other.close)

    def setUp(self):
        self.key = f"key-{uuid.uuid4()}"
        self.addCleanup(self.redis.delete, self.key)
        self.list = self.grid.get_list(f"redis@{self.key}").blocking()
        self.set = self.grid.get_set(f"redis@{self.key}").blocking()


class Lists(Worlds):
    def test_what_redis_makes_is_seen(self):
        self.redis.rpush(self.key, "a", "b", "c")
        self.assertEqual((self.list.size(), self.list.get_all()), (3, ["a", "b", "c"]))
        self.assertEqual((self.list.get(1), self.list.index_of("c")), ("b", 2))
        self.assertEqual(self.list.sub_list(1, 3), ["b", "c"])
        self.assertTrue(self.list.contains_all(["a", "c"]))

    def test_what_hazelcast_makes_is_seen(self):
        self.assertTrue(self.list.add("a"))
        self.assertTrue(self.list.add_all(["b", "c"]))
        self.list.add_at(0, "0")
        self.assertEqual(self.list.set_at(2, "B"), "b")
        self.assertEqual(self.list.remove_at(3), "c")
        self.assertTrue(self.list.remove("a"))
        self.assertEqual(self.redis.lrange(self.key, 0, -1), ["0", "B"])
        self.assertEqual(self.redis.type(self.key), "list")

    def test_an_empty_one_is_no_key(self):
        self.assertEqual((self.list.size(), self.redis.exists(self.key)), (0, 0))
        self.list.add("a")
        self.list.clear()
        self.assertEqual(self.redis.exists(self.key), 0)
        self.list.add("a")
        self.redis.expire(self.key, 100)
        self.list.add("b")
        self.assertGreater(self.redis.ttl(self.key), 0)
        self.list.destroy()
        self.assertEqual(self.redis.exists(self.key), 0)

    def test_what_redis_waits_for_may_come_from_hazelcast(self):
        taken = []
        taker = threading.Thread(target=lambda: taken.append(self.redis.blpop(self.key, 30)))
        taker.start()
        while not any("cmd=blpop" in line["cmd"] or line["cmd"] == "blpop"
                      for line in self.other.client_list()):
            pass
        self.list.add("now")
        taker.join(GUARD)
        self.assertEqual(taken, [(self.key, "now")])
        self.assertEqual(self.list.size(), 0)

    def test_a_watched_key_is_touched(self):
        self.redis.rpush(self.key, "a")
        with self.redis.pipeline() as pipe:
            pipe.watch(self.key)
            self.list.add("b")
            pipe.multi()
            pipe.rpush(self.key, "c")
            self.assertRaises(redis.WatchError, pipe.execute)

    def test_databases_have_names_of_their_own(self):
        self.other.rpush(self.key, "three")
        self.addCleanup(self.other.delete, self.key)
        there = self.grid.get_list(f"redis.3@{self.key}").blocking()
        self.assertEqual((there.get_all(), self.list.get_all()), (["three"], []))

    def test_another_type_is_refused(self):
        self.redis.set(self.key, "text")
        self.assertRaises(ClassCastError, self.list.add, "a")
        self.assertRaises(ClassCastError, self.set.size)
        self.assertEqual(self.redis.get(self.key), "text")
        self.redis.delete(self.key)
        self.set.add("a")
        self.assertRaises(ClassCastError, self.list.size)
        with self.assertRaises(redis.ResponseError):
            self.redis.rpush(self.key, "a")

    def test_listeners_hear_what_hazelcast_changes(self):
        heard = threading.Event()
        self.list.add_listener(include_value=True, item_added_func=lambda e: heard.set())
        self.list.add("a")
        self.assertTrue(heard.wait(GUARD))


class Sets(Worlds):
    def fill(self, count):
        members = {f"member-{i}" for i in range(count)}
        self.redis.sadd(self.key, *members)
        return members

    def test_small_and_large_ones_are_seen(self):
        for count in (3, 2000):
            members = self.fill(count)
            self.assertEqual(self.set.size(), count)
            self.assertEqual(set(self.set.get_all()), members)
            self.assertTrue(self.set.contains("member-2"))
            self.assertFalse(self.set.contains_all(["member-2", "nobody"]))

    def test_what_hazelcast_makes_is_seen(self):
        self.assertTrue(self.set.add("a"))
        self.assertFalse(self.set.add("a"))
        self.assertTrue(self.set.add_all(["a", "b", "c"]))
        self.assertTrue(self.set.remove("c"))
        self.assertFalse(self.set.remove("c"))
        self.assertEqual(self.redis.smembers(self.key), {"a", "b"})

    def test_sieves(self):
        for count in (5, 1000):
            self.redis.delete(self.key)
            self.fill(count)
            self.assertTrue(self.set.remove_all(["member-0", "nobody"]))
            self.assertFalse(self.set.remove_all(["nobody"]))
            self.assertTrue(self.set.retain_all(["member-1", "member-2", "nobody"]))
            self.assertFalse(self.set.retain_all(["member-1", "member-2"]))
            self.assertEqual(self.redis.smembers(self.key), {"member-1", "member-2"})
            self.set.clear()
            self.assertEqual(self.redis.exists(self.key), 0)


class Filters(Worlds):
    def test_items_are_chosen_by_expression(self):
        ring = self.grid.get_ringbuffer(f"ring-{self.key}").blocking()
        ring.add_all(list(range(10)))
        for wanted in ("this > 6", sql("this > 6")):
            page = ring.read_many(0, 1, 10, wanted)
            self.assertEqual(list(page), [7, 8, 9])
            self.assertEqual(page.read_count, 10)
        # Who wants more than there are waits for an item that it wants.
        waiting = self.grid.get_ringbuffer(f"ring-{self.key}").read_many(0, 4, 10, "this > 6")
        ring.add_all([1, 11])
        self.assertEqual(list(waiting.result()), [7, 8, 9, 11])

    def test_what_is_no_expression_is_refused(self):
        ring = self.grid.get_ringbuffer(f"ring-{self.key}").blocking()
        for wrong in ("this >", 5):
            self.assertRaises(HazelcastError, ring.read_many, 0, 0, 10, wrong)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("address")
    known, rest = parser.parse_known_args()
    ADDRESS = known.address
    unittest.main(argv=["two_worlds.py", *rest])
