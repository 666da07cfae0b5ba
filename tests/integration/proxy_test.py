#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Routes that other servers answer: what is passed on arrives, both ways; servers share the work;
one that refuses, is killed or hangs is left out, and nobody who asks notices; one that takes
longer than usual has another asked too; what may not be repeated is not; without any server the
answer says so; a member that stops answers what it has.
"""
import http.client
import http.server
import re
import socket
import socketserver
import threading
import unittest

import member
from member import MemberTest, wait_until


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self):
        size = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(size)
        backend = self.server.backend
        backend.requests.append((self.command, self.path, dict(self.headers), body))
        if backend.gate is not None:
            backend.gate.wait(member.GUARD)
        text = backend.content if backend.content is not None else backend.name.encode()
        self.send_response(backend.status)
        self.send_header("Content-Type", "text/x-test")
        self.send_header("X-Backend", backend.name)
        self.send_header("Content-Length", str(len(text)))
        if backend.nack:
            self.send_header("Filbert-Nack", "wait")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(text)

    do_GET = do_HEAD = do_POST = do_PUT = answer

    def log_message(self, *_):
        pass


class Backend(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 128

    def __init__(self, test, name):
        super().__init__(("127.0.0.1", 0), Handler)
        self.backend = self
        self.name = name
        self.status = 200
        self.content = None
        self.nack = False
        self.gate = None
        self.requests = []
        self.sockets = []
        self.thread = threading.Thread(target=self.serve_forever, args=(0.01,))
        self.thread.start()
        self.is_up = True
        test.addCleanup(self.kill)

    @property
    def address(self):
        return f"127.0.0.1:{self.server_address[1]}"

    def get_request(self):
        request = super().get_request()
        self.sockets.append(request[0])
        return request

    def handle_error(self, *_):
        pass

    def kill(self):
        """As a process that is gone: nobody listens, connections are reset."""
        if self.is_up:
            self.is_up = False
            self.shutdown()
            self.thread.join()
            self.server_close()
            for each in self.sockets:
                try:
                    each.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass


class Proxy(MemberTest):
    def start(self, count, try_timeout="60s", hedging="true"):
        backends = [Backend(self, f"b{n}") for n in range(count)]
        servers = ", ".join(backend.address for backend in backends)
        rules = f"GET /api/*={servers}; POST /api/*={servers}"
        # A busy machine must not look like a server that hangs, unless a test wants one.
        options = {
            "service.proxies": rules,
            "service.try_timeout": try_timeout,
            "service.hedging": hedging,
        }
        self.member = self.start_member(options)
        return backends

    def ask(self, method="GET", path="/api/x", body=None, headers=None):
        connection = http.client.HTTPConnection(
            "127.0.0.1", self.member.port, timeout=member.GUARD
        )
        self.addCleanup(connection.close)
        connection.request(method, path, body, headers or {})
        response = connection.getresponse()
        return response.status, response.read(), response

    def figure(self, name, address=None):
        """A number of the page /upstreams, of a server or of all."""
        page = self.ask(path="/upstreams")[1].decode()
        lines = [line for line in page.splitlines() if address is None or address in line]
        return sum(int(n) for line in lines for n in re.findall(name + r" (\d+)", line))

    def test_what_is_passed_on_arrives_both_ways(self):
        (backend,) = self.start(1)
        backend.content = bytes(range(256)) * 1000
        status, content, response = self.ask(
            "POST", "/api/a%20b?q=1&r=%2F", b"body", {
                "X-Mine": "yes",
                "Filbert-Timeout-Ms": "5000",
                "X-Forwarded-For": "192.0.2.7",
            },
        )
        self.assertEqual((status, content), (200, backend.content))
        self.assertEqual(response.getheader("Content-Type"), "text/x-test")
        self.assertEqual(response.getheader("X-Backend"), "b0")
        method, path, headers, body = backend.requests[0]
        self.assertEqual((method, path, body), ("POST", "/api/a%20b?q=1&r=%2F", b"body"))
        self.assertEqual(headers["X-Mine"], "yes")
        self.assertEqual(headers["Via"], "1.1 filbert")
        self.assertEqual(headers["X-Forwarded-For"], "192.0.2.7, 127.0.0.1")
        self.assertLessEqual(int(headers["Filbert-Timeout-Ms"]), 5000)
        status, content, response = self.ask("HEAD")
        self.assertEqual((status, content), (200, b""))

    def test_connections_are_used_again(self):
        (backend,) = self.start(1)
        for _ in range(20):
            self.assertEqual(self.ask()[0], 200)
        self.assertLessEqual(len(backend.sockets), 8)  # one a loop

    def test_servers_share_the_work(self):
        backends = self.start(3)
        for _ in range(60):
            self.assertEqual(self.ask()[0], 200)
        for backend in backends:
            self.assertGreater(len(backend.requests), 0)

    def test_killed_server_is_left_out_and_nobody_notices(self):
        backends = self.start(3)
        for _ in range(10):
            self.assertEqual(self.ask()[0], 200)
        backends[0].kill()
        for _ in range(100):
            self.assertEqual(self.ask()[0], 200)

    def test_refusing_server_is_ejected(self):
        backends = self.start(2)
        backends[0].kill()
        for _ in range(200):
            self.assertEqual(self.ask()[0], 200)
            if self.figure("ejected", backends[0].address) > 0:
                break
        labels = {"route": "GET /api/*", "server": backends[0].address}
        self.assertGreaterEqual(self.member.metric("filbert_upstream_ejected_total", **labels), 1)
        self.assertGreaterEqual(self.member.metric("filbert_upstream_failed_total", **labels), 1)

    def test_one_that_takes_longer_than_usual_has_another_asked_too(self):
        backends = self.start(2)  # a try may take a minute
        for _ in range(30):
            self.assertEqual(self.ask()[0], 200)
        backends[0].gate = threading.Event()
        self.addCleanup(backends[0].gate.set)

        def has_won():
            self.assertEqual(self.ask()[:2], (200, b"b1"))
            return self.figure("won") > 0

        # It may take a while until the other one is chosen: it may have been the slower one.
        wait_until(has_won, "an answer of the second one that was asked")
        labels = {"route": "GET /api/*"}
        self.assertGreaterEqual(self.member.metric("filbert_upstream_hedges_total", **labels), 1)
        self.assertIn("asked twice after", self.ask(path="/upstreams")[1].decode())

    def test_hedging_can_be_switched_off(self):
        backends = self.start(2, "2s", hedging="false")
        for _ in range(30):
            self.assertEqual(self.ask()[0], 200)
        backends[0].gate = threading.Event()
        self.addCleanup(backends[0].gate.set)
        for _ in range(5):
            self.assertEqual(self.ask()[:2], (200, b"b1"))
        self.assertEqual(self.figure("hedges"), 0)
        self.assertIn("never asked twice", self.ask(path="/upstreams")[1].decode())

    def test_copy_looks_after_a_server_that_was_left_out(self):
        backends = self.start(2)
        backends[0].kill()

        def is_probed():
            self.assertEqual(self.ask()[:2], (200, b"b1"))
            return self.figure("probed", backends[0].address) > 0

        wait_until(is_probed, "a copy of a request")

    def test_hanging_server_costs_a_try_and_not_the_answer(self):
        backends = self.start(2, "3s")
        backends[0].gate = threading.Event()
        self.addCleanup(backends[0].gate.set)
        # One of them meets it; the answer comes from the other in either case.
        for _ in range(5):
            status, content, _ = self.ask()
            self.assertEqual((status, content), (200, b"b1"))

    def test_refusal_is_tried_elsewhere_even_if_it_may_not_be_repeated(self):
        backends = self.start(2)
        backends[0].status, backends[0].nack = 503, True
        for _ in range(20):
            status, content, _ = self.ask("POST", body=b"once")
            self.assertEqual((status, content), (200, b"b1"))

    def test_what_may_not_be_repeated_is_not(self):
        backends = self.start(2, "1s")
        for backend in backends:
            backend.gate = threading.Event()
            self.addCleanup(backend.gate.set)

        def count():
            return sum(len(backend.requests) for backend in backends)

        self.assertEqual(self.ask("POST", body=b"once")[0], 504)
        wait_until(count, "the request to arrive")
        self.assertEqual(count(), 1)

    def test_failure_of_the_server_is_its_answer(self):
        (backend,) = self.start(1)
        backend.status = 500
        self.assertEqual(self.ask()[0], 500)
        self.assertEqual(len(backend.requests), 1)

    def test_without_any_server_the_answer_says_so(self):
        (backend,) = self.start(1)
        backend.kill()
        status, content, _ = self.ask()
        self.assertEqual(status, 502)
        self.assertIn(b"no server behind this one has answered", content)

    def test_member_that_stops_answers_what_it_has(self):
        (backend,) = self.start(1)
        backend.gate = threading.Event()
        self.addCleanup(backend.gate.set)
        answers = []
        asking = threading.Thread(target=lambda: answers.append(self.ask()[0]))
        asking.start()
        wait_until(lambda: backend.requests, "the request")
        self.member.signal()
        backend.gate.set()
        asking.join()
        self.assertEqual(answers, [200])
        self.assertEqual(self.member.wait(), 0)

    def test_wrong_rules_are_named(self):
        for rules, what in (
            ("GET /x", "is not"),
            ("GET /x=nowhere", "address"),
            ("FETCH=127.0.0.1:1", "FETCH=127.0.0.1:1"),
        ):
            done = member.run("start", "--set", f"service.proxies={rules}",
                              "--set", "net.listen=127.0.0.1:0")
            self.assertEqual(done.returncode, 1)
            self.assertNotIn(b"assertion failed", done.stderr)
            self.assertIn(what, (done.stdout + done.stderr).decode())


if __name__ == "__main__":
    unittest.main()
