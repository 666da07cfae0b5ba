#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Maps over HTTP: entries are written, read, expire and go; Redis clients see the same ones; what
cannot be is refused; every path, method and status of docs/openapi.yaml happens.
"""
import http.client
import json
import os
import re
import unittest
from urllib.parse import quote

import member
from member import ROOT, SharedMemberTest, wait_until


class Maps(SharedMemberTest):
    OPTIONS = {"net.frame_bytes_max": "64MiB"}

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

    def test_description_names_what_there_is(self):
        with open(f"{ROOT}/docs/openapi.yaml", encoding="utf-8") as file:
            text = file.read()
        described = set()
        path = None
        for line in text.splitlines():
            found = re.fullmatch(r"  (/\S+):", line)
            path = found.group(1) if found else path
            found = re.fullmatch(r"    (get|put|delete|post):", line)
            if found:
                described.add(f"{found.group(1).upper()} {path}")
        page = self.ask("GET", "/services")[1].decode()
        served = set(re.findall(r"(?m)^(\w+ /v1/(?:maps|topics|events)/\S+) ", page))
        self.assertEqual(described, served)


if __name__ == "__main__":
    unittest.main()
