#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What goes wrong around a Redis client hurts nobody else and loses nothing that was acknowledged:
a member whose memory is full under load, a connection that ends in the middle of a command of many
keys, values and keys of the smallest and the largest size, clients that are killed or paused.
"""
import contextlib
import errno
import json
import os
import random
import threading
import unittest

import member
from member import MemberTest, SharedMemberTest, encode, is_sanitized, wait_until

MIB = 1 << 20
CGROUP_BYTES = 256 * MIB

OOM = "OOM command not allowed when used memory > 'maxmemory'."


def cgroup_mounts():
    """[(mount point, what of the hierarchy is its root, "cgroup" or "cgroup2", controllers)]"""
    found = []
    with open("/proc/self/mountinfo", encoding="utf-8") as file:
        for line in file:
            left, right = line.split(" - ", 1)
            kind, _, options = right.split()[:3]
            if kind in ("cgroup", "cgroup2"):
                found.append((left.split()[4], left.split()[3], kind, options.split(",")))
    return found


def own_group(controller):
    """This process's group in the hierarchy of a controller of v1, or "" for the unified one."""
    with open("/proc/self/cgroup", encoding="utf-8") as file:
        for line in file:
            _, controllers, group = line.strip().split(":", 2)
            if controller in controllers.split(","):
                return group
    return None


def below(point, root, group):
    """The folder of a group in a mount that shows the hierarchy from root on."""
    inside = group[len(root):] if root != "/" and group.startswith(root) else group
    return os.path.normpath(point + "/" + inside)


def can_limit(folder, kind):
    """Whether groups in that folder may be made, and limit memory."""
    if not os.access(folder, os.W_OK):
        return False
    if kind == "cgroup":
        return os.path.exists(os.path.join(folder, "memory.limit_in_bytes"))
    try:
        with open(os.path.join(folder, "cgroup.subtree_control"), encoding="utf-8") as file:
            return "memory" in file.read().split()
    except OSError:
        return False


def parent_cgroup():
    """Where a group may be made: the folder of either version that FILBERT_TEST_CGROUP names, which
    is the tests' to use, or our own of the unified hierarchy or of v1; None: nowhere."""
    if os.environ.get("FILBERT_TEST_CGROUP"):
        return os.environ["FILBERT_TEST_CGROUP"]
    unified_first = sorted(cgroup_mounts(), key=lambda mount: mount[2] == "cgroup")
    for point, root, kind, controllers in unified_first:
        group = own_group("") if kind == "cgroup2" else own_group("memory")
        if group is None or (kind == "cgroup" and "memory" not in controllers):
            continue
        if can_limit(below(point, root, group), kind):
            return below(point, root, group)
    return None


def limits_of(folder, limit):
    """The files of the group that limit its memory, swap included, and what to write there."""
    if os.path.exists(os.path.join(folder, "memory.limit_in_bytes")):  # v1: both together
        return {"memory.limit_in_bytes": limit, "memory.memsw.limit_in_bytes": limit}
    return {"memory.max": limit, "memory.swap.max": 0}


def killed_for_memory(folder):
    """How many processes of the group the kernel has killed."""
    for name in ("memory.events", "memory.oom_control"):
        with contextlib.suppress(FileNotFoundError):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                figures = dict(line.split() for line in file)
            return int(figures.get("oom_kill", 0))
    return 0


def make_cgroup():
    """The folder of a new cgroup; skips the test, and says why, where none may be made."""
    parent = parent_cgroup()
    hint = "see FILBERT_TEST_CGROUP in tests/README.md"
    if parent is None:
        raise unittest.SkipTest(f"no memory cgroup may be made here ({hint})")
    folder = os.path.join(parent, f"filbert-test-{os.getpid()}")
    try:
        os.mkdir(folder)
    except OSError as error:
        raise unittest.SkipTest(f"no memory cgroup may be made here: {error} ({hint})") from error
    return folder


@contextlib.contextmanager
def cgroup(limit):
    """A cgroup of that limit, without its processes at the end."""
    folder = make_cgroup()
    try:
        for name, value in limits_of(folder, limit).items():
            with contextlib.suppress(FileNotFoundError):
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(str(value))
        yield folder
    finally:
        # The kernel lets go of the last process a moment after it is waited for.
        wait_until(lambda: is_removed(folder), f"{folder} to be empty")


def is_removed(folder):
    try:
        os.rmdir(folder)
    except OSError as error:
        if error.errno != errno.EBUSY:
            raise
        return False
    return True


class Writer(threading.Thread):
    """Sets, reads and removes keys of its own, and knows what was acknowledged."""

    SIZES = (10, 100, 1000, 10_000, 100_000)

    def __init__(self, started, number, refusals_max):
        super().__init__()
        self.connection = started.connect()
        self.numbers = random.Random(number)
        self.number = number
        self.refusals_max = refusals_max
        self.known = {}
        self.refusals = 0
        self.problem = None

    def run(self):
        try:
            while self.refusals < self.refusals_max and self.problem is None:
                self._step()
        except (OSError, EOFError, AssertionError) as error:
            self.problem = error

    def _step(self):
        size = self.numbers.choice(self.SIZES)
        keys = [f"{self.number}:{self.numbers.randrange(20_000)}" for _ in range(50)]
        values = [bytes([self.numbers.randrange(65, 91)]) * size for _ in keys]
        self.connection.send(b"".join(map(encode, ["SET"] * len(keys), keys, values)))
        for key, value in zip(keys, values):
            reply = self.connection.read_reply()
            if reply == "OK":
                self.known[key] = value
            elif reply == OOM:
                self.refusals += 1
            else:
                self.problem = reply
        key = self.numbers.choice(keys)
        if self.connection.command("GET", key) != self.known.get(key):
            self.problem = f"{key} is not what was acknowledged"

    def check(self):
        """Which keys do not hold what was acknowledged last, and what they seem to hold."""
        wrong = []
        names = list(self.known)
        # A full member has a sixteenth of its limit for all replies: a MiB at a time fits.
        for i in range(0, len(names), 10):
            part = names[i:i + 10]
            got = self.connection.command("MGET", *part)
            wrong += [(key, str(value)[:80]) for key, value in zip(part, got)
                      if value != self.known[key]]
        self.connection.close()
        return wrong


class FullUnderLoad(MemberTest):
    """256 MiB, for a member that is told so by its cgroup or by an option."""

    def _check(self, started):
        writers = [Writer(started, number, refusals_max=300) for number in range(6)]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join(member.GUARD)
        self.assertEqual([writer.problem for writer in writers], [None] * len(writers),
                         f"{started.process.poll()}: {started.log_text()[-4000:]}")
        self.assertGreaterEqual(min(writer.refusals for writer in writers), 300)
        for path in ("/livez", "/readyz", "/metrics"):
            self.assertEqual(started.admin().get(path)[0], 200, path)
        for writer in writers:
            self.assertEqual(writer.check(), [])
        self.assertLess(started.resident_bytes(), CGROUP_BYTES)
        self.assertIsNone(started.process.poll())

    @unittest.skipIf(is_sanitized(), "a sanitizer's own memory does not fit")
    def test_full_member_refuses_and_loses_nothing(self):
        self._check(self.start_member({"memory.limit": CGROUP_BYTES * 8 // 10}))

    @unittest.skipIf(is_sanitized(), "a sanitizer's own memory does not fit")
    def test_full_member_in_a_small_cgroup_refuses_and_loses_nothing(self):
        with cgroup(CGROUP_BYTES) as folder:
            started = member.Member({}, cgroup=folder)
            try:
                self.assertRegex(started.screen, r"cgroup limit 256(\.0)? MiB")
                self._check(started)
                started.stop()
            finally:
                if started.process.poll() is None:
                    started.kill()  # the group is not removed before
            self.assertEqual(killed_for_memory(folder), 0)


class PhasesOfSizes(MemberTest):
    """What is resident follows the limit, whatever sizes come after one another."""

    LIMIT = 96 * MIB
    BASE = 40 * MIB  # the program, its threads, what is kept for the next
    PHASES = ((1000,), (10, 100, 1000, 5000, 20_000), (100_000,))

    def _set_many(self, connection, numbers, sizes):
        """A few times the limit of new keys; returns what was answered."""
        answers = set()
        total = 0
        while total < 2 * self.LIMIT:
            chosen = [numbers.choice(sizes) for _ in range(50)]
            total += sum(chosen)
            names = [f"{numbers.getrandbits(64)}" for _ in chosen]
            connection.send(b"".join(encode("SET", name, b"v" * size)
                                     for name, size in zip(names, chosen)))
            answers.update(connection.read_reply() for _ in chosen)
        return answers

    def _check(self, options, share):
        started = self.start_member({"memory.limit": self.LIMIT, "map.eviction": "lru", **options})
        numbers = random.Random(7)
        with started.connect() as connection:
            for sizes in self.PHASES:
                self.assertEqual(self._set_many(connection, numbers, sizes), {"OK"}, sizes)
                self.assertLess(started.resident_bytes(), 1.1 * self.LIMIT + self.BASE, sizes)
                used = started.metric("filbert_memory_used_bytes")
                self.assertLess(used, share * self.LIMIT, sizes)

    @unittest.skipIf(is_sanitized(), "a sanitizer's own memory hides the member's")
    def test_member_that_evicts_stays_within_its_limit(self):
        self._check({}, 1)

    @unittest.skipIf(is_sanitized(), "a sanitizer's own memory hides the member's")
    def test_share_of_memory_holds(self):
        self._check({"map.memory_percent_max": 60}, 0.75)


class MiddleOfACommand(SharedMemberTest):
    OPTIONS = {"debug.commands": "true", "net.io_threads": 3}
    KEYS = [f"many:{i}" for i in range(2000)]

    def setUp(self):
        self.control = self.connect()
        words = [word for key in self.KEYS for word in (key, "old")]
        self.assertEqual(self.control.command("MSET", *words), "OK")

    def _mset(self, value):
        return encode("MSET", *(word for key in self.KEYS for word in (key, value)))

    def _check_whole(self, values):
        """Each key has one of the values, all of it; the member is as it was."""
        got = self.control.command("MGET", *self.KEYS)
        self.assertLessEqual(set(got), values)
        self.assertEqual(self.control.command("DBSIZE"), len(self.KEYS))

    def _is_burning(self):
        status, _, body = self.member.admin().get("/debug/slow-operations?format=json")
        self.assertEqual(status, 200)
        operations = json.loads(body)["slow_operations"]
        return any(o["op"] == "filbert.burn" and o["running"] > 0 for o in operations)

    def test_half_a_command_changes_nothing(self):
        command = self._mset("new")
        for size in (10, len(command) // 2, len(command) - 1):
            with self.connect() as connection:
                connection.send(command[:size])
                connection.reset()
        self.member.wait_for_metric(lambda n: n <= 2, "filbert_connections")
        self._check_whole({b"old"})

    def test_connection_that_is_reset_while_its_command_runs(self):
        for value in ("a" * 1000, "b" * 1000, "c" * 1000):
            with self.connect() as connection:
                connection.send(self._mset(value))
                connection.reset()
        self.member.wait_for_metric(lambda n: n <= 2, "filbert_connections")
        self._check_whole({b"old", b"a" * 1000, b"b" * 1000, b"c" * 1000})

    def test_client_that_is_killed_while_its_command_waits(self):
        killed = self.member.closed("killed")
        with self.connect() as burner, self.connect() as victim:
            number = victim.command("CLIENT", "ID")
            burner.send(encode("FILBERT.BURN", 2_000_000, self.KEYS[1000]))
            # The loops are not in step: only what is seen to burn makes the other one wait.
            wait_until(self._is_burning, "the operation to run")
            victim.send(self._mset("new"))
            self.assertEqual(self.control.command("CLIENT", "KILL", "ID", number), 1)
            self.assertEqual(victim.read_to_close(), b"")
            self.assertEqual(burner.read_reply(), "OK")
        self.member.wait_for_closed("killed", killed + 1)
        self.member.wait_for_metric(lambda n: n <= 2, "filbert_connections")
        self._check_whole({b"old", b"new"})


class Sizes(SharedMemberTest):
    def test_keys_of_one_byte_and_of_64_kib_with_every_size_of_value(self):
        connection = self.connect()
        keys = [b"k", b"\x00", b"K" * 65536, b"\xff" * 65535]
        values = [b"", b"\x00", b"v" * 65536]
        for key in keys:
            for value in values:
                self.assertEqual(connection.command("SET", key, value), "OK")
                self.assertEqual(connection.command("GET", key), value)
                self.assertEqual(connection.command("STRLEN", key), len(value))
                self.assertEqual(connection.command("APPEND", key, b""), len(value))
                self.assertEqual(connection.command("EXISTS", key), 1)
        self.assertEqual(sorted(connection.command("KEYS", "*")), sorted(keys))
        self.assertEqual(connection.command("MGET", *keys), [values[-1]] * len(keys))
        for key in keys:
            self.assertEqual(connection.command("RENAME", key, key + b"2"), "OK")
            self.assertEqual(connection.command("EXPIRE", key + b"2", 100), 1)
            self.assertEqual(connection.command("GETDEL", key + b"2"), values[-1])
        self.assertEqual(connection.command("DBSIZE"), 0)

    def test_empty_key(self):
        connection = self.connect()
        self.assertEqual(connection.command("SET", "", "of nothing"), "OK")
        self.assertEqual(connection.command("GET", ""), b"of nothing")
        self.assertEqual(connection.command("DEL", ""), 1)


def available_bytes():
    with open("/proc/meminfo", encoding="utf-8") as file:
        fields = dict(line.split(":", 1) for line in file)
    return int(fields["MemAvailable"].split()[0]) << 10


class HugeValue(MemberTest):
    """512 MiB, the largest value of Redis."""

    SIZE = 512 * MIB
    BLOCK = b"0123456789abcdef" * (MIB // 16)

    def _send_set(self, connection, size):
        connection.send(b"*3\r\n$3\r\nSET\r\n$4\r\nhuge\r\n$%d\r\n" % size)
        for _ in range(size // MIB):
            connection.send(self.BLOCK)
        connection.send(b"x" * (size % MIB) + b"\r\n")

    @unittest.skipIf(is_sanitized(), "a sanitizer takes too long for it")
    @unittest.skipIf(available_bytes() < 3 << 30, "needs 3 GiB of memory")
    def test_value_of_512_mib_is_kept_and_one_byte_more_refused(self):
        started = self.start_member({"memory.limit": "2500MiB"})
        with started.connect() as connection:
            self._send_set(connection, self.SIZE)
            self.assertEqual(connection.read_reply(), "OK")
            self.assertEqual(connection.command("STRLEN", "huge"), self.SIZE)
            self.assertEqual(connection.command("GETRANGE", "huge", -16, -1), self.BLOCK[:16])
            self.assertEqual(connection.command("APPEND", "huge", "x"),
                             "ERR string exceeds maximum allowed size (proto-max-bulk-len)")
            self.assertEqual(connection.command("SETRANGE", "huge", self.SIZE, "x"),
                             "ERR string exceeds maximum allowed size (proto-max-bulk-len)")
        with started.connect() as connection:
            connection.send_some(b"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$%d\r\n" % (self.SIZE + 1))
            self.assertEqual(connection.read_to_close(),
                             b"-ERR Protocol error: invalid bulk length\r\n")
        with started.connect() as connection:
            self.assertEqual(connection.command("DEL", "huge"), 1)
        started.wait_for_metric(lambda n: n < 64 * MIB, "filbert_memory_used_bytes")

    def test_member_without_so_much_memory_says_so_and_goes_on(self):
        started = self.start_member({"memory.limit": "64MiB"})
        with started.connect() as other, started.connect() as connection:
            connection.send_some(b"*3\r\n$3\r\nSET\r\n$4\r\nhuge\r\n$%d\r\n" % self.SIZE
                                 + self.BLOCK * 80)
            self.assertRegex(connection.read_to_close(), rb"\A(-OOM .*\r\n)?\Z")
            started.wait_for_closed("memory", 1)
            self.assertEqual(other.command("SET", "small", "fits"), "OK")

    def test_limit_of_the_frame_refuses_it_by_its_length_alone(self):
        started = self.start_member({"net.frame_bytes_max": "1MiB"})
        with started.connect() as connection:
            connection.send_some(b"*3\r\n$3\r\nSET\r\n$4\r\nhuge\r\n$%d\r\n" % self.SIZE)
            self.assertEqual(connection.read_to_close(),
                             b"-ERR Protocol error: invalid bulk length, at most 1048576 bytes "
                             b"(net.frame_bytes_max)\r\n")
        started.wait_for_closed("frame_limit", 1)


class KillAndPause(SharedMemberTest):
    def test_killed_by_address_and_by_type(self):
        control = self.connect()
        victims = [self.connect() for _ in range(12)]
        listener = self.connect()
        listener.send(encode("SUBSCRIBE", "channel"))
        self.assertEqual(listener.read_reply()[0], b"subscribe")
        address = "%s:%d" % victims[0].socket.getsockname()
        for victim in victims:
            self.assertEqual(victim.command("PING"), "PONG")
        self.assertEqual(control.command("CLIENT", "KILL", address), "OK")
        self.assertEqual(victims[0].read_to_close(), b"")
        self.assertEqual(control.command("CLIENT", "KILL", address),
                         "ERR No such client")
        self.assertIn(b"flags=P", control.command("CLIENT", "LIST", "TYPE", "pubsub"))
        self.assertEqual(control.command("CLIENT", "KILL", "TYPE", "pubsub"), 1)
        self.assertEqual(listener.read_to_close(), b"")
        # Those of other tests may still be among them.
        self.assertGreaterEqual(control.command("CLIENT", "KILL", "TYPE", "normal"), 11)
        for victim in victims[1:]:
            self.assertEqual(victim.read_to_close(), b"")
        self.assertEqual(control.command("PUBSUB", "NUMSUB", "channel"), [b"channel", 0])
        self.assertGreaterEqual(
            control.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "no"), 1)
        self.assertEqual(control.read_to_end(), b"")

    def test_clients_come_and_go_while_all_are_killed_again_and_again(self):
        """The list of clients, and those who are in it, under fire."""
        stop = threading.Event()
        done = []

        def churn():
            while not stop.is_set():
                with contextlib.suppress(OSError, EOFError, AssertionError):
                    with self.member.connect() as connection:
                        connection.send(encode("INCR", "count") * 20)
                        connection.read_reply()
                done.append(1)

        threads = [threading.Thread(target=churn) for _ in range(4)]
        for thread in threads:
            thread.start()
        self.addCleanup(stop.set)
        with self.connect() as control:
            while len(done) < 400 and any(thread.is_alive() for thread in threads):
                self.assertGreaterEqual(control.command("CLIENT", "KILL", "TYPE", "normal"), 0)
            stop.set()
            for thread in threads:
                thread.join(member.GUARD)
            self.assertGreater(int(control.command("GET", "count")), 0)

    def test_pause_holds_back_every_connection_and_loses_nothing(self):
        control = self.connect()
        clients = [self.connect() for _ in range(12)]
        self.assertEqual(control.command("DEL", "paused"), 0)
        self.assertEqual(control.command("CLIENT", "PAUSE", 3_600_000, "WRITE"), "OK")
        for client in clients:
            client.send(encode("PING") + encode("INCR", "paused") * 10 + encode("PING"))
        for client in clients:
            self.assertEqual(client.read_reply(), "PONG")
        self.assertIsNone(control.command("GET", "paused"))
        self.assertEqual(control.command("CLIENT", "UNPAUSE"), "OK")
        replies = []
        for client in clients:
            replies += [client.read_reply() for _ in range(10)]
            self.assertEqual(client.read_reply(), "PONG")
        self.assertEqual(sorted(replies), list(range(1, 121)))


if __name__ == "__main__":
    member.main()
