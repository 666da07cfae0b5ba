#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The clients of Hazelcast, unmodified, each through the whole scenario of tests/clients, and
through a restart of the member while they are connected: they connect again and their listeners
go on. Without any configuration they find a member at its usual place. tests/clients/setup gets
the libraries; without one its test is skipped.
"""
import os
import socket
import sys
import unittest

import member
from member import Member, SharedMemberTest

sys.path.insert(0, os.path.join(member.ROOT, "tests", "clients"))
import hazelcast  # pylint: disable=wrong-import-position


class Scenario(SharedMemberTest):
    OPTIONS = {"client.lock_grace": "300ms", "client.near_cache_delay": "500ms"}

    def go_through(self, name):
        if not hazelcast.is_here(name):
            self.skipTest("the library is not here: run tests/clients/setup")
        return hazelcast.run(name, f"127.0.0.1:{self.member.port}")


class Whole(Scenario):
    def test_python(self):
        self.assertIsNone(self.go_through("python"))

    def test_node(self):
        self.assertIsNone(self.go_through("node"))

    def test_go(self):
        self.assertIsNone(self.go_through("go"))

    def test_java(self):
        self.assertIsNone(self.go_through("java"))


class Structures(Scenario):
    """On a member of their own: the Node client cannot list objects of kinds it does not know."""

    def test_python(self):
        self.assertIsNone(self.go_through("python structures"))

    def test_node(self):
        self.assertIsNone(self.go_through("node structures"))

    def test_go(self):
        self.assertIsNone(self.go_through("go structures"))

    def test_java(self):
        self.assertIsNone(self.go_through("java structures"))


class Unconfigured(unittest.TestCase):
    """A member as `filbert start` makes it, and clients that are told nothing at all."""

    PORT = 5701

    @classmethod
    def setUpClass(cls):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", cls.PORT))
            except OSError:
                raise unittest.SkipTest(f"somebody else listens on {cls.PORT}") from None
        cls.member = Member({"net.listen": f"127.0.0.1:{cls.PORT}"})
        cls.addClassCleanup(cls.member.stop)

    def go_through(self, name):
        if not hazelcast.is_here(name):
            self.skipTest("the library is not here: run tests/clients/setup")
        return hazelcast.run(name, "default", "hello")

    def test_python(self):
        self.assertIsNone(self.go_through("python"))

    def test_node(self):
        self.assertIsNone(self.go_through("node"))

    def test_go(self):
        self.assertIsNone(self.go_through("go"))

    def test_java(self):
        self.assertIsNone(self.go_through("java"))


class Executors(Scenario):
    """The Node and Go clients have none."""

    OPTIONS = {"executor.named": "small threads=1 capacity=1; one threads=1; "
                                 "wide threads=1 capacity=4000"}

    def test_python(self):
        self.assertIsNone(self.go_through("python executors"))

    def test_java(self):
        self.assertIsNone(self.go_through("java executors"))


class TwoWorlds(Scenario):
    def test_redis_and_hazelcast(self):
        self.assertIsNone(self.go_through("two worlds"))


class Restarted(unittest.TestCase):
    def go_through(self, name):
        if not hazelcast.is_here(name):
            self.skipTest("the library is not here: run tests/clients/setup")
        members = [Member()]
        self.addCleanup(lambda: members[-1].stop())
        address = f"127.0.0.1:{members[0].port}"

        def restart():
            members[0].stop()
            members.append(Member({"net.listen": address}))

        return hazelcast.run_through_restart(name, address, restart)

    def test_python(self):
        self.assertIsNone(self.go_through("python"))

    def test_node(self):
        self.assertIsNone(self.go_through("node"))

    def test_go(self):
        self.assertIsNone(self.go_through("go"))

    def test_java(self):
        self.assertIsNone(self.go_through("java"))


if __name__ == "__main__":
    member.main()
