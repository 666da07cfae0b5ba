#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How fast the Python client is: hazelcast_measure.py ADDRESS KIND SECONDS.

KIND is one, many, getall, putall; or scan, indexed: a query that means 100 of 100 000 entries of
JSON, without and with an index.

Prints a line of JSON: calls, the seconds they took, and the median of a call in microseconds.
bench/hazelcast_compare runs it.
"""
import json
import statistics
import sys
import threading
import time

import hazelcast
from hazelcast import predicate
from hazelcast.core import HazelcastJsonValue

IN_FLIGHT = 256
BATCH = 1000
VALUE = "v" * 100
PEOPLE, AGES, FILL = 100_000, 1000, 10_000


def measure_calls(call, seconds):
    times, end = [], time.perf_counter() + seconds
    while True:
        begin = time.perf_counter()
        call()
        now = time.perf_counter()
        times.append(now - begin)
        if now > end:
            return len(times), sum(times), statistics.median(times) * 1e6


def measure_many(entries, seconds):
    slots = threading.Semaphore(IN_FLIGHT)
    begin, count = time.perf_counter(), 0
    while time.perf_counter() < begin + seconds:
        slots.acquire()
        entries.get("k").add_done_callback(lambda _: slots.release())
        count += 1
    for _ in range(IN_FLIGHT):
        slots.acquire()
    return count, time.perf_counter() - begin, 0


def find_people(client, kind):
    """Fills the map once for each server; returns the query."""
    entries = client.get_map(f"people {kind}").blocking()
    for first in range(entries.size(), PEOPLE, FILL):
        entries.put_all({i: HazelcastJsonValue(f'{{"age": {i % AGES}, "name": "person {i}"}}')
                         for i in range(first, first + FILL)})
    if kind == "indexed":
        entries.add_index(attributes=["age"])

    def ask():
        if len(entries.key_set(predicate.equal("age", 7))) != PEOPLE // AGES:
            sys.exit("the query found what it should not")

    return ask


def main():
    address, kind, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
    client = hazelcast.HazelcastClient(cluster_members=[address])
    entries = client.get_map("measure")
    batch = {f"key-{i}": VALUE for i in range(BATCH)}
    entries.put_all(batch).result()
    entries.set("k", VALUE).result()
    if kind == "many":
        found = measure_many(entries, seconds)
    elif kind in ("scan", "indexed"):
        found = measure_calls(find_people(client, kind), seconds)
    else:
        found = measure_calls({
            "one": lambda: entries.get("k").result(),
            "getall": lambda: entries.get_all(list(batch)).result(),
            "putall": lambda: entries.put_all(batch).result(),
        }[kind], seconds)
    client.shutdown()
    print(json.dumps(dict(zip(("calls", "seconds", "p50_us"), found))))


if __name__ == "__main__":
    main()
