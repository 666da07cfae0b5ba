#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The log of a member is for programs: one event a line in logfmt or JSON, whatever clients send;
its level changes while the member runs.
"""
import json

import member
from member import MemberTest, encode, parse_logfmt, run, wait_until


# A busy machine makes operations slow, which is worth a line; not here.
NEVER_SLOW = {"slow.threshold": "1h"}


class Log(MemberTest):
    def _stop_and_read(self, started):
        started.signal()
        self.assertEqual(started.wait(), 0)
        return started.log_text().splitlines()

    def _check_events(self, events):
        for event in events:
            self.assertRegex(event["ts"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
            self.assertIn(event["level"], ("debug", "info", "warn", "error"))
            self.assertTrue(event["role"])
        names = [event["event"] for event in events]
        self.assertEqual(names[-3:], ["listening", "stopping", "stopped"])

    def test_lines_are_logfmt(self):
        started = self.start_member({"net.connections_max": 100, **NEVER_SLOW})
        events = [parse_logfmt(line) for line in self._stop_and_read(started)]
        self._check_events(events)
        self.assertEqual(events[0]["address"], f"127.0.0.1:{started.port}")
        self.assertEqual(events[0]["io_threads"], "3")

    def test_lines_are_json_when_asked_for(self):
        started = self.start_member({"log.format": "json", **NEVER_SLOW})
        events = [json.loads(line) for line in self._stop_and_read(started)]
        self._check_events(events)
        listening = [e for e in events if e["event"] == "listening"]
        self.assertEqual(listening[0]["io_threads"], 3)

    def test_level_is_read_and_changed_while_the_member_runs(self):
        started = self.start_member({"net.connections_max": 100, **NEVER_SLOW})
        with started.connect() as connection:
            found = connection.command("CONFIG", "GET", "log.*")
            self.assertEqual(found, [b"log.level", b"info", b"log.format", b"auto"])
            self.assertEqual(connection.command("CONFIG", "SET", "log.level", "error"), "OK")
            self.assertEqual(
                connection.command("CONFIG", "GET", "log.level"), [b"log.level", b"error"]
            )
        # The end is told at the level info.
        events = [parse_logfmt(line)["event"] for line in self._stop_and_read(started)]
        self.assertEqual(events, ["listening"])

    def test_level_can_be_lowered_again(self):
        started = self.start_member({"log.level": "error", **NEVER_SLOW})
        with started.connect() as connection:
            self.assertEqual(connection.command("CONFIG", "SET", "log.level", "info"), "OK")
        events = [parse_logfmt(line)["event"] for line in self._stop_and_read(started)]
        self.assertEqual(events, ["stopping", "stopped"])

    def test_wrong_change_is_refused_and_changes_nothing(self):
        started = self.start_member()
        with started.connect() as connection:
            for name, value in (
                ("log.level", "loud"),
                ("log.level", "info\nlevel=error event=forged"),
                ("net.io_threads", "2"),
                ("nosuch", "1"),
                ("log.leve", "info"),
                ("x" * 5000, "y" * 5000),
            ):
                reply = connection.command("CONFIG", "SET", name, value)
                self.assertIsInstance(reply, member.ErrorReply, (name, reply))
            self.assertEqual(
                connection.command("CONFIG", "GET", "log.level"), [b"log.level", b"info"]
            )
            self.assertEqual(
                connection.command("CONFIG", "GET", "net.io_threads"), [b"net.io_threads", b"3"]
            )

    def test_so_many_patterns_are_matched(self):
        started = self.start_member()
        with started.connect() as connection:
            patterns = ["log.level"] + [f"none{i}" for i in range(63)]
            self.assertEqual(
                connection.command("CONFIG", "GET", *patterns), [b"log.level", b"info"]
            )
            self.assertEqual(connection.command("CONFIG", "GET", "x" * 4096), [])
            for words in ([*patterns, "none"], ["x" * 4097]):
                reply = connection.command("CONFIG", "GET", *words)
                self.assertIsInstance(reply, member.ErrorReply)
                self.assertIn("at most 64 patterns, of 4096 bytes together", str(reply))

    def test_nothing_a_client_sends_makes_a_line(self):
        forged = "x\nts=2020-01-01T00:00:00.000Z level=error role=app event=forged\r\n"
        for log_format, parse in (("logfmt", parse_logfmt), ("json", json.loads)):
            started = self.start_member({"log.level": "debug", "log.format": log_format})
            with started.connect() as connection:
                for words in (
                    ["CLIENT", "SETNAME", forged],
                    ["CLIENT", "SETINFO", "LIB-NAME", forged],
                    ["CONFIG", "SET", forged, forged],
                    ["CONFIG", "SET", "member.name", forged],
                    ["HELLO", "3", "SETNAME", forged],
                    ["AUTH", forged, forged],
                    [forged, forged],
                ):
                    self.assertIsInstance(connection.command(*words), member.ErrorReply)
            for data in (forged.encode(), f"GET /{forged} HTTP/1.1\r\n{forged}: {forged}".encode()):
                with started.connect() as connection:
                    connection.send_some(data)
                    connection.finish()
                    connection.read_to_close()
            lines = self._stop_and_read(started)
            self.assertNotIn("forged", [parse(line)["event"] for line in lines])

    def _events(self, started):
        return [parse_logfmt(line) for line in started.log_text().splitlines()]

    def _find(self, started, what, **wanted):
        """The first such event with these fields; waits until there is one."""
        found = []

        def is_there():
            found[:] = [event for event in self._events(started) if event["event"] == what
                        and wanted.items() <= event.items()]
            return bool(found)

        wait_until(is_there, f"the event {what} with {wanted}")
        return found[0]

    def test_debug_tells_of_every_connection(self):
        started = self.start_member({"log.level": "debug"})
        with started.connect() as connection:
            number = str(connection.command("CLIENT", "ID"))
            peer = f"127.0.0.1:{connection.socket.getsockname()[1]}"
            self._find(started, "connection_opened", connection=number, peer=peer)
            self._find(started, "connection_protocol", connection=number, protocol="resp")
            self.assertEqual(connection.command("PING"), "PONG")
        closed = self._find(started, "connection_closed", connection=number)
        self.assertEqual((closed["reason"], closed["protocol"], closed["level"]),
                         ("peer", "resp", "debug"))
        self.assertEqual(closed["requests"], "2")
        with started.connect() as connection:
            connection.send(b"\x00\x01\x02")
            connection.read_to_close()
        self._find(started, "connection_closed", reason="unknown_protocol", protocol="none")

    def test_debug_tells_of_options_that_were_set(self):
        started = self.start_member({"log.level": "debug", "map.ttl": "90s"},
                                    environment={"FILBERT_MAP__MAX_IDLE": "2m"})
        self.assertEqual(self._find(started, "option", name="map.ttl")["value"], "90s")
        found = self._find(started, "option", name="map.max_idle")
        self.assertEqual((found["value"], found["origin"]),
                         ("2m", "environment FILBERT_MAP__MAX_IDLE"))
        names = [event.get("name") for event in self._events(started)]
        self.assertNotIn("map.eviction", names)

    def test_debug_tells_what_left_a_map_by_itself(self):
        started = self.start_member({"log.level": "info", "map.eviction": "lru",
                                     "map.entries_max": 271})
        with started.connect() as connection:
            for i in range(2000):
                connection.send(encode("SET", f"key{i}", "v"))
            for _ in range(2000):
                self.assertEqual(connection.read_reply(), "OK")
            # What happened before the log was asked to tell is not told.
            self.assertEqual(connection.command("CONFIG", "SET", "log.level", "debug"), "OK")
            self.assertEqual(connection.command("SELECT", 7), "OK")
            self._find(started, "map_created", map="7")
            told = 0
            while told == 0:
                for i in range(200):
                    self.assertEqual(connection.command("SET", f"key{i}", "v", "PX", 1), "OK")
                told = sum(int(event["count"]) for event in self._events(started)
                           if event["event"] == "map_expired" and event["map"] == "7")
            self.assertEqual([event for event in self._events(started)
                              if event.get("map") == "default"], [])
            self.assertEqual(connection.command("SELECT", 0), "OK")
            self._find(started, "map_expired", map="7")
            for i in range(2000):
                connection.send(encode("SET", f"more{i}", "v"))
            for _ in range(2000):
                self.assertEqual(connection.read_reply(), "OK")
        self.assertGreater(int(self._find(started, "map_evicted", map="default")["count"]), 0)

    def test_refused_memory_is_a_warning(self):
        started = self.start_member({"memory.limit": "16MiB"})
        with started.connect() as connection:
            replies = {connection.command("SET", f"key{i}", b"v" * 100_000) for i in range(300)}
        self.assertEqual({str(reply)[:3] for reply in replies}, {"OK", "OOM"})
        self.assertEqual(self._find(started, "memory_refused")["level"], "warn")

    def test_what_became_of_the_events_is_measured(self):
        started = self.start_member({"memory.limit": "16MiB", **NEVER_SLOW})
        wait_until(lambda: "listening" in started.log_text(), "the log")
        self.assertGreaterEqual(started.metric("filbert_log_lines_total"), 1)
        for name in ("dropped", "lost", "repeated"):
            self.assertEqual(started.metric(f"filbert_log_{name}_total"), 0)

    def test_lines_that_cannot_be_written_are_counted(self):
        started = self.start_member({"log.level": "debug"}, log_path="/dev/full")
        started.command("PING")
        started.wait_for_metric(lambda n: n >= 1, "filbert_log_lost_total")

    def test_names_with_line_ends_are_refused(self):
        for name in ("a\nb", "a\rb", "a\033[1mb", "a\tb"):
            result = run("config", "check", "--set", f"member.name={name}")
            self.assertEqual(result.returncode, 1)
            self.assertEqual(result.stderr.count(b"\n"), 1)
            self.assertNotIn(b"\033", result.stderr)

    def test_log_of_a_busy_member_tells_only_what_matters(self):
        started = self.start_member(NEVER_SLOW)
        with started.connect() as connection:
            connection.send(encode("PING") * 1000 + b"*x\r\n")
            connection.read_to_close()
        wait_until(lambda: "listening" in started.log_text(), "the log")
        self.assertLess(started.log_text().count("\n"), 5)


if __name__ == "__main__":
    member.main()
