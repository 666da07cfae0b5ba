#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""WebSockets on real sockets: everybody in the room hears everything, whole, in order; mistakes end
one's own connection alone, with their code; a listener that does not read holds nobody up; the
member says goodbye when it stops.
"""
import struct
import subprocess
import unittest

import member
import program
from websocket_client import BINARY, CLOSE, MORE, PING, PONG, TEXT, WebSocket


class Room(unittest.TestCase):
    def setUp(self):
        self.program = program.start(self, "chat-service")

    def enter(self, **options):
        guest = WebSocket(self.program.port, "/room", **options)
        self.addCleanup(guest.close)
        return guest

    def test_everybody_hears_everything_in_order(self):
        guests = [self.enter() for _ in range(5)]
        for guest in guests:  # who has an answer is in the room
            guest.send_frame(PING, b"in")
            self.assertEqual(guest.read_frame(), (PONG, b"in"))
        said = [f"{i} sagt Grüße {'!' * i * 97}".encode() for i in range(50)]
        for text in said:
            guests[0].send_frame(TEXT, text)
        for guest in guests:
            self.assertEqual([guest.read_frame() for _ in said], [(TEXT, text) for text in said])

    def test_pages_of_other_sites_do_not_get_in(self):
        self.enter(headers=b"Origin: http://[::1]\r\n")
        with self.assertRaisesRegex(AssertionError, "no WebSocket: 403"):
            self.enter(headers=b"Origin: http://evil.example\r\n")

    def test_parts_and_sizes_arrive_whole(self):
        guest = self.enter()
        for size in (0, 1, 125, 126, 65535, 65536, 1 << 20):
            data = bytes(range(256)) * (size // 256) + bytes(size % 256)
            guest.send_frame(BINARY, data)
            self.assertEqual(guest.read_frame(), (BINARY, data))
        guest.send_frame(TEXT, "Grü".encode()[:3], is_final=False)
        guest.send_frame(PING, b"within")
        guest.send_frame(MORE, "Grü".encode()[3:], is_final=False)
        guest.send_frame(MORE, b"n")
        self.assertEqual(guest.read_frame(), (PONG, b"within"))
        self.assertEqual(guest.read_frame(), (TEXT, "Grün".encode()))

    def test_frames_may_arrive_byte_by_byte(self):
        guest = self.enter()
        for byte in b"\x81\x85maskLb\x1f\x07\x02":
            guest.send(bytes([byte]))
        expected = bytes(a ^ b for a, b in zip(b"Lb\x1f\x07\x02", b"maskm"))
        op, data = guest.read_frame()
        self.assertEqual((op, data), (TEXT, expected))

    def check_ended(self, guest, code):
        op, data = guest.read_frame()
        self.assertEqual(op, CLOSE)
        self.assertEqual(struct.unpack(">H", data[:2])[0], code)
        self.assertEqual(guest.read_to_end(), b"")

    def test_mistakes_end_ones_own_connection_alone(self):
        neighbour = self.enter()
        mistakes = (
            (1002, b"\x82\x01x"),
            (1002, b"\xc2\x81maskx"),
            (1002, b"\x09\x80mask"),
            (1002, b"\x80\x80mask"),
            (1002, b"\x88\x81maskx"),
            (1007, b"\x81\x81mask\x92"),
            (1009, b"\x82\xff\x00\x00\x00\x00\x00\x10\x00\x01mask"),
        )
        for code, data in mistakes:
            with self.subTest(data):
                guest = self.enter()
                guest.send(data)
                self.check_ended(guest, code)
        neighbour.send_frame(TEXT, b"still here")
        self.assertEqual(neighbour.read_frame(), (TEXT, b"still here"))

    def test_goodbye_is_answered(self):
        guest = self.enter()
        guest.send_frame(CLOSE, b"\x0f\xa1bye")
        self.check_ended(guest, 4001)

    def test_listener_that_does_not_read_holds_nobody_up(self):
        silent = self.enter(receive_buffer=4096)
        silent.send_frame(PING)
        self.assertEqual(silent.read_frame(), (PONG, b""))
        guest = self.enter()
        data = bytes(100000)
        for _ in range(50):
            guest.send_frame(BINARY, data)
            self.assertEqual(guest.read_frame(), (BINARY, data))

    def test_clients_that_ask_for_no_websocket_are_told(self):
        result = subprocess.run(
            ["curl", "-si", self.program.url("/room")],
            capture_output=True, timeout=member.GUARD, check=True,
        )
        self.assertTrue(result.stdout.startswith(b"HTTP/1.1 426 Upgrade Required\r\n"))
        self.assertIn(b"\r\nSec-WebSocket-Version: 13\r\n", result.stdout)

    def test_sockets_are_counted(self):
        self.enter()
        self.enter()
        self.assertIn("filbert_service_websockets_total 2", self.program.get("/metrics")[1])
        self.assertIn("WebSockets 2", self.program.get("/services")[1])

    def test_member_that_stops_says_goodbye(self):
        guest = self.enter()
        guest.send_frame(PING)
        self.assertEqual(guest.read_frame(), (PONG, b""))
        code, error = self.program.stop()
        self.assertEqual(code, 0, error)
        self.check_ended(guest, 1001)


if __name__ == "__main__":
    unittest.main()
