#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The stages of the kernel in a running member: costly pages run in a pool and keep their
place on the connection, probes do not wait for them, and every stage tells how it is doing.
"""
import unittest

import member
from member import MemberTest, SharedMemberTest

PAGES = ("/metrics", "/livez", "/debug/slow-operations", "/readyz", "/nosuch", "/")

# What each stage has to tell, by the name of its family and its labels.
STAGES = {
    "filbert_stage_items_total": ("generic", "event", "pool/admin"),
    "filbert_stage_cycles_total": ("generic", "event", "pool/admin"),
    "filbert_stage_parks_total": ("generic", "event", "pool/admin"),
    "filbert_stage_wakeups_total": ("generic", "event", "pool/admin"),
    "filbert_stage_busy_seconds_total": ("generic", "event", "pool/admin"),
    "filbert_stage_wait_seconds_count": ("generic", "event", "pool/admin"),
    "filbert_stage_service_seconds_count": ("generic", "event", "pool/admin"),
    "filbert_stage_queue_length": ("generic", "event", "pool/admin"),
    "filbert_stage_refused_total": ("generic", "pool/admin"),
}
KERNEL = (
    "filbert_operations_total",
    "filbert_operations_in_place_total",
    "filbert_operations_handed_over_total",
    "filbert_operation_parks_total",
    "filbert_operation_wait_seconds_count",
    "filbert_operation_service_seconds_count",
    "filbert_operation_in_place_seconds_count",
    "filbert_alarm_rings_total",
    "filbert_mailbox_operations",
    "filbert_mailbox_longest_operations",
    "filbert_partitions_queued",
    "filbert_partition_steals_total",
    "filbert_thread_busy_seconds_total",
    "filbert_thread_parks_total",
    "filbert_thread_wakes_total",
    "filbert_io_busy_seconds_total",
    "filbert_io_wakeups_total",
    "filbert_events_dropped_total",
    "filbert_event_isolations_total",
    "filbert_event_calmed_total",
    "filbert_listener_dropped_total",
    "filbert_slow_operations_total",
)


class Pages(SharedMemberTest):
    def test_costly_pages_run_on_the_pool(self):
        def admitted():
            return self.member.metric("filbert_admission_total", pool="admin", reason="admitted")

        before = admitted()
        connection = self.connect()
        for _ in range(10):
            self.assertEqual(connection.get("/metrics")[0], 200)
        for _ in range(10):
            self.assertEqual(connection.get("/livez")[0], 200)
        self.assertEqual(admitted() - before, 11)  # the last one asks for the figure

    def test_pipelined_pages_are_answered_in_order(self):
        connection = self.connect()
        paths = PAGES * 20
        requests = [f"GET {p} HTTP/1.1\r\nHost: [::1]\r\n\r\n" for p in paths]
        connection.send("".join(requests).encode())
        for path in paths:
            status, headers, body = connection.read_response()
            self.assertEqual(status, 404 if path == "/nosuch" else 200, path)
            kind = "text/html" if path == "/" else "text/plain"
            self.assertTrue(headers["content-type"].startswith(kind), path)
            if path == "/livez":
                self.assertEqual(body, b"ok\n")

    def test_last_page_is_sent_before_the_connection_ends(self):
        connection = self.connect()
        connection.send(b"GET /metrics HTTP/1.1\r\nHost: [::1]\r\nConnection: close\r\n\r\n")
        status, headers, body = connection.read_response()
        self.assertEqual((status, headers["connection"]), (200, "close"))
        self.assertIn(b"filbert_requests_total", body)
        self.assertEqual(connection.read_to_end(), b"")

    def test_head_has_no_body(self):
        connection = self.connect()
        status, headers, _ = connection.get("/metrics", "HEAD")
        self.assertEqual(status, 200)
        self.assertGreater(int(headers["content-length"]), 1000)
        self.assertEqual(connection.get("/livez")[2], b"ok\n")

    def test_client_that_goes_away_costs_nothing(self):
        for _ in range(50):
            connection = self.connect()
            connection.send(b"GET /metrics HTTP/1.1\r\nHost: [::1]\r\n\r\n")
            connection.reset()
        self.member.wait_for_metric(lambda n: n <= 2, "filbert_connections")

    def test_every_stage_tells_how_it_is_doing(self):
        self.member.command("SET", "k", "v")
        found = {}
        for name, labels, _ in self.member.metrics():
            found.setdefault(name, set()).add(labels.get("stage"))
        for name, stages in STAGES.items():
            self.assertLessEqual(set(stages), found.get(name, set()), name)
        for name in KERNEL:
            self.assertIn(name, found)


class Plan(MemberTest):
    def test_first_screen_tells_threads_and_reasons(self):
        screen = self.start_member().screen
        for kind in ("acceptor", "io", "partition", "generic", "event"):
            self.assertRegex(screen, rf"\b\d+ {kind}\b")
        self.assertIn("generic.threads changes it", screen)

    def test_counts_are_what_was_asked_for(self):
        started = self.start_member({"generic.threads": 3, "event.threads": 2})
        threads = {
            (labels["stage"], labels["thread"])
            for name, labels, _ in started.metrics()
            if name == "filbert_stage_parks_total"
        }
        self.assertEqual(len([t for t in threads if t[0] == "generic"]), 4)
        self.assertEqual(len([t for t in threads if t[0] == "event"]), 2)

    def test_processors_that_are_not_there_are_named(self):
        for name in ("net.cpus", "partition.cpus"):
            result = member.run("start", "--listen", "127.0.0.1:0", "--set", f"{name}=1023")
            self.assertEqual(result.returncode, 1, name)
            self.assertIn(
                f"{name} is 1023, but this process may only run on processors".encode(),
                result.stderr,
            )

    def test_threads_stay_where_they_were_put(self):
        started = self.start_member({"net.cpus": "0", "partition.cpus": "0", "net.io_threads": 1})
        self.assertIn("io on processors 0, partitions on 0", started.screen)


if __name__ == "__main__":
    unittest.main()
