#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""HTTP as probes, browsers, Prometheus and attackers see it: the pages, the statuses, when the
connection stays open, and that each malformed request gets the status it deserves.
"""
import http.client
import re
import subprocess
import urllib.request

import member
from member import ROOT, MemberTest, SharedMemberTest, encode


class Pages(SharedMemberTest):
    OPTIONS = {"member.name": "<b>&amp;"}

    def test_start_page_is_html_about_the_member(self):
        status, headers, body = self.connect().get("/")
        text = body.decode()
        self.assertEqual(status, 200)
        self.assertEqual(headers["content-type"], "text/html; charset=utf-8")
        self.assertIn("<title>Filbert</title>", text)
        self.assertIn(f"127.0.0.1:{self.member.port}", text)
        self.assertIn("member &lt;b&gt;&amp;amp;", text)
        self.assertNotIn("<b>", text)

    def test_probes_say_that_all_is_well(self):
        connection = self.connect()
        for path, text in (("/livez", b"ok\n"), ("/readyz", b"ready\n")):
            status, headers, body = connection.get(path)
            self.assertEqual((status, body), (200, text))
            self.assertEqual(headers["content-type"], "text/plain; charset=utf-8")
            self.assertEqual(headers["cache-control"], "no-store")

    def test_query_is_not_part_of_the_page(self):
        self.assertEqual(self.connect().get("/livez?verbose=1")[0], 200)

    def test_target_may_name_the_host(self):
        with self.member.connect() as connection:
            target = f"http://127.0.0.1:{self.member.port}/livez"
            for _ in range(2):
                self.assertEqual(connection.get(target)[0], 200)
            self.assertEqual(connection.get("http://evil.example/livez")[0], 403)

    def test_unknown_page_is_not_found(self):
        connection = self.connect()
        for path in ("/nosuch", "/livez/", "/LIVEZ", "//", "/..", "/%2e"):
            self.assertEqual(connection.get(path)[0], 404, path)

    def test_other_methods_are_told_what_is_allowed(self):
        for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"):
            status, headers, _ = self.connect().get("/livez", method)
            self.assertEqual((status, headers["allow"]), (405, "GET, HEAD"), method)

    def test_head_is_get_without_the_body(self):
        connection = self.connect()
        for path in ("/", "/livez", "/nosuch"):
            status, headers, body = connection.get(path)
            head_status, head_headers, _ = connection.get(path, "HEAD")
            self.assertEqual(head_status, status)
            self.assertEqual(head_headers["content-type"], headers["content-type"])
            self.assertEqual(int(head_headers["content-length"]), len(body))
        self.assertEqual(bytes(connection.received), b"")

    def test_standard_library_client_reads_it(self):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.member.port}/livez") as response:
            self.assertEqual((response.status, response.read()), (200, b"ok\n"))


class StartPage(MemberTest):
    def test_commands_on_the_page_work_as_they_stand(self):
        for address in ("127.0.0.1:0", "0.0.0.0:0", "[::1]:0", "[::]:0"):
            with self.subTest(address=address):
                started = self.start_member(arguments=("--listen", address))
                host = "::1" if "[" in address else "127.0.0.1"
                page = http.client.HTTPConnection(host, started.port, timeout=member.GUARD)
                self.addCleanup(page.close)
                page.request("GET", "/")
                text = page.getresponse().read().decode()
                calls = re.search("<pre>(.*?)</pre>", text, re.S).group(1).splitlines()
                outputs = [member.run_program(call.split()).stdout for call in calls]
                self.assertEqual(outputs, [b"OK\n", b"hello\n"])
                self.assertIn("<th>Entries of map default</th><td>0</td>", text)


class Metrics(SharedMemberTest):
    def test_format_is_what_prometheus_asks_for(self):
        peer = subprocess.run(
            [f"{ROOT}/tools/peer", "promtool"], capture_output=True, text=True, check=False
        )
        self.assertEqual(peer.returncode, 0, peer.stderr)
        self.member.command("SET", "metric", "1")
        status, headers, body = self.connect().get("/metrics")
        self.assertEqual(status, 200)
        self.assertTrue(headers["content-type"].startswith("text/plain; version=0.0.4"))
        result = subprocess.run(
            [peer.stdout.strip(), "check", "metrics"], input=body, capture_output=True, check=False
        )
        self.assertEqual((result.returncode, result.stdout + result.stderr), (0, b""))

    def test_every_family_has_help_and_type_and_begins_with_a_known_word(self):
        text = self.connect().get("/metrics")[2].decode()
        helps = re.findall(r"(?m)^# HELP (\S+) \S", text)
        types = re.findall(r"(?m)^# TYPE (\S+) (?:counter|gauge|histogram|summary)$", text)
        self.assertEqual(helps, types)
        self.assertEqual(len(set(helps)), len(helps))
        for name, _, _ in member.parse_metrics(text):
            self.assertRegex(name, r"^(filbert|process)_")

    def test_figures_follow_what_happens(self):
        before = {name: self.member.metric(name) for name in self.FIGURES}
        connection = self.connect()
        for i in range(10):
            connection.command("SET", f"figure{i}", "x" * 100)
        after = {name: self.member.metric(name) for name in self.FIGURES}
        grown = {name: after[name] - before[name] for name in self.FIGURES}
        self.assertGreaterEqual(grown["filbert_requests_total"], 10)
        self.assertEqual(grown["filbert_connections"], 1)
        self.assertEqual(grown["filbert_connections_opened_total"], 1)
        self.assertEqual(grown["filbert_connections_accepted_total"], 1)
        self.assertEqual(grown["filbert_map_entries"], 10)
        self.assertGreaterEqual(grown["filbert_map_bytes"], 1000)
        self.assertGreaterEqual(grown["filbert_io_received_bytes_total"], 1000)
        self.assertGreaterEqual(grown["filbert_io_sent_bytes_total"], 50)
        connection.command("DEL", *[f"figure{i}" for i in range(10)])
        self.assertEqual(self.member.metric("filbert_map_entries"), before["filbert_map_entries"])

    FIGURES = (
        "filbert_requests_total",
        "filbert_connections",
        "filbert_connections_opened_total",
        "filbert_connections_accepted_total",
        "filbert_map_entries",
        "filbert_map_bytes",
        "filbert_io_received_bytes_total",
        "filbert_io_sent_bytes_total",
    )


GET = b"GET /livez HTTP/1.1\r\nHost: [::1]\r\n"


class Connections(SharedMemberTest):
    def _exchange(self, request):
        connection = self.connect()
        connection.send(request)
        return connection, connection.read_response()

    def test_connection_stays_open_for_further_requests(self):
        connection = self.connect()
        for _ in range(50):
            self.assertEqual(connection.get("/livez")[0], 200)

    def test_connection_ends_when_the_client_says_so(self):
        connection, response = self._exchange(GET + b"Connection: close\r\n\r\n")
        self.assertEqual((response[0], response[1]["connection"]), (200, "close"))
        self.assertEqual(connection.read_to_end(), b"")

    def test_http_1_0_ends_unless_it_asks_to_stay(self):
        connection, response = self._exchange(b"GET /livez HTTP/1.0\r\n\r\n")
        self.assertEqual((response[0], response[2]), (200, b"ok\n"))
        self.assertEqual(connection.read_to_end(), b"")
        stay = b"GET /livez HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
        connection, response = self._exchange(stay)
        self.assertEqual((response[0], response[1]["connection"].lower()), (200, "keep-alive"))
        connection.send(stay)
        self.assertEqual(connection.read_response()[0], 200)

    def test_pipelined_requests_are_answered_in_order(self):
        connection = self.connect()
        paths = ["/livez", "/nosuch", "/readyz", "/"] * 100
        requests = [f"GET {p} HTTP/1.1\r\nHost: [::1]\r\n\r\n" for p in paths]
        connection.send("".join(requests).encode())
        statuses = [connection.read_response()[0] for _ in paths]
        self.assertEqual(statuses, [200, 404, 200, 200] * 100)

    def test_request_may_arrive_byte_by_byte(self):
        connection = self.connect()
        for byte in (GET + b"X-Long: " + b"y" * 500 + b"\r\n\r\n") * 2:
            connection.send(bytes([byte]))
        for _ in range(2):
            self.assertEqual(connection.read_response()[0], 200)

    def test_small_body_that_nobody_wants_is_read_over(self):
        connection, response = self._exchange(
            b"POST /livez HTTP/1.1\r\nHost: [::1]\r\nContent-Length: 5\r\n\r\nhello" + GET + b"\r\n"
        )
        self.assertEqual((response[0], response[1].get("connection")), (405, None))
        self.assertEqual(connection.read_response()[0], 200)

    def test_body_without_a_length_that_nobody_wants_ends_the_connection(self):
        connection, response = self._exchange(
            b"POST /livez HTTP/1.1\r\nHost: [::1]\r\nTransfer-Encoding: chunked\r\n\r\n"
            b"0\r\n\r\n" + GET
        )
        self.assertEqual((response[0], response[1]["connection"]), (405, "close"))
        self.assertEqual(connection.read_to_end(), b"")

    def test_end_of_the_stream_is_answered_behind_the_responses(self):
        connection = self.connect()
        connection.send((GET + b"\r\n") * 3 + b"GET /li")
        connection.finish()
        for _ in range(3):
            self.assertEqual(connection.read_response()[0], 200)
        self.assertEqual(connection.read_to_end(), b"")


def request(headers=b"Host: [::1]\r\n", line=b"GET / HTTP/1.1\r\n"):
    return line + headers + b"\r\n"


MALFORMED = {
    "no host": (400, request(b"")),
    "two hosts": (400, request(b"Host: [::1]\r\nHost: y\r\n")),
    "bad host": (400, request(b"Host: a b\r\n")),
    "no version": (400, request(line=b"GET /\r\n")),
    "bad version": (400, request(line=b"GET / HTTP/1.x\r\n")),
    "lower case version": (400, request(line=b"GET / http/1.1\r\n")),
    "two blanks": (400, request(line=b"GET /  HTTP/1.1\r\n")),
    "bad escape": (400, request(line=b"GET /%zz HTTP/1.1\r\n")),
    "control byte in the target": (400, request(line=b"GET /\x01 HTTP/1.1\r\n")),
    "bytes above ASCII in the target": (400, request(line=b"GET /\xff HTTP/1.1\r\n")),
    "line feeds only": (400, b"GET / HTTP/1.1\nHost: [::1]\n\n"),
    "NUL in a header": (400, request(b"Host: [::1]\r\nA: b\0c\r\n")),
    "lone CR in a header": (400, request(b"Host: [::1]\r\nA: b\rc\r\n")),
    "no colon": (400, request(b"Host: [::1]\r\nnonsense\r\n")),
    "blank before the colon": (400, request(b"Host: [::1]\r\nA : b\r\n")),
    "folded header": (400, request(b"Host: [::1]\r\nA: b\r\n c\r\n")),
    "header without a name": (400, request(b"Host: [::1]\r\n: b\r\n")),
    "length of letters": (400, request(b"Host: [::1]\r\nContent-Length: x\r\n")),
    "negative length": (400, request(b"Host: [::1]\r\nContent-Length: -1\r\n")),
    "two lengths": (400, request(b"Host: [::1]\r\nContent-Length: 1\r\nContent-Length: 1\r\n")),
    "length and chunks": (
        400,
        request(b"Host: [::1]\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n"),
    ),
    "huge length": (413, request(b"Host: [::1]\r\nContent-Length: 99999999999999999999999\r\n")),
    "long target": (414, request(line=b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\n")),
    "endless target": (414, b"GET /" + b"a" * 100000),
    "large head": (431, request(b"Host: [::1]\r\n" + b"A: " + b"b" * 20000 + b"\r\n")),
    "endless head": (431, b"GET / HTTP/1.1\r\nHost: [::1]\r\n" + b"A: b\r\n" * 60 + b"C" * 100000),
    "many headers": (431, request(b"Host: [::1]\r\n" + b"A: b\r\n" * 100)),
    "other coding": (501, request(b"Host: [::1]\r\nTransfer-Encoding: gzip\r\n")),
    "tunnel": (501, request(line=b"CONNECT host:443 HTTP/1.1\r\n")),
    "version 2": (505, request(line=b"GET / HTTP/2.0\r\n")),
    "version 1.2": (505, request(line=b"GET / HTTP/1.2\r\n")),
}


class Malformed(SharedMemberTest):
    def _check(self, status, connection):
        found, headers, body = connection.read_response()
        self.assertEqual(found, status)
        self.assertEqual(headers["connection"], "close")
        self.assertRegex(body.decode(), r"\A[A-Za-z].*\(line \d+, byte \d+\)\n\Z")
        self.assertEqual(connection.read_to_close(), b"")

    def test_each_mistake_gets_its_status_and_the_place(self):
        for name, (status, data) in MALFORMED.items():
            with self.subTest(name):
                connection = self.connect()
                connection.send_some(data)
                self._check(status, connection)

    def test_body_beyond_the_limit_of_its_route_is_refused_by_its_length(self):
        with self.member.connect() as connection:
            connection.send(request(b"Host: [::1]\r\nContent-Length: 99999999999\r\n"))
            status, headers, body = connection.read_response()
            self.assertEqual(status, 413)
            self.assertEqual(headers["connection"], "close")
            self.assertEqual(body, b"this route takes bodies of at most 1048576 bytes\n")
            self.assertEqual(connection.read_to_end(), b"")

    def test_good_requests_before_a_mistake_are_answered(self):
        connection = self.connect()
        connection.send((GET + b"\r\n") * 2 + MALFORMED["no host"][1] + GET + b"\r\n")
        for _ in range(2):
            self.assertEqual(connection.read_response()[0], 200)
        self._check(400, connection)

    def test_mistakes_are_counted(self):
        malformed = self.member.closed("malformed")
        limits = self.member.closed("protocol_limit")
        for name in ("no host", "version 2", "large head"):
            connection = self.connect()
            connection.send(MALFORMED[name][1])
            connection.read_to_close()
            connection.close()
        self.member.wait_for_closed("malformed", malformed + 2)
        self.member.wait_for_closed("protocol_limit", limits + 1)


PUT = b"PUT /v1/maps/smuggling/k HTTP/1.1\r\nHost: [::1]\r\n"
CHUNKED = PUT + b"Transfer-Encoding: chunked\r\n\r\n"
SMUGGLED = b"PUT /v1/maps/smuggling/stolen HTTP/1.1\r\nHost: [::1]\r\nContent-Length: 1\r\n\r\nx"

# What a proxy in front may read otherwise: where it sees another request, there must be none here.
AMBIGUOUS = {
    "length and chunks": PUT + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "chunks and length": PUT + b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
    "two lengths": PUT + b"Content-Length: 0\r\nContent-Length: 9\r\n\r\n",
    "list of lengths": PUT + b"Content-Length: 0, 9\r\n\r\n",
    "length with a sign": PUT + b"Content-Length: +0\r\n\r\n",
    "length in hex": PUT + b"Content-Length: 0x0\r\n\r\n",
    "two codings": (
        PUT + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n"
    ),
    "list of codings": PUT + b"Transfer-Encoding: identity, chunked\r\n\r\n0\r\n\r\n",
    "coding almost chunked": PUT + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    "coding behind a tab": PUT + b"Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n",
    "blank before the colon": PUT + b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
    "folded coding": PUT + b"Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n",
    "LF alone in the head": PUT + b"X: y\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "CR alone in the head": PUT + b"X: y\rTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "chunk size with a sign": CHUNKED + b"+0\r\n\r\n",
    "chunk size with 0x": CHUNKED + b"0x0\r\n\r\n",
    "chunk size behind a blank": CHUNKED + b" 0\r\n\r\n",
    "no chunk size": CHUNKED + b"\r\n\r\n",
    "huge chunk size": CHUNKED + b"fffffffffffffffff\r\n\r\n",
    "LF behind a chunk size": CHUNKED + b"0\n\r\n",
    "LF in an extension": CHUNKED + b"0;a\nb\r\n\r\n",
    "CR in an extension": CHUNKED + b"0;a\rb\r\n\r\n",
    "long extensions": CHUNKED + b"0;" + b"a" * 2000 + b"\r\n\r\n",
    "chunk longer than its size": CHUNKED + b"1\r\nab\r\n0\r\n\r\n",
    "LF behind a chunk": CHUNKED + b"1\r\na\n0\r\n\r\n",
    "folded trailer": CHUNKED + b"0\r\nA: b\r\n c\r\n\r\n",
    "trailer without a colon": CHUNKED + b"0\r\nnonsense\r\n\r\n",
}


class Smuggling(SharedMemberTest):
    def test_nothing_follows_what_can_be_read_in_two_ways(self):
        for name, data in AMBIGUOUS.items():
            with self.subTest(name):
                connection = self.connect()
                connection.send_some(data + SMUGGLED)
                status, headers, _ = connection.read_response()
                self.assertIn(status, (400, 413, 501))
                self.assertEqual(headers["connection"], "close")
                self.assertEqual(connection.read_to_close(), b"")
                self.assertEqual(self.connect().get("/v1/maps/smuggling/stolen")[0], 404)

    def test_good_chunks_are_read_with_extensions_and_trailers(self):
        connection = self.connect()
        connection.send(CHUNKED + b"2;a=b;c\r\nab\r\n0\r\nX: y\r\n\r\n" + GET + b"\r\n")
        self.assertIn(connection.read_response()[0], (201, 204))
        self.assertEqual(connection.read_response()[0], 200)
        self.assertEqual(self.connect().get("/v1/maps/smuggling/k")[2], b"ab")


class Strangers(MemberTest):
    """Pages of other sites, which a browser on this machine would let ask."""

    def ask(self, server, *headers, line="GET /livez"):
        connection = server.connect()
        self.addCleanup(connection.close)
        head = "".join(f"{header}\r\n" for header in headers)
        connection.send(f"{line} HTTP/1.1\r\n{head}\r\n".encode())
        return connection, connection.read_response()

    def check_refused(self, server, option, *headers, line="GET /livez"):
        connection, (status, fields, body) = self.ask(server, *headers, line=line)
        self.assertEqual((status, fields["connection"]), (403, "close"), headers)
        self.assertIn(option, body.decode())
        self.assertEqual(connection.read_to_close(), b"")

    def foreign(self, server, header):
        return server.metric("filbert_http_foreign_total", header=header)

    def test_names_that_nobody_has_allowed_are_refused_and_counted(self):
        server = self.start_member({"http.hosts": "grid.example, grid"})
        for host in ("evil.example", f"evil.example:{server.port}", "localhost.evil.example"):
            self.check_refused(server, "http.hosts", f"Host: {host}")
        self.assertEqual(self.foreign(server, "host"), 3)
        for host in ("localhost", "127.0.0.1:1", "[::1]:80", "GRID", "grid.example:5701", ""):
            self.assertEqual(self.ask(server, f"Host: {host}")[1][0], 200, host)
        self.assertEqual(self.foreign(server, "host"), 3)

    def test_pages_of_other_origins_are_refused_and_counted(self):
        server = self.start_member({"http.origins": "https://shop.example"})
        host = f"127.0.0.1:{server.port}"
        for origin in ("https://evil.example", "null", "http://127.0.0.1:1", f"ftp://{host}"):
            self.check_refused(server, "http.origins", f"Host: {host}", f"Origin: {origin}")
        self.assertEqual(self.foreign(server, "origin"), 4)
        for origin in (f"http://{host}", "https://shop.example"):
            status = self.ask(server, f"Host: {host}", f"Origin: {origin}")[1][0]
            self.assertEqual(status, 200, origin)

    def test_what_a_page_of_another_site_sends_has_no_effect(self):
        server = self.start_member()
        host = f"Host: 127.0.0.1:{server.port}"
        evil = "Origin: http://evil.example"
        put = "PUT /v1/maps/default/k"
        length = "Content-Length: 1000"  # whose body never comes
        self.check_refused(server, "http.origins", host, evil, length, line=put)
        self.check_refused(
            server, "http.origins", host, evil, "Transfer-Encoding: chunked", line="POST /v1/jobs"
        )
        # Those before it on the connection are answered, those behind it are not looked at.
        with server.connect() as connection:
            good = f"GET /livez HTTP/1.1\r\n{host}\r\n\r\n"
            bad = f"{put} HTTP/1.1\r\n{host}\r\n{evil}\r\nContent-Length: 1\r\n\r\nx"
            connection.send(f"{good}{bad}{good}".encode())
            self.assertEqual(connection.read_response()[0], 200)
            self.assertEqual(connection.read_response()[0], 403)
            self.assertEqual(connection.read_to_close(), b"")
        self.assertIsNone(server.command("GET", "k"))

    def test_port_of_the_pages_has_the_same_rule(self):
        server = self.start_member({"admin.listen": "127.0.0.1:0"})
        listening = re.compile(r"event=admin_listening address=127.0.0.1:(\d+)")
        member.wait_until(lambda: listening.search(server.log_text()), "the port of the pages")
        port = int(listening.search(server.log_text()).group(1))
        for header in ("Host: evil.example", "Host: localhost\r\nOrigin: null"):
            with member.Connection(port) as connection:
                connection.send(f"GET /livez HTTP/1.1\r\n{header}\r\n\r\n".encode())
                self.assertEqual(connection.read_response()[0], 403)

    def test_star_lets_everybody_in(self):
        server = self.start_member({"http.hosts": "*", "http.origins": "*"})
        headers = ("Host: any.example", "Origin: http://evil.example")
        self.assertEqual(self.ask(server, *headers)[1][0], 200)


class OnePort(MemberTest):
    """The first bytes of a connection choose its protocol."""

    def test_protocols_are_told_apart_by_their_first_bytes(self):
        started = self.start_member()
        requests = {
            encode("PING"): b"+PONG\r\n",
            b"PING\r\n": b"+PONG\r\n",
            b"ping\r\n": b"+PONG\r\n",
            # Commands whose names begin as those of HTTP do.
            b"GET key\r\n": b"$-1\r\n",
            b"get /key\r\n": b"$-1\r\n",
            b"DEL key\r\n": b":0\r\n",
            b"GET /livez HTTP/1.1\r\nHost: [::1]\r\n\r\n": b"HTTP/1.1 200 OK\r\n",
            b"HEAD / HTTP/1.1\r\nHost: [::1]\r\n\r\n": b"HTTP/1.1 200 OK\r\n",
            b"OPTIONS * HTTP/1.1\r\nHost: [::1]\r\n\r\n": b"HTTP/1.1 ",
        }
        for data, reply in requests.items():
            with self.subTest(data=data), started.connect() as connection:
                connection.send(data)
                self.assertEqual(connection.read(len(reply)), reply)

    def test_unfinished_beginning_waits_for_the_rest(self):
        started = self.start_member({"net.io_threads": 1})
        for pieces, reply in (
            (
                (b"G", b"ET", b" ", b"/livez HTTP/1.1\r\nHost: [::1]\r\n\r\n"),
                b"HTTP/1.1 200 OK\r\n",
            ),
            ((b"G", b"ET", b" ", b"key\r\n"), b"$-1\r\n"),
            ((b"D", b"EL", b" key\r\n"), b":0\r\n"),
            ((b"O", b"PTIONX\r\n"), b"-ERR unknown command 'OPTIONX'"),
        ):
            with self.subTest(pieces=pieces), started.connect() as connection:
                for piece in pieces:
                    connection.send(piece)
                    member.wait_until(lambda c=connection: c.unsent_bytes() == 0, "the piece")
                    # The only loop has seen the piece when it answers another client.
                    self.assertEqual(started.command("PING"), "PONG")
                self.assertEqual(connection.read(len(reply)), reply)

    def test_empty_lines_before_the_first_request_are_passed_over(self):
        started = self.start_member({"net.io_threads": 1})
        page = b"GET /livez HTTP/1.0\r\n\r\n"
        for pieces, reply in (
            ((b"\r\n" + page,), b"HTTP/1.1 200 "),
            ((b"\r", b"\n", page), b"HTTP/1.1 200 "),
            ((b"\r\n\r\n" + page,), b"HTTP/1.1 400 "),
            ((b"\n" + page,), b"HTTP/1.1 400 "),
            ((b"\r\nPING\r\n",), b"+PONG\r\n"),
            ((b"\r\n", b"\n", b"\r\n" + member.encode("PING")), b"+PONG\r\n"),
        ):
            with self.subTest(pieces=pieces), started.connect() as connection:
                for piece in pieces:
                    connection.send(piece)
                    member.wait_until(lambda c=connection: c.unsent_bytes() == 0, "the piece")
                    # The only loop has seen the piece when it answers another client.
                    self.assertEqual(started.command("PING"), "PONG")
                self.assertEqual(connection.read(len(reply)), reply)
        with started.connect() as endless:
            endless.send_some(b"\r\n" * 4096)
            self.assertEqual(endless.read_to_close(), b"")
        started.wait_for_closed("handshake_limit", 1)

    def test_beginning_that_never_ends_is_closed_and_counted(self):
        started = self.start_member({"net.handshake_timeout": "2s"})
        admin = started.admin()
        self.assertEqual(admin.get("/livez")[0], 200)
        silent, half = started.connect(), started.connect()
        half.send(b"GE")
        self.assertEqual(half.read_to_close(), b"")
        self.assertEqual(silent.read_to_close(), b"")
        self.assertEqual(started.closed("handshake_timeout"), 2)
        # Who has said who it is has all the time it wants.
        self.assertEqual(admin.get("/livez")[0], 200)
        half.close()
        silent.close()


if __name__ == "__main__":
    member.main()
