#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""HTTP/2 on the one port, as real clients and hand-made frames see it: the same routes, bodies,
streams of events and refusals as over HTTP/1.1, what the protocol forbids gets the answer that it
prescribes, and a member that stops says so and answers what has come.
"""
import contextlib
import json
import os
import re
import shutil
import socket
import struct
import subprocess
import tempfile
import threading
import unittest

import http2_client as h2
import member
import program
from member import GUARD, MemberTest, SharedMemberTest

PIECE = bytes(range(256)) * 64  # a frame of the largest size that everybody takes


class Http2Test(SharedMemberTest):
    def client(self, **options):
        client = h2.Client(self.member.port, **options)
        self.addCleanup(client.close)
        return client


class Requests(Http2Test):
    def test_pages_and_statuses_are_those_of_http_1(self):
        client = self.client()
        for path, status in (("/livez", 200), ("/readyz", 200), ("/nosuch", 404), ("/", 200)):
            self.assertEqual(client.answer(client.ask(h2.request(path)))[0], status, path)
        self.assertEqual(client.answer(client.ask(h2.request(method="DELETE")))[0], 405)
        self.assertEqual(client.answer(client.ask(h2.request(method="HEAD"))), (200, b""))

    def test_entries_are_the_same_over_both(self):
        client = self.client()
        put = client.ask(h2.request("/v1/maps/h2/a%20b", "PUT"), body=b"value")
        self.assertEqual(client.answer(put)[0], 201)
        self.assertEqual(self.connect().get("/v1/maps/h2/a%20b")[2], b"value")
        self.assertEqual(client.answer(client.ask(h2.request("/v1/maps/h2/a%20b"))),
                         (200, b"value"))

    def test_many_streams_at_once_are_answered(self):
        client = self.client()
        streams = [client.next_stream() for _ in range(90)]
        client.send(*(h2.frame(h2.HEADERS, h2.END_HEADERS | h2.END_STREAM, stream, h2.request())
                      for stream in streams))
        ended = set()
        while ended != set(streams):
            found = client.read()
            if found.kind == h2.DATA and found.flags & h2.END_STREAM:
                self.assertEqual(found.payload, b"ok\n")
                ended.add(found.stream)

    def test_bytes_may_come_one_by_one(self):
        client = self.client(is_greeting=False)
        data = h2.PREFACE + h2.frame(h2.SETTINGS, payload=struct.pack(">HI", 1, 0)) + h2.frame(
            h2.HEADERS, h2.END_HEADERS | h2.END_STREAM, 1, h2.request())
        for byte in data:
            client.send(bytes((byte,)))
        self.assertEqual(client.answer(1), (200, b"ok\n"))

    def test_headers_may_be_padded_prioritised_and_continued(self):
        client = self.client()
        fields = h2.request(more=(("cookie", "a=1"), ("cookie", "b=2")))
        stream = client.next_stream()
        client.send(
            h2.frame(h2.HEADERS, h2.END_STREAM | h2.PADDED | 0x20, stream,
                     b"\x05" + bytes(4) + b"\x10" + fields[:20] + bytes(5)),
            h2.frame(h2.CONTINUATION, 0, stream, fields[20:30]),
            h2.frame(h2.CONTINUATION, h2.END_HEADERS, stream, fields[30:]))
        self.assertEqual(client.answer(stream), (200, b"ok\n"))

    def test_padded_data_and_trailers_end_a_body(self):
        client = self.client()
        stream = client.next_stream()
        client.send(
            h2.frame(h2.HEADERS, h2.END_HEADERS, stream, h2.request("/v1/maps/h2/padded", "PUT")),
            h2.frame(h2.DATA, h2.PADDED, stream, b"\x03half" + bytes(3)),
            h2.frame(h2.DATA, 0, stream, b" and half"),
            h2.frame(h2.HEADERS, h2.END_HEADERS | h2.END_STREAM, stream,
                     h2.block(("x-sum", "1"))))
        self.assertEqual(client.answer(stream)[0], 201)
        answer = client.answer(client.ask(h2.request("/v1/maps/h2/padded")))
        self.assertEqual(answer, (200, b"half and half"))

    def test_body_beyond_the_limit_of_its_route_is_refused(self):
        client = self.client()
        headers = h2.request("/v1/topics/t", "POST", more=(("content-length", "99999999"),))
        stream = client.next_stream()
        client.send(h2.frame(h2.HEADERS, h2.END_HEADERS, stream, headers))
        self.assertEqual(client.answer(stream)[0], 413)
        self.assertEqual(client.find(h2.RST_STREAM, stream).code, h2.NO_ERROR)
        self.assertEqual(client.answer(client.ask())[0], 200)

    def test_client_that_asks_first_is_called_on(self):
        client = self.client()
        stream = client.next_stream()
        client.send(h2.frame(h2.HEADERS, h2.END_HEADERS, stream,
                             h2.request("/v1/maps/h2/e", "PUT",
                                        more=(("expect", "100-continue"),))))
        self.assertEqual(h2.read_status(client.find(h2.HEADERS, stream).payload), 100)
        client.send(h2.frame(h2.DATA, h2.END_STREAM, stream, b"x"))
        self.assertEqual(client.answer(stream)[0], 201)

    def test_strangers_are_refused(self):
        client = self.client()
        for headers in (h2.request(authority="evil.example"),
                        h2.request(more=(("origin", "http://evil.example"),))):
            self.assertEqual(client.answer(client.ask(headers))[0], 403)
        self.assertEqual(client.answer(client.ask())[0], 200)

    def test_what_no_server_reads_in_one_way_is_refused(self):
        client = self.client()
        for headers in (h2.request(more=(("host", "other"),)), h2.request("/%zz"),
                        h2.request("no-path"), h2.request("/a b")):
            with self.subTest(headers=headers):
                stream = client.ask(headers)
                try:
                    self.assertEqual(client.answer(stream)[0], 400)
                except AssertionError as error:
                    self.assertIn("was reset", str(error))
        self.assertEqual(client.answer(client.ask())[0], 200)

    def test_windows_of_the_client_hold_the_answer_back(self):
        value = PIECE * 8
        client = self.client(settings=((4, 1000),))  # the window of a stream
        with self.member.connect() as connection:
            connection.command("SET", "plain", "x")
        put = client.next_stream()
        client.send(h2.frame(h2.HEADERS, h2.END_HEADERS, put, h2.request("/v1/maps/h2/w", "PUT")),
                    *(h2.frame(h2.DATA, 0, put, PIECE) for _ in range(8)),
                    h2.frame(h2.DATA, h2.END_STREAM, put))
        self.assertEqual(client.answer(put)[0], 201)
        stream = client.ask(h2.request("/v1/maps/h2/w"))
        body = client.find(h2.DATA, stream).payload
        self.assertEqual(len(body), 1000)
        self.assertEqual(client.answer(client.ask())[0], 200)  # others are not held back
        client.send(h2.frame(h2.WINDOW_UPDATE, 0, stream, struct.pack(">I", 1 << 20)),
                    h2.frame(h2.WINDOW_UPDATE, 0, 0, struct.pack(">I", 1 << 20)))
        self.assertEqual(body + client.answer(stream)[1], value)


class Rules(Http2Test):
    """What the protocol forbids (RFC 9113), and what must be answered."""

    def assert_ends(self, code, *frames, **options):
        client = self.client(**options)
        client.connection.send_some(b"".join(frames))
        self.assertEqual(client.ending(), code, frames)

    def assert_reset(self, code, *frames):
        """Stream 1 is reset, and the connection lives on."""
        client = self.client()
        client.stream = 1
        client.send(*frames)
        self.assertEqual(client.find(h2.RST_STREAM, 1).code, code)
        self.assertEqual(client.answer(client.ask())[0], 200)

    def test_other_prefaces_are_no_http_2(self):
        connection = self.connect()
        connection.send(b"PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n")
        self.assertEqual(connection.read_response()[0], 505)

    def test_settings_come_first(self):
        self.assert_ends(h2.PROTOCOL_ERROR, h2.PREFACE + h2.frame(h2.PING, payload=bytes(8)),
                         is_greeting=False)

    def test_pings_and_settings_are_acknowledged(self):
        client = self.client()
        client.send(h2.frame(h2.PING, payload=b"12345678"))
        self.assertEqual(client.find(h2.PING).payload, b"12345678")
        client.send(h2.frame(h2.SETTINGS, payload=struct.pack(">HI", 4, 100000)))
        self.assertEqual(client.find(h2.SETTINGS).flags & h2.ACK, h2.ACK)

    def test_unknown_frames_and_settings_are_passed_over(self):
        client = self.client(settings=((0x99, 7),))
        client.send(h2.frame(0x99, 0xFF, 0, b"whatever"))
        self.assertEqual(client.answer(client.ask())[0], 200)

    def test_frames_of_wrong_size_end_the_connection(self):
        self.assert_ends(h2.FRAME_SIZE_ERROR, h2.frame(h2.PING, payload=bytes(7)))
        self.assert_ends(h2.FRAME_SIZE_ERROR, h2.frame(h2.SETTINGS, payload=bytes(5)))
        self.assert_ends(h2.FRAME_SIZE_ERROR, h2.frame(h2.WINDOW_UPDATE, payload=bytes(3)))
        self.assert_ends(h2.FRAME_SIZE_ERROR, h2.frame(h2.DATA, 0, 1, bytes(16385)))

    def test_streams_are_new_odd_and_growing(self):
        head = h2.END_HEADERS | h2.END_STREAM
        self.assert_ends(h2.PROTOCOL_ERROR, h2.frame(h2.HEADERS, head, 0, h2.request()))
        self.assert_ends(h2.PROTOCOL_ERROR, h2.frame(h2.HEADERS, head, 2, h2.request()))
        self.assert_ends(h2.PROTOCOL_ERROR, h2.frame(h2.DATA, 0, 0, b"x"))
        self.assert_ends(h2.PROTOCOL_ERROR, h2.frame(h2.RST_STREAM, 0, 0, bytes(4)))
        self.assert_ends(h2.PROTOCOL_ERROR, h2.frame(h2.RST_STREAM, 0, 3, bytes(4)))  # idle
        self.assert_ends(h2.PROTOCOL_ERROR, h2.frame(h2.DATA, 0, 3, b"x"))  # idle
        self.assert_ends(h2.PROTOCOL_ERROR, h2.frame(h2.PUSH_PROMISE, h2.END_HEADERS, 1,
                                                     bytes(4) + h2.request()))

    def test_headers_are_not_interrupted(self):
        for between in (h2.frame(h2.PING, payload=bytes(8)), h2.frame(h2.DATA, 0, 1, b"x"),
                        h2.frame(h2.CONTINUATION, h2.END_HEADERS, 3, b"")):
            self.assert_ends(h2.PROTOCOL_ERROR, h2.frame(h2.HEADERS, 0, 1, h2.request()[:10]),
                             between)
        self.assert_ends(h2.PROTOCOL_ERROR, h2.frame(h2.CONTINUATION, h2.END_HEADERS, 1, b""))

    def test_compression_that_is_none_ends_the_connection(self):
        for data in (b"\xff\xff\xff\xff\xff\xff", b"\xc0", b"\x3f\xe1\xff\x7f", b"\0\x80\0\0"):
            self.assert_ends(h2.COMPRESSION_ERROR,
                             h2.frame(h2.HEADERS, h2.END_HEADERS | h2.END_STREAM, 1, data))

    def test_windows_do_not_overflow(self):
        self.assert_ends(h2.FLOW_CONTROL_ERROR,
                         h2.frame(h2.WINDOW_UPDATE, 0, 0, struct.pack(">I", 0x7FFFFFFF)))
        self.assert_ends(h2.PROTOCOL_ERROR, h2.frame(h2.WINDOW_UPDATE, 0, 0, bytes(4)))
        self.assert_ends(h2.FLOW_CONTROL_ERROR,
                         h2.frame(h2.SETTINGS, payload=struct.pack(">HI", 4, 0x80000000)))
        self.assert_reset(
            h2.FLOW_CONTROL_ERROR,
            h2.frame(h2.HEADERS, h2.END_HEADERS, 1, h2.request("/v1/maps/h2/o", "PUT")),
            h2.frame(h2.WINDOW_UPDATE, 0, 1, struct.pack(">I", 0x7FFFFFFF)))

    def test_settings_have_sense(self):
        for setting in ((2, 2), (5, 16383), (5, 1 << 24)):
            self.assert_ends(h2.PROTOCOL_ERROR,
                             h2.frame(h2.SETTINGS, payload=struct.pack(">HI", *setting)))
        self.assert_ends(h2.FRAME_SIZE_ERROR, h2.frame(h2.SETTINGS, h2.ACK, 0, bytes(6)))

    def test_headers_that_are_no_request_reset_the_stream(self):
        base = ((":method", "GET"), (":scheme", "http"), (":path", "/livez"))
        for fields in (base[1:], base[:2], base + (base[2],), base + ((":strange", "x"),),
                       base + (("Upper", "x"),), base + (("connection", "close"),),
                       base + (("transfer-encoding", "chunked"),), base + (("te", "gzip"),),
                       (("x", "y"),) + base, base + (("x", b"a\rb"),), base + (("x", b"a\0b"),),
                       base + (("content-length", "1"),), base + (("content-length", "x"),),
                       base + (("content-length", "0"), ("content-length", "1"))):
            with self.subTest(fields=fields):
                self.assert_reset(
                    h2.PROTOCOL_ERROR,
                    h2.frame(h2.HEADERS, h2.END_HEADERS | h2.END_STREAM, 1, h2.block(*fields)))

    def test_body_of_another_length_resets_the_stream(self):
        for length, body in (("5", b"four"), ("3", b"four")):
            self.assert_reset(
                h2.PROTOCOL_ERROR,
                h2.frame(h2.HEADERS, h2.END_HEADERS, 1,
                         h2.request("/v1/maps/h2/l", "PUT", more=(("content-length", length),))),
                h2.frame(h2.DATA, h2.END_STREAM, 1, body))

    def test_padding_beyond_the_frame_ends_the_connection(self):
        self.assert_ends(h2.PROTOCOL_ERROR,
                         h2.frame(h2.HEADERS, h2.END_HEADERS | h2.PADDED, 1, b"\xff" + bytes(9)))
        self.assert_ends(h2.PROTOCOL_ERROR,
                         h2.frame(h2.HEADERS, h2.END_HEADERS, 1, h2.request("/x", "PUT")),
                         h2.frame(h2.DATA, h2.PADDED, 1, b"\xffab"))


class Events(MemberTest):
    def test_events_come_and_a_reset_ends_their_stream(self):
        server = self.start_member()
        client = h2.Client(server.port)
        self.addCleanup(client.close)
        stream = client.ask(h2.request("/v1/events/topics/news"))
        self.assertEqual(client.find(h2.DATA, stream).payload, b": listening\n\n")
        published = client.ask(h2.request("/v1/topics/news", "POST"), body=b"hello")
        seen = b""
        while b"data: hello" not in seen:
            found = client.find(h2.DATA)
            seen += found.payload if found.stream == stream else b""
        self.assertGreater(published, stream)
        client.send(h2.frame(h2.RST_STREAM, 0, stream, struct.pack(">I", h2.CANCEL)))

        def nobody_listens():
            answer = client.answer(client.ask(h2.request("/v1/topics/news", "POST"), body=b"x"))
            return json.loads(answer[1])["listeners"] == 0

        member.wait_until(nobody_listens, "the end of the stream of events")
        self.assertEqual(server.metric("filbert_http2_cancelled_total"), 1)


class Stopping(MemberTest):
    def test_member_says_goodbye_and_ends_streams_of_events(self):
        server = self.start_member()
        client = h2.Client(server.port)
        self.addCleanup(client.close)
        stream = client.ask(h2.request("/v1/events/topics/news"))
        self.assertEqual(client.find(h2.DATA, stream).payload, b": listening\n\n")
        server.process.terminate()
        goodbye = client.find(h2.GOAWAY)
        self.assertEqual(goodbye.code, h2.NO_ERROR)
        self.assertEqual(goodbye.payload[:4], struct.pack(">I", stream))
        client.connection.read_to_end()

    def test_answer_under_way_is_finished_with_the_windows_that_come(self):
        server = self.start_member()
        client = h2.Client(server.port, settings=((4, 1000),))
        self.addCleanup(client.close)
        put = client.ask(h2.request("/v1/maps/m/k", "PUT"), body=PIECE)
        self.assertEqual(client.answer(put)[0], 201)
        stream = client.ask(h2.request("/v1/maps/m/k"))
        body = client.find(h2.DATA, stream).payload
        server.process.terminate()
        self.assertEqual(client.find(h2.GOAWAY).code, h2.NO_ERROR)
        client.send(h2.frame(h2.WINDOW_UPDATE, 0, stream, struct.pack(">I", 1 << 20)))
        self.assertEqual(body + client.answer(stream)[1], PIECE)
        client.connection.read_to_end()


class Uploads(unittest.TestCase):
    def setUp(self):
        self.program = program.start(self, "upload-service")

    def wait_for_busy(self, count):
        """Waits until so many threads of the pool have a handler."""
        pattern = re.compile(rf"^block +threads \d+ of \d+, busy {count},", re.MULTILINE)
        member.wait_until(
            lambda: pattern.search(self.program.get("/pools")[1]), f"{count} handlers that read"
        )

    def test_body_beyond_all_windows_arrives_whole(self):
        client = h2.Client(self.program.port)
        self.addCleanup(client.close)
        pieces = 256 if not member.is_sanitized() else 96
        stream = client.next_stream()
        client.send(h2.frame(h2.HEADERS, h2.END_HEADERS, stream, h2.request("/sum", "POST")))
        windows = {0: 65535, stream: 65535}
        for _ in range(pieces):
            while min(windows.values()) < len(PIECE):
                found = client.read()
                # An answer before the end of the body is a refusal; without this, a long wait.
                self.assertNotIn(found.kind, (h2.HEADERS, h2.RST_STREAM, h2.GOAWAY), found)
                if found.kind == h2.WINDOW_UPDATE:
                    windows[found.stream] += struct.unpack(">I", found.payload)[0]
                elif found.kind == h2.SETTINGS and not found.flags & h2.ACK:
                    windows[stream] += (256 << 10) - 65535
                    client.send(h2.frame(h2.SETTINGS, h2.ACK))
            client.send(h2.frame(h2.DATA, 0, stream, PIECE))
            windows = {key: left - len(PIECE) for key, left in windows.items()}
        client.send(h2.frame(h2.DATA, h2.END_STREAM, stream))
        expected = f"bytes {pieces * len(PIECE)} sum {pieces * sum(PIECE)}\n".encode()
        self.assertEqual(client.answer(stream), (200, expected))

    def test_curl_uploads_a_file(self):
        data = PIECE * 512
        result = subprocess.run(
            ["curl", "-sS", "--http2-prior-knowledge", "--data-binary", "@-", "-m", str(GUARD),
             f"http://127.0.0.1:{self.program.port}/sum"],
            input=data, capture_output=True, check=True)
        self.assertEqual(result.stdout, f"bytes {len(data)} sum {sum(data)}\n".encode())

    def test_sender_that_resets_frees_the_thread(self):
        client = h2.Client(self.program.port)
        self.addCleanup(client.close)
        stream = client.next_stream()
        client.send(h2.frame(h2.HEADERS, h2.END_HEADERS, stream, h2.request("/sum", "POST")),
                    h2.frame(h2.DATA, 0, stream, b"some"))
        self.wait_for_busy(1)
        client.send(h2.frame(h2.RST_STREAM, 0, stream, struct.pack(">I", h2.CANCEL)))
        self.wait_for_busy(0)


class Clients(Http2Test):
    """Programs that others have written."""

    def run_program(self, *command):
        result = subprocess.run(command, capture_output=True, timeout=GUARD, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout.decode()

    def url(self, path):
        return f"http://127.0.0.1:{self.member.port}{path}"

    def test_curl(self):
        out = self.run_program("curl", "-sS", "--http2-prior-knowledge", "-w", "%{http_version}",
                               self.url("/livez"))
        self.assertEqual(out, "ok\n2")

    @unittest.skipUnless(shutil.which("nghttp"), "nghttp2-client is not installed")
    def test_nghttp(self):
        out = self.run_program("nghttp", self.url("/livez"), self.url("/readyz"))
        self.assertEqual(sorted(out.split()), ["ok", "ready"])

    @unittest.skipUnless(shutil.which("h2load"), "nghttp2-client is not installed")
    def test_h2load(self):
        out = self.run_program("h2load", "-n", "2000", "-c", "5", "-m", "50", self.url("/livez"))
        self.assertIn("2000 succeeded, 0 failed", out)

    @unittest.skipUnless(shutil.which("node"), "node is not installed")
    def test_node(self):
        script = """
            const client = require('http2').connect(process.argv[1]);
            const ask = (headers, body) => new Promise((resolve) => {
                const request = client.request(headers);
                let text = '', status = 0;
                request.on('response', (found) => { status = found[':status']; });
                request.on('data', (piece) => { text += piece; });
                request.on('end', () => resolve(status + ' ' + text));
                request.end(body);
            });
            (async () => {
                const path = '/v1/maps/node/k';
                console.log(await ask({':method': 'PUT', ':path': path}, 'v'));
                console.log(await ask({':path': path}));
                console.log((await Promise.all(Array.from({length: 50}, () =>
                    ask({':path': '/livez'})))).filter((text) => text === '200 ok\\n').length);
                client.close();
            })();
        """
        out = self.run_program("node", "-e", script, self.url(""))
        self.assertEqual([line.strip() for line in out.splitlines()], ["201", "200 v", "50"])


NODE_SERVER = """
    const server = require('http2').createServer();
    let count = 0;
    server.on('stream', (stream, headers) => {
        let body = '';
        stream.on('data', (piece) => { body += piece; });
        stream.on('end', () => {
            stream.respond({':status': 200, 'x-via': headers['via'] ? 'yes' : 'no'});
            stream.end(headers[':method'] + ' ' + headers[':path'] + ' ' + body);
        });
        stream.on('error', () => {});
        count += 1;
        if (count % 5 === 0) stream.session.close(); // GOAWAY, behind those that it has
    });
    server.listen(0, '127.0.0.1', () => console.log(server.address().port));
"""


class Proxies(MemberTest):
    """Servers behind a route that speak HTTP/2."""

    def serve(self, text):
        file = tempfile.NamedTemporaryFile("w", suffix=".yaml", delete=False)
        self.addCleanup(os.unlink, file.name)
        with file:
            file.write(text)
        return self.start_member(command=("serve", file.name))

    def test_member_behind_a_member(self):
        back = self.serve("routes:\n  - route: GET /price\n    text: dear\n")
        front = self.serve("routes:\n  - route: GET /price\n    protocol: http2\n"
                           f"    proxy: [127.0.0.1:{back.port}]\n")
        with front.connect() as connection:
            for _ in range(200):
                self.assertEqual(connection.get("/price")[::2], (200, b"dear"))
        self.assertEqual(back.metric("filbert_http2_requests_total"), 200)
        self.assertEqual(back.metric("filbert_http2_connections_total"), 1)

    @unittest.skipUnless(shutil.which("node"), "node is not installed")
    def test_node_that_says_goodbye_again_and_again(self):
        node = subprocess.Popen(["node", "-e", NODE_SERVER], stdout=subprocess.PIPE)
        self.addCleanup(node.stdout.close)
        self.addCleanup(node.wait)
        self.addCleanup(node.kill)
        port = int(node.stdout.readline())
        front = self.start_member({"service.proxies": f"POST /echo=http2 127.0.0.1:{port}; "
                                   f"GET /node/*=http2 127.0.0.1:{port}"})
        with front.connect() as connection:
            for i in range(50):
                self.assertEqual(connection.get(f"/node/{i}?a=b")[2],
                                 f"GET /node/{i}?a=b ".encode())
            connection.send(b"POST /echo HTTP/1.1\r\nHost: [::1]\r\nContent-Length: 4\r\n\r\nbody")
            status, headers, body = connection.read_response()
            self.assertEqual((status, body), (200, b"POST /echo body"))
            self.assertEqual(headers["x-via"], "yes")

    def test_what_speaks_no_http_2_is_a_bad_gateway(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
            front = self.start_member({"service.proxies": f"GET /x=http2 127.0.0.1:{port}"})

            def answer():
                with contextlib.suppress(OSError):
                    while True:
                        peer, _ = listener.accept()
                        with peer:
                            peer.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                            peer.recv(65536)

            thread = threading.Thread(target=answer, daemon=True)
            thread.start()
            with front.connect() as connection:
                self.assertEqual(connection.get("/x")[0], 502)


if __name__ == "__main__":
    member.main()
