#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A program of fifteen lines with a service: it answers, its routes can be moved to a pool by the
configuration alone, it drains on SIGTERM and then ends with 0, and what is wrong is said.
"""
import os
import signal
import subprocess
import unittest
import urllib.error
import urllib.request

import member
from member import wait_until


class Hello:
    """The example program under test."""

    def __init__(self, **environment):
        path = os.path.join(os.path.dirname(member.binary()), "hello-service")
        clean = {k: v for k, v in os.environ.items() if not k.startswith("FILBERT_")}
        self.process = subprocess.Popen(
            [path],
            env={**clean, "FILBERT_NET__LISTEN": "127.0.0.1:0", **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.port = None
        self.said = ""
        for line in self.process.stderr:
            self.said += line
            if "event=listening" in line:
                self.port = int(line.split("address=127.0.0.1:")[1].split()[0])
                break

    def get(self, target):
        with urllib.request.urlopen(
            f"http://127.0.0.1:{self.port}{target}", timeout=member.GUARD
        ) as response:
            return response.status, response.read().decode()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        _, error = self.process.communicate(timeout=member.GUARD)
        return self.process.returncode, error


class HelloService(unittest.TestCase):
    def start(self, **environment):
        hello = Hello(**environment)
        self.addCleanup(hello.process.stdout.close)
        self.addCleanup(hello.process.stderr.close)
        self.addCleanup(hello.process.wait)
        self.addCleanup(hello.process.kill)
        return hello

    def test_answers_and_drains(self):
        hello = self.start()
        self.assertEqual(hello.get("/hello"), (200, "hello world\n"))
        self.assertEqual(hello.get("/hello?name=Ada%20L"), (200, "hello Ada L\n"))
        self.assertEqual(hello.get("/readyz")[0], 200)
        code, error = hello.stop()
        self.assertEqual(code, 0, error)
        self.assertIn("connections_cut=0", error)

    def test_route_moves_to_a_pool_without_a_new_build(self):
        hello = self.start(FILBERT_SERVICE__ROUTES="GET /hello=cpu")
        self.assertEqual(hello.get("/hello"), (200, "hello world\n"))
        page = hello.get("/services")[1]
        line = next(line for line in page.splitlines() if line.startswith("GET /hello "))
        self.assertRegex(line, r"cpu +the configuration names the route +1 +1 +0 +0 +0 ")
        wait_until(lambda: "\n  run 1," in hello.get("/pools")[1], "the pool's count")
        self.assertEqual(hello.stop()[0], 0)

    def test_all_routes_move_with_one_option(self):
        hello = self.start(FILBERT_SERVICE__RUN_ON="block")
        self.assertEqual(hello.get("/hello"), (200, "hello world\n"))
        self.assertRegex(hello.get("/services")[1], r"GET /hello +block ")
        self.assertRegex(hello.get("/services")[1], r"GET /livez +loop ")
        self.assertEqual(hello.stop()[0], 0)

    def test_filters_come_with_the_configuration(self):
        hello = self.start(FILBERT_SERVICE__FILTERS="*: log, trace; GET /hello: rate=10")
        statuses = []
        for _ in range(30):
            try:
                statuses.append(hello.get("/hello")[0])
            except urllib.error.HTTPError as error:
                statuses.append(error.code)
                error.close()
        self.assertEqual(statuses[0], 200)
        self.assertIn(429, statuses)
        page = hello.get("/services")[1]
        self.assertRegex(page, r"filters log \(answered 0\) > trace \(answered 0\) > rate=10 \(")
        code, error = hello.stop()
        self.assertEqual(code, 0, error)
        self.assertIn('event=access method=GET path=/hello status=200', error)

    def test_place_that_does_not_exist_is_told(self):
        for options, text in (
            ({"FILBERT_SERVICE__RUN_ON": "gpu"}, "neither loop nor a pool"),
            ({"FILBERT_SERVICE__ROUTES": "GET /helo=cpu"}, "which is no route"),
            ({"FILBERT_SERVICE__POOLS": "db"}, "name=threads"),
            ({"FILBERT_SERVICE__FILTERS": "*: lgo"}, "is none of timeout"),
        ):
            hello = self.start(**options)
            self.assertEqual(hello.process.wait(timeout=member.GUARD), 1)
            self.assertIn(text, hello.said)


if __name__ == "__main__":
    unittest.main()
