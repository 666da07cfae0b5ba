#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What an operator sees of operations that hold a thread: each kind with its name, partition,
thread, duration, count and stack on a page, one log line for many, and nothing of quick ones.
"""
import json
import unittest

from member import ErrorReply, MemberTest, SharedMemberTest, wait_until

PAGE = "/debug/slow-operations"


def burn(connection, milliseconds, key="k"):
    return connection.command("FILBERT.BURN", milliseconds * 1000, key)


class SlowOperations(SharedMemberTest):
    OPTIONS = {"debug.commands": "true", "slow.threshold": "5ms"}

    def _page(self):
        status, headers, body = self.connect().get(PAGE + "?format=json")
        self.assertEqual((status, headers["content-type"]), (200, "application/json"))
        return json.loads(body)

    def _entries(self, op, thread):
        entries = self._page()["slow_operations"]
        return [e for e in entries if e["op"] == op and e["thread"].startswith(thread)]

    def test_slow_operation_is_named_with_all_that_helps(self):
        before = self.member.metric("filbert_slow_operations_total")
        connection = self.connect()
        for _ in range(5):
            self.assertEqual(burn(connection, 60), "OK")
        entries = wait_until(lambda: self._entries("filbert.burn", "partition/"), "the entries")
        partitions = {entry["partition"] for entry in entries}
        self.assertEqual(len(partitions), 1)
        self.assertIn(partitions.pop(), range(271))
        self.assertGreaterEqual(sum(entry["count"] for entry in entries), 5)
        for entry in entries:
            self.assertGreaterEqual(entry["max_ns"], 5_000_000)
            self.assertGreaterEqual(entry["total_ns"], entry["max_ns"])
            self.assertLessEqual(entry["first"], entry["last"])
        if any(entry["stack"] for entry in entries):
            self.assertTrue(any("access_burn" in f for e in entries for f in e["stack"]), entries)
        else:
            blind = self.member.metric("filbert_slow_operations_without_stack_total")
            self.assertGreater(blind, 0)
        self.assertGreaterEqual(self.member.metric("filbert_slow_operations_total"), before + 5)

    def test_latency_tells_what_was_slow_by_its_name(self):
        connection = self.connect()
        self.assertIsInstance(connection.command("LATENCY", "RESET"), int)
        burn(connection, 60)

        def find():
            return [e for e in connection.command("LATENCY", "LATEST") if e[0] == b"filbert.burn"]

        event = wait_until(find, "the event")[0]
        self.assertGreaterEqual(event[3], event[2])
        self.assertGreaterEqual(event[3], 5)
        history = connection.command("LATENCY", "HISTORY", "filbert.burn")
        self.assertEqual([len(sample) for sample in history], [2])
        self.assertGreaterEqual(history[0][0], event[1])
        self.assertEqual(connection.command("LATENCY", "HISTORY", "nosuch"), [])
        wait_until(lambda: find()[0][2] >= 55, "most of it")

        def is_over():
            return not any(e["running"] for e in self._entries("filbert.burn", "partition/"))

        wait_until(is_over, "the end of it")  # after which nothing is added to it
        self.assertGreaterEqual(connection.command("LATENCY", "RESET"), 1)
        self.assertEqual(find(), [])
        self.assertIsInstance(connection.command("LATENCY", "RESET", "x"), ErrorReply)

    def test_page_for_people_tells_the_same(self):
        burn(self.connect(), 60)
        wait_until(lambda: self._entries("filbert.burn", "partition/"), "the entries")
        status, headers, body = self.connect().get(PAGE)
        self.assertEqual((status, headers["content-type"]), (200, "text/plain; charset=utf-8"))
        self.assertIn("Operations that ran for 5ms or longer", body.decode())
        self.assertRegex(body.decode(), r"(?m)^ +\d+ .* \d+  partition/\d+ .*  filbert\.burn")

    def test_work_of_a_loop_is_seen_there(self):
        text = b"x" * (96 << 20)

        def echo_large():
            self.assertEqual(self.member.command("ECHO", text), text)
            return self._entries("echo", "io/")

        wait_until(echo_large, "an ECHO that was slow")

    def test_huge_argument_is_stored_by_a_partition_thread(self):
        value = b"x" * (96 << 20)

        def set_large():
            self.assertEqual(self.member.command("SET", "large", value), "OK")
            return self._entries("set", "partition/")

        entries = wait_until(set_large, "a SET that was slow")
        self.member.command("DEL", "large")
        self.assertIn(entries[0]["partition"], range(271))
        self.assertEqual(self._entries("set", "io/"), [])

    def test_head_answers_without_the_page(self):
        status, headers, _ = self.connect().get(PAGE, "HEAD")
        self.assertEqual(status, 200)
        self.assertGreater(int(headers["content-length"]), 0)


class Quiet(MemberTest):
    def test_quick_operations_leave_no_trace(self):
        member = self.start_member({"slow.threshold": "1h"})
        connection = member.connect()
        for i in range(1000):
            connection.command("SET", f"quick{i}", "x")
        page = json.loads(connection_get(member, PAGE + "?format=json"))
        self.assertEqual((page["noted"], page["slow_operations"]), (0, []))

    def test_repeats_are_one_line_of_the_log(self):
        member = self.start_member({"debug.commands": "true", "log.format": "logfmt"})
        connection = member.connect()
        for _ in range(10):
            burn(connection, 40)
        member.wait_for_metric(lambda n: n >= 10, "filbert_slow_operations_total")
        wait_until(lambda: "op=filbert.burn" in member.log_text(), "the log line")
        lines = [line for line in member.log_text().splitlines() if "slow_operation" in line]
        kinds = json.loads(connection_get(member, PAGE + "?format=json"))["slow_operations"]
        told = [line for line in lines if "op=filbert.burn" in line and "repeated=" not in line]
        self.assertLessEqual(len(told), len(kinds), lines)
        self.assertRegex(told[0], r"thread=partition/\d+ took_ms=")


def connection_get(member, path):
    with member.connect() as connection:
        return connection.get(path)[2]


if __name__ == "__main__":
    unittest.main()
