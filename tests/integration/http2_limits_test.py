#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Those who would have the member work for nothing over HTTP/2: each limit is kept, counted, and
hurts nobody else.
"""
import struct

import http2_client as h2
import member
from member import MemberTest, SharedMemberTest

RESET = struct.pack(">I", h2.CANCEL)


class Silence(MemberTest):
    def test_whoever_only_greets_is_closed_and_counted(self):
        started = self.start_member({"net.handshake_timeout": "1s"})
        asked = h2.Client(started.port)
        self.addCleanup(asked.close)
        stream = asked.ask()
        self.assertEqual(asked.find(h2.DATA, stream).flags & h2.END_STREAM, h2.END_STREAM)
        settings = h2.frame(h2.SETTINGS)
        silent = [h2.Client(started.port, is_greeting=False) for _ in range(3)]
        greetings = (b"", settings, settings + h2.frame(h2.SETTINGS, h2.ACK))
        for client, greeting in zip(silent, greetings):
            self.addCleanup(client.close)
            client.send(h2.PREFACE + greeting)
        for client in silent:
            client.connection.read_to_close()
        self.assertEqual(started.closed("handshake_timeout"), 3)
        # Who has asked once has all the time it wants.
        stream = asked.ask()
        self.assertEqual(asked.find(h2.DATA, stream).flags & h2.END_STREAM, h2.END_STREAM)


class Floods(SharedMemberTest):
    def client(self, **options):
        client = h2.Client(self.member.port, **options)
        self.addCleanup(client.close)
        return client

    def refused(self, reason):
        return self.member.metric("filbert_http2_refused_total", reason=reason)

    def assert_flood_ends(self, frames, reason="flood", code=h2.ENHANCE_YOUR_CALM):
        before = self.refused(reason)
        client = self.client()
        client.connection.send_some(frames)
        self.assertIn(client.ending(), (code, None))  # what was not read may have been reset
        self.member.wait_for_metric(lambda count: count > before, "filbert_http2_refused_total",
                                    reason=reason)
        self.assertEqual(self.connect().get("/livez")[0], 200)

    def test_requests_taken_back_at_once(self):
        head = h2.END_HEADERS | h2.END_STREAM
        self.assert_flood_ends(b"".join(
            h2.frame(h2.HEADERS, head, stream, h2.request("/v1/events/topics/x")) +
            h2.frame(h2.RST_STREAM, 0, stream, RESET) for stream in range(1, 4001, 2)))

    def test_pings_settings_priorities_and_empty_frames(self):
        self.assert_flood_ends(h2.frame(h2.PING, payload=bytes(8)) * 2000)
        self.assert_flood_ends(h2.frame(h2.SETTINGS) * 2000)
        self.assert_flood_ends(h2.frame(h2.PRIORITY, 0, 1, bytes(4) + b"\1") * 2000)
        self.assert_flood_ends(
            h2.frame(h2.HEADERS, h2.END_HEADERS, 1, h2.request("/v1/maps/m/k", "PUT")) +
            h2.frame(h2.DATA, 0, 1) * 2000)

    def test_headers_continued_without_end(self):
        self.assert_flood_ends(h2.frame(h2.HEADERS, 0, 1, h2.request()) +
                               h2.frame(h2.CONTINUATION, 0, 1, h2.block(("a", "b"))) * 1000)

    def test_settings_with_too_many_entries(self):
        self.assert_flood_ends(
            h2.frame(h2.SETTINGS, payload=struct.pack(">HI", 0x99, 1) * 1000))

    def test_client_that_answers_its_share_is_no_flood(self):
        """Each answer pays for a frame that asks for nothing."""
        client = self.client()
        for _ in range(1000):
            stream = client.ask()
            client.send(h2.frame(h2.PING, payload=bytes(8)))
            self.assertEqual(client.answer(stream)[0], 200)

    def test_headers_beyond_their_limit(self):
        before = self.refused("head")
        client = self.client()
        large = h2.request(more=(("x", "y" * 9000), ("z", "y" * 9000)))
        stream = client.next_stream()
        client.send(h2.frame(h2.HEADERS, h2.END_STREAM, stream, large[:16000]),
                    h2.frame(h2.CONTINUATION, h2.END_HEADERS, stream, large[16000:]))
        self.assertEqual(client.answer(stream)[0], 431)
        many = h2.request(more=[(f"x{i}", "y") for i in range(100)])
        self.assertEqual(client.answer(client.ask(many))[0], 431)
        self.assertEqual(self.refused("head"), before + 2)
        self.assertEqual(client.answer(client.ask(h2.request("/" + "a" * 9000)))[0], 414)
        self.assertEqual(client.answer(client.ask())[0], 200)

    def test_streams_beyond_their_limit_are_refused_and_may_be_tried_again(self):
        before = self.refused("streams")
        client = self.client()
        events = h2.request("/v1/events/topics/many")
        streams = [client.ask(events) for _ in range(120)]
        refused = {client.find(h2.RST_STREAM).stream for _ in range(20)}
        self.assertEqual(refused, set(streams[100:]))
        self.assertEqual(self.refused("streams"), before + 20)
        client.send(h2.frame(h2.RST_STREAM, 0, streams[0], RESET))
        self.assertEqual(client.answer(client.ask())[0], 200)


class Time(MemberTest):
    def setUp(self):
        self.server = self.start_member({"net.stall_timeout": "300ms"})

    def client(self, **options):
        client = h2.Client(self.server.port, **options)
        self.addCleanup(client.close)
        return client

    def stalled(self):
        return self.server.metric("filbert_http2_refused_total", reason="stalled")

    def test_preface_without_settings_is_cut(self):
        client = self.client(is_greeting=False)
        client.send(h2.PREFACE)
        self.assertIsNone(client.ending())

    def test_body_that_trickles_loses_its_stream_alone(self):
        client = self.client()
        stream = client.next_stream()
        client.send(h2.frame(h2.HEADERS, h2.END_HEADERS, stream,
                             h2.request("/v1/maps/m/k", "PUT")))
        found = None
        client.connection.socket.settimeout(0.05)
        while found is None or found.kind != h2.RST_STREAM:
            try:
                found = client.find(h2.RST_STREAM)
            except TimeoutError:
                client.send(h2.frame(h2.DATA, 0, stream, b"x"))
        client.connection.socket.settimeout(member.GUARD)
        self.assertEqual((found.stream, found.code), (stream, h2.CANCEL))
        self.assertEqual(client.answer(client.ask())[0], 200)
        self.assertEqual(self.stalled(), 1)

    def test_reader_without_a_window_loses_its_stream_alone(self):
        client = self.client(settings=((4, 0),))
        stream = client.ask()
        self.assertEqual(client.find(h2.RST_STREAM, stream).code, h2.CANCEL)
        self.assertEqual(self.stalled(), 1)
        client.send(h2.frame(h2.SETTINGS, payload=struct.pack(">HI", 4, 65535)))
        self.assertEqual(client.answer(client.ask())[0], 200)

    def test_events_that_nothing_happens_to_are_not_stalled(self):
        client = self.client()
        stream = client.ask(h2.request("/v1/events/topics/quiet"))
        client.find(h2.DATA, stream)
        trickle = client.next_stream()
        client.send(h2.frame(h2.HEADERS, h2.END_HEADERS, trickle,
                             h2.request("/v1/maps/m/k", "PUT")))
        self.assertEqual(client.find(h2.RST_STREAM).stream, trickle)  # time has passed
        client.ask(h2.request("/v1/topics/quiet", "POST"), body=b"still here")
        seen = b""
        while b"still here" not in seen:
            found = client.find(h2.DATA)
            seen += found.payload if found.stream == stream else b""


if __name__ == "__main__":
    member.main()
