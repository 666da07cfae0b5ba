#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The filter gzip: texts are compressed for those who accept it, and for nobody else; what is
small, partial or compressed already is left alone; caches are told; curl and the standard library
read it.
"""
import gzip
import os
import random
import subprocess
import tempfile
import unittest

import member
from member import MemberTest

TEXT = ("the quick brown fox " * 200).encode()
LARGE = ("jumps over the lazy dog\n" * 2500).encode()
NOISE = random.Random(1).randbytes(4096)


class Gzip(MemberTest):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for name, data in (
            ("a.txt", TEXT), ("large.txt", LARGE), ("small.txt", b"x" * 1000),
            ("a.png", TEXT), ("noise.txt", NOISE),
        ):
            with open(os.path.join(folder.name, name), "wb") as file:
                file.write(data)
        path = os.path.join(folder.name, "front.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(
                f"routes:\n  - route: GET /s/*\n    files: {folder.name}\n"
                f"  - route: GET /text\n    text: '{TEXT.decode()}'\n"
            )
        self.member = self.start_member({"service.filters": "*: gzip"}, command=("serve", path))

    def ask(self, path, method="GET", **headers):
        connection = self.member.connect()
        self.addCleanup(connection.close)
        lines = "".join(f"{name.replace('_', '-')}: {text}\r\n" for name, text in headers.items())
        connection.send(f"{method} {path} HTTP/1.1\r\nHost: [::1]\r\n{lines}\r\n".encode())
        return connection.read_response(has_body=method != "HEAD")

    def test_texts_are_compressed_for_those_who_accept_it(self):
        for path, data in (("/s/a.txt", TEXT), ("/s/large.txt", LARGE), ("/text", TEXT)):
            status, headers, body = self.ask(path, Accept_Encoding="br;q=1.0, gzip;q=0.8")
            self.assertEqual((status, headers["content-encoding"]), (200, "gzip"), path)
            self.assertEqual(headers["vary"], "Accept-Encoding")
            self.assertLess(len(body), len(data) / 4)
            self.assertEqual(gzip.decompress(body), data)
            for accepted in ({}, {"Accept_Encoding": "gzip;q=0, *"}, {"Accept_Encoding": "br"}):
                status, headers, body = self.ask(path, **accepted)
                self.assertNotIn("content-encoding", headers)
                self.assertEqual(headers["vary"], "Accept-Encoding")
                self.assertEqual(body, data)

    def test_what_does_not_get_smaller_is_left_alone(self):
        for path, varies in (("/s/small.txt", False), ("/s/a.png", False), ("/s/noise.txt", True)):
            _, headers, _ = self.ask(path, Accept_Encoding="gzip")
            self.assertNotIn("content-encoding", headers, path)
            self.assertEqual("vary" in headers, varies, path)

    def test_parts_and_heads_are_left_alone(self):
        status, headers, body = self.ask(
            "/s/a.txt", Accept_Encoding="gzip", Range="bytes=0-2999"
        )
        self.assertEqual((status, body), (206, TEXT[:3000]))
        self.assertNotIn("content-encoding", headers)
        self.assertNotIn("content-encoding", self.ask("/text", method="HEAD",
                                                      Accept_Encoding="gzip")[1])

    def test_tag_of_other_bytes_is_weak_and_still_known(self):
        _, plain, _ = self.ask("/s/a.txt")
        _, packed, _ = self.ask("/s/a.txt", Accept_Encoding="gzip")
        self.assertEqual(packed["etag"], "W/" + plain["etag"])
        connection = self.member.connect()
        self.addCleanup(connection.close)
        connection.send(
            f"GET /s/a.txt HTTP/1.1\r\nHost: [::1]\r\n"
            f"If-None-Match: {packed['etag']}\r\n\r\n".encode()
        )
        self.assertEqual(connection.read_response(has_body=False)[0], 304)

    def test_curl_reads_it(self):
        done = subprocess.run(
            ["curl", "-sf", "--compressed", f"http://127.0.0.1:{self.member.port}/s/a.txt"],
            capture_output=True, timeout=member.GUARD, check=True,
        )
        self.assertEqual(done.stdout, TEXT)

    def test_routes_that_compress_are_off_the_loop(self):
        with self.member.connect() as connection:
            page = connection.get("/services")[2].decode()
        self.assertRegex(page, r"GET /s/\* +block +the route says so")
        self.assertRegex(page, r"filters gzip \(answered 0\)")


if __name__ == "__main__":
    unittest.main()
