#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`filbert bench` as a user meets it: what it sends is counted by the member and by a server of
this test that reads every word, what it says agrees with both, and whatever goes wrong is named.
Every protocol, comparisons, drawings and the line that moves; what becomes of requests with a
deadline.
"""
import json
import os
import pty
import socket
import subprocess
import tempfile
import threading
import unittest
import xml.etree.ElementTree

import member
from member import SharedMemberTest, run


def bench(port, *words):
    return run("bench", "resp", "--address", f"127.0.0.1:{port}", *words)


def bench_json(test, port, *words):
    result = bench(port, "--json", *words)
    test.assertEqual((result.returncode, result.stderr), (0, b""))
    return json.loads(result.stdout)


class ScriptedServer:
    """Answers each request with answer(words) -> bytes; None closes the connection."""

    def __init__(self, answer):
        self._answer = answer
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.requests = []
        self._threads = []
        self._acceptor = threading.Thread(target=self._accept)

    def __enter__(self):
        self._acceptor.start()
        return self

    def __exit__(self, *_):
        # Shutting down ends the wait for connections; their clients have gone before.
        self._listener.shutdown(socket.SHUT_RDWR)
        self._acceptor.join()
        self._listener.close()
        for each in self._threads:
            each.join()

    def _accept(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            thread = threading.Thread(target=self._serve, args=(connection,))
            thread.start()
            self._threads.append(thread)

    def _serve(self, connection):
        with connection, connection.makefile("rb") as stream:
            try:
                for line in iter(stream.readline, b""):
                    words = []
                    for _ in range(int(line[1:])):
                        size = int(stream.readline()[1:])
                        words.append(stream.read(size + 2)[:-2])
                    self.requests.append(words)
                    reply = self._answer(words)
                    if reply is None:
                        return
                    connection.sendall(reply)
            except ConnectionError:
                return


class AgainstMember(SharedMemberTest):
    def test_filled_keys_are_found(self):
        found = bench_json(
            self, self.member.port, "--fill", "--keys", "500", "--requests", "3000",
            "--connections", "7", "--pipeline", "3",
        )
        self.assertEqual((found["requests"], found["errors"], found["misses"]), (3000, 0, 0))
        self.assertEqual(found["received_bytes"], 3000 * len("$100\r\n\r\n" + 100 * "x"))
        self.assertEqual(len(self.member.command("GET", "key:000000000499")), 100)
        self.assertIsNone(self.member.command("GET", "key:000000000500"))

    def test_misses_are_counted(self):
        found = bench_json(self, self.member.port, "--key-size", "9", "--requests", "200")
        self.assertEqual((found["requests"], found["misses"]), (200, 200))

    def test_threads_share_connections_and_requests(self):
        found = bench_json(
            self, self.member.port, "--command", "mixed", "--threads", "3", "--connections", "5",
            "--requests", "1000", "--pipeline", "16", "--distribution", "zipf",
        )
        self.assertEqual((found["requests"], found["errors"]), (1000, 0))

    def test_open_loop_sends_what_is_due(self):
        found = bench_json(
            self, self.member.port, "--command", "set", "--rate", "100k", "--requests", "500"
        )
        self.assertEqual((found["requests"], found["unsent"]), (500, 0))
        self.assertGreaterEqual(found["latency_us"]["max"], found["latency_us"]["p50"])

    def test_table_is_for_people(self):
        result = bench(self.member.port, "--command", "set", "--duration", "20ms")
        self.assertEqual((result.returncode, result.stderr), (0, b""))
        lines = result.stdout.decode().splitlines()
        subjects = [line.split(" ")[0] for line in lines[3:]]
        self.assertEqual(
            subjects,
            ["requests", "throughput", "latency", "errors", "misses", "bytes", "own"],
        )


class AgainstScript(unittest.TestCase):
    def test_requests_are_what_was_asked_for(self):
        replies = {
            b"GET": lambda words: b"$1\r\nx\r\n",
            b"SET": lambda words: b"+OK\r\n",
            b"INCR": lambda words: b":1\r\n",
            b"MGET": lambda words: b"*%d\r\n" % (len(words) - 1) + b"$-1\r\n" * (len(words) - 1),
            b"MSET": lambda words: b"+OK\r\n",
        }
        words_of = {"get": 2, "set": 3, "incr": 2, "mget": 8, "mset": 15}
        for command, count in words_of.items():
            with ScriptedServer(lambda words: replies[words[0]](words)) as server:
                found = bench_json(
                    self, server.port, "--command", command, "--requests", "20", "--batch", "7",
                    "--key-size", "12", "--value-size", "33", "--connections", "2",
                )
            self.assertEqual(found["requests"], 20)
            self.assertEqual(found["misses"], 140 if command == "mget" else 0)
            self.assertEqual(len(server.requests), 20)
            step = 2 if command in ("set", "mset") else 1
            for words in server.requests:
                self.assertEqual((words[0].decode().lower(), len(words)), (command, count))
                self.assertEqual({len(key) for key in words[1::step]}, {12})
                if step == 2:
                    self.assertEqual({len(value) for value in words[2::2]}, {33})

    def test_counters_are_filled_with_zero(self):
        answer = lambda words: b":1\r\n" if words[0] == b"INCR" else b"+OK\r\n"
        with ScriptedServer(answer) as server:
            bench_json(self, server.port, "--command", "incr", "--fill", "--keys", "9",
                       "--requests", "1", "--connections", "1")
        filled = [words for words in server.requests if words[0] == b"SET"]
        self.assertEqual({words[1] for words in filled}, {b"cnt:%012d" % i for i in range(9)})
        self.assertEqual({words[2] for words in filled}, {b"0"})

    def _fails(self, answer, message, *words):
        with ScriptedServer(answer) as server:
            result = bench(server.port, "--connections", "1", "--requests", "10", *words)
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stderr.decode(), f"filbert: bench resp: {message}\n")
        return result

    def test_error_replies_are_named(self):
        result = self._fails(
            lambda words: b"-ERR unknown command\r\n",
            "10 of 10 replies were errors, first: ERR unknown command",
        )
        self.assertIn(b"errors      10\n", result.stdout)

    def test_filling_that_fails_is_named(self):
        self._fails(
            lambda words: b"-OOM no room\r\n",
            "the server cannot be filled: it answered 'OOM no room'", "--fill",
        )

    def test_closed_connection_is_named(self):
        count = iter(range(100))
        self._fails(
            lambda words: b"$-1\r\n" if next(count) < 3 else None,
            "the server closed a connection after 3 replies",
        )

    def test_wrong_kind_of_reply_is_named(self):
        self._fails(
            lambda words: b"+OK\r\n", "a reply begins with '+' and has 0 elements, not '$' and 0"
        )
        self._fails(
            lambda words: b"*1\r\n$-1\r\n",
            "a reply begins with '*' and has 1 elements, not '*' and 100", "--command", "mget",
        )

    def test_other_protocol_is_named(self):
        self._fails(
            lambda words: b"HTTP/1.1 400 Bad Request\r\n\r\n",
            "the server sent what is no reply of resp",
        )


class TextServer(ScriptedServer):
    """The same for protocols of lines: answer(line, stream) -> bytes."""

    def _serve(self, connection):
        with connection, connection.makefile("rb") as stream:
            try:
                for line in iter(stream.readline, b""):
                    self.requests.append(line)
                    connection.sendall(self._answer(line, stream))
            except ConnectionError:
                return


def little_memcached():
    """A server of memcached's text protocol with get and set."""
    kept = {}

    def answer(line, stream):
        words = line.split()
        if words[0] == b"set":
            kept[words[1]] = stream.read(int(words[4]) + 2)[:-2]
            return b"STORED\r\n"
        value = kept.get(words[1])
        if value is None:
            return b"END\r\n"
        return b"VALUE %s 0 %d\r\n%s\r\nEND\r\n" % (words[1], len(value), value)

    return TextServer(answer)


class Deadlines(unittest.TestCase):
    """A server of HTTP that answers each path in its own way, some of them not at all."""

    def figures(self, answers, *words):
        """answers: of one request after the other, and again from the first."""
        turn = iter(range(1000000))

        def answer(line, stream):
            while stream.readline().strip():
                pass
            return answers[next(turn) % len(answers)]

        with TextServer(answer) as server:
            result = run("bench", "http", "--address", f"127.0.0.1:{server.port}", "-o", "json",
                         *words)
        self.assertEqual((result.returncode, result.stderr), (0, b""))
        return json.loads(result.stdout)

    WELL = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    BUSY = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 4\r\n\r\nbusy"
    LIMITED = b"HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\n\r\n"

    def test_refusals_are_counted_apart(self):
        figures = self.figures([self.WELL, self.BUSY, self.LIMITED, self.WELL], "--connections",
                               "1", "--requests", "400", "--deadline", "1m")
        self.assertEqual([figures[name] for name in ("requests", "refused", "errors", "in_time")],
                         [400, 200, 0, 200])
        self.assertGreater(figures["refused_us"]["p50"], 0)

    def test_what_is_never_answered_is_lost(self):
        figures = self.figures([b""], "--connections", "3", "--duration", "1s", "--deadline",
                               "500ms")
        self.assertEqual((figures["requests"], figures["lost"]), (0, 3))

    def test_what_comes_too_late_is_not_good(self):
        figures = self.figures([self.WELL], "--connections", "1", "--requests", "50", "--deadline",
                               "1ns")
        self.assertEqual((figures["late"], figures["in_time"], figures["lost"]), (50, 0, 0))

    def test_arrivals_at_random_keep_the_rate(self):
        figures = self.figures([self.WELL], "--connections", "20", "--rate", "2000", "--arrivals",
                               "poisson", "--warmup", "100ms", "--duration", "1s", "--deadline",
                               "1m")
        self.assertGreater(figures["requests"] + figures["unsent"], 1600)
        self.assertLess(figures["requests"] + figures["unsent"], 2400)
        self.assertIn("p99", figures["lag_us"])

    def test_without_a_deadline_a_refusal_is_an_error(self):
        def answer(line, stream):
            while stream.readline().strip():
                pass
            return self.BUSY

        with TextServer(answer) as server:
            result = run("bench", "http", "--address", f"127.0.0.1:{server.port}", "--requests",
                         "5", "--connections", "1")
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"5 of 5 replies were errors, first: HTTP/1.1 503", result.stderr)

    def test_memcached_finds_what_it_has_filled(self):
        with little_memcached() as server:
            for words in (("--fill",), ("--command", "mixed", "--reads", "80")):
                result = run("bench", "memcached", "--address", f"127.0.0.1:{server.port}",
                             "--connections", "2", "--keys", "40", "--requests", "300",
                             "--pipeline", "4", "-o", "json", *words)
                self.assertEqual((result.returncode, result.stderr), (0, b""))
                figures = json.loads(result.stdout)
                self.assertEqual([figures[name] for name in ("requests", "misses", "errors")],
                                 [300, 0, 0])


class Alone(unittest.TestCase):
    def test_refused_connection_is_named(self):
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            port = unused.getsockname()[1]
            result = bench(port)
        message = f"filbert: bench resp: nobody takes connections at 127.0.0.1:{port}\n"
        self.assertEqual((result.returncode, result.stderr.decode()), (1, message))

    def test_wrong_flags_are_named(self):
        cases = {
            ("--connections", "0"): "--connections takes a number from 1 to 50000, not '0'",
            ("--pipeline", "x"): "--pipeline takes a number from 1 to 65536, not 'x'",
            ("--command", "del"): "--command takes get, set, incr, mget, mset, mixed, lpush, "
                                  "rpop, queue, sadd, hset or zadd, not 'del'",
            ("--duration", "5"): "--duration takes a time, as in 500ms, 10s or 5m, not '5'",
            ("--address", "nowhere"):
                "--address takes an IP address and a port, as in 127.0.0.1:5701, not 'nowhere'",
            ("--distribution", "normal"):
                "--distribution takes uniform, zipf or sequential, not 'normal'",
            ("--keys", "1M", "--key-size", "5"): "so many keys need a --key-size of 6 at least",
            ("--threads", "4", "--connections", "3"):
                "4 threads need as many connections at least",
            ("--arrivals", "poisson"): "--arrivals says how --rate comes: give a rate",
            ("--arrivals", "odd"): "--arrivals takes even or poisson, not 'odd'",
            ("--rate",): "'--rate' is unknown or needs a value: see filbert help bench resp",
            ("--speed", "9"): "'--speed' is not expected here: see filbert help bench resp",
        }
        for words, message in cases.items():
            result = run("bench", "resp", *words)
            self.assertEqual(
                (result.returncode, result.stderr.decode()), (2, f"filbert: {message}\n")
            )

    def test_batch_that_is_too_large_is_named(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            result = bench(listener.getsockname()[1], "--command", "set", "--value-size", "50M",
                           "--pipeline", "100")
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"a pipeline of such requests has more than 256 MiB", result.stderr)

    def test_help_has_every_flag(self):
        result = run("help", "bench", "resp")
        self.assertEqual(result.returncode, 0)
        self.assertEqual(result.stdout, run("bench", "resp", "--help").stdout)
        for flag in ("--address", "--rate", "--fill", "--json", "--batch"):
            self.assertIn(flag.encode(), result.stdout)


class EveryProtocol(SharedMemberTest):
    LITTLE = ("--connections", "3", "--keys", "50", "--requests", "300", "-o", "json")

    def figures(self, *words):
        result = run("bench", *words, *self.LITTLE)
        self.assertEqual((result.returncode, result.stderr), (0, b""), words)
        return json.loads(result.stdout)

    def test_each_measures_itself_against_nothing(self):
        for protocol in ("resp", "memcached", "hazelcast", "http"):
            for command in ("get", "set"):
                figures = self.figures(protocol, "--null", "--command", command, "--pipeline", "4")
                self.assertEqual((figures["protocol"], figures["requests"], figures["errors"]),
                                 (protocol, 300, 0))
                self.assertEqual(set(figures["latency_us"]), {"p50", "p90", "p99", "p999", "max"})

    def test_each_that_a_member_speaks_finds_what_it_has_filled(self):
        address = f"127.0.0.1:{self.member.port}"
        for protocol in ("resp", "hazelcast"):
            for distribution in ("uniform", "zipf", "sequential"):
                figures = self.figures(protocol, "--address", address, "--fill", "--distribution",
                                       distribution)
                self.assertEqual((figures["misses"], figures["errors"]), (0, 0))
        path = ("--path", "/v1/maps/bench-http/{key}")
        self.assertEqual(self.figures("http", "--address", address, *path)["misses"], 300)
        figures = self.figures("http", "--address", address, "--command", "set", *path)
        self.assertEqual((figures["requests"], figures["errors"]), (300, 0))

    def test_comparison_tells_of_both_servers(self):
        address = f"127.0.0.1:{self.member.port}"
        for servers in (("--address", address, "--compare", address),
                        ("--compare", address, address)):
            result = run("bench", "resp", *servers, "--rounds", "2", *self.LITTLE[:-2])
            self.assertEqual((result.returncode, result.stderr), (0, b""))
            lines = result.stdout.decode().splitlines()
            self.assertEqual(lines[0].split(), [address, address, "ratio"])
            self.assertEqual([line.split()[0] for line in lines[1:]],
                             ["ops/s", "p50", "p90", "p99", "p99.9", "max", "own"])
        result = run("bench", "resp", "--compare", address, "nowhere")
        self.assertEqual(result.returncode, 2)

    def test_drawing_is_one(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "plot.svg")
            self.figures("hazelcast", "--null", "--plot", path)
            root = xml.etree.ElementTree.parse(path).getroot()
        self.assertEqual(root.tag, "{http://www.w3.org/2000/svg}svg")
        self.assertGreater(len(root.findall(".//{http://www.w3.org/2000/svg}polyline")), 0)

    def test_line_moves_on_a_terminal(self):
        ours, theirs = pty.openpty()
        with open(ours, "rb", buffering=0) as screen:
            with subprocess.Popen([member.binary(), "bench", "resp", "--null", "--duration", "2s"],
                                  stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs) as bench_:
                os.close(theirs)
                seen = b""
                while b"throughput" not in seen:
                    seen += screen.read(4096)
                self.assertEqual(bench_.wait(member.GUARD), 0)
        self.assertIn(b"\r", seen.partition(b"throughput")[0].replace(b"\r\n", b""))


if __name__ == "__main__":
    member.main()
