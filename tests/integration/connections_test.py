#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Connections come and go, and nothing of them stays: no descriptor, no session, no memory."""
import random

import member
from member import SharedMemberTest, Witness, encode

ROUNDS = 10
PER_ROUND = 200

# Three loops keep up to 64 blocks of 16 KiB each, and draw their memory in steps.
KEPT_BYTES = 4 << 20


class Churn(SharedMemberTest):
    def _figures(self):
        return self.member.descriptor_count(), self.member.metric("filbert_connections")

    def _check_return(self, act, held):
        """Descriptors and connections are after act what they were before.

        The test holds so many connections; one more reads the figures.
        """
        self.member.wait_for_metric(lambda n: n == held + 1, "filbert_connections")
        before = self._figures()
        used = self.member.metric("filbert_memory_used_bytes")
        act()
        self.member.wait_for_metric(lambda n: n == held + 1, "filbert_connections")
        member.wait_until(lambda: self._figures() == before, "the descriptors to be closed")
        # Each loop keeps some blocks for the next connections.
        self.member.wait_for_metric(lambda n: n <= used + KEPT_BYTES, "filbert_memory_used_bytes")

    def test_two_thousand_connections_leave_nothing_behind(self):
        accepted = self.member.metric("filbert_connections_accepted_total")

        def act():
            for _ in range(ROUNDS):
                connections = [self.member.connect() for _ in range(PER_ROUND)]
                for connection in connections:
                    connection.send(encode("PING"))
                for connection in connections:
                    self.assertEqual(connection.read(7), b"+PONG\r\n")
                    connection.close()

        with Witness(self.member, count=3):
            self._check_return(act, held=3)
        total = self.member.metric("filbert_connections_accepted_total")
        self.assertGreaterEqual(total - accepted, ROUNDS * PER_ROUND)

    def test_connections_that_end_in_every_way_leave_nothing_behind(self):
        numbers = random.Random(31)
        requests = [
            b"",
            b"GE",
            encode("PING"),
            encode("GET", "churn") * 50,
            encode("SET", "churn", b"c" * 70000)[:60000],
            b"GET / HTTP/1.1\r\nHost: [::1]\r\n\r\n" * 5,
            b"GET / HTTP/1.1\r\nHos",
            b"\0",
            b"*x\r\n",
            encode("QUIT"),
        ]

        lister = self.connect()

        def act():
            for _ in range(50):
                for data in requests:
                    connection = self.member.connect()
                    connection.send_some(data)
                    numbers.choice((connection.close, connection.reset))()
                # Looks at sessions of other loops while they go.
                self.assertIn(b"cmd=client", lister.command("CLIENT", "LIST"))

        lister.command("SET", "churn", b"c" * 20000)
        with Witness(self.member, count=3):
            self._check_return(act, held=4)

    def test_two_thousand_open_connections_are_listed_and_served(self):
        def act():
            connections = [self.member.connect() for _ in range(2000)]
            for i, connection in enumerate(connections):
                connection.send(encode("CLIENT", "SETNAME", f"crowd{i}"))
            for connection in connections:
                self.assertEqual(connection.read(5), b"+OK\r\n")
            lines = connections[0].command("CLIENT", "LIST").decode().splitlines()
            names = {word for line in lines for word in line.split() if word.startswith("name=")}
            self.assertLessEqual({f"name=crowd{i}" for i in range(2000)}, names)
            for connection in connections:
                connection.close()

        self._check_return(act, held=0)

    def test_connections_that_wait_keep_no_loop_busy(self):
        self.assertEqual(self.member.command("SET", "waited", b"w" * 3_000_000), "OK")
        get = encode("GET", "waited")
        waits = {
            "silent": b"",
            "half a request": get[:10],
            "paused": get * 50,
            "ends behind its output": get + b"*x\r\n",
            "sends on although it was ended": get + b"*x\r\n" + b"z" * 100_000,
        }
        connections = {name: self.connect(receive_buffer=4096) for name in waits}
        for name, data in waits.items():
            connections[name].send(data)
        for name in ("paused", "ends behind its output"):
            connections[name].finish()
        for name, data in waits.items():
            member.wait_until(lambda c=connections[name]: c.unsent_bytes() == 0, name)
        before = self.member.metric("filbert_io_turns_total")
        for _ in range(200):
            after = self.member.metric("filbert_io_turns_total")
        # A reading takes a turn or two, and its end another; a loop that spins makes hundreds.
        self.assertLess(after - before, 200 * 4)


if __name__ == "__main__":
    member.main()
