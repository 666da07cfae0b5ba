#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the Python client does with queues, lists, sets, multimaps, ring buffers, topics, replicated
maps, PN counters and ids, against the member at the address: every operation gives what its
documentation says, what waits is served in order, and what listens hears. Names are new in every
run.
"""
import argparse
import threading
import unittest
import uuid

import hazelcast
from hazelcast.errors import IndexOutOfBoundsError, StaleSequenceError
from hazelcast.proxy.ringbuffer import OVERFLOW_POLICY_FAIL

ADDRESS = "127.0.0.1:5701"
GUARD = 60.0


def connect():
    return hazelcast.HazelcastClient(cluster_members=[ADDRESS], cluster_connect_timeout=GUARD)


class Heard:
    """What a listener heard, to be waited for."""

    def __init__(self):
        self.items = []
        self.changed = threading.Condition()

    def add(self, item):
        with self.changed:
            self.items.append(item)
            self.changed.notify_all()

    def wait(self, count):
        with self.changed:
            self.changed.wait_for(lambda: len(self.items) >= count, GUARD)
            return list(self.items)


class Scenario(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.client = connect()
        cls.addClassCleanup(cls.client.shutdown)

    def setUp(self):
        self.name = f"structure-{uuid.uuid4()}"

    def use(self, proxy):
        """The blocking form of an object that is destroyed afterwards."""
        blocking = proxy.blocking()
        self.addCleanup(blocking.destroy)
        return blocking


class Queues(Scenario):
    def setUp(self):
        super().setUp()
        self.calls = self.client.get_queue(self.name)
        self.queue = self.use(self.calls)

    def test_items_come_in_order(self):
        self.assertTrue(self.queue.offer("a"))
        self.queue.put(5)
        self.assertTrue(self.queue.add_all(["x", "y"]))
        self.assertEqual(self.queue.iterator(), ["a", 5, "x", "y"])
        self.assertEqual(self.queue.peek(), "a")
        self.assertEqual([self.queue.poll() for _ in range(5)], ["a", 5, "x", "y", None])
        self.assertTrue(self.queue.is_empty())

    def test_takers_are_served_in_arrival_order(self):
        takers = [self.calls.take() for _ in range(100)]
        for i in range(100):
            self.queue.put(i)
        self.assertEqual([taker.result() for taker in takers], list(range(100)))

    def test_a_taker_that_disconnects_loses_no_item(self):
        gone = connect()
        waiting = [gone.get_queue(self.name).take() for _ in range(10)]
        self.assertFalse(any(taker.done() for taker in waiting))
        gone.shutdown()
        taker = self.calls.take()
        self.queue.put("item")
        self.assertEqual(taker.result(), "item")

    def test_a_poll_gives_up_in_time(self):
        self.assertIsNone(self.queue.poll(0.05))

    def test_many_at_once(self):
        self.queue.add_all(list(range(10)))
        drained = []
        self.assertEqual(self.queue.drain_to(drained, 3), 3)
        self.assertEqual(drained, [0, 1, 2])
        self.assertTrue(self.queue.contains_all([5, 6]))
        self.assertFalse(self.queue.contains(0))
        self.assertTrue(self.queue.remove_all([3, 4]))
        self.assertTrue(self.queue.retain_all([5, 6, 7]))
        self.assertTrue(self.queue.remove(6))
        self.assertEqual(self.queue.size(), 2)
        self.queue.clear()
        self.assertEqual(self.queue.size(), 0)
        self.assertGreater(self.queue.remaining_capacity(), 0)

    def test_listeners_hear(self):
        heard = Heard()
        self.queue.add_listener(include_value=True,
                                item_added_func=lambda event: heard.add(("added", event.item)),
                                item_removed_func=lambda event: heard.add(("gone", event.item)))
        self.queue.offer("a")
        self.queue.poll()
        self.assertEqual(heard.wait(2), [("added", "a"), ("gone", "a")])


class Collections(Scenario):
    def test_list(self):
        items = self.use(self.client.get_list(self.name))
        self.assertTrue(items.add("a"))
        self.assertTrue(items.add_all(["b", "c"]))
        items.add_at(1, "x")
        self.assertEqual(items.set_at(1, "y"), "x")
        self.assertEqual(items.remove_at(1), "y")
        self.assertTrue(items.add_all_at(0, ["p", "q"]))
        self.assertEqual(items.get_all(), ["p", "q", "a", "b", "c"])
        self.assertEqual(items.sub_list(1, 3), ["q", "a"])
        self.assertEqual(items.list_iterator(3), ["b", "c"])
        self.assertEqual((items.index_of("c"), items.last_index_of("none")), (4, -1))
        self.assertTrue(items.contains_all(["a", "p"]))
        self.assertTrue(items.remove_all(["p", "q"]))
        self.assertTrue(items.retain_all(["a"]))
        self.assertEqual((items.size(), items.get(0)), (1, "a"))
        with self.assertRaises(IndexOutOfBoundsError):
            items.get(1)
        self.assertTrue(items.remove("a"))
        self.assertTrue(items.is_empty())

    def test_set(self):
        items = self.use(self.client.get_set(self.name))
        self.assertTrue(items.add(1))
        self.assertFalse(items.add(1))
        self.assertTrue(items.add_all([1, 2, 3]))
        self.assertEqual(sorted(items.get_all()), [1, 2, 3])
        self.assertTrue(items.contains_all([1, 3]))
        self.assertFalse(items.contains(4))
        self.assertTrue(items.remove(1))
        self.assertTrue(items.retain_all([2]))
        self.assertEqual(items.size(), 1)
        items.clear()
        self.assertTrue(items.is_empty())

    def test_a_large_set(self):
        items = self.use(self.client.get_set(self.name))
        self.assertTrue(items.add_all(list(range(1000))))
        self.assertEqual(sorted(items.get_all()), list(range(1000)))


class Multimaps(Scenario):
    def setUp(self):
        super().setUp()
        self.calls = self.client.get_multi_map(self.name)
        self.values = self.use(self.calls)

    def test_a_key_has_each_value_once(self):
        self.assertTrue(self.values.put("k", "a"))
        self.assertTrue(self.values.put("k", "b"))
        self.assertFalse(self.values.put("k", "a"))
        self.assertTrue(self.values.put(5, "a"))
        self.assertEqual(sorted(self.values.get("k")), ["a", "b"])
        self.assertEqual(self.values.get("none"), [])
        self.assertEqual((self.values.size(), self.values.value_count("k")), (3, 2))
        self.assertTrue(self.values.contains_key(5))
        self.assertFalse(self.values.contains_key("none"))
        self.assertTrue(self.values.contains_value("b"))
        self.assertFalse(self.values.contains_value("none"))
        self.assertTrue(self.values.contains_entry("k", "a"))
        self.assertFalse(self.values.contains_entry(5, "b"))

    def test_all_are_listed(self):
        self.values.put_all({"k": ["a", "b"], "l": ["c"]})
        self.assertEqual(sorted(self.values.key_set()), ["k", "l"])
        self.assertEqual(sorted(self.values.values()), ["a", "b", "c"])
        self.assertEqual(sorted(self.values.entry_set()), [("k", "a"), ("k", "b"), ("l", "c")])

    def test_values_go(self):
        self.values.put_all({"k": ["a", "b", "c"], "l": ["d"]})
        self.assertTrue(self.values.remove("k", "a"))
        self.assertFalse(self.values.remove("k", "a"))
        self.assertEqual(sorted(self.values.remove_all("k")), ["b", "c"])
        self.assertEqual(self.values.remove_all("k"), [])
        self.assertFalse(self.values.contains_key("k"))
        self.assertEqual(self.values.size(), 1)
        self.values.clear()
        self.assertEqual(self.values.size(), 0)

    def test_locks_bind_others(self):
        other = connect()
        self.addCleanup(other.shutdown)
        others = other.get_multi_map(self.name)
        self.values.lock("k")
        self.assertTrue(others.blocking().is_locked("k"))
        self.assertFalse(others.blocking().try_lock("k"))
        waiting = others.put("k", "late")
        self.assertTrue(self.values.put("k", "early"))
        self.assertFalse(waiting.done())
        self.values.unlock("k")
        self.assertTrue(waiting.result())
        self.assertEqual(sorted(self.values.get("k")), ["early", "late"])
        self.assertTrue(others.blocking().try_lock("k"))
        self.values.force_unlock("k")
        self.assertFalse(self.values.is_locked("k"))

    def test_listeners_hear(self):
        heard = Heard()
        of_key = Heard()

        def listen(target, **options):
            self.values.add_entry_listener(
                include_value=True, **options,
                added_func=lambda event: target.add(("added", event.key, event.value)),
                removed_func=lambda event: target.add(("removed", event.key, event.old_value)),
                clear_all_func=lambda event: target.add("cleared"))

        listen(heard)
        listen(of_key, key="l")
        self.values.put("k", "a")
        self.values.remove("k", "a")
        self.values.put("l", "b")
        self.values.remove_all("l")
        self.values.put("k", "c")
        self.values.clear()
        expected = [("added", "k", "a"), ("removed", "k", "a"), ("added", "k", "c")]
        events = heard.wait(6)
        self.assertEqual([event for event in events if event[1] == "k"], expected)
        self.assertIn("cleared", events)
        self.assertEqual(of_key.wait(2)[:2], [("added", "l", "b"), ("removed", "l", "b")])


class Ringbuffers(Scenario):
    def setUp(self):
        super().setUp()
        self.calls = self.client.get_ringbuffer(self.name)
        self.ring = self.use(self.calls)

    def test_items_have_numbers(self):
        self.assertEqual(self.ring.add("a"), 0)
        self.assertEqual(self.ring.add_all(["b", "c"]), 2)
        self.assertEqual((self.ring.head_sequence(), self.ring.tail_sequence()), (0, 2))
        self.assertEqual((self.ring.size(), self.ring.capacity()), (3, 10000))
        self.assertEqual(self.ring.read_one(1), "b")

    def test_readers_wait(self):
        one = self.calls.read_one(0)
        many = self.calls.read_many(0, 2, 10)
        self.ring.add("a")
        self.assertEqual(one.result(), "a")
        self.ring.add("b")
        result = many.result()
        self.assertEqual(list(result), ["a", "b"])
        self.assertEqual((result.read_count, result.next_sequence_to_read_from), (2, 2))
        self.assertEqual(result.get_sequence(1), 1)

    def test_what_is_overwritten_is_stale(self):
        for start in range(0, 10500, 500):
            self.ring.add_all(list(range(start, start + 500)))
        with self.assertRaises(StaleSequenceError):
            self.ring.read_one(0)
        self.assertEqual(self.ring.read_one(self.ring.head_sequence()), 500)
        # Where items do not expire there is always room.
        self.assertEqual(self.ring.add("x", OVERFLOW_POLICY_FAIL), 10500)
        self.assertEqual(self.ring.remaining_capacity(), 10000)


class Topics(Scenario):
    def test_messages_come_in_order(self):
        heard = Heard()
        topic = self.use(self.client.get_topic(self.name))
        topic.add_listener(lambda message: heard.add(message.message))
        for i in range(100):
            topic.publish(i)
        topic.publish_all(["x", "y"])
        self.assertEqual(heard.wait(102), [*range(100), "x", "y"])

    def test_reliable_topic(self):
        heard = Heard()
        topic = self.use(self.client.get_reliable_topic(self.name))
        topic.add_listener(lambda message: heard.add(message.message))
        for i in range(20):
            topic.publish(i)
        self.assertEqual(heard.wait(20), list(range(20)))


class Others(Scenario):
    def test_replicated_map(self):
        heard = Heard()
        entries = self.use(self.client.get_replicated_map(self.name))
        entries.add_entry_listener(
            added_func=lambda event: heard.add(("added", event.key, event.value)),
            updated_func=lambda event: heard.add(("updated", event.value, event.old_value)),
            removed_func=lambda event: heard.add(("removed", event.key)))
        self.assertIsNone(entries.put("k", "v"))
        self.assertEqual(entries.put("k", "w"), "v")
        entries.put_all({"a": 1, "b": 2})
        self.assertEqual(dict(entries.entry_set()), {"k": "w", "a": 1, "b": 2})
        self.assertTrue(entries.contains_key("a"))
        self.assertTrue(entries.contains_value(2))
        self.assertEqual(entries.remove("a"), 1)
        self.assertEqual((entries.size(), entries.get("b")), (2, 2))
        events = heard.wait(5)
        self.assertEqual(events[:2], [("added", "k", "v"), ("updated", "w", "v")])
        self.assertEqual(events[-1], ("removed", "a"))

    def test_pn_counter(self):
        counter = self.use(self.client.get_pn_counter(self.name))
        self.assertEqual(counter.add_and_get(5), 5)
        self.assertEqual(counter.get_and_add(2), 5)
        self.assertEqual(counter.decrement_and_get(), 6)
        self.assertEqual(counter.get(), 6)

    def test_ids_differ(self):
        ids = self.use(self.client.get_flake_id_generator(self.name))
        self.assertEqual(len({ids.new_id() for _ in range(1000)}), 1000)

    def test_destroyed_is_empty(self):
        queue = self.client.get_queue(self.name).blocking()
        queue.offer("a")
        queue.destroy()
        self.assertEqual(self.client.get_queue(self.name).blocking().size(), 0)


def main():
    global ADDRESS
    parser = argparse.ArgumentParser()
    parser.add_argument("address", nargs="?", default=ADDRESS)
    known, rest = parser.parse_known_args()
    ADDRESS = known.address
    unittest.main(argv=["scenario", *rest])


if __name__ == "__main__":
    main()
