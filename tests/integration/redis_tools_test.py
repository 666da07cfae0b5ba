#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Real Redis programs against a member: redis-cli in both protocol versions, its mass insertion,
and redis-benchmark with and without pipelining. They must find what they expect of a server.
"""
import json
import re

import member
from member import SharedMemberTest, encode, run_program


class RedisCli(SharedMemberTest):
    def _run(self, *words, stdin=None):
        return run_program(["redis-cli", "-p", str(self.member.port), *words], stdin=stdin)

    def _cli(self, *words, stdin=None):
        """(exit code, output) of redis-cli."""
        result = self._run(*words, stdin=stdin)
        self.assertEqual(result.stderr, b"")
        return result.returncode, result.stdout.decode()

    def _check(self, words, output):
        self.assertEqual(self._cli(*words), (0, output))

    def test_keys_are_set_read_and_removed(self):
        self._check(["set", "cli:one", "first value"], "OK\n")
        self._check(["set", "cli:two", "2"], "OK\n")
        self._check(["get", "cli:one"], "first value\n")
        self._check(["get", "cli:none"], "\n")
        self._check(["exists", "cli:one", "cli:two", "cli:none", "cli:one"], "3\n")
        self._check(["del", "cli:one", "cli:two", "cli:none"], "2\n")
        self._check(["exists", "cli:one"], "0\n")

    def test_ping_and_echo_answer(self):
        self._check(["ping"], "PONG\n")
        self._check(["ping", "hello there"], "hello there\n")
        self._check(["echo", "hello there"], "hello there\n")

    def test_info_tells_of_the_member_in_sections(self):
        _, output = self._cli("info")
        sections = re.findall(r"(?m)^# (\w+)", output)
        self.assertEqual(
            sections,
            ["Server", "Clients", "Memory", "Persistence", "Stats", "Replication", "CPU"]
            + ["Modules", "Cluster", "Keyspace"],
        )
        fields = dict(re.findall(r"(?m)^(\w+):(.*?)\r?$", output))
        self.assertEqual(fields["tcp_port"], str(self.member.port))
        self.assertEqual(fields["process_id"], str(self.member.pid))
        self.assertGreaterEqual(int(fields["connected_clients"]), 1)
        _, one = self._cli("info", "memory")
        self.assertEqual(re.findall(r"(?m)^# (\w+)", one), ["Memory"])

    def test_client_list_names_the_clients(self):
        other = self.connect()
        self.assertEqual(other.command("CLIENT", "SETNAME", "listed"), "OK")
        _, output = self._cli("client", "list")
        clients = [dict(w.split("=", 1) for w in line.split()) for line in output.splitlines()]
        named = [client for client in clients if client.get("name") == "listed"]
        self.assertEqual(len(named), 1)
        address = "%s:%d" % other.socket.getsockname()
        self.assertEqual((named[0]["addr"], named[0]["cmd"]), (address, "client"))
        self.assertEqual(int(named[0]["id"]), other.command("CLIENT", "ID"))

    def test_command_docs_describe_the_commands(self):
        _, output = self._cli("-3", "--json", "command", "docs")
        docs = json.loads(output)
        self.assertIn("get", docs)
        self.assertTrue(docs["get"]["summary"])
        self.assertEqual(len(docs), int(self._cli("command", "count")[1]))
        _, one = self._cli("-3", "--json", "command", "docs", "get", "nonsense")
        self.assertEqual(json.loads(one), {"get": docs["get"]})

    def test_hello_3_changes_to_the_third_version(self):
        output = self._cli(stdin=b"hello 3\nget cli:none\n")[1]
        self.assertIn("proto 3", " ".join(output.split()))
        _, answer = self._cli("-3", "--json", "hello")
        self.assertEqual(json.loads(answer)["proto"], 3)

    def test_errors_are_shown_as_errors(self):
        result = self._run("-e", "nonsense", "a", "b")
        self.assertEqual(result.returncode, 1)
        self.assertEqual(
            result.stderr.decode().strip(),
            "ERR unknown command 'nonsense', with args beginning with: 'a' 'b'",
        )

    def test_mass_insertion_through_a_pipe_loses_nothing(self):
        count = 20000
        stream = b"".join(encode("SET", f"pipe:{i}", f"value {i}") for i in range(count))
        code, output = self._cli("--pipe", stdin=stream)
        self.assertEqual(code, 0)
        self.assertIn(f"errors: 0, replies: {count}", output)
        connection = self.connect()
        names = [f"pipe:{i}" for i in range(count)]
        self.assertEqual(connection.command("GET", names[-1]), b"value %d" % (count - 1))
        self.assertEqual(connection.command("DEL", *names), count)

    def test_commands_from_a_file_are_run_in_order(self):
        lines = b'set cli:n 1\nget cli:n\nset cli:n "two words"\nget cli:n\ndel cli:n\n'
        self.assertEqual(self._cli(stdin=lines)[1], "OK\n1\nOK\ntwo words\n1\n")


class RedisBenchmark(SharedMemberTest):
    def _benchmark(self, *options):
        command = ["redis-benchmark", "-p", str(self.member.port), "-q", "-t", "set,get", *options]
        result = run_program(command)
        output = result.stdout.decode().replace("\r", "\n")
        self.assertEqual(result.returncode, 0, output + result.stderr.decode())
        for name in ("SET", "GET"):
            self.assertRegex(output, rf"(?m)^{name}: [\d.]+ requests per second")
        self.assertNotIn("rror", output + result.stderr.decode())
        return output

    def _check_requests(self, count, *options):
        before = self.member.metric("filbert_requests_total")
        self._benchmark("-n", str(count), *options)
        after = self.member.metric("filbert_requests_total")
        self.assertGreaterEqual(after - before, 2 * count)

    def test_fifty_clients_run_without_errors(self):
        self._check_requests(5000, "-c", "50")

    def test_pipelining_clients_run_without_errors(self):
        self._check_requests(40000, "-c", "20", "-P", "16", "-r", "1000", "-d", "100")


if __name__ == "__main__":
    member.main()
