#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""filbert serve: the example's routes do what the file says, beside everything a member does; what
is wrong with a file is told with its place, and nothing is started.
"""
import http.client
import json
import os
import tempfile
import unittest

import member
from member import MemberTest, ROOT


class Serve(MemberTest):
    def ask(self, method, path, body=None):
        connection = http.client.HTTPConnection(
            "127.0.0.1", self.member.port, timeout=member.GUARD
        )
        self.addCleanup(connection.close)
        connection.request(method, path, body)
        response = connection.getresponse()
        return response.status, response.read()

    def open_feed(self, path):
        connection = http.client.HTTPConnection(
            "127.0.0.1", self.member.port, timeout=member.GUARD
        )
        self.addCleanup(connection.close)
        connection.request("GET", path)
        response = connection.getresponse()
        self.assertEqual(response.readline(), b": listening\n")
        return response

    def write(self, text):
        file = tempfile.NamedTemporaryFile("w", suffix=".yaml", delete=False)
        self.addCleanup(os.unlink, file.name)
        with file:
            file.write(text)
        return file.name

    def test_routes_of_the_example_do_what_it_says(self):
        self.member = self.start_member(command=("serve", f"{ROOT}/examples/front.yaml"))
        self.assertEqual(self.ask("GET", "/hello"), (200, b"hello\n"))
        changes = self.open_feed("/users")
        self.assertEqual(self.ask("GET", "/users/7")[0], 404)
        self.assertEqual(self.ask("PUT", "/users/7", "Ada")[0], 201)
        self.assertEqual(self.ask("GET", "/users/7"), (200, b"Ada"))
        self.assertEqual(self.ask("GET", "/v1/maps/users/7"), (200, b"Ada"))
        self.assertEqual(self.ask("DELETE", "/users/7")[0], 204)
        self.assertEqual(changes.readline(), b"\n")
        self.assertEqual(changes.readline(), b"id: 1\n")
        self.assertEqual(changes.readline(), b"event: added\n")
        self.assertEqual(self.ask("POST", "/jobs", "first")[0], 201)
        self.assertEqual(self.ask("DELETE", "/jobs"), (200, b"first"))
        self.assertEqual(self.ask("DELETE", "/jobs")[0], 204)
        news = self.open_feed("/news")
        answer = json.loads(self.ask("POST", "/news", "extra")[1])
        self.assertEqual(answer["listeners"], 1)
        self.assertEqual(news.readline(), b"\n")
        self.assertEqual(news.readline(), b"id: 1\n")
        self.assertEqual(news.readline(), b"data: extra\n")
        self.assertEqual(self.ask("GET", "/prices/x")[0], 502)  # nobody is there
        self.assertIn(b"127.0.0.1:9001", self.ask("GET", "/upstreams")[1])

    def test_what_is_wrong_is_told_with_its_place(self):
        path = self.write("routes:\n  - route: GET /a\n    txt: a\n")
        for words in (("serve", path), ("serve", "--check", path)):
            done = member.run(*words)
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"{path}:3:10: there is no 'txt' here".encode(), done.stderr)

    def test_check_looks_and_starts_nothing(self):
        done = member.run("serve", "--check", f"{ROOT}/examples/front.yaml")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""))

    def test_wrong_usage_is_told(self):
        for words in (("serve",), ("serve", "--check"), ("serve", "--listen", "x")):
            done = member.run(*words)
            self.assertEqual(done.returncode, 2)
            self.assertIn(b"filbert help serve", done.stderr)
        done = member.run("serve", "/nowhere/at/all.yaml")
        self.assertEqual(done.returncode, 1)

    def test_two_routes_of_one_pattern_are_refused(self):
        path = self.write("routes:\n  - {route: GET /a, text: a}\n  - {route: GET /a, text: b}\n")
        done = member.run("serve", path, "--listen", "127.0.0.1:0")
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"the route GET /a", done.stderr)


if __name__ == "__main__":
    unittest.main()
