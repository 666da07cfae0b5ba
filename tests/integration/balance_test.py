#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Busy connections that were all dealt to one I/O loop are spread; nothing of them is lost."""
import threading

import member
from member import MemberTest, encode

CONNECTIONS = 8
PIPELINE = 50
ROUNDS = 30


class Heavy:
    """A client that keeps asking, many commands at once, and checks each reply and its order."""

    def __init__(self, connection, name):
        self.connection = connection
        self.name = name
        self.rounds = 0
        self.problem = None
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _ask(self):
        values = [b"%d" % (self.rounds * PIPELINE + i) for i in range(PIPELINE)]
        key = self.name
        self.connection.send(
            b"".join(encode("SET", key, v) + encode("GET", key) + encode("ECHO", v) for v in values)
        )
        expected = b"".join(b"+OK\r\n" + b"$%d\r\n%s\r\n" % (len(v), v) * 2 for v in values)
        received = self.connection.read(len(expected))
        if received != expected:
            raise AssertionError(f"expected {expected[:200]}, received {received[:200]}")
        self.rounds += 1

    def _run(self):
        try:
            while not self._is_over.is_set():
                self._ask()
        except (OSError, EOFError, AssertionError) as error:
            self.problem = error

    def stop(self):
        self._is_over.set()
        self._thread.join()
        self.connection.close()


class Balance(MemberTest):
    def _start(self, interval):
        """A member with two loops, and busy clients on every other connection."""
        options = {"net.io_threads": 2, "net.balance_interval": interval}
        self.started = self.start_member(options)
        self.heavies = []
        self.addCleanup(self._stop_heavies)
        for i in range(CONNECTIONS):
            connection = self.started.connect()
            # The reply says that it has been dealt: to the first loop, the second, and so on.
            self.assertEqual(connection.command("PING"), "PONG")
            if i % 2 == 0:
                self.heavies.append(Heavy(connection, f"heavy{i}"))
            else:
                self.addCleanup(connection.close)

    def _stop_heavies(self):
        for heavy in self.heavies:
            heavy.stop()

    def _moves(self):
        return self.started.metric("filbert_connection_moves_total")

    def _requests(self):
        return [self.started.metric("filbert_requests_total", loop=loop) for loop in "01"]

    def _smaller_share(self):
        """The share of the loop that handles fewer requests, while all clients ask for a while."""
        before = self._requests()
        goals = [heavy.rounds + ROUNDS for heavy in self.heavies]
        member.wait_until(
            lambda: all(h.problem or h.rounds >= goal for h, goal in zip(self.heavies, goals)),
            "the clients to go on",
        )
        handled = [after - first for after, first in zip(self._requests(), before)]
        return min(handled) / sum(handled)

    def _check_heavies(self):
        self._stop_heavies()
        self.assertEqual([heavy.problem for heavy in self.heavies], [None] * len(self.heavies))

    def test_busy_connections_of_one_loop_are_spread(self):
        self._start("100ms")
        member.wait_until(lambda: self._smaller_share() > 0.15, "a share for the other loop")
        self.assertGreaterEqual(self._moves(), 1)
        self._check_heavies()

    def test_without_an_interval_nothing_moves(self):
        self._start("0")
        for _ in range(5):
            self.assertLess(self._smaller_share(), 0.05)
        self.assertEqual(self._moves(), 0)
        self._check_heavies()

    def test_member_stops_while_connections_move(self):
        self._start("10ms")
        member.wait_until(lambda: self._moves() >= 1, "a move")
        self.started.signal()
        self.assertEqual(self.started.wait(), 0)
        for heavy in self.heavies:
            heavy.stop()
            # The end of the connection between two requests, and no wrong reply before it.
            self.assertNotIsInstance(heavy.problem, AssertionError)


if __name__ == "__main__":
    member.main()
