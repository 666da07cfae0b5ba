#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the Python client does with maps, against the member at ADDRESS: every operation gives
what its documentation says. Runs alone; names of maps are new in every run.
"""
import argparse
import sys
import threading
import time
import unittest
import uuid

import hazelcast
from hazelcast import aggregator, predicate, projection
from hazelcast.config import IndexType, InMemoryFormat
from hazelcast.core import DistributedObjectEventType, HazelcastJsonValue
from hazelcast.errors import (
    HazelcastError,
    IllegalMonitorStateError,
    IllegalStateError,
    UnsupportedOperationError,
)
from hazelcast.serialization.api import CompactSerializer

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
        self.map.put_transient("passing", "v", ttl=0.5)
        self.map.put_if_absent("absent", "v", ttl=0.5)
        self.map.put("resting", "v", ttl=1000, max_idle=1)
        end = threading.Event()
        while self.map.get("short") is not None:
            end.wait(0.02)
        # Without being looked at one by one: that would not let them rest.
        while len(self.map.key_set()) > 2:
            end.wait(0.02)
        self.assertEqual(sorted(self.map.key_set()), ["idle", "long"])
        self.assertIsNone(self.map.get("resting"))

    def test_tries_and_transient_entries(self):
        self.assertTrue(self.map.try_put("k", "v", timeout=0.1))
        self.assertTrue(self.map.try_remove("k", timeout=0.1))
        self.map.put_transient("t", "v")
        self.assertEqual(self.map.get("t"), "v")
        self.map.flush()
        self.assertEqual(self.map.get("t"), "v")

    def test_code_that_the_member_does_not_have_is_refused(self):
        self.map.put("k", 1)
        for send in (
            lambda: self.map.execute_on_key("k", "no such processor"),
            lambda: self.map.execute_on_keys(["k"], "no such processor"),
            lambda: self.map.execute_on_entries("no such processor"),
            lambda: self.map.execute_on_entries("no such processor", predicate.true()),
            lambda: self.map.add_interceptor("no such interceptor"),
        ):
            with self.assertRaises(HazelcastError):
                send()
        self.assertEqual(self.map.get("k"), 1)
        self.assertFalse(self.map.remove_interceptor("no such interceptor"))

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


class Ear:
    """Collects events, and waits for those that must come."""

    def __init__(self):
        self.events = []
        self.changed = threading.Condition()

    def __call__(self, event):
        with self.changed:
            self.events.append(event)
            self.changed.notify_all()

    def wait_for(self, count):
        with self.changed:
            self.changed.wait_for(lambda: len(self.events) >= count, timeout=GUARD)
            return [*self.events]


class Listeners(Scenario):
    def test_every_kind_is_told_of(self):
        ears = {kind: Ear() for kind in ("added", "removed", "updated", "evicted", "expired",
                                         "evict_all", "clear_all")}
        names = {f"{kind}_func": ear for kind, ear in ears.items()}
        registration = self.map.add_entry_listener(include_value=True, **names)
        self.map.put("k", "v")
        self.map.put("k", "w")
        self.map.remove("k")
        self.map.put("e", "v")
        self.map.evict("e")
        self.map.put("x", "v", ttl=0.1)
        added = ears["added"].wait_for(3)[0]
        self.assertEqual((added.key, added.value, added.old_value), ("k", "v", None))
        updated = ears["updated"].wait_for(1)[0]
        self.assertEqual((updated.key, updated.value, updated.old_value), ("k", "w", "v"))
        removed = ears["removed"].wait_for(1)[0]
        self.assertEqual((removed.key, removed.value, removed.old_value), ("k", None, "w"))
        self.assertEqual(ears["evicted"].wait_for(1)[0].key, "e")
        self.assertEqual(ears["expired"].wait_for(1)[0].key, "x")
        self.assertEqual([event.key for event in ears["evicted"].events], ["e"])
        self.map.put_all({1: 1, 2: 2, 3: 3})
        self.map.evict_all()
        self.assertEqual(ears["evict_all"].wait_for(1)[0].number_of_affected_entries, 3)
        self.map.put("k", "v")
        self.map.clear()
        self.assertEqual(ears["clear_all"].wait_for(1)[0].number_of_affected_entries, 1)
        self.assertTrue(self.map.remove_entry_listener(registration))
        self.assertFalse(self.map.remove_entry_listener(registration))

    def test_key_and_predicate_choose(self):
        by_key, by_predicate, both, bare = Ear(), Ear(), Ear(), Ear()
        big = predicate.greater_or_equal("this", 10)
        self.map.add_entry_listener(include_value=True, key="k", added_func=by_key)
        self.map.add_entry_listener(include_value=True, predicate=big, added_func=by_predicate)
        self.map.add_entry_listener(include_value=True, key="k", predicate=big, added_func=both)
        self.map.add_entry_listener(added_func=bare)
        self.map.put("other", 50)
        self.map.put("small", 5)
        self.map.put("k", 10)
        self.assertEqual([e.key for e in by_key.wait_for(1)], ["k"])
        self.assertEqual(sorted(e.key for e in by_predicate.wait_for(2)), ["k", "other"])
        self.assertEqual([e.key for e in both.wait_for(1)], ["k"])
        self.assertEqual({e.value for e in bare.wait_for(3)}, {None})

    def test_others_changes_are_told_too(self):
        ear = Ear()
        self.map.add_entry_listener(include_value=True, added_func=ear)
        other = self.other()
        for i in range(1000):
            other.set(i, str(i))
        events = ear.wait_for(1000)
        self.assertEqual({e.key: e.value for e in events}, {i: str(i) for i in range(1000)})

    def test_objects_come_and_go(self):
        ear = Ear()
        registration = self.client.add_distributed_object_listener(ear).result()
        name = f"object-{uuid.uuid4()}"
        self.client.get_map(name).blocking().destroy()
        told = [(e.name, e.event_type) for e in ear.wait_for(2) if e.name == name]
        self.assertEqual(told, [(name, DistributedObjectEventType.CREATED),
                                (name, DistributedObjectEventType.DESTROYED)])
        self.assertTrue(self.client.remove_distributed_object_listener(registration).result())


class NearCache(Scenario):
    def test_other_client_s_write_is_seen(self):
        name = f"near-{uuid.uuid4()}"
        near = connect(near_caches={name: {"in_memory_format": InMemoryFormat.OBJECT,
                                           "invalidate_on_change": True}})
        self.addCleanup(near.shutdown)
        cached = near.get_map(name).blocking()
        plain = self.client.get_map(name).blocking()
        self.addCleanup(plain.destroy)
        plain.put_all({i: "old" for i in range(100)})
        for _ in range(2):
            self.assertEqual({cached.get(i) for i in range(100)}, {"old"})
        plain.put(7, "new")
        pause = threading.Event()
        while cached.get(7) != "new":
            pause.wait(0.005)
        plain.clear()
        while cached.get(8) is not None:
            pause.wait(0.005)


class Sheet:
    def __init__(self, title, pages):
        self.title = title
        self.pages = pages


class SheetSerializer(CompactSerializer):
    def read(self, reader):
        return Sheet(reader.read_string("title"), reader.read_int32("pages"))

    def write(self, writer, obj):
        writer.write_string("title", obj.title)
        writer.write_int32("pages", obj.pages)

    def get_type_name(self):
        return "sheet"

    def get_class(self):
        return Sheet


class Queries(Scenario):
    def test_predicates(self):
        self.map.put_all({f"k{i}": i for i in range(100)})
        self.assertEqual(sorted(self.map.values(predicate.between("this", 5, 8))), [5, 6, 7, 8])
        self.assertEqual(self.map.key_set(predicate.equal("__key", "k42")), ["k42"])
        both = predicate.and_(predicate.less("this", 10), predicate.like("__key", "%5"))
        self.assertEqual(self.map.entry_set(both), [("k5", 5)])
        rest = predicate.not_(predicate.in_("this", *range(1, 100)))
        self.assertEqual(self.map.values(rest), [0])
        self.map.remove_all(predicate.true())
        self.assertEqual(self.map.size(), 0)

    def put_people(self):
        for i in range(20):
            self.map.put(f"p{i:02}", HazelcastJsonValue(
                {"age": i, "name": f"N{i % 3}", "home": {"zip": str(i)}, "tags": [i, "x"]}))

    def test_attributes_of_json_choose(self):
        self.put_people()
        self.map.add_index(attributes=["age"])
        for chosen, keys in (
            (predicate.equal("age", 7), ["p07"]),
            (predicate.sql("age >= 18 OR home.zip = '3'"), ["p03", "p18", "p19"]),
            (predicate.sql("name = N1 AND age BETWEEN 2 AND 8"), ["p04", "p07"]),
            (predicate.regex("name", "[A-Z]2"), [f"p{i:02}" for i in range(2, 20, 3)]),
            (predicate.equal("tags[any]", 5), ["p05"]),
            (predicate.equal("absent", None), [f"p{i:02}" for i in range(20)]),
        ):
            self.assertEqual(sorted(self.map.key_set(chosen)), keys)

    def test_indexes_follow_changes(self):
        self.map.add_index(attributes=["name"], index_type=IndexType.HASH)
        self.put_people()
        self.map.add_index(attributes=["age"])
        self.map.put("p07", HazelcastJsonValue({"age": 70, "name": "N9"}))
        self.map.remove("p08")
        for chosen, keys in (
            (predicate.between("age", 6, 9), ["p06", "p09"]),
            (predicate.equal("name", "N9"), ["p07"]),
            (predicate.sql("name = 'N9' AND age > 69"), ["p07"]),
            (predicate.sql("age >= 17 AND age < 19 AND name = 'N2'"), ["p17"]),
        ):
            self.assertEqual(sorted(self.map.key_set(chosen)), keys)

    def test_pages_are_in_order(self):
        self.put_people()
        page = predicate.paging(predicate.less("age", 10), 4)
        self.assertEqual(self.map.key_set(page), ["p00", "p01", "p02", "p03"])
        page.next_page()
        self.assertEqual(self.map.key_set(page), ["p04", "p05", "p06", "p07"])
        page.next_page()
        self.assertEqual(self.map.key_set(page), ["p08", "p09"])

    def test_aggregations_and_projections(self):
        self.put_people()
        self.assertEqual(self.map.aggregate(aggregator.count()), 20)
        self.assertEqual(self.map.aggregate(aggregator.fixed_point_sum("age")), 190)
        self.assertEqual(self.map.aggregate(aggregator.number_avg("age")), 9.5)
        self.assertEqual(self.map.aggregate(aggregator.max_("name")), "N2")
        self.assertEqual(set(self.map.aggregate(aggregator.distinct("name"))), {"N0", "N1", "N2"})
        young = predicate.less("age", 2)
        self.assertEqual(self.map.aggregate(aggregator.count(), young), 2)
        ages = self.map.project(projection.single_attribute("age"), young)
        self.assertEqual(sorted(ages), [0, 1])
        both = self.map.project(projection.multi_attribute("age", "name"), young)
        self.assertEqual(sorted(both), [[0, "N0"], [1, "N1"]])

    def test_compact_objects_are_read_by_others(self):
        self.map.put("k", "v")
        writer = connect(compact_serializers=[SheetSerializer()])
        reader = connect(compact_serializers=[SheetSerializer()])
        self.addCleanup(writer.shutdown)
        self.addCleanup(reader.shutdown)
        writer.get_map(self.name).blocking().put("sheet", Sheet("score", 7))
        sheet = reader.get_map(self.name).blocking().get("sheet")
        self.assertEqual((sheet.title, sheet.pages), ("score", 7))
        self.map.remove("k")
        self.assertEqual(self.map.key_set(predicate.sql("pages > 6 AND title = score")), ["sheet"])


class Restarts(Scenario):
    def test_hundred_clients_at_once(self):
        clients = []
        problems = []

        def work(number):
            try:
                client = connect()
                clients.append(client)
                client.get_map(self.name).blocking().put(number, number)
            except Exception as error:  # told below
                problems.append(error)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(100)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for client in clients:
            client.shutdown()
        self.assertEqual(problems, [])
        self.assertEqual(self.map.size(), 100)

    def test_client_restarts(self):
        client = connect()
        client.get_map(self.name).blocking().put("k", "v")
        client.shutdown()
        self.assertEqual(self.other().get("k"), "v")


class Session(Scenario):
    def test_objects_are_listed(self):
        self.assertIn(self.name, [item.name for item in self.client.get_distributed_objects()])

    def test_what_is_not_served_says_so(self):
        with self.assertRaises(UnsupportedOperationError):
            self.client.cp_subsystem.get_atomic_long("number").blocking()
        self.assertIsNone(self.map.get("k"))

    def test_wrong_cluster_name_is_refused(self):
        with self.assertRaises(IllegalStateError):
            connect(cluster_name="other", cluster_connect_timeout=0.2)


def restart():
    """Waits for a line of input, while the member is started again, and goes on."""
    client = connect()
    ear = Ear()
    entries = client.get_map(f"map-{uuid.uuid4()}").blocking()
    entries.add_entry_listener(added_func=ear)
    entries.set("before", 1)
    ear.wait_for(1)
    print("ready", flush=True)
    input()
    end = time.monotonic() + GUARD
    while len(ear.events) < 2 and time.monotonic() < end:
        entries.set(str(uuid.uuid4()), 2)
        ear.changed.acquire()
        ear.changed.wait(timeout=0.02)
        ear.changed.release()
    client.shutdown()
    return 0 if len(ear.events) > 1 else 1


def hello():
    """A client that is told nothing at all finds the member at its usual place."""
    client = hazelcast.HazelcastClient()
    entries = client.get_map(f"map-{uuid.uuid4()}").blocking()
    entries.put("k", "v")
    found = entries.get("k")
    entries.destroy()
    client.shutdown()
    return 0 if found == "v" else 1


def main():
    global ADDRESS
    parser = argparse.ArgumentParser()
    parser.add_argument("address", nargs="?", default=ADDRESS)
    parser.add_argument("mode", nargs="?", choices=["all", "restart", "hello"],
                        default="all")
    known, rest = parser.parse_known_args()
    ADDRESS = known.address
    if known.mode == "restart":
        sys.exit(restart())
    if known.mode == "hello":
        sys.exit(hello())
    unittest.main(argv=["scenario", *rest])


if __name__ == "__main__":
    main()
