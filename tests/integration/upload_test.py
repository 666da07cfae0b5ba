#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Bodies that are read while they come, on real sockets: sizes beyond any buffer arrive whole, with
a length and in chunks; memory stays small; a client that asks first is called on; a sender that
goes away or sends nonsense harms nobody else.
"""
import re
import subprocess
import tempfile
import unittest

import member
import program

PIECE = bytes(range(256)) * 256
PIECES = 512 if not member.is_sanitized() else 64


def answer_of(data_bytes, data_sum):
    return f"bytes {data_bytes} sum {data_sum}\n".encode()


class Upload(unittest.TestCase):
    def setUp(self):
        self.program = program.start(self, "upload-service")

    def connect(self):
        connection = member.Connection(self.program.port)
        self.addCleanup(connection.close)
        return connection

    def resident_kib(self):
        with open(f"/proc/{self.program.process.pid}/status", encoding="ascii") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))

    def wait_for_busy(self, count):
        """Waits until so many threads of the pool have a handler."""
        pattern = re.compile(rf"^block +threads \d+ of \d+, busy {count},", re.MULTILINE)
        member.wait_until(
            lambda: pattern.search(self.program.get("/pools")[1]), f"{count} handlers that read"
        )

    def test_large_body_arrives_whole_and_costs_little_memory(self):
        connection = self.connect()
        total = PIECES * len(PIECE)
        before = self.resident_kib()
        connection.send(
            f"POST /sum HTTP/1.1\r\nHost: [::1]\r\nContent-Length: {total}\r\n\r\n".encode()
        )
        for _ in range(PIECES):
            connection.send(PIECE)
        status, _, body = connection.read_response()
        self.assertEqual((status, body), (200, answer_of(total, PIECES * sum(PIECE))))
        if not member.is_sanitized():
            self.assertLess(self.resident_kib() - before, total // 1024 // 2)

    def test_chunks_arrive_whole_and_the_connection_lives_on(self):
        connection = self.connect()
        for _ in range(3):
            connection.send(
                b"POST /sum HTTP/1.1\r\nHost: [::1]\r\nTransfer-Encoding: chunked\r\n\r\n"
            )
            for size in (1, 7, 4000, 65536):
                connection.send(b"%x\r\n" % size + PIECE[:size] + b"\r\n")
            connection.send(b"0\r\n\r\n")
            status, _, body = connection.read_response()
            expected = sum(sum(PIECE[:size]) for size in (1, 7, 4000, 65536))
            self.assertEqual((status, body), (200, answer_of(69544, expected)))

    def test_curl_is_called_on_and_answered(self):
        with tempfile.NamedTemporaryFile() as file:
            for _ in range(32):
                file.write(PIECE)
            file.flush()
            for options in ((), ("-H", "Transfer-Encoding: chunked")):
                result = subprocess.run(
                    ["curl", "-sv", "-X", "POST", "-H", "Expect: 100-continue", *options,
                     "--expect100-timeout", str(member.GUARD), "-T", file.name,
                     self.program.url("/sum")],
                    capture_output=True, timeout=member.GUARD, check=True,
                )
                self.assertIn(b"< HTTP/1.1 100 Continue", result.stderr)
                self.assertEqual(result.stdout, answer_of(32 * len(PIECE), 32 * sum(PIECE)))

    def test_nonsense_is_answered_once_and_harms_nobody(self):
        for mistake, status in ((b"z\r\n", 400), (b"5\r\nhello\n", 400)):
            connection = self.connect()
            connection.send(
                b"POST /sum HTTP/1.1\r\nHost: [::1]\r\nTransfer-Encoding: chunked\r\n\r\n"
            )
            connection.send(b"3\r\none\r\n" + mistake)
            self.assertEqual(connection.read_response()[0], status)
            self.assertEqual(connection.read_to_end(), b"")
        self.assertEqual(self.program.get("/livez")[0], 200)

    def test_sender_that_goes_away_frees_the_thread(self):
        for _ in range(3):
            connection = self.connect()
            connection.send(b"POST /sum HTTP/1.1\r\nHost: [::1]\r\nContent-Length: 100\r\n\r\nhalf")
            self.wait_for_busy(1)
            connection.reset()
            self.wait_for_busy(0)

    def test_member_that_stops_does_not_wait_for_a_silent_sender(self):
        connection = self.connect()
        connection.send(b"POST /sum HTTP/1.1\r\nHost: [::1]\r\nContent-Length: 100\r\n\r\nhalf")
        self.wait_for_busy(1)
        code, error = self.program.stop()
        self.assertEqual(code, 0, error)


if __name__ == "__main__":
    unittest.main()
