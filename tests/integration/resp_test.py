#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""RESP on the wire, byte for byte: what each command answers in both versions of the protocol,
however the bytes of the requests are cut, and values of every kind and size.
"""
import random
import threading

import member
from member import SharedMemberTest, encode

HELLO_FIELDS = (
    b"$6\r\nserver\r\n$5\r\nredis\r\n$7\r\nversion\r\n$6\r\n7.0.15\r\n$5\r\nproto\r\n:%d\r\n"
    b"$2\r\nid\r\n:%d\r\n$4\r\nmode\r\n$10\r\nstandalone\r\n$4\r\nrole\r\n$6\r\nmaster\r\n"
    b"$7\r\nmodules\r\n*0\r\n"
)
COMMAND_GET = (
    b"*1\r\n*10\r\n$3\r\nget\r\n:2\r\nS2\r\n+readonly\r\n+fast\r\n:1\r\n:1\r\n:1\r\n"
    b"S0\r\nS0\r\nS0\r\n*0\r\n"
)
DOCS_GET = (
    b"$7\r\nsummary\r\n$27\r\nReturns the value of a key.\r\n$5\r\nsince\r\n$5\r\n1.0.0\r\n"
    b"$5\r\ngroup\r\n$6\r\nstring\r\n"
)

# What is the same in both versions: (request, reply).
COMMON = [
    (["PING"], b"+PONG\r\n"),
    (["ping", "hi"], b"$2\r\nhi\r\n"),
    (["ECHO", "hello"], b"$5\r\nhello\r\n"),
    (["ECHO", ""], b"$0\r\n\r\n"),
    (["SET", "key", "value"], b"+OK\r\n"),
    (["GET", "key"], b"$5\r\nvalue\r\n"),
    (["EXISTS", "key", "key", "none"], b":2\r\n"),
    (["DEL", "key", "none"], b":1\r\n"),
    (["DEL", "key"], b":0\r\n"),
    (["SELECT", "0"], b"+OK\r\n"),
    (["SELECT", "16"], b"-ERR DB index is out of range\r\n"),
    (["SELECT", "x"], b"-ERR value is not an integer or out of range\r\n"),
    (["CLIENT", "SETNAME", "tester"], b"+OK\r\n"),
    (["CLIENT", "GETNAME"], b"$6\r\ntester\r\n"),
    (["CLIENT", "SETINFO", "LIB-NAME", "exact"], b"+OK\r\n"),
    (["CLIENT", "SETNAME", ""], b"+OK\r\n"),
    (["GET"], b"-ERR wrong number of arguments for 'get' command\r\n"),
    (["PING", "a", "b"], b"-ERR wrong number of arguments for 'ping' command\r\n"),
    (["SET", "key", "value", "more"], b"-ERR syntax error\r\n"),
    (
        ["NOSUCH", "a b", "c"],
        b"-ERR unknown command 'NOSUCH', with args beginning with: 'a b' 'c' \r\n",
    ),
    # An error is one line, whatever was sent.
    (
        ["A\r\n-B", "\r\n+OK"],
        b"-ERR unknown command 'A  -B', with args beginning with: '  +OK' \r\n",
    ),
    (["HELLO", "4"], b"-NOPROTO unsupported protocol version\r\n"),
    (["HELLO", "x"], b"-ERR Protocol version is not an integer or out of range\r\n"),
    (["CONFIG", "SET", "log.level", "info"], b"+OK\r\n"),
    # Nothing is asked, nothing is answered.
    (b"*0\r\n*-1\r\n\r\n\n" + encode("PING"), b"+PONG\r\n"),
    # Inline commands between the others.
    (b"PING\r\n", b"+PONG\r\n"),
    (b'echo "two \\x77ords"\n', b"$9\r\ntwo words\r\n"),
    (b"set inline 'a b'\r\nget inline\r\ndel inline\r\n", b"+OK\r\n$3\r\na b\r\n:1\r\n"),
]


class ExactBytes(SharedMemberTest):
    def _check(self, connection, exchanges):
        """Sends each request and compares the bytes of its reply."""
        for request, reply in exchanges:
            with self.subTest(request=request):
                connection.send(request if isinstance(request, bytes) else encode(*request))
                self.assertEqual(connection.read(len(reply)), reply)
        # Nothing was left over.
        connection.send(encode("ECHO", "in step"))
        self.assertEqual(connection.read(13), b"$7\r\nin step\r\n")

    def test_version_2_answers(self):
        connection = self.connect()
        number = connection.command("CLIENT", "ID")
        hello = b"*14\r\n" + HELLO_FIELDS % (2, number)
        self._check(
            connection,
            [
                *COMMON,
                (["GET", "none"], b"$-1\r\n"),
                (["CLIENT", "GETNAME"], b"$-1\r\n"),
                (["COMMAND", "INFO", "nosuch"], b"*1\r\n$-1\r\n"),
                (["COMMAND", "INFO", "get"], COMMAND_GET.replace(b"S", b"*")),
                (["COMMAND", "DOCS", "get"], b"*2\r\n$3\r\nget\r\n*6\r\n" + DOCS_GET),
                (["CONFIG", "GET", "log.level"], b"*2\r\n$9\r\nlog.level\r\n$4\r\ninfo\r\n"),
                (["CONFIG", "GET", "nosuch"], b"*0\r\n"),
                (["CONFIG", "GET", "save"], b"*2\r\n$4\r\nsave\r\n$0\r\n\r\n"),
                (["INFO", "nosuch"], b"$0\r\n\r\n"),
                (["HELLO"], hello),
                (["HELLO", "2"], hello),
            ],
        )

    def test_browser_that_is_made_to_talk_resp_is_cut(self):
        with self.connect() as connection:
            connection.send(b"PROPFIND / HTTP/1.1\r\nHost: [::1]\r\n\r\nSET sneaked in\r\n")
            self.assertIn(b"this is HTTP", connection.read_to_close())
        self.assertIsNone(self.connect().command("GET", "sneaked"))

    def test_version_3_answers(self):
        connection = self.connect()
        number = connection.command("CLIENT", "ID")
        hello = b"%7\r\n" + HELLO_FIELDS % (3, number)
        self._check(
            connection,
            [
                (["HELLO", "3"], hello),
                *COMMON,
                (["GET", "none"], b"_\r\n"),
                (["CLIENT", "GETNAME"], b"_\r\n"),
                (["COMMAND", "INFO", "nosuch"], b"*1\r\n_\r\n"),
                (["COMMAND", "INFO", "get"], COMMAND_GET.replace(b"S", b"~")),
                (["COMMAND", "DOCS", "get"], b"%1\r\n$3\r\nget\r\n%3\r\n" + DOCS_GET),
                (["CONFIG", "GET", "log.level"], b"%1\r\n$9\r\nlog.level\r\n$4\r\ninfo\r\n"),
                (["CONFIG", "GET", "nosuch"], b"%0\r\n"),
                (["INFO", "nosuch"], b"=4\r\ntxt:\r\n"),
                (["HELLO"], hello),
                (["HELLO", "2"], b"*14\r\n" + HELLO_FIELDS % (2, number)),
                (["GET", "none"], b"$-1\r\n"),
            ],
        )

    def test_version_belongs_to_the_connection(self):
        third, second = self.connect(), self.connect()
        third.command("HELLO", "3", "SETNAME", "third")
        self._check(third, [(["GET", "none"], b"_\r\n")])
        self._check(second, [(["GET", "none"], b"$-1\r\n")])
        self.assertEqual(third.command("CLIENT", "GETNAME"), b"third")

    def test_quit_is_answered_and_ends_the_connection(self):
        connection = self.connect()
        connection.send(encode("PING") + encode("QUIT") + encode("PING"))
        self.assertEqual(connection.read_to_end(), b"+PONG\r\n+OK\r\n")

    def test_end_of_the_stream_is_answered_behind_the_replies(self):
        connection = self.connect()
        connection.send(encode("PING") * 100 + b"*1\r\n$4\r\nPI")
        connection.finish()
        self.assertEqual(connection.read_to_end(), b"+PONG\r\n" * 100)


class Delivery(SharedMemberTest):
    def test_requests_may_arrive_byte_by_byte(self):
        connection = self.connect()
        requests = encode("SET", "piece", "a\r\nb") + encode("GET", "piece") + b"echo 'x y'\r\n"
        for byte in requests * 3:
            connection.send(bytes([byte]))
        wanted = b"+OK\r\n$4\r\na\r\nb\r\n$3\r\nx y\r\n" * 3
        self.assertEqual(connection.read(len(wanted)), wanted)

    def test_requests_may_be_cut_anywhere(self):
        random_numbers = random.Random(20261)
        requests, wanted = b"", b""
        for i in range(300):
            value = random_numbers.randbytes(random_numbers.randrange(0, 3000))
            requests += encode("SET", f"cut{i}", value) + encode("GET", f"cut{i}")
            wanted += b"+OK\r\n$%d\r\n" % len(value) + value + b"\r\n"
        connection = self.connect()
        reader = threading.Thread(target=lambda: replies.append(connection.read(len(wanted))))
        replies = []
        reader.start()
        at = 0
        while at < len(requests):
            size = random_numbers.choice((1, 2, 7, 100, 2047, 2048, 5000, 70000))
            connection.send(requests[at : at + size])
            at += size
        reader.join(member.GUARD)
        self.assertEqual(replies, [wanted])

    def test_hundred_thousand_commands_in_one_pipeline_are_answered_in_order(self):
        count = 100_000
        requests = b"".join(encode("ECHO", f"{i:06}") for i in range(count))
        wanted = b"".join(b"$6\r\n%06d\r\n" % i for i in range(count))
        connection = self.connect()
        sender = threading.Thread(target=connection.send, args=[requests])
        sender.start()
        replies = connection.read(len(wanted))
        sender.join(member.GUARD)
        self.assertTrue(replies == wanted, "replies are missing or out of order")

    def test_pipeline_is_answered_although_the_reader_begins_late(self):
        connection = self.connect()
        self.assertEqual(connection.command("SET", "late", b"l" * 50000), "OK")
        pauses = self.member.metric("filbert_output_pauses_total")
        connection.send(encode("GET", "late") * 400 + encode("DEL", "late"))
        connection.finish()
        self.member.wait_for_metric(lambda n: n > pauses, "filbert_output_pauses_total")
        wanted = (b"$50000\r\n" + b"l" * 50000 + b"\r\n") * 400 + b":1\r\n"
        self.assertTrue(connection.read_to_end() == wanted, "not what was asked for")

    def test_a_loop_rests_for_a_client_that_does_not_wait(self):
        connection = self.connect()
        rests = self.member.metric("filbert_io_rests_total")
        sent = 0

        def is_resting(count):
            nonlocal sent
            for _ in range(1000):
                connection.send(encode("INCR", "trickle"))
            sent += 1000
            return count > rests

        self.member.wait_for_metric(is_resting, "filbert_io_rests_total")
        for i in range(sent):
            self.assertEqual(connection.read_reply(), i + 1)

    def test_many_connections_see_one_map(self):
        connections = [self.connect() for _ in range(30)]
        for i, connection in enumerate(connections):
            self.assertEqual(connection.command("SET", f"shared{i}", i), "OK")
        for i, connection in enumerate(reversed(connections)):
            self.assertEqual(connection.command("GET", f"shared{i}"), b"%d" % i)
        names = [f"shared{i}" for i in range(30)]
        self.assertEqual(connections[0].command("DEL", *names), 30)


class Values(SharedMemberTest):
    def _check_value(self, key, value):
        connection = self.connect()
        self.assertEqual(connection.command("SET", key, value), "OK")
        connection.send(encode("GET", key))
        head = b"$%d\r\n" % len(value)
        self.assertEqual(connection.read(len(head)), head)
        # Not assertEqual: it would print the difference of megabytes.
        self.assertTrue(connection.read(len(value)) == value, "another value came back")
        self.assertEqual(connection.read(2), b"\r\n")
        self.assertEqual(connection.command("DEL", key), 1)

    def test_empty_value(self):
        self._check_value("empty", b"")

    def test_empty_key(self):
        self._check_value("", b"value of the empty key")

    def test_binary_keys_and_values(self):
        everything = bytes(range(256)) * 3
        self._check_value(everything, everything[::-1])
        self._check_value(b"\0", b"\0\0")
        self._check_value(b"\r\n$3\r\nkey\r\n", b"*1\r\n$4\r\nQUIT\r\n")

    def test_keys_that_differ_in_their_last_byte_are_different(self):
        connection = self.connect()
        stem = b"k" * 1000
        for i in range(256):
            self.assertEqual(connection.command("SET", stem + bytes([i]), str(i)), "OK")
        values = [connection.command("GET", stem + bytes([i])) for i in range(256)]
        self.assertEqual(values, [b"%d" % i for i in range(256)])
        self.assertIsNone(connection.command("GET", stem))
        self.assertEqual(connection.command("DEL", *[stem + bytes([i]) for i in range(256)]), 256)

    def test_values_around_the_sizes_of_buffers(self):
        random_numbers = random.Random(7)
        for size in (2047, 2048, 4095, 16383, 16384, 65535, 65536, 65537, 1 << 20):
            with self.subTest(size=size):
                self._check_value("buffer", random_numbers.randbytes(size))

    def test_value_of_10_megabytes(self):
        self._check_value("ten", random.Random(10).randbytes(10_000_000))

    def test_value_of_100_megabytes(self):
        self._check_value("hundred", random.Random(100).randbytes(1_000_000) * 100)
        used = self.member.metric("filbert_memory_used_bytes")
        self.assertLess(used, 50_000_000, "the memory of a removed value is still in use")

    def test_command_with_a_hundred_thousand_arguments(self):
        connection = self.connect()
        self.assertEqual(connection.command("SET", "argument7", "x"), "OK")
        names = [f"argument{i}" for i in range(100_000)]
        self.assertEqual(connection.command("EXISTS", *names), 1)
        self.assertEqual(connection.command("DEL", *names), 1)


if __name__ == "__main__":
    member.main()
