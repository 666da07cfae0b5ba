#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each limit holds, is counted, and hurts nobody but who reached it: connections, descriptors, the
size of a request, output that waits, memory.
"""
import contextlib
import re
import resource
import subprocess
import unittest

import member
from member import MemberTest, encode, is_sanitized


class ConnectionLimit(MemberTest):
    def test_connections_beyond_the_limit_are_refused_and_counted(self):
        started = self.start_member({"net.connections_max": 20})
        refused = ("filbert_connections_refused_total", {"reason": "limit"})
        held = [started.connect() for _ in range(19)]
        for connection in [started.admin(), *held]:
            connection.send(b"")
        started.wait_for_metric(lambda n: n == 20, "filbert_connections")
        for _ in range(30):
            with started.connect() as connection:
                connection.send_some(encode("PING"))
                self.assertEqual(connection.read_to_close(), b"")
        self.assertEqual(started.metric(refused[0], **refused[1]), 30)
        for connection in held:
            self.assertEqual(connection.command("PING"), "PONG")
        # A place that becomes free is given to the next.
        held.pop().close()
        started.wait_for_metric(lambda n: n == 19, "filbert_connections")
        self.assertEqual(started.command("PING"), "PONG")
        for connection in held:
            connection.close()

    def test_refused_connections_are_told_with_the_option(self):
        started = self.start_member({"net.connections_max": 1, "net.io_threads": 1})
        started.admin().get("/livez")
        with started.connect() as refused:
            self.assertEqual(refused.read_to_close(), b"")
        told = r"event=connections_refused count=1 option=net\.connections_max limit=1\n"
        member.wait_until(lambda: re.search(told, started.log_text()), "the log")

    def test_few_descriptors_are_fewer_connections(self):
        started = self.start_member({"net.io_threads": 1}, descriptors_max=64)
        room = int(re.search(r"clients +(\d+) connections at most \(net\.connections_max is "
                             r"65000, but ulimit -n allows 64 ", started.screen).group(1))
        self.assertGreaterEqual(room, 32)
        self.assertRegex(started.log_text(), rf"event=descriptors_low limit=64 connections={room} ")
        started.admin().get("/livez")
        held = [started.connect() for _ in range(room - 1)]
        for connection in held:
            self.assertEqual(connection.command("PING"), "PONG")
        with started.connect() as refused:
            self.assertEqual(refused.read_to_close(), b"")
        self.assertEqual(started.metric("filbert_connections_refused_total", reason="limit"), 1)
        self.assertEqual(
            started.metric("filbert_connections_refused_total", reason="descriptors"), 0
        )
        for connection in held:
            connection.close()

    def test_soft_limit_is_raised(self):
        started = self.start_member({"net.connections_max": 50}, descriptors_max=(16, 128))
        self.assertNotIn("connections at most", started.screen)
        self.assertNotIn("descriptors_low", started.log_text())
        held = [started.connect() for _ in range(40)]
        for connection in held:
            self.assertEqual(connection.command("PING"), "PONG")
            connection.close()

    def test_too_few_descriptors_are_told_in_one_sentence(self):
        result = subprocess.run(
            [member.binary(), "start", "--listen", "127.0.0.1:0"],
            env=member.clean_environment(),
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (16, 16)),
            capture_output=True,
            timeout=member.GUARD,
            check=False,
        )
        self.assertEqual((result.returncode, result.stdout), (1, b""))
        self.assertRegex(
            result.stderr.decode(),
            r"^filbert: 16 file descriptors are allowed, but \d+ are needed, 8 of them for "
            r"connections: raise the limit \(ulimit -n\)\n$",
        )

    def test_lack_of_descriptors_is_counted_told_and_passes(self):
        started = self.start_member({"net.io_threads": 1})
        limits = resource.prlimit(started.pid, resource.RLIMIT_NOFILE)
        with started.connect() as served:
            self.assertEqual(served.command("PING"), "PONG")
            started.admin().get("/livez")
            used = started.descriptor_count()
            resource.prlimit(started.pid, resource.RLIMIT_NOFILE, (used, limits[1]))
            # The system completes these; the member has no descriptor for them.
            held = [started.connect() for _ in range(10)]
            started.wait_for_metric(
                lambda n: n >= 1, "filbert_connections_refused_total", reason="descriptors"
            )
            told = rf"event=accept_failed count=\d+ descriptors={used} limit={used} cure=.*ulimit"
            member.wait_until(lambda: re.search(told, started.log_text()), "the log")
            self.assertEqual(served.command("PING"), "PONG")
            resource.prlimit(started.pid, resource.RLIMIT_NOFILE, limits)
            for connection in held:
                self.assertEqual(connection.command("PING"), "PONG")
                connection.close()


class LimitsAreTold(MemberTest):
    OPTIONS = {"net.frame_bytes_max": "64KiB", "net.handshake_bytes_max": 256, "log.level": "debug",
               "net.handshake_timeout": "1s", "net.stall_timeout": "300ms", "net.io_threads": 1,
               "net.idle_timeout": "1s"}

    def _check(self, started, data, reason, option, limit):
        with started.connect() as connection:
            connection.send_some(data)
            connection.read_to_close()
        said = rf"reason={reason} .*option={option} {limit}\n"
        member.wait_until(lambda: re.search(f"event=connection_closed .* {said}",
                                            started.log_text()), "the end of the connection")
        if reason != "idle":
            member.wait_until(lambda: re.search(f"event=connections_limited count=1 {said}",
                                                started.log_text()), "the log")

    def test_limit_that_ends_a_connection_is_told_with_its_option(self):
        started = self.start_member(self.OPTIONS)
        for data, *said in (
            (encode("SET", "k", b"v" * 70000), "frame_limit", "net.frame_bytes_max",
             "limit_bytes=65536"),
            (b"\r\n" * 200, "handshake_limit", "net.handshake_bytes_max", "limit_bytes=256"),
            (b"", "handshake_timeout", "net.handshake_timeout", "limit_ms=1000"),
            (b"*1\r\n$4\r\nPI", "half_request", "net.stall_timeout", "limit_ms=300"),
            (encode("PING"), "idle", "net.idle_timeout", "limit_ms=1000"),
        ):
            with self.subTest(said=said):
                self._check(started, data, *said)

    def test_end_without_a_limit_names_no_option(self):
        started = self.start_member({"log.level": "debug"})
        started.command("PING")
        member.wait_until(lambda: "event=connection_closed" in started.log_text(), "the end")
        self.assertRegex(started.log_text(), r"event=connection_closed .*open_ms=[\d.]+\n")
        self.assertNotIn("connections_limited", started.log_text())


class RequestLimit(MemberTest):
    OPTIONS = {"net.frame_bytes_max": "64KiB", "net.handshake_bytes_max": "4KiB"}

    def test_request_of_the_limit_is_served_and_one_byte_more_is_not(self):
        started = self.start_member(self.OPTIONS)
        room = 65536 - len(encode("SET", "key", b"v" * 60000)) + 60000
        with started.connect() as connection:
            self.assertEqual(connection.command("SET", "key", b"v" * room), "OK")
            connection.send_some(encode("SET", "key", b"v" * (room + 1)))
            self.assertRegex(connection.read_to_close(), rb"\A-ERR Protocol error: .*65536.*\r\n\Z")
        started.wait_for_closed("frame_limit", 1)
        self.assertEqual(started.command("GET", "key"), b"v" * room)

    def test_no_way_leads_around_the_limit(self):
        started = self.start_member(self.OPTIONS)
        head = b"*1000000\r\n$3\r\nDEL\r\n"
        fill = 65536 - len(head) - len(b"$65000\r\n") - 2
        tricks = {
            "the first argument fills the limit": b"$%d\r\n" % fill + b"a" * fill + b"\r\n",
            "empty arguments": b"$0\r\n\r\n" * 20000,
            "short arguments": b"$1\r\na\r\n" * 20000,
        }
        for count, (name, data) in enumerate(tricks.items(), 1):
            with self.subTest(name), started.connect() as connection:
                connection.send_some(head + data + b"$60000\r\n" + b"b" * 60000)
                reply = connection.read_to_close()
                # The reset that follows may overtake the reply where the sender does not read.
                self.assertRegex(reply, rb"\A(-ERR Protocol error: .*\r\n)?\Z")
            started.wait_for_closed("frame_limit", count)


class OutputLimit(MemberTest):
    def test_output_that_waits_pauses_the_requests_and_is_counted(self):
        started = self.start_member({"net.output_bytes_max": "16KiB"})
        self.assertEqual(started.command("SET", "value", b"v" * 10000), "OK")
        with started.connect(receive_buffer=4096) as slow:
            slow.send(encode("GET", "value") * 2000)
            started.wait_for_metric(lambda n: n >= 1, "filbert_output_pauses_total")
            for _ in range(2000):
                self.assertEqual(slow.read_reply(), b"v" * 10000)
            self.assertEqual(slow.command("PING"), "PONG")


OOM = "OOM "


class MemoryLimit(MemberTest):
    LIMIT = 64 << 20

    def setUp(self):
        self.started = self.start_member({"memory.limit": "64MiB"})
        self.connection = self.started.connect()
        self.addCleanup(self.connection.close)

    def _fill(self, size):
        """Sets keys until the limit says no; returns those that were set, and one that was refused.

        Another key may still find a free place that its partition has already paid for.
        """
        keys = []
        per_batch = max(1, 200_000 // size)
        for batch in range(self.LIMIT // size):
            names = [f"key{batch}:{i}" for i in range(per_batch)]
            self.connection.send(b"".join(encode("SET", name, b"v" * size) for name in names))
            replies = [self.connection.read_reply() for _ in names]
            keys += [name for name, reply in zip(names, replies) if reply == "OK"]
            refusals = {name: reply for name, reply in zip(names, replies) if reply != "OK"}
            if refusals:
                wanted = "OOM command not allowed when used memory > 'maxmemory'."
                self.assertEqual(set(refusals.values()), {wanted})
                return keys, list(refusals)[-1]
        raise AssertionError("more fits than the limit allows")

    def _check_full_and_free_again(self, size):
        keys, new = self._fill(size)
        # Most of the limit is for data.
        self.assertGreater(len(keys) * size, self.LIMIT * 0.75)
        self.assertLessEqual(self.started.metric("filbert_memory_used_bytes"), self.LIMIT)
        self.assertGreater(self.started.metric("filbert_memory_refused_total"), 0)
        # Reads work, on every loop and for those who come now.
        for key in keys[:12]:
            self.assertEqual(self.started.command("GET", key), b"v" * size)
            self.assertEqual(self.started.command("EXISTS", key, new), 1)
        self.assertEqual(self.connection.command("DBSIZE"), len(keys))
        self.assertIn(b"# Memory", self.connection.command("INFO"))
        self.assertTrue(self.connection.command("SET", new, b"n" * size).startswith(OOM))
        self.assertIsNone(self.connection.command("GET", new))
        # An entry that was refused its change keeps its value.
        self.assertTrue(self.connection.command("SET", keys[0], b"w" * size * 2).startswith(OOM))
        self.assertEqual(self.connection.command("GET", keys[0]), b"v" * size)
        # What is removed makes room.
        self.assertEqual(self.connection.command("DEL", *keys[::2]), len(keys[::2]))
        self.assertEqual(self.connection.command("SET", new, b"n" * size), "OK")
        self.assertEqual(self.connection.command("GET", new), b"n" * size)

    def _check_pages(self):
        for port in ("main", "admin"):
            for path in ("/livez", "/readyz", "/metrics", "/loops", "/services", "/"):
                client = self.http[port]
                self.assertEqual(client.get(path)[0], 200, (port, path))

    def test_pages_are_answered_when_nothing_else_is(self):
        started = self.start_member({"memory.limit": "32MiB", "admin.listen": "127.0.0.1:0",
                                     "net.output_bytes_max": "64MiB", "net.io_threads": 1})
        # The log has a thread of its own: the member may be ready before the line is there.
        member.wait_until(lambda: "admin_listening" in started.log_text(), "the line of the port")
        lines = started.log_text().splitlines()
        told = next(line for line in lines if "admin_listening" in line)
        address = member.parse_logfmt(told)["address"]
        self.http = {"main": started.connect(),
                     "admin": member.Connection(int(address.split(":")[1]))}
        for client in self.http.values():
            self.addCleanup(client.close)
        self._check_pages()
        with contextlib.ExitStack() as stack:
            fill = stack.enter_context(started.connect())
            refused = 0
            for i in range(100_000):
                refused += fill.command("SET", f"key{i}", b"v" * 2000) != "OK"
                if refused > 100:
                    break
            self.assertGreater(refused, 100)
            # What data has to leave is taken by those who do not read, in large and small pieces.
            for _ in range(200):
                slow = stack.enter_context(started.connect(receive_buffer=2048))
                slow.send_some(encode("GET", "key0") * 200)
            for _ in range(40):
                half = stack.enter_context(started.connect())
                half.send_some(b"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$20000000\r\n" + b"h" * 300_000)
            started.wait_for_closed("memory", 1)
            for _ in range(20):
                self._check_pages()
        self.assertEqual(started.metric("filbert_memory_limit_bytes"), 32 << 20)

    def _fill_collections(self, connection, add):
        """Adds until the limit says no, in each of some keys; returns the words that were taken."""
        for i in range(200_000):
            reply = connection.command(*add(i))
            if isinstance(reply, member.ErrorReply):
                self.assertTrue(reply.startswith(OOM), reply)
                return i
        raise AssertionError("more fits than the limit allows")

    COLLECTIONS = {
        "list": (lambda i: ("RPUSH", f"k{i % 50}", b"v" * 4000), ("LLEN", "k0"),
                 ("LINDEX", "k0", 0)),
        "hash": (lambda i: ("HSET", f"k{i % 50}", f"f{i}", b"v" * 4000), ("HLEN", "k0"),
                 ("HGET", "k0", "f0")),
        "set": (lambda i: ("SADD", f"k{i % 50}", b"%08d" % i + b"v" * 4000), ("SCARD", "k0"),
                ("SISMEMBER", "k0", b"%08d" % 0 + b"v" * 4000)),
        "zset": (lambda i: ("ZADD", f"k{i % 50}", i, b"%08d" % i + b"v" * 4000), ("ZCARD", "k0"),
                 ("ZSCORE", "k0", b"%08d" % 0 + b"v" * 4000)),
        "stream": (lambda i: ("XADD", f"k{i % 50}", "*", "field", b"v" * 4000), ("XLEN", "k0"),
                   ("XRANGE", "k0", "-", "+", "COUNT", 1)),
    }

    def test_full_of_collections_still_reads_and_recovers(self):
        for kind, (add, count, read) in self.COLLECTIONS.items():
            with self.subTest(kind):
                taken = self._fill_collections(self.connection, add)
                # A sorted set has its members twice.
                self.assertGreater(taken * 4000, self.LIMIT * 0.35)
                held = self.connection.command(*count)
                self.assertGreater(held, 0)
                self.assertTrue(self.connection.command(*read))
                # A string is refused as well, and what is there stays as it was.
                self.assertTrue(self.connection.command("SET", "new", b"n" * 100_000)
                                .startswith(OOM))
                self.assertEqual(self.connection.command(*count), held)
                self.assertEqual(self.started.admin().get("/metrics")[0], 200)
                self.assertEqual(self.connection.command("FLUSHALL"), "OK")
                self.assertEqual(self.connection.command("SET", "new", b"n" * 100_000), "OK")
                self.assertEqual(self.connection.command("DEL", "new"), 1)

    def test_map_with_a_limit_counts_its_collections(self):
        for option, value in (("map.bytes_max", "8MiB"), ("map.entries_max", 40)):
            started = self.start_member({option: value, "memory.limit": "256MiB"})
            for kind, (add, count, read) in self.COLLECTIONS.items():
                with self.subTest(option=option, kind=kind), started.connect() as connection:
                    taken = self._fill_collections(connection, add)
                    self.assertLess(taken, 5000)
                    self.assertGreater(connection.command(*count), 0)
                    self.assertTrue(connection.command(*read))
                    if option == "map.entries_max":
                        self.assertEqual((taken, connection.command("DBSIZE")), (40, 40))
                        self.assertTrue(connection.command("SET", "new", "n").startswith(OOM))
                    self.assertGreater(started.metric("filbert_map_bytes", map="default"),
                                       taken * 4000 * 0.9)
                    self.assertEqual(connection.command("FLUSHALL"), "OK")

    def test_strings_make_room_for_collections_where_they_may_go(self):
        started = self.start_member({"map.bytes_max": "8MiB", "map.eviction": "lru"})
        with started.connect() as connection:
            for i in range(1000):
                self.assertEqual(connection.command("SET", f"s{i}", b"v" * 4000), "OK")
            strings = connection.command("DBSIZE")
            for i in range(300):
                self.assertEqual(connection.command("RPUSH", f"k{i}", b"v" * 4000), 1)
            left = connection.command("DBSIZE") - 300
            self.assertLess(left, strings)
            self.assertLess(started.metric("filbert_map_bytes", map="default"), 10 << 20)

    def test_full_of_small_values_still_reads_and_recovers(self):
        self._check_full_and_free_again(4000)

    def test_full_of_large_values_still_reads_and_recovers(self):
        self._check_full_and_free_again(500_000)

    def test_value_beyond_the_limit_is_refused_and_nothing_is_lost(self):
        self.assertEqual(self.connection.command("SET", "kept", "safe"), "OK")
        with self.started.connect() as large:
            large.send_some(encode("SET", "large", b"v" * 100_000_000))
            reply = large.read_to_close()
        # It cannot be received whole, so the connection ends behind the reason.
        self.assertRegex(reply, rb"\A(-OOM .*\r\n)?\Z")
        self.started.wait_for_closed("memory", 1)
        self.assertEqual(self.connection.command("GET", "kept"), b"safe")
        self.assertIsNone(self.connection.command("GET", "large"))
        self.assertEqual(self.connection.command("SET", "more", "room"), "OK")
        self.started.wait_for_metric(lambda n: n < 10_000_000, "filbert_memory_used_bytes")

    @unittest.skipIf(is_sanitized(), "a sanitizer's own memory hides the member's")
    def test_process_is_not_much_larger_than_the_limit(self):
        self._fill(2000)
        self.assertLess(self.started.resident_bytes(), 1.5 * self.LIMIT)

    def test_smallest_limit_is_of_use(self):
        started = self.start_member({"memory.limit": "16MiB"})
        with started.connect() as connection:
            for i in range(0, 10_000, 100):
                names = [f"key{n}" for n in range(i, i + 100)]
                connection.send(b"".join(encode("SET", name, b"v" * 1000) for name in names))
                self.assertEqual(connection.read(500), b"+OK\r\n" * 100)


class Subscriptions(MemberTest):
    """Who subscribes to very many channels meets the member's memory limit."""

    OOM = "OOM command not allowed when used memory > 'maxmemory'."
    LIMIT = 48 << 20
    STEP = 1000

    def _subscribe(self, connection, first):
        """Returns how many of the next channels were confirmed before one was refused."""
        names = [f"channel:{first + i}" for i in range(self.STEP)]
        connection.send(encode("SUBSCRIBE", *names))
        for count in range(self.STEP):
            reply = connection.read_reply()
            if reply == self.OOM:
                return count
            self.assertEqual(reply, [b"subscribe", names[count].encode(), first + count + 1])
        return self.STEP

    @unittest.skipIf(is_sanitized(), "a sanitizer's own memory hides the member's")
    def test_channels_are_charged_and_given_back(self):
        started = self.start_member({"memory.limit": self.LIMIT,
                                     "event.subscriptions_max": 1_000_000})
        before = started.metric("filbert_memory_used_bytes")
        count = 0
        with started.connect() as connection:
            while (more := self._subscribe(connection, count)) == self.STEP:
                count += more
            count += more
            self.assertGreater(count, 10_000)
            self.assertLess(count, 1_000_000)
            self.assertLess(started.resident_bytes(), self.LIMIT + (40 << 20))
            # Others are answered, and who listens already may leave.
            self.assertEqual(started.command("PUBLISH", "channel:0", "x"), 1)
            self.assertEqual(connection.read_reply(), [b"message", b"channel:0", b"x"])
            self.assertEqual(started.command("SET", "key", "v" * (1 << 20)), self.OOM)
            connection.send(encode("UNSUBSCRIBE", *(f"channel:{i}" for i in range(self.STEP))))
            for i in range(self.STEP):
                self.assertEqual(connection.read_reply()[2], count - 1 - i)
            connection.send(encode("SUBSCRIBE", "channel:0"))
            self.assertEqual(connection.read_reply()[2], count - self.STEP + 1)
        started.wait_for_metric(lambda n: n < before + (8 << 20), "filbert_memory_used_bytes")
        self.assertEqual(started.command("SET", "key", "v" * 1000), "OK")


if __name__ == "__main__":
    member.main()
