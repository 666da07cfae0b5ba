#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The open client protocol on a real member: who is not known gets nothing, what is not served or
not right is answered with its error, nobody else notices; one entry for all protocols.
"""
import struct

from member import GUARD, MemberTest, SharedMemberTest, main

MAGIC = b"CP2"
BEGIN, END, NULL, FINAL = 0x1000, 0x0800, 0x0400, 0x2000
AUTHENTICATION, PING, PUT, GET, CLEAR = 0x000100, 0x000B00, 0x010100, 0x010200, 0x012D00
REMOVE = 0x010300
ILLEGAL_ARGUMENT, UNSUPPORTED_OPERATION, NOT_AUTHENTICATED = 23, 61, 3
CLIENT = bytes(range(1, 17))


def frame(content=b"", flags=0):
    return struct.pack("<IH", 6 + len(content), flags) + content


def message(kind, correlation, fixed=b"", *frames, partition=-1):
    """A request; None among its frames is null."""
    header = struct.pack("<Iqi", kind, correlation, partition) + fixed
    parts = [(header, 0xC000)]
    for f in frames:
        parts.append((b"", NULL) if f is None else (f, 0) if isinstance(f, bytes) else (b"", f))
    parts[-1] = (parts[-1][0], parts[-1][1] | FINAL)
    return b"".join(frame(content, flags) for content, flags in parts)


def hello(cluster=b"dev", client=CLIENT):
    return message(
        AUTHENTICATION, 1, b"\0" + client + b"\1", cluster, None, None, b"PYH", b"5.7.0", b"c",
        BEGIN, END,
    )


def text(value):
    return struct.pack(">iii", 0, -11, len(value)) + value


def put(correlation, key, value, partition=3):
    fixed = struct.pack("<qq", 1, -1)
    return message(PUT, correlation, fixed, b"m", text(key), text(value), partition=partition)


def get(correlation, key, partition=3):
    return message(GET, correlation, struct.pack("<q", 1), b"m", text(key), partition=partition)


class Peer:
    """A connection that takes the stream apart into messages."""

    def __init__(self, connection):
        self.socket = connection.socket
        self.input = b""

    def greet(self):
        self.welcome = self.ask(MAGIC + hello())
        return self

    def _frame(self):
        while len(self.input) < 6 or len(self.input) < struct.unpack_from("<I", self.input)[0]:
            data = self.socket.recv(65536)
            if not data:
                raise EOFError
            self.input += data
        length, flags = struct.unpack_from("<IH", self.input)
        content, self.input = self.input[6:length], self.input[length:]
        return content, flags

    def receive(self):
        frames = [self._frame()]
        while not frames[-1][1] & FINAL:
            frames.append(self._frame())
        return frames

    def ask(self, request):
        self.socket.sendall(request)
        return self.receive()

    def error_of(self, request):
        frames = self.ask(request)
        kind = struct.unpack_from("<I", frames[0][0])[0]
        if kind != 0:
            raise AssertionError(f"no error but {frames}")
        return struct.unpack_from("<i", frames[3][0])[0]

    def is_ended(self):
        try:
            self.receive()
        except (EOFError, ConnectionError):
            return True
        return False


K_PARTITION = 41  # of the text "k", as every client computes it


class OneDoor(SharedMemberTest):
    """What one protocol writes the other reads: the same entry, not a copy."""

    def setUp(self):
        super().setUp()
        self.peer = Peer(self.connect()).greet()
        self.resp = self.connect()

    def request(self, kind, *frames, fixed=struct.pack("<q", 1)):
        request = message(kind, 5, fixed, b"default", *frames, partition=K_PARTITION)
        return self.peer.ask(request)

    def test_key_of_one_is_the_key_of_the_other(self):
        self.assertEqual(self.resp.command("SET", "k", "from redis"), "OK")
        self.assertEqual(self.request(GET, text(b"k"))[1][0], text(b"from redis"))
        times = struct.pack("<qq", 1, -1)
        old = self.request(PUT, text(b"k"), text(b"from hazelcast"), fixed=times)
        self.assertEqual(old[1][0], text(b"from redis"))
        self.assertEqual(self.resp.command("GET", "k"), b"from hazelcast")
        self.assertEqual(self.resp.command("DBSIZE"), 1)
        self.assertEqual(self.resp.command("APPEND", "k", "!"), 15)
        self.assertEqual(self.request(REMOVE, text(b"k"))[1][0], text(b"from hazelcast!"))
        self.assertIsNone(self.resp.command("GET", "k"))

    def test_what_is_no_text_comes_as_bytes(self):
        self.resp.command("SET", "k", b"\xff\xd8\xff\xe0")
        array = struct.pack(">iii", 0, -12, 4) + b"\xff\xd8\xff\xe0"
        self.assertEqual(self.request(GET, text(b"k"))[1][0], array)
        self.resp.command("DEL", "k")

    def test_serialized_keys_are_found_by_their_bytes(self):
        number = struct.pack(">iii", 0, -7, 1)
        fixed = struct.pack("<qq", 1, -1)
        self.peer.ask(message(PUT, 5, fixed, b"default", number, text(b"one"), partition=31))
        self.assertEqual(self.resp.command("GET", number), b"one")
        self.assertEqual(self.resp.command("DEL", number), 1)


class Dialogue(SharedMemberTest):
    def stranger(self):
        return Peer(self.connect())

    def peer(self):
        return self.stranger().greet()

    def check_alive(self, peer):
        reply = peer.ask(message(PING, 77))
        self.assertEqual(struct.unpack_from("<Iq", reply[0][0]), (PING + 1, 77))

    def test_entry_written_by_one_is_read_by_another(self):
        one, two = self.peer(), self.peer()
        self.assertEqual(one.ask(put(2, b"k", b"v"))[1][1] & NULL, NULL)
        self.assertEqual(two.ask(get(3, b"k"))[1][0], text(b"v"))

    def test_responses_carry_the_number_of_their_request(self):
        peer = self.peer()
        count = 3000
        peer.socket.sendall(b"".join(get(i, b"%d" % i, i % 271) for i in range(count)))
        seen = {struct.unpack_from("<q", peer.receive()[0][0], 4)[0] for _ in range(count)}
        self.assertEqual(seen, set(range(count)))

    def test_nothing_before_authentication(self):
        peer = self.stranger()
        self.assertEqual(peer.error_of(MAGIC + get(1, b"k")), NOT_AUTHENTICATED)
        self.assertTrue(peer.is_ended())

    def test_stranger_may_not_send_much(self):
        peer = self.stranger()
        peer.socket.sendall(MAGIC + struct.pack("<IH", 4097, 0xC000))
        self.assertTrue(peer.is_ended())

    def test_bad_requests_leave_the_connection_alive(self):
        peer = self.peer()
        self.assertEqual(peer.error_of(get(2, b"k", 271)), ILLEGAL_ARGUMENT)
        self.assertEqual(peer.error_of(get(2, b"k", -1)), ILLEGAL_ARGUMENT)
        self.assertEqual(peer.error_of(get(2, b"k", -(2**31))), ILLEGAL_ARGUMENT)
        null_key = message(GET, 2, struct.pack("<q", 1), b"m", None, partition=3)
        self.assertEqual(peer.error_of(null_key), ILLEGAL_ARGUMENT)
        self.assertEqual(peer.error_of(message(GET, 2, b"", partition=3)), ILLEGAL_ARGUMENT)
        self.assertEqual(peer.error_of(message(CLEAR, 2, b"", b"")), ILLEGAL_ARGUMENT)
        self.assertEqual(peer.error_of(message(CLEAR, 2, b"", b"x" * 5000)), 43)
        for number in (0x017F00, 0x030100, 0xFE0100, 0x010101, 0x7FFFFFFF):
            self.assertEqual(peer.error_of(message(number, 2)), UNSUPPORTED_OPERATION)
        self.check_alive(peer)

    def test_broken_frames_end_the_connection_alone(self):
        witness = self.peer()
        broken = (
            struct.pack("<IH", 5, 0xC000),  # shorter than itself
            struct.pack("<IH", 0x7FFFFFFF, 0xC000),  # two gigabytes
            message(PING, 1)[:4] + b"\0\0" + message(PING, 1)[6:],  # no beginning
            message(PING, 1, b"", *[BEGIN] * 1000),  # without end
        )
        for bytes_ in broken:
            peer = self.peer()
            peer.socket.sendall(bytes_)
            self.assertTrue(peer.is_ended(), bytes_[:20])
        self.check_alive(witness)

    def test_first_byte_by_byte(self):
        peer = self.stranger()
        for byte in MAGIC + hello():
            peer.socket.sendall(bytes([byte]))
        self.assertEqual(peer.receive()[0][0][13], 0)
        self.check_alive(peer)


class SlowReader(MemberTest):
    def test_who_reads_nothing_is_no_longer_read(self):
        member = self.start_member({"net.output_bytes_max": "1mb"})
        connection = member.connect()
        self.addCleanup(connection.close)
        peer = Peer(connection).greet()
        peer.ask(put(2, b"k", b"v" * 100000))
        peer.socket.setblocking(False)
        request = get(3, b"k") * 100
        sent = 0
        try:
            for _ in range(100000):
                sent += peer.socket.send(request)
        except BlockingIOError:
            pass
        self.assertLess(sent, 100 * 1024 * 1024)
        peer.socket.settimeout(GUARD)
        self.assertEqual(len(peer.receive()[1][0]), 12 + 100000)


if __name__ == "__main__":
    main()
