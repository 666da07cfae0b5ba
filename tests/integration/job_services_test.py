#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Jobs that ask services over HTTP: answers are joined and records delivered, by `filbert job run`
and in a member; a service that fails for a while holds the job back and nothing is lost; who may
not be asked is told; a job that is cancelled, and a member that stops, do not wait for answers
that do not come; a job that was suspended goes on with what it had not delivered.
"""
import http.client
import http.server
import json
import os
import pathlib
import tempfile
import threading

import member
from member import Member, MemberTest, wait_until

ROOT = pathlib.Path(__file__).resolve().parents[2]
COUNT = 400


class Service:
    """A server whose answers the test chooses; keeps what it was sent."""

    def __init__(self, test):
        self.lock = threading.Lock()
        self.asked = []
        self.delivered = []
        self.failures = 0  # requests that get 503 first
        self.gate = threading.Event()  # closed: answers wait
        self.gate.set()
        service = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def reply(self, status, text):
                data = text.encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def do_GET(self):
                service.gate.wait(member.GUARD)
                number = int(self.path.rsplit("/", 1)[1])
                with service.lock:
                    service.asked.append(number)
                    if service.failures > 0:
                        service.failures -= 1
                        return self.reply(503, "later")
                if number % 10 == 0:
                    return self.reply(404, "no such number")
                return self.reply(200, json.dumps({"unused": [], "square": number * number}))

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                service.gate.wait(member.GUARD)
                with service.lock:
                    service.delivered += [json.loads(line) for line in body.splitlines()]
                self.reply(204, "")

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            def handle_error(self, *_):
                pass  # who was cancelled does not read on

        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.block_on_close = False
        self.address = f"127.0.0.1:{self.server.server_port}"
        thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        thread.start()
        test.addCleanup(self.close)

    def close(self):
        self.gate.set()
        self.server.shutdown()
        self.server.server_close()


def job(service, *, rate="", count=COUNT, guarantee="none", sink=None):
    sink = sink or f"{{http: '{service.address}', post: /squares, batch: 7, concurrency: 3}}"
    return (
        f"job: squares\nguarantee: {guarantee}\ninterval: 50ms\npipeline:\n"
        f"  - read: {{generate: {count}{rate}, fields: {{n: n}}}}\n"
        f"  - call: {{http: '{service.address}', get: '/squares/{{n}}', type: {{square: i64}},\n"
        f"           keep: found, concurrency: 8, tries: 20}}\n"
        f"  - write: {sink}\n"
    )


def squares(numbers):
    return [{"n": n, "square": n * n} for n in numbers if n % 10 != 0]


def by_number(record):
    return record["n"]


class JobServices(MemberTest):
    def ask(self, port, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=member.GUARD)
        self.addCleanup(connection.close)
        connection.request(method, path, body)
        response = connection.getresponse()
        return response.status, response.read().decode()

    def state(self, port):
        return json.loads(self.ask(port, "GET", "/v1/jobs/squares")[1])["state"]

    def submit(self, started, text):
        self.assertEqual(self.ask(started.port, "POST", "/v1/jobs", text)[0], 201)

    def write_file(self, text):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml", delete=False) as file:
            file.write(text)
        self.addCleanup(os.unlink, file.name)
        return file.name

    def run_file(self, text):
        result = member.run("job", "run", self.write_file(text))
        return result.returncode, result.stdout.decode(), result.stderr.decode()

    def test_answers_are_joined_and_records_delivered(self):
        service = Service(self)
        self.assertEqual(self.run_file(job(service)), (0, "", ""))
        self.assertEqual(sorted(service.delivered, key=by_number), squares(range(COUNT)))

    def test_answers_keep_the_order_of_the_records(self):
        service = Service(self)
        text = job(service, sink="stdout").replace("\n", "\nparallelism: 1\n", 1)
        code, output, complaints = self.run_file(text)
        self.assertEqual((code, complaints), (0, ""))
        expected = [f"{record['n']},{record['square']}" for record in squares(range(COUNT))]
        self.assertEqual(output.splitlines(), expected)

    def test_service_that_fails_for_a_while_loses_nothing(self):
        service = Service(self)
        service.failures = 30
        self.assertEqual(self.run_file(job(service, count=50)), (0, "", ""))
        self.assertEqual(sorted(service.delivered, key=by_number), squares(range(50)))
        self.assertEqual(len(service.asked), 50 + 30)

    def test_refused_record_fails_the_job(self):
        service = Service(self)
        text = job(service, sink=f"{{http: '{service.address}', put: /nothing}}")
        code, _, complaints = self.run_file(text)
        self.assertEqual(code, 1)
        self.assertIn("write-3", complaints)

    def test_nobody_there_fails_the_job(self):
        service = Service(self)
        text = job(service).replace("tries: 20", "tries: 2").replace(service.address, "127.0.0.1:9")
        code, _, complaints = self.run_file(text)
        self.assertEqual(code, 1)
        self.assertIn("call-2", complaints)

    def test_member_asks_those_that_it_may(self):
        service = Service(self)
        started = self.start_member({"stream.services": service.address})
        self.submit(started, job(service))
        wait_until(lambda: self.state(started.port) == "completed", "the end of the job")
        self.assertEqual(sorted(service.delivered, key=by_number), squares(range(COUNT)))
        text = job(service).replace(service.address, "127.0.0.1:9")
        status, reason = self.ask(started.port, "POST", "/v1/jobs", text)
        self.assertEqual(status, 400)
        self.assertIn("6:18: '127.0.0.1:9' is not among stream.services", reason)

    def test_member_asks_nobody_unless_it_may(self):
        service = Service(self)
        started = self.start_member()
        status, reason = self.ask(started.port, "POST", "/v1/jobs", job(service))
        self.assertEqual(status, 400)
        self.assertIn("set stream.services", reason)

    def test_cancelled_job_does_not_wait_for_answers(self):
        service = Service(self)
        started = self.start_member({"stream.services": "*"})
        service.gate.clear()
        self.submit(started, job(service).replace("tries: 20", "tries: 20, timeout: 600s"))
        wait_until(lambda: self.state(started.port) == "running", "the job")
        self.assertEqual(self.ask(started.port, "POST", "/v1/jobs/squares/cancel")[0], 202)
        wait_until(lambda: self.state(started.port) == "cancelled", "its end")
        self.assertEqual(service.asked, [])

    def test_member_that_stops_does_not_wait_for_answers(self):
        service = Service(self)
        for guarantee in ("none", "at-least-once"):
            started = Member({"stream.services": "*", "stop.timeout": "500ms"})
            service.gate.clear()
            self.submit(started, job(service, guarantee=guarantee))
            wait_until(lambda: self.state(started.port) == "running", "the job")
            started.stop()
        self.assertEqual(service.asked, [])

    def test_suspended_job_goes_on_and_loses_nothing(self):
        service = Service(self)
        with tempfile.TemporaryDirectory() as folder:
            text = job(service, rate=", rate: 300", guarantee="at-least-once")
            options = {"stream.services": "*", "stream.folder": folder}
            started = Member(options)
            self.submit(started, text)
            wait_until(lambda: len(service.delivered) > 50, "some records")
            started.stop()  # with a last snapshot
            self.assertLess(len(service.delivered), len(squares(range(COUNT))))
            started = Member(options)
            self.submit(started, text)
            wait_until(lambda: self.state(started.port) == "completed", "the rest")
            started.stop()
        # It was suspended in order: nothing is missing, and nothing came twice.
        self.assertEqual(sorted(service.delivered, key=by_number), squares(range(COUNT)))

    def test_example_is_tested(self):
        result = member.run("job", "test", str(ROOT / "examples" / "prices.yaml"))
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertIn(b"1 passed, 0 failed", result.stdout)


if __name__ == "__main__":
    member.main()
