#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A program of fifteen lines with a service: it answers, its routes can be moved to a pool by the
configuration alone, it drains on SIGTERM and then ends with 0, and what is wrong is said.
"""
import unittest
import urllib.error

import member
import program
from member import wait_until


class HelloService(unittest.TestCase):
    def start(self, **environment):
        return program.start(self, "hello-service", **environment)

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

    def test_filters_with_figures_show_them(self):
        hello = self.start(
            FILBERT_SERVICE__FILTERS="*: metrics=all; GET /hello: retry=3, metrics=behind"
        )
        for _ in range(3):
            self.assertEqual(hello.get("/hello")[0], 200)
        text = hello.get("/metrics")[1]
        for line in (
            'filbert_filter_answers_total{filter="all",route="*",status="2xx"} 3',
            'filbert_filter_answers_total{filter="behind",route="GET /hello",status="2xx"} 3',
            'filbert_filter_in_flight{filter="behind",route="GET /hello"} 0',
            'filbert_filter_seconds_count{filter="behind",route="GET /hello"} 3',
            'filbert_filter_retries_total{route="GET /hello"} 0',
        ):
            self.assertIn(line, text)
        page = hello.get("/services")[1]
        self.assertIn("filters metrics=all (answered 0) > retry=3 (answered 0) > metrics=b", page)
        self.assertEqual(hello.stop()[0], 0)

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
