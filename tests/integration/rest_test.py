#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Maps and queues over HTTP: entries are written, read, expire and go; Redis clients see the same
ones; items come out in order, and who waits gets one; what cannot be is refused; every path, method
and status of docs/openapi.yaml happens.
"""
import http.client
import json
import os
import re
import threading
import unittest
from urllib.parse import quote

import member
from member import ROOT, SharedMemberTest, wait_until


class Maps(SharedMemberTest):
    OPTIONS = {"net.frame_bytes_max": "64MiB", "queue.named": "small items_max=1"}

    def ask(self, method, path, body=None):
        connection = http.client.HTTPConnection(
            "127.0.0.1", self.member.port, timeout=member.GUARD
        )
        self.addCleanup(connection.close)
        connection.request(method, path, body)
        response = connection.getresponse()
        return response.status, response.read(), response.getheader("Content-Type")

    def test_entry_lives_from_put_to_delete(self):
        path = f"/v1/maps/capitals/{quote('Côte d’Ivoire', safe='')}"
        self.assertEqual(self.ask("GET", path)[0], 404)
        self.assertEqual(self.ask("PUT", path, "Yamoussoukro")[0], 201)
        self.assertEqual(
            self.ask("GET", path), (200, b"Yamoussoukro", "text/plain; charset=utf-8")
        )
        self.assertEqual(self.ask("PUT", path, "Abidjan")[0], 204)
        self.assertEqual(self.ask("GET", path)[1], b"Abidjan")
        self.assertEqual(self.ask("DELETE", path)[0], 204)
        self.assertEqual(self.ask("DELETE", path)[0], 404)

    def test_redis_clients_see_the_same_entries(self):
        self.assertEqual(self.ask("PUT", "/v1/maps/default/shared", "by http")[0], 201)
        self.assertEqual(self.member.command("GET", "shared"), b"by http")
        self.member.command("SET", "other", "by redis")
        self.assertEqual(self.ask("GET", "/v1/maps/default/other")[1], b"by redis")

    def test_time_to_live_ends_an_entry(self):
        self.assertEqual(self.ask("PUT", "/v1/maps/short/k?ttl_ms=1", "v")[0], 201)
        wait_until(lambda: self.ask("GET", "/v1/maps/short/k")[0] == 404, "the entry's end")
        self.assertEqual(self.ask("PUT", "/v1/maps/short/k?ttl_ms=-1", "v")[0], 400)

    def test_values_may_be_any_bytes_of_any_size(self):
        for value in (b"", b"\xff\x00\xfe", os.urandom(3 << 20)):
            status = self.ask("PUT", "/v1/maps/bytes/k", value)[0]
            self.assertIn(status, (201, 204))
            self.assertEqual(self.ask("GET", "/v1/maps/bytes/k")[1], value)

    def test_what_cannot_be_is_refused(self):
        self.assertEqual(self.ask("PUT", "/v1/maps/m/a%00b", "v")[0], 400)
        self.assertEqual(self.ask("GET", "/v1/maps/nosuch/k")[0], 404)
        self.assertEqual(self.ask("POST", "/v1/maps/m/k", "v")[0], 405)
        serialized = b"\0\0\0\0\0\0\0\x07" + b"1234"
        self.assertEqual(self.ask("PUT", "/v1/maps/m/k", serialized)[0], 422)

    def test_many_writers_lose_nothing(self):
        connection = self.connect()
        for n in range(200):
            head = f"PUT /v1/maps/many/{n} HTTP/1.1\r\nHost: [::1]\r\nContent-Length: 3\r\n\r\n"
            connection.send(f"{head}{n:03}".encode())
        for _ in range(200):
            self.assertEqual(connection.read_response()[0], 201)
        figures = json.loads(self.ask("GET", "/v1/maps/many")[1])
        self.assertEqual((figures["entries"], figures["puts"]), (200, 200))

    def test_items_come_out_in_order(self):
        for item in ("one", "two", ""):
            self.assertEqual(self.ask("POST", "/v1/queues/jobs", item)[0], 201)
        self.assertEqual(json.loads(self.ask("GET", "/v1/queues/jobs")[1]), {"items": 3})
        self.assertEqual(self.ask("GET", "/v1/queues/jobs/first")[:2], (200, b"one"))
        taken = [self.ask("DELETE", "/v1/queues/jobs/first") for _ in range(3)]
        text = "text/plain; charset=utf-8"
        self.assertEqual(taken, [(200, item, text) for item in (b"one", b"two", b"")])
        self.assertEqual(self.ask("DELETE", "/v1/queues/jobs/first")[0], 204)
        self.assertEqual(self.ask("GET", "/v1/queues/jobs/first")[0], 204)

    def test_who_waits_gets_an_item(self):
        answers = []
        path = "/v1/queues/late/first?wait_ms=30000"
        threads = [
            threading.Thread(target=lambda: answers.append(self.ask("DELETE", path)))
            for _ in range(3)
        ]
        for thread in threads:
            thread.start()
        for item in ("a", "b", "c"):
            self.assertEqual(self.ask("POST", "/v1/queues/late", item)[0], 201)
        for thread in threads:
            thread.join(member.GUARD)
        self.assertEqual(sorted(answer[:2] for answer in answers),
                         [(200, b"a"), (200, b"b"), (200, b"c")])

    def test_who_waits_for_room_gets_it(self):
        self.assertEqual(self.ask("POST", "/v1/queues/small", "1")[0], 201)
        self.assertEqual(
            json.loads(self.ask("GET", "/v1/queues/small")[1]), {"items": 1, "room": 0}
        )
        self.assertEqual(self.ask("POST", "/v1/queues/small?wait_ms=1", "2")[0], 503)
        answers = []
        waiting = threading.Thread(
            target=lambda: answers.append(self.ask("POST", "/v1/queues/small?wait_ms=30000", "3"))
        )
        waiting.start()
        self.assertEqual(self.ask("DELETE", "/v1/queues/small/first?wait_ms=30000")[1], b"1")
        waiting.join(member.GUARD)
        self.assertEqual(answers[0][0], 201)
        self.assertEqual(self.ask("DELETE", "/v1/queues/small/first?wait_ms=30000")[1], b"3")

    def test_who_was_cut_while_waiting_takes_nothing(self):
        waiting = self.connect()
        waiting.send(
            b"DELETE /v1/queues/cut/first?wait_ms=30000 HTTP/1.1\r\nHost: [::1]\r\n\r\n"
        )
        wait_until(lambda: self.ask("GET", "/v1/queues/cut")[0] == 200, "the request to arrive")
        before = self.connection_count()
        waiting.reset()
        wait_until(lambda: self.connection_count() < before, "the connection's end")
        self.assertEqual(self.ask("POST", "/v1/queues/cut", "kept")[0], 201)
        self.assertEqual(self.ask("DELETE", "/v1/queues/cut/first?wait_ms=30000")[1], b"kept")

    def connection_count(self):
        return self.member.metric("filbert_connections")

    def described(self):
        """{(method, path, status)} of the description."""
        with open(f"{ROOT}/docs/openapi.yaml", encoding="utf-8") as file:
            text = file.read()
        found = set()
        path = method = None
        for line in text.splitlines():
            if match := re.fullmatch(r"  (/\S+):", line):
                path = match.group(1)
            elif match := re.fullmatch(r"    (get|put|delete|post):", line):
                method = match.group(1).upper()
            elif match := re.match(r"        '(\d+)': ", line):
                found.add((method, path, int(match.group(1))))
        return found

    def test_description_names_what_there_is(self):
        page = self.ask("GET", "/services")[1].decode()
        served = set(re.findall(r"(?m)^(\w+ /v1/(?:maps|queues|topics|events)/\S+) ", page))
        self.assertEqual({f"{method} {path}" for method, path, _ in self.described()}, served)

    def test_everything_described_happens(self):
        serialized = b"\0\0\0\0\0\0\0\x07" + b"1234"
        small = (("POST", "/v1/queues/small", b"x"),)
        done = set()
        # Prepare, method, path as described, path as asked, body, status.
        for before, method, path, asked, body, status in (
            ((), "PUT", "/v1/maps/{name}/{key}", "/v1/maps/d/k", b"v", 201),
            ((), "PUT", "/v1/maps/{name}/{key}", "/v1/maps/d/k", b"v", 204),
            ((), "PUT", "/v1/maps/{name}/{key}", "/v1/maps/d/a%00", b"v", 400),
            ((), "PUT", "/v1/maps/{name}/{key}", "/v1/maps/d/k", bytes((16 << 20) + 1), 413),
            ((), "PUT", "/v1/maps/{name}/{key}", "/v1/maps/d/k", serialized, 422),
            ((), "GET", "/v1/maps/{name}/{key}", "/v1/maps/d/k", None, 200),
            ((), "GET", "/v1/maps/{name}/{key}", "/v1/maps/d/a%00", None, 400),
            ((), "GET", "/v1/maps/{name}/{key}", "/v1/maps/d/none", None, 404),
            ((), "DELETE", "/v1/maps/{name}/{key}", "/v1/maps/d/k", None, 204),
            ((), "DELETE", "/v1/maps/{name}/{key}", "/v1/maps/d/k", None, 404),
            ((), "GET", "/v1/maps/{name}", "/v1/maps/d", None, 200),
            ((), "GET", "/v1/maps/{name}", "/v1/maps/none", None, 404),
            ((), "POST", "/v1/queues/{name}", "/v1/queues/d", b"i", 201),
            ((), "POST", "/v1/queues/{name}", "/v1/queues/d?wait_ms=99999", b"i", 400),
            ((), "POST", "/v1/queues/{name}", "/v1/queues/d", bytes((1 << 20) + 1), 413),
            ((), "POST", "/v1/queues/{name}", "/v1/queues/d", serialized, 422),
            (small, "POST", "/v1/queues/{name}", "/v1/queues/small", b"i", 503),
            ((), "GET", "/v1/queues/{name}", "/v1/queues/d", None, 200),
            ((), "GET", "/v1/queues/{name}", "/v1/queues/none", None, 404),
            ((), "GET", "/v1/queues/{name}/first", "/v1/queues/d/first", None, 200),
            ((), "DELETE", "/v1/queues/{name}/first", "/v1/queues/d/first", None, 200),
            ((), "DELETE", "/v1/queues/{name}/first", "/v1/queues/d/first?wait_ms=1", None, 204),
            ((), "DELETE", "/v1/queues/{name}/first", "/v1/queues/d/first?wait_ms=x", None, 400),
            ((), "GET", "/v1/queues/{name}/first", "/v1/queues/d/first", None, 204),
            ((), "GET", "/v1/queues/{name}/first", "/v1/queues/none/first", None, 404),
            ((), "POST", "/v1/topics/{name}", "/v1/topics/d", b"m", 200),
            ((), "POST", "/v1/topics/{name}", "/v1/topics/d", bytes((1 << 20) + 1), 413),
            ((), "POST", "/v1/topics/{name}", "/v1/topics/d", serialized, 422),
            ((), "GET", "/v1/events/maps/{name}", "/v1/events/maps/d?values=x", None, 400),
        ):
            for step in before:
                self.ask(*step)
            with self.subTest(method=method, path=asked, status=status):
                self.assertEqual(self.ask(method, asked, body)[0], status)
            done.add((method, path, status))
        self.ask("DELETE", "/v1/queues/small/first")
        for path in ("/v1/events/topics/{name}", "/v1/events/maps/{name}"):
            self.assertEqual(self.first_status(path.replace("{name}", "d")), 200)
            done.add(("GET", path, 200))
        self.assertEqual(done, self.described())

    def first_status(self, path):
        """Of an answer that does not end."""
        connection = http.client.HTTPConnection(
            "127.0.0.1", self.member.port, timeout=member.GUARD
        )
        self.addCleanup(connection.close)
        connection.request("GET", path)
        return connection.getresponse().status


if __name__ == "__main__":
    unittest.main()
