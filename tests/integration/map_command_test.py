#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""filbert map and filbert client, and the example programs, against a member.

What is put can be read, as text and as JSON; what is missing is told by the exit code; wrong usage
is told apart from failure; without a member the message says what to do; the programs of examples/
run.
"""
import json
import os
import subprocess
import unittest

import member
from member import SharedMemberTest, run


class Maps(SharedMemberTest):
    OPTIONS = {"client.near_cache_delay": "50ms"}

    def map(self, *words):
        return run("map", "--address", f"127.0.0.1:{self.member.port}", *words)

    def expect(self, words, stdout, code=0):
        result = self.map(*words)
        self.assertEqual((result.stdout.decode(), result.returncode), (stdout, code), result.stderr)

    def test_put_get_remove(self):
        self.expect(["put", "capitals", "France", "Paris"], "")
        self.expect(["get", "capitals", "France"], "Paris\n")
        self.expect(["put", "capitals", "France", "Lyon", "-o", "json"], '"Paris"\n')
        self.expect(["remove", "capitals", "France"], "")
        self.expect(["get", "capitals", "France"], "", 1)
        self.expect(["get", "capitals", "France", "-o", "json"], "null\n", 1)

    def test_whole_map(self):
        for i in range(3):
            self.expect(["put", "numbers", str(i), str(i * i), "--type", "long"], "")
        self.expect(["size", "numbers"], "3\n")
        keys = json.loads(self.map("keys", "numbers", "-o", "json").stdout)
        self.assertEqual(sorted(keys), ["0", "1", "2"])
        self.assertEqual(len(self.map("keys", "numbers").stdout.splitlines()), 3)
        self.expect(["clear", "numbers"], "")
        self.expect(["size", "numbers"], "0\n")
        self.expect(["destroy", "numbers"], "")

    def test_types(self):
        for kind, word in (("int", "-7"), ("double", "0.5"), ("bool", "true"), ("json", '{"a":1}')):
            self.expect(["put", "types", kind, word, "--type", kind], "")
            self.expect(["get", "types", kind], word + "\n")
        self.expect(["put", "types", "7", "seven", "--key-type", "int"], "")
        self.expect(["get", "types", "7", "--key-type", "int"], "seven\n")
        self.expect(["put", "types", "--", "-x", "-y"], "")

    def test_words_that_look_like_help_can_be_stored(self):
        for word in ("-h", "--help"):
            self.expect(["put", "words", "--", word, word], "")
            self.expect(["get", "words", "--", word], f"{word}\n")

    def test_same_key_over_redis(self):
        connection = self.connect()
        connection.command("SET", "greeting", "hello")
        self.expect(["get", "default", "greeting"], "hello\n")

    def test_wrong_usage(self):
        for line in ("get m", "fly m", "get m k --bogus 1", "put m k x --type int",
                     "put m k x --type y", "put m k v --ttl soon", "get m k -o xml", ""):
            words = line.split()
            result = self.map(*words)
            self.assertEqual(result.returncode, 2, words)
            self.assertIn(b"filbert: ", result.stderr)

    def test_wrong_cluster(self):
        result = self.map("get", "m", "k", "--cluster", "other")
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"--cluster", result.stderr)

    def test_clients_are_listed(self):
        address = f"127.0.0.1:{self.member.port}"
        listed = run("client", "list", "--address", address, "-o", "json")
        self.assertEqual((listed.returncode, json.loads(listed.stdout)), (0, []))
        table = run("client", "list", "--address", address)
        self.assertTrue(table.stdout.startswith(b"NAME "), table.stdout)

    def test_help(self):
        self.assertIn(b"map put MAP KEY VALUE", run("help", "map").stdout)
        self.assertIn(b"client list", run("client", "--help").stdout)

    def test_examples(self):
        folder = os.path.dirname(member.binary())
        counts = "10000 entries were new, 10000 were there\n"
        told = "1 is 10 now\n1 is 20 now\n1 is 30 now\n"
        told += "3 changes were told, reads came from the near cache\n"
        used = "queue: added 1, took first, 1 left\nqueue: next is second\nqueue: then nothing\n"
        used += "set: new 1, again 0, size 1, then 0\n"
        used += "ring buffer: read one, 1 apart, in order\n"
        programs = {"capitals": "Paris\n", "pipeline": counts, "changes": told}
        programs["structures"] = used
        for name, expected in programs.items():
            result = subprocess.run([os.path.join(folder, f"example_{name}"),
                                     f"127.0.0.1:{self.member.port}"],
                                    capture_output=True, timeout=60, check=False)
            self.assertEqual((result.returncode, result.stdout.decode()), (0, expected))

    def test_embedded_examples_do_the_same_from_afar(self):
        folder = os.path.dirname(member.binary())
        wanted = os.path.join(os.path.dirname(__file__), "..", "..", "examples", "expected")
        for name in ("collections", "messages", "numbers"):
            result = subprocess.run([os.path.join(folder, f"example_{name}"),
                                     f"127.0.0.1:{self.member.port}"],
                                    capture_output=True, timeout=60, check=False)
            with open(os.path.join(wanted, f"{name}.txt"), encoding="utf-8") as file:
                expected = file.read().splitlines()
            lines = sorted(result.stdout.decode().splitlines())
            self.assertEqual((result.returncode, lines), (0, expected))


class WithoutMember(unittest.TestCase):
    def test_message_says_what_to_do(self):
        started = member.Member()
        started.stop()
        address = f"127.0.0.1:{started.port}"
        for words in (["map", "get", "m", "k"], ["client", "list"]):
            result = run(*words, "--address", address)
            self.assertEqual(result.returncode, 1)
            self.assertIn(f"no member answers at {address}".encode(), result.stderr)
            self.assertIn(f"filbert start --listen {address}".encode(), result.stderr)
        self.assertEqual(run("map", "get", "m", "k", "--address", "nowhere").returncode, 1)


if __name__ == "__main__":
    member.main()
