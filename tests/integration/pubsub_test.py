#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Publish and subscribe as Redis clients know it: the same bytes as Redis in both versions of the
protocol, every message once and in order, and a slow reader that is cut and holds up nobody.
"""
import re
import socket
import subprocess
import tempfile
import unittest

from member import ROOT, Connection, MemberTest, SharedMemberTest, encode, wait_until

# Who listens to several channels unsubscribes from all of them in an order that Redis draws.
DIALOGUES = {
    "resp2": (
        "SUBSCRIBE a b a", "PING", "PING x", "GET k", "PUBSUB NUMPAT", "CLIENT ID",
        "UNSUBSCRIBE zz", "PSUBSCRIBE p*", "PUBLISH a b", "HELLO 3", "UNSUBSCRIBE b", "UNSUBSCRIBE",
        "PUNSUBSCRIBE", "PUNSUBSCRIBE", "UNSUBSCRIBE", "UNSUBSCRIBE a b", "PING", "SUBSCRIBE",
        "PUBSUB", "PUBSUB FOO", "PUBSUB CHANNELS a b", "PUBSUB NUMSUB", "PUBSUB NUMSUB a",
        "PUBSUB NUMPAT", "PUBSUB NUMPAT x", "PUBSUB CHANNELS", "PUBLISH a", "PUBLISH nobody x",
    ),
    "resp3": (
        "SUBSCRIBE a b", "PING", "PING x", "GET k", "PUBLISH a hi", "PSUBSCRIBE a* b*",
        "PUBLISH a hi", "PUBSUB NUMSUB a b", "PUBSUB NUMPAT", "UNSUBSCRIBE b", "UNSUBSCRIBE",
        "PUNSUBSCRIBE", "UNSUBSCRIBE q", "UNSUBSCRIBE", "PUNSUBSCRIBE", "PUBSUB NUMSUB a b",
    ),
}  # fmt: skip

PATTERNS = ("*", "n?ws", "n[aeo]ws", "n[^e]ws", "n[a-f]ws", r"n\?ws", "news", "new", "*s", "n*w*s",
            "[", "n[", "n[a", "[^]", "[a-", "\\", "news*", "**", "?", "n[z-a]ws")  # fmt: skip
CHANNELS = ("news", "nows", "n?ws", "nws", "newss", "n", "[", "na", "\\", "-")


class Redis:
    """The peer with which bytes are compared."""

    def __init__(self):
        peer = subprocess.run(
            [f"{ROOT}/tools/peer", "redis-server"], capture_output=True, text=True, check=False
        )
        if peer.returncode != 0:
            raise AssertionError(peer.stderr)
        self.folder = tempfile.TemporaryDirectory()
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.process = subprocess.Popen(
            [peer.stdout.strip(), "--port", str(self.port), "--save", ""],
            cwd=self.folder.name,
            stdout=subprocess.DEVNULL,
        )
        wait_until(self._answers, "redis")

    def _answers(self):
        try:
            with Connection(self.port) as connection:
                return connection.command("PING") == "PONG"
        except OSError:
            return False

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.folder.cleanup()


def exchange(connection, line):
    """What comes for a command; a second one, which all answer, shows the end of the first."""
    marker = "UNSUBSCRIBE end-of-%d" % len(line)
    connection.send(encode(*line.split()) + encode(*marker.split()))
    end = re.compile(rb"(?:\*|>)3\r\n\$11\r\nunsubscribe\r\n\$\d+\r\nend-of-\d+\r\n:\d+\r\n$")
    while end.search(connection.received) is None:
        connection._fill()  # pylint: disable=protected-access
    received = bytes(connection.received)
    connection.received.clear()
    return received


def message(channel, text):
    return encode("message", channel, text)


class LikeRedis(SharedMemberTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.redis = Redis()

    @classmethod
    def tearDownClass(cls):
        cls.redis.stop()
        super().tearDownClass()

    def _compare(self, lines, version):
        with Connection(self.redis.port) as theirs, self.connect() as ours:
            if version == "resp3":
                theirs.command("HELLO", "3")
                ours.command("HELLO", "3")
            for line in lines:
                self.assertEqual(exchange(ours, line), exchange(theirs, line), (version, line))

    def test_dialogues_are_the_same_byte_for_byte(self):
        for version, lines in DIALOGUES.items():
            self._compare(lines, version)

    def test_subscribed_connection_may_quit(self):
        for port in (self.redis.port, self.member.port):
            with Connection(port) as connection:
                connection.command("SUBSCRIBE", "a")
                connection.send(encode("QUIT"))
                self.assertEqual(connection.read_to_close(), b"+OK\r\n")

    def test_patterns_match_what_redis_matches(self):
        for pattern in PATTERNS:
            counts = []
            for port in (self.redis.port, self.member.port):
                with Connection(port) as subscriber, Connection(port) as publisher:
                    subscriber.command("PSUBSCRIBE", pattern)
                    counts.append([publisher.command("PUBLISH", c, "x") for c in CHANNELS])
            self.assertEqual(counts[1], counts[0], pattern)

    def test_channels_are_listed_by_pattern(self):
        with self.connect() as subscriber, self.connect() as other:
            subscriber.send(encode("SUBSCRIBE", "list.a", "list.b", "other"))
            for _ in range(3):
                subscriber.read_reply()
            self.assertEqual(
                sorted(other.command("PUBSUB", "CHANNELS", "list.*")), [b"list.a", b"list.b"]
            )


class Messages(SharedMemberTest):
    OPTIONS = {"net.output_bytes_max": "64KiB"}

    def _subscribe(self, *channels, **options):
        connection = self.connect(**options)
        for channel in channels:
            connection.command("SUBSCRIBE", channel)
        return connection

    def test_every_subscriber_gets_every_message_in_order(self):
        subscribers = [self._subscribe("order", "order2") for _ in range(5)]
        publisher = self.connect()
        publisher.send(
            b"".join(encode("PUBLISH", ("order", "order2")[i % 2], i) for i in range(2000))
        )
        for _ in range(2000):
            self.assertEqual(publisher.read_reply(), 5)
        for subscriber in subscribers:
            texts = [int(subscriber.read_reply()[2]) for _ in range(2000)]
            self.assertEqual(texts, list(range(2000)))

    def test_pattern_names_itself_and_the_channel(self):
        subscriber = self.connect()
        subscriber.command("PSUBSCRIBE", "pat.*")
        self.assertEqual(self.member.command("PUBLISH", "pat.1", "x"), 1)
        self.assertEqual(subscriber.read_reply(), [b"pmessage", b"pat.*", b"pat.1", b"x"])

    def test_nothing_comes_after_the_end_of_a_subscription(self):
        publisher = self.connect()
        for i in range(200):
            subscriber = self._subscribe("gone")
            publisher.send(encode("PUBLISH", "gone", i) * 3)
            subscriber.send(encode("UNSUBSCRIBE", "gone") + encode("ECHO", "end"))
            for _ in range(3):
                publisher.read_reply()
            replies = []
            while not replies or replies[-1] != b"end":
                replies.append(subscriber.read_reply())
            confirmed = replies.index([b"unsubscribe", b"gone", 0])
            self.assertEqual(replies[confirmed + 1 :], [b"end"])
            subscriber.close()

    def test_large_messages_and_empty_ones_come_whole(self):
        subscriber = self._subscribe("size")
        for size in (0, 1, 100_000, 400_000):
            self.member.command("PUBLISH", "size", b"m" * size)
            self.assertEqual(subscriber.read_reply(), [b"message", b"size", b"m" * size])

    def test_slow_reader_is_cut_and_holds_up_nobody(self):
        before = self.member.closed("output_limit")
        slow = self._subscribe("flood", receive_buffer=4096)
        quick = self._subscribe("flood", "calm")
        publisher = self.connect()
        text = b"f" * 10_000
        for _ in range(2000):
            publisher.command("PUBLISH", "flood", text)
            self.assertEqual(quick.read_reply(), [b"message", b"flood", text])
            if self.member.closed("output_limit") > before:
                break
        self.assertEqual(self.member.closed("output_limit"), before + 1)
        self.assertEqual(publisher.command("PUBLISH", "calm", "still here"), 1)
        self.assertEqual(quick.read_reply(), [b"message", b"calm", b"still here"])
        slow.close()

    def test_subscriptions_end_with_their_connections(self):
        listeners = self.member.metric("filbert_event_listeners")
        for how in ("close", "reset"):
            subscribers = [self._subscribe("ended") for _ in range(20)]
            self.assertEqual(self.member.command("PUBSUB", "NUMSUB", "ended"), [b"ended", 20])
            for subscriber in subscribers:
                getattr(subscriber, how)()
            wait_until(
                lambda: self.member.command("PUBSUB", "NUMSUB", "ended") == [b"ended", 0],
                "the end of the subscriptions",
            )
        # Those of earlier tests may still have been there.
        self.member.wait_for_metric(lambda n: n <= listeners, "filbert_event_listeners")

    def test_very_many_channels_come_and_go_with_one_command(self):
        names = [f"many{n}" for n in range(50_000)]
        with self.connect() as subscriber:
            subscriber.send(encode("SUBSCRIBE", *names))
            for number, name in enumerate(names, 1):
                expected = [b"subscribe", name.encode(), number]
                self.assertEqual(subscriber.read_reply(), expected)
            self.assertEqual(self.member.command("PUBLISH", names[-1], "x"), 1)
            self.assertEqual(subscriber.read_reply()[0], b"message")
            subscriber.send(encode("UNSUBSCRIBE", *names[:100]) + encode("UNSUBSCRIBE"))
            for number, name in enumerate(names, 1):
                expected = [b"unsubscribe", name.encode(), len(names) - number]
                self.assertEqual(subscriber.read_reply(), expected)

    def test_connection_with_very_many_channels_may_go(self):
        for how in ("close", "reset"):
            subscriber = self.connect()
            subscriber.send(encode("SUBSCRIBE", *(f"gone{n}" for n in range(100_000))))
            for _ in range(100_000):
                subscriber.read_reply()
            getattr(subscriber, how)()
            wait_until(
                lambda: self.member.command("PUBSUB", "CHANNELS", "gone*") == [],
                "the end of the subscriptions",
            )

    def test_messages_go_on_while_subscribers_come_and_go(self):
        steady = self._subscribe("churn")
        publisher = self.connect()
        for i in range(300):
            with self._subscribe("churn"):
                publisher.command("PUBLISH", "churn", i)
        self.assertEqual([int(steady.read_reply()[2]) for _ in range(300)], list(range(300)))


class Full(MemberTest):
    def test_subscribers_beyond_the_capacity_are_told(self):
        member = self.start_member({"event.capacity": "32"})
        connections = [member.connect() for _ in range(4)]
        replies = [connection.command("SUBSCRIBE", "x") for connection in connections]
        self.assertEqual(len([r for r in replies if isinstance(r, list)]), 2)
        self.assertIn("ERR too many subscribers for event.capacity", replies)
        self.assertEqual(member.metric("filbert_event_listeners_refused_total"), 2)

    def test_channels_beyond_the_limit_are_refused(self):
        member = self.start_member({"event.subscriptions_max": "2"})
        connection = member.connect()
        connection.send(encode("SUBSCRIBE", "a", "b", "c"))
        self.assertEqual([connection.read_reply()[2] for _ in range(2)], [1, 2])
        self.assertEqual(
            connection.read_reply(),
            "ERR too many channels and patterns on one connection: event.subscriptions_max is 2",
        )
        self.assertEqual(connection.command("UNSUBSCRIBE", "a")[2], 1)
        self.assertEqual(connection.command("PSUBSCRIBE", "c*")[2], 2)

    def _flood(self, requests):
        """Three subscribers that share four places beyond their own get everything."""
        member = self.start_member({"event.capacity": "52", "event.put_timeout": "60s"})
        subscribers = [member.connect() for _ in range(3)]
        for subscriber in subscribers:
            subscriber.command("SUBSCRIBE", "flood")
        publisher = member.connect()
        publisher.send(b"".join(requests(number) for number in range(2000)))
        for subscriber in subscribers:
            for number in range(2000):
                self.assertEqual(int(subscriber.read_reply()[2]), number)
        self.assertEqual(member.metric("filbert_events_dropped_total"), 0)

    def test_publisher_waits_for_all_and_nothing_is_dropped(self):
        self._flood(lambda number: encode("PUBLISH", "flood", number))

    def test_transaction_waits_for_all_and_nothing_is_dropped(self):
        self._flood(
            lambda number: encode("MULTI") + encode("PUBLISH", "flood", number) + encode("EXEC")
        )

    def test_member_stops_while_messages_flow(self):
        member = self.start_member()
        subscribers = [member.connect() for _ in range(10)]
        for subscriber in subscribers:
            subscriber.command("SUBSCRIBE", "flow")
        publisher = member.connect()
        publisher.send(b"".join(encode("PUBLISH", "flow", i) for i in range(2000)))
        member.signal()
        self.assertEqual(member.wait(), 0)


if __name__ == "__main__":
    unittest.main()
