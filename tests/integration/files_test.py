#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A folder as a route of a service file: files come whole and in parts, only when they have changed
for those who ask so; nothing outside the folder can be reached; large ones leave while memory stays
small, also to slow readers; one that is cut meanwhile ends its connection.
"""
import os
import subprocess
import tempfile
import unittest

import member
from member import MemberTest

TEXT = b"0123456789" * 100
LARGE = bytes(range(256)) * 4096 * (32 if not member.is_sanitized() else 4)


class Files(MemberTest):
    def setUp(self):
        super().setUp()
        outside = tempfile.TemporaryDirectory()
        self.addCleanup(outside.cleanup)
        self.root = os.path.join(outside.name, "site")
        os.makedirs(os.path.join(self.root, "sub", "dir"))
        for name, data in (
            ("../secret.txt", b"secret"),
            ("a.txt", TEXT),
            ("index.html", b"<p>home"),
            ("sub/index.html", b"<p>sub"),
            ("sub/a b.css", b"p {}"),
            ("empty.bin", b""),
            ("large.bin", LARGE),
            (".hidden", b"hidden"),
        ):
            with open(os.path.join(self.root, name), "wb") as file:
                file.write(data)
        os.symlink("../secret.txt", os.path.join(self.root, "link.txt"))
        os.symlink("..", os.path.join(self.root, "up"))
        path = os.path.join(outside.name, "front.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"routes:\n  - route: GET /s/*\n    files: {self.root}\n")
        self.member = self.start_member(command=("serve", path))

    def ask(self, path, method="GET", **headers):
        connection = self.member.connect()
        self.addCleanup(connection.close)
        lines = "".join(f"{name.replace('_', '-')}: {text}\r\n" for name, text in headers.items())
        connection.send(f"{method} {path} HTTP/1.1\r\nHost: [::1]\r\n{lines}\r\n".encode())
        return self.read_answer(connection, has_body=method != "HEAD")

    @staticmethod
    def read_answer(connection, has_body):
        _, status, _ = connection.read_line().split(b" ", 2)
        headers = {}
        for line in iter(connection.read_line, b""):
            name, _, value = line.partition(b":")
            headers[name.decode().lower()] = value.strip().decode()
        size = int(headers.get("content-length", 0)) if has_body else 0
        return int(status), headers, connection.read(size)

    def test_files_come_whole_with_their_types(self):
        for path, kind, data in (
            ("/s/a.txt", "text/plain; charset=utf-8", TEXT),
            ("/s/", "text/html; charset=utf-8", b"<p>home"),
            ("/s/sub/", "text/html; charset=utf-8", b"<p>sub"),
            ("/s/sub/a%20b.css", "text/css; charset=utf-8", b"p {}"),
            ("/s/empty.bin", "application/octet-stream", b""),
            ("/s/large.bin", "application/octet-stream", LARGE),
        ):
            status, headers, body = self.ask(path)
            self.assertEqual((status, headers["content-type"]), (200, kind), path)
            self.assertEqual(headers["accept-ranges"], "bytes")
            self.assertTrue(body == data, path)
            status, headers, _ = self.ask(path, method="HEAD")
            self.assertEqual((status, int(headers["content-length"])), (200, len(data)), path)

    def test_nothing_else_can_be_reached(self):
        for path in (
            "/s/../secret.txt", "/s/sub/../../secret.txt", "/s/%2e%2e/secret.txt",
            "/s/..%2fsecret.txt", "/s/%2e%2e%2fsecret.txt", "/s/link.txt", "/s/up/secret.txt",
            "/s/up/site/a.txt", "/s/.hidden", "/s/%2ehidden", "/s/sub/./a.txt", "/s//a.txt",
            "/s//etc/passwd", "/s/a.txt%00.html", "/s/a.txt/", "/s/sub", "/s/nothing.txt",
            "/s/..%5csecret.txt", "/s/" + "x" * 300, "/s/" + "d/" * 50,
        ):
            status, headers, body = self.ask(path)
            self.assertEqual((status, body), (404, b"no such file\n"), path)
            self.assertNotIn("etag", headers)

    def test_parts_come_as_they_are_asked_for(self):
        for asked, first, last in (
            ("bytes=0-9", 0, 9), ("bytes=990-", 990, 999), ("bytes=-5", 995, 999),
            ("bytes=995-2000", 995, 999),
        ):
            status, headers, body = self.ask("/s/a.txt", Range=asked)
            self.assertEqual((status, body), (206, TEXT[first:last + 1]), asked)
            self.assertEqual(headers["content-range"], f"bytes {first}-{last}/1000")
        status, headers, body = self.ask("/s/large.bin", Range=f"bytes=1000-{len(LARGE) - 2}")
        self.assertEqual(status, 206)
        self.assertTrue(body == LARGE[1000:-1])
        status, headers, _ = self.ask("/s/a.txt", Range="bytes=1000-")
        self.assertEqual((status, headers["content-range"]), (416, "bytes */1000"))
        for asked in ("bytes=0-1,5-6", "lines=1-2", "bytes=5-1"):
            self.assertEqual(self.ask("/s/a.txt", Range=asked)[0], 200, asked)

    def test_conditions_are_answered(self):
        _, headers, _ = self.ask("/s/a.txt")
        tag, date = headers["etag"], headers["last-modified"]
        old = "Sun, 06 Nov 1994 08:49:37 GMT"
        for status, conditions in (
            (304, {"If_None_Match": tag}),
            (304, {"If_None_Match": f'"x", W/{tag}'}),
            (304, {"If_None_Match": "*"}),
            (200, {"If_None_Match": '"x"'}),
            (200, {"If_None_Match": '"x"', "If_Modified_Since": date}),
            (304, {"If_Modified_Since": date}),
            (200, {"If_Modified_Since": old}),
            (200, {"If_Modified_Since": "yesterday"}),
            (200, {"If_Match": tag}),
            (412, {"If_Match": '"x"'}),
            (412, {"If_Match": f"W/{tag}"}),
            (200, {"If_Unmodified_Since": date}),
            (412, {"If_Unmodified_Since": old}),
            (206, {"Range": "bytes=0-9", "If_Range": tag}),
            (206, {"Range": "bytes=0-9", "If_Range": date}),
            (200, {"Range": "bytes=0-9", "If_Range": '"x"'}),
            (200, {"Range": "bytes=0-9", "If_Range": old}),
            (200, {"Range": "bytes=0-9", "If_Range": f"W/{tag}"}),
            (304, {"Range": "bytes=0-9", "If_None_Match": tag}),
        ):
            found, headers, body = self.ask("/s/a.txt", **conditions)
            self.assertEqual(found, status, conditions)
            self.assertEqual(headers["etag"], tag)
            if status in (304, 412):
                self.assertEqual(body, b"")

    def test_change_is_seen(self):
        _, headers, _ = self.ask("/s/a.txt")
        path = os.path.join(self.root, "a.txt")
        os.utime(path, ns=(1, os.stat(path).st_mtime_ns + 1))
        self.assertEqual(self.ask("/s/a.txt", If_None_Match=headers["etag"])[0], 200)

    def test_curl_goes_on_where_it_stopped(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "part")
            with open(path, "wb") as file:
                file.write(LARGE[:123457])
            url = f"http://127.0.0.1:{self.member.port}/s/large.bin"
            subprocess.run(["curl", "-sf", "-C", "-", "-o", path, url], check=True,
                           timeout=member.GUARD)
            with open(path, "rb") as file:
                self.assertTrue(file.read() == LARGE)

    def test_file_that_is_cut_ends_its_connection(self):
        connection = self.member.connect(receive_buffer=4096)
        self.addCleanup(connection.close)
        connection.send(b"GET /s/large.bin HTTP/1.1\r\nHost: [::1]\r\n\r\n")
        connection.read(1000)
        os.truncate(os.path.join(self.root, "large.bin"), 100000)
        self.assertLess(len(connection.read_to_close()), len(LARGE) - 1000)

    def test_readers_that_are_gone_free_their_threads(self):
        for _ in range(3):
            connection = self.member.connect(receive_buffer=4096)
            connection.send(b"GET /s/large.bin HTTP/1.1\r\nHost: [::1]\r\n\r\n")
            connection.read(1000)
            connection.reset()
        member.wait_until(
            lambda: "busy 0," in self.block_line(), "the threads that had a reader"
        )

    def block_line(self):
        with self.member.connect() as connection:
            page = connection.get("/pools")[2].decode()
        return next(line for line in page.splitlines() if line.startswith("block "))


if __name__ == "__main__":
    unittest.main()
