#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What strangers send must not hurt the member or those it serves.

Every kind of bad input ends with a precise error or a clean close, a counter on /metrics tells of
it, the memory stays bounded, and meanwhile other clients are served without an error.
"""
import contextlib
import random

import member
from member import MemberTest, SharedMemberTest, Witness, encode, is_sanitized, wait_until

# The beginning of a TLS ClientHello.
TLS_HELLO = bytes.fromhex("16 0301 0200 01 0001fc 0303") + bytes(range(64))


class Nonsense(SharedMemberTest):
    def _check_counted(self, reason, count, act):
        """Runs act beside other clients; the counter must move by count."""
        before = self.member.closed(reason)
        with Witness(self.member):
            act()
            self.member.wait_for_closed(reason, before + count)
        self.assertEqual(self.member.closed(reason), before + count)

    def test_unknown_protocols_are_closed_and_counted(self):
        beginnings = [TLS_HELLO, bytes(1), bytes(5000), b"\xff\xfe", b"\r\n\0", b"$4\r\n", b"{}"]

        def act():
            for data in beginnings:
                connection = self.connect()
                connection.send_some(data)
                self.assertEqual(connection.read_to_close(), b"")
                connection.close()

        self._check_counted("unknown_protocol", len(beginnings), act)

    def _check_errors(self, reason, errors):
        """{data: error}: each is answered with its error behind what was right before it."""

        def act():
            for data, error in errors.items():
                with self.subTest(data=data[:60]):
                    connection = self.connect()
                    connection.send_some(encode("PING") + data)
                    self.assertEqual(connection.read_to_close(), b"+PONG\r\n" + error)
                    connection.close()

        self._check_counted(reason, len(errors), act)

    def test_broken_requests_are_told_what_is_wrong(self):
        self._check_errors(
            "malformed",
            {
                b"*2147483647\r\n": b"-ERR Protocol error: invalid multibulk length\r\n",
                b"*1048577\r\n": b"-ERR Protocol error: invalid multibulk length\r\n",
                b"*99999999999999999999\r\n": b"-ERR Protocol error: invalid multibulk length\r\n",
                b"*x\r\n": b"-ERR Protocol error: invalid multibulk length\r\n",
                b"*1\r\nPING\r\n": b"-ERR Protocol error: expected '$', got 'P'\r\n",
                b"*1\r\n\x01\r\n": b"-ERR Protocol error: expected '$', got '?'\r\n",
                b"*1\r\n$-1\r\n": b"-ERR Protocol error: invalid bulk length\r\n",
                b"*1\r\n$x\r\n": b"-ERR Protocol error: invalid bulk length\r\n",
                b"*1\r\n$4\r\nPINGxx": b"-ERR Protocol error: expected CRLF after the bulk\r\n",
                b'echo "a\r\n': b"-ERR Protocol error: unbalanced quotes in request\r\n",
            },
        )

    def test_lengths_beyond_the_limits_are_told_so(self):
        self._check_errors(
            "protocol_limit",
            {
                b"*1\r\n$2147483648\r\n": b"-ERR Protocol error: invalid bulk length\r\n",
                b"*1\r\n$536870913\r\n": b"-ERR Protocol error: invalid bulk length\r\n",
                b"a" * 70000: b"-ERR Protocol error: too big inline request\r\n",
            },
        )

    def test_claimed_length_alone_costs_no_memory(self):
        before = self.member.metric("filbert_memory_used_bytes")
        connections = [self.connect() for _ in range(100)]
        with Witness(self.member):
            for connection in connections:
                connection.send(b"*1000000\r\n$3\r\nSET\r\n$500000000\r\nx")
                wait_until(lambda c=connection: c.unsent_bytes() == 0, "the claim to arrive")
            grown = self.member.metric("filbert_memory_used_bytes") - before
        self.assertLess(grown, 4_000_000)
        for connection in connections:
            connection.close()

    def test_requests_cut_in_half_leave_nothing_behind(self):
        data = encode("SET", "half", b"h" * 100000)
        before = self.member.metric("filbert_connections")

        def act():
            for i in range(200):
                connection = self.connect()
                connection.send(data[: 1 + i * len(data) // 200])
                if i % 2 == 0:
                    connection.reset()
                else:
                    connection.finish()
                    self.assertEqual(connection.read_to_end(), b"")
                    connection.close()

        ended = self.member.closed("peer")
        with Witness(self.member):
            act()
            self.member.wait_for_closed("peer", ended + 200)
        self.member.wait_for_metric(lambda n: n == before, "filbert_connections")
        self.assertEqual(self.member.command("EXISTS", "half"), 0)

    def _throw(self, data):
        """Sends data on a connection of its own and takes what comes until it is closed."""
        connection = self.connect()
        connection.send_some(data)
        with contextlib.suppress(OSError):  # the member may have closed it already
            connection.finish()
        connection.read_to_close()
        connection.close()

    def test_random_bytes_hurt_nobody(self):
        numbers = random.Random(4711)
        starts = [b"", b"*", b"*1\r\n", b"*3\r\n$", b"GET /", b"GET / HTTP/1.1\r\n", b"a", b"set "]
        opened = self.member.metric("filbert_connections_opened_total")
        with Witness(self.member):
            for i in range(400):
                data = starts[i % len(starts)] + numbers.randbytes(numbers.randrange(1, 3000))
                self._throw(data)
            self.member.wait_for_metric(
                lambda n: n >= opened + 400, "filbert_connections_opened_total"
            )
        for reason in ("malformed", "unknown_protocol"):
            self.assertGreater(self.member.closed(reason), 0)

    def test_changed_bytes_in_good_requests_hurt_nobody(self):
        numbers = random.Random(815)
        commands = ("SET mutant value", "GET mutant", "CLIENT LIST", "HELLO 3", "COMMAND DOCS get")
        good = b"".join(encode(*command.split()) for command in commands)
        with Witness(self.member):
            for _ in range(400):
                data = bytearray(good)
                for _ in range(numbers.randrange(1, 4)):
                    data[numbers.randrange(len(data))] = numbers.choice(b"\0\r\n$*:0919-ax \xff")
                self._throw(bytes(data))

    def test_million_fragments_of_one_byte_are_served(self):
        # One command that arrives in a million pieces, as far as the system keeps them apart.
        size = 1_000_000 if not is_sanitized() else 200_000
        data = encode("ECHO", b"f" * size)
        connection = self.connect()
        with Witness(self.member):
            # With a time limit each call would ask the system twice.
            connection.socket.settimeout(None)
            send = connection.socket.send
            for i in range(len(data)):
                send(data[i : i + 1])
            connection.socket.settimeout(member.GUARD)
            head = b"$%d\r\n" % size
            self.assertEqual(connection.read(len(head)), head)
            self.assertTrue(connection.read(size) == b"f" * size, "another value came back")


class Strangers(MemberTest):
    def test_thousand_half_open_connections_are_closed_and_counted(self):
        started = self.start_member({"net.handshake_timeout": "3s"})
        connections = []
        with Witness(started):
            for i in range(1000):
                connections.append(started.connect())
                connections[-1].send((b"", b"GE", b"CP2", b"CP2\x20")[i % 4])
            started.wait_for_closed("handshake_timeout", 1000)
        for connection in connections:
            self.assertEqual(connection.read_to_close(), b"")
            connection.close()
        self.assertEqual(started.closed("handshake_timeout"), 1000)

    def test_client_that_never_reads_costs_bounded_memory(self):
        started = self.start_member({"net.output_bytes_max": "1MiB", "net.stall_timeout": "1h"})
        value = b"v" * 1_000_000
        self.assertEqual(started.command("SET", "large", value), "OK")
        used = started.metric("filbert_memory_used_bytes")
        resident = started.resident_bytes()
        connections = [started.connect(receive_buffer=65536) for _ in range(6)]
        for connection in connections:
            self.addCleanup(connection.close)
        # A pause holds the limit, the reply that went beyond it, a block whose beginning has left,
        # two replies that other threads were making, and the requests; pools draw a little ahead.
        bound = 6 * (1_048_576 + 4 * 1_000_100 + 200_000) + 8 * 131_072
        with Witness(started):
            for connection in connections:
                # Their replies would take 6 x 1 GB.
                connection.send(encode("GET", "large") * 1000)
            started.wait_for_metric(lambda n: n >= 1, "filbert_output_pauses_total")
            for _ in range(200):
                self.assertLess(started.metric("filbert_memory_used_bytes") - used, bound)
        info = started.command("INFO", "memory").decode()
        shown = int(info.split("used_memory:")[1].split("\r\n")[0])
        self.assertLess(shown - used, bound)
        if not is_sanitized():
            self.assertLess(started.resident_bytes() - resident, 2 * bound)
        for connection in connections:
            connection.reset()
        started.wait_for_closed("peer", 6)
        started.wait_for_metric(lambda n: n < used + 4_000_000, "filbert_memory_used_bytes")

    def test_half_requests_that_stand_still_are_closed_and_counted(self):
        started = self.start_member({"net.stall_timeout": "300ms"})
        halves = [b"*2\r\n", b"*2\r\n$3\r\nGET\r\n$5\r\nab", b"GET /livez HTTP/1.1\r\nHost:"]
        with Witness(started):
            connections = [started.connect() for _ in range(30)]
            for i, connection in enumerate(connections):
                connection.send(halves[i % len(halves)])
            started.wait_for_closed("half_request", 30)
        for connection in connections:
            self.assertEqual(connection.read_to_close(), b"")
            connection.close()

    def test_half_bodies_that_stand_still_are_closed_and_counted(self):
        started = self.start_member({"net.stall_timeout": "300ms"})
        kept = b"PUT /v1/maps/half/key HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        discarded = b"POST /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        chunked = b"Transfer-Encoding: chunked\r\n\r\n"
        halves = {
            kept + b"Content-Length: 10\r\n\r\n": b"",
            kept + b"Content-Length: 10\r\n\r\nhalf": b"",
            kept + chunked: b"",
            kept + chunked + b"4\r\nhalf\r\n": b"",
            kept + b"Expect: 100-continue\r\nContent-Length: 10\r\n\r\n": b"HTTP/1.1 100 ",
            discarded + b"Content-Length: 10\r\n\r\n": b"HTTP/1.1 405 ",
            discarded + b"Content-Length: 10\r\n\r\nhalf": b"HTTP/1.1 405 ",
        }
        with Witness(started):
            connections = [started.connect() for _ in halves]
            for connection, data in zip(connections, halves):
                connection.send(data)
            started.wait_for_closed("half_request", len(halves))
        for connection, answer in zip(connections, halves.values()):
            self.assertEqual(connection.read_to_close()[: len(answer) or None], answer)
            connection.close()
        self.assertEqual(started.closed("half_request"), len(halves))

    def test_body_that_trickles_is_closed_and_counted(self):
        started = self.start_member({"net.stall_timeout": "300ms"})
        with Witness(started), started.connect() as slow:
            slow.send(b"PUT /v1/maps/half/key HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                      b"Content-Length: 1000000\r\n\r\n")

            def is_closed():
                with contextlib.suppress(OSError):
                    slow.send(b"x")
                return started.closed("half_request") == 1

            wait_until(is_closed, "the connection to be cut")

    def test_arguments_are_charged_to_the_memory_limit(self):
        started = self.start_member({"memory.limit": "64MiB"})
        with Witness(started):
            connections = [started.connect() for _ in range(8)]
            refused = 0
            for connection in connections:
                try:
                    connection.send(b"*1048576\r\n" + b"$0\r\n\r\n" * 1_040_000)
                except OSError:
                    refused += 1  # cut while it was still sending
            for connection in connections:
                connection.close()
            if not is_sanitized():
                self.assertLess(started.resident_bytes(), 110_000_000)

    def test_client_that_stopped_reading_is_cut_and_counted(self):
        started = self.start_member({"net.stall_timeout": "200ms"})
        self.assertEqual(started.command("SET", "large", b"v" * 8_000_000), "OK")
        with Witness(started), started.connect(receive_buffer=4096) as deaf:
            deaf.send(encode("GET", "large"))
            started.wait_for_closed("slow_reader", 1)

    def test_silent_connection_is_closed_when_asked_for(self):
        started = self.start_member({"net.idle_timeout": "1s"})
        with started.connect() as silent:
            self.assertEqual(silent.command("PING"), "PONG")
            self.assertEqual(silent.read_to_end(), b"")
        self.assertGreaterEqual(started.closed("idle"), 1)


if __name__ == "__main__":
    member.main()
