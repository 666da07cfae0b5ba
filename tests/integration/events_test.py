#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What happens in the grid as server-sent events: messages of topics and changes of maps come in
order and once, whoever has made them; a reader that goes is forgotten, one that does not read
misses what it has no room for and can tell; a member with readers stops at once.
"""
import http.client
import json
import unittest

import member
from member import MemberTest, SharedMemberTest, wait_until


class Feed:
    """An open answer of events."""

    def __init__(self, test, port, path):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=member.GUARD)
        test.addCleanup(self.close)
        self.connection.request("GET", path)
        self.response = self.connection.getresponse()

    def close(self):
        self.response.close()
        self.connection.close()

    def read_block(self):
        """The lines up to the next empty one."""
        lines = []
        while True:
            line = self.response.readline().decode()
            if line in ("\n", ""):
                return lines
            lines.append(line.rstrip("\n"))

    def read_event(self):
        event = {}
        for line in self.read_block():
            name, _, value = line.partition(": ")
            event[name] = event[name] + "\n" + value if name in event else value
        return event


class Asking:
    def ask(self, method, path, body=None):
        connection = http.client.HTTPConnection(
            "127.0.0.1", self.member.port, timeout=member.GUARD
        )
        self.addCleanup(connection.close)
        connection.request(method, path, body)
        response = connection.getresponse()
        return response.status, response.read()

    def open_feed(self, path):
        feed = Feed(self, self.member.port, path)
        self.assertEqual(feed.response.status, 200)
        self.assertEqual(feed.response.getheader("Content-Type"), "text/event-stream")
        self.assertEqual(feed.read_block(), [": listening"])
        return feed

    def publish(self, name, message):
        status, answer = self.ask("POST", f"/v1/topics/{name}", message)
        self.assertEqual(status, 200)
        return json.loads(answer)["listeners"]


class Events(Asking, SharedMemberTest):
    def test_messages_reach_all_who_listen_in_order(self):
        feeds = [self.open_feed("/v1/events/topics/news") for _ in range(2)]
        for number in range(50):
            self.assertEqual(self.publish("news", f"message {number}"), 2)
        for feed in feeds:
            events = [feed.read_event() for _ in range(50)]
            self.assertEqual([e["data"] for e in events], [f"message {n}" for n in range(50)])
            self.assertEqual([int(e["id"]) for e in events], list(range(1, 51)))

    def test_lines_and_bytes_arrive_as_they_were(self):
        feed = self.open_feed("/v1/events/topics/forms")
        self.publish("forms", "two\nlines")
        self.assertEqual(feed.read_event()["data"], "two\nlines")
        self.publish("forms", b"\xff\x00")
        event = feed.read_event()
        self.assertEqual((event["event"], event["data"]), ("base64", "/wA="))
        self.publish("forms", b"a\rb")
        self.assertEqual(feed.read_event()["data"], "YQ1i")

    def test_changes_of_a_map_are_told_with_key_and_value(self):
        feed = self.open_feed("/v1/events/maps/watched")
        self.ask("PUT", "/v1/maps/watched/k", 'say "hello"')
        self.ask("PUT", "/v1/maps/watched/k", "again")
        self.ask("DELETE", "/v1/maps/watched/k")
        events = [feed.read_event() for _ in range(3)]
        self.assertEqual([e["event"] for e in events], ["added", "updated", "removed"])
        data = [json.loads(e["data"]) for e in events]
        self.assertEqual(data[0], {"key": "k", "value": 'say "hello"'})
        self.assertEqual(data[1]["value"], "again")
        self.assertEqual(data[1]["old_value"], 'say "hello"')

    def test_redis_clients_are_heard_too(self):
        feed = self.open_feed("/v1/events/maps/default?values=false")
        self.member.command("SET", "by-redis", "v")
        event = feed.read_event()
        self.assertEqual((event["event"], event["data"]), ("added", '{"key": "by-redis"}'))

    def test_what_cannot_be_is_refused(self):
        self.assertEqual(self.ask("GET", "/v1/events/maps/m?values=maybe")[0], 400)
        serialized = b"\0\0\0\0\0\0\0\x07" + b"1234"
        self.assertEqual(self.ask("POST", "/v1/topics/t", serialized)[0], 422)

    def test_reader_that_goes_is_forgotten(self):
        feed = self.open_feed("/v1/events/topics/short")
        self.assertEqual(self.publish("short", "heard"), 1)
        feed.close()
        wait_until(lambda: self.publish("short", "unheard") == 0, "the listener's end")

    def test_reader_that_does_not_read_misses_and_is_counted(self):
        def missed():
            return self.member.metric("filbert_service_events_missed_total")

        before = missed()
        self.open_feed("/v1/events/topics/flood")
        message = b"x" * 65536
        wait_until(lambda: self.publish("flood", message) == 1 and missed() > before, "a miss")


class Full(Asking, MemberTest):
    def test_publisher_waits_for_room_and_nothing_is_dropped(self):
        self.member = self.start_member({"event.capacity": "16", "event.put_timeout": "60s"})
        feed = self.open_feed("/v1/events/topics/narrow")
        requests = b"".join(
            b"POST /v1/topics/narrow HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%d"
            % (len(str(number)), number)
            for number in range(1000)
        )
        with self.member.connect() as publisher:
            publisher.send(requests)
            for number in range(1000):
                event = feed.read_event()
                self.assertEqual((event["data"], int(event["id"])), (str(number), number + 1))
        self.assertEqual(self.member.metric("filbert_events_dropped_total"), 0)


class Stop(Asking, MemberTest):
    def test_member_with_readers_stops_at_once_and_well(self):
        self.member = self.start_member()
        feeds = [self.open_feed("/v1/events/topics/t"), self.open_feed("/v1/events/maps/m")]
        self.member.signal()
        for feed in feeds:
            self.assertEqual(feed.response.read(), b"")  # its proper end
        self.assertEqual(self.member.wait(), 0)


if __name__ == "__main__":
    unittest.main()
