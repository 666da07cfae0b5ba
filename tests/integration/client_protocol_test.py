#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The open client protocol on a real member: who is not known gets nothing, what is not served or
not right is answered with its error, nobody else notices; one entry for all protocols.
"""
import importlib.machinery
import importlib.util
import json
import os
import struct
import sys

from member import (
    GUARD, ROOT, MemberTest, SharedMemberTest, Witness, main, parse_logfmt, wait_until,
)

MAGIC = b"CP2"
BEGIN, END, NULL, FINAL, EVENT = 0x1000, 0x0800, 0x0400, 0x2000, 0x0200
AUTHENTICATION, PING, PUT, GET, CLEAR = 0x000100, 0x000B00, 0x010100, 0x010200, 0x012D00
REMOVE, ADD_LISTENER, REMOVE_LISTENER, DESTROY = 0x010300, 0x011900, 0x011A00, 0x000500
ADD_INVALIDATION_LISTENER, FETCH_SEQUENCES, EXECUTE = 0x013F00, 0x013D00, 0x012E00
KEYS_WITH_PREDICATE, VALUES, REMOVE_INTERCEPTOR = 0x012600, 0x012400, 0x011500
FETCH_WITH_QUERY, JOURNAL_SUBSCRIBE, JOURNAL_READ = 0x014000, 0x014100, 0x014200
REPLACE_ALL, PUT_ALL_WITH_METADATA = 0x014800, 0x014900
ADD_REPLICATED_LISTENER, REPLICATED_PUT = 0x0D0B00, 0x0D0100
ADDED, INVALIDATION = 1, 256
ILLEGAL_ARGUMENT, UNSUPPORTED_OPERATION, NOT_AUTHENTICATED = 23, 61, 3
QUEUE_TAKE, INSTANCE_NOT_ACTIVE = 0x030600, 19
CLIENT = bytes(range(1, 17))
K_PARTITION = 41  # of the text "k", as every client computes it


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


def packed(value):
    """Bytes inside of an object."""
    return struct.pack(">i", len(value)) + value


def serialized(factory, number, fields=b""):
    """An object of a class that clients and members know by two numbers."""
    return struct.pack(">iiBii", 0, -2, 1, factory, number) + fields


def inside(data):
    """An object inside of another has no hash."""
    return data[4:]


def change(kind, key, value, old=None, has_lost=False):
    """A change as the journal tells it."""
    parts = [packed(text(part)) if part is not None else struct.pack(">i", -1)
             for part in (key, value, old)]
    fields = struct.pack(">i", kind) + b"".join(parts) + bytes([has_lost])
    return serialized(-4, 132, fields)


TRUE = serialized(-20, 14)


def put(correlation, key, value, partition=3):
    fixed = struct.pack("<qq", 1, -1)
    return message(PUT, correlation, fixed, b"m", text(key), text(value), partition=partition)


def get(correlation, key, partition=3):
    return message(GET, correlation, struct.pack("<q", 1), b"m", text(key), partition=partition)


def write(name, key):
    """Puts an entry; all keys are said to be of one partition."""
    fixed = struct.pack("<qq", 1, -1)
    return message(PUT, 2, fixed, name, text(key), text(b"v"), partition=K_PARTITION)


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
        self.socket.sendall(request)
        return self.received_error()

    def received_error(self):
        frames = self.receive()
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

    def test_what_is_refused_is_counted(self):
        unsupported = self.member.metric("filbert_client_unsupported_total")
        refused = self.member.metric("filbert_client_refused_total")
        self.peer().error_of(message(0x017F00, 2))
        self.assertEqual(self.stranger().ask(MAGIC + hello(b"other"))[0][0][13], 1)
        self.assertEqual(self.member.metric("filbert_client_unsupported_total"), unsupported + 1)
        self.assertEqual(self.member.metric("filbert_client_refused_total"), refused + 1)

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
        for number in (0x017F00, 0x0A0100, 0xFE0100, 0x010101, 0x7FFFFFFF):
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


class Ears(SharedMemberTest):
    """Connections that listen; without tests of its own."""

    def peer(self, client=CLIENT):
        peer = Peer(self.connect())
        peer.ask(MAGIC + hello(client=client))
        return peer

    def listen(self, peer, correlation, kind, fixed, name=b"m"):
        reply = peer.ask(message(kind, correlation, fixed, name))
        self.assertEqual(struct.unpack_from("<Iq", reply[0][0]), (kind + 1, correlation))
        return reply[0][0][13:30]

    def listen_near(self, peer, name):
        fixed = struct.pack("<i?", INVALIDATION, False)
        self.listen(peer, 9, ADD_INVALIDATION_LISTENER, fixed, name)


class Listening(Ears):
    def test_only_what_was_asked_for_is_told(self):
        listener, writer = self.peer(), self.peer(bytes(16))
        number = self.listen(listener, 9, ADD_LISTENER, struct.pack("<?i?", True, ADDED, False))
        writer.ask(put(2, b"once", b"v"))
        writer.ask(put(3, b"once", b"w"))
        writer.ask(put(4, b"twice", b"v"))
        told = []
        for _ in range(2):
            event = listener.receive()
            self.assertEqual(struct.unpack_from("<Iqii", event[0][0]),
                             (ADD_LISTENER + 2, 9, 3, ADDED))
            told.append((event[1][0], event[2][0]))
        # Events of different keys come in any order.
        self.assertEqual(sorted(told), [(text(b"once"), text(b"v")), (text(b"twice"), text(b"v"))])
        ended = listener.ask(message(REMOVE_LISTENER, 10, number, b"m"))
        self.assertEqual(ended[0][0][13], 1)
        ended = listener.ask(message(REMOVE_LISTENER, 11, number, b"m"))
        self.assertEqual(ended[0][0][13], 0)

    def test_replicated_map_tells_what_fits_a_predicate(self):
        listener, writer = self.peer(), self.peer(bytes(16))
        fits = serialized(-20, 3, packed(b"this") + inside(text(b"wanted")))
        reply = listener.ask(message(ADD_REPLICATED_LISTENER, 9, b"\0", b"r", fits))
        self.assertEqual(struct.unpack_from("<I", reply[0][0])[0], ADD_REPLICATED_LISTENER + 1)
        for value in (b"other", b"wanted"):
            writer.ask(message(REPLICATED_PUT, 2, struct.pack("<q", 0), b"r", text(value),
                               text(value), partition=K_PARTITION))
        event = listener.receive()
        self.assertEqual((event[1][0], event[2][0]), (text(b"wanted"), text(b"wanted")))
        bad = message(ADD_REPLICATED_LISTENER, 9, b"\0", b"r", text(b"no predicate"))
        self.assertEqual(listener.error_of(bad), UNSUPPORTED_OPERATION)

    def test_who_destroys_a_map_ends_its_listeners(self):
        listener, writer = self.peer(), self.peer(bytes(16))
        number = self.listen(listener, 9, ADD_LISTENER, struct.pack("<?i?", True, ADDED, False),
                             b"gone")
        writer.ask(message(DESTROY, 2, b"", b"gone", b"hz:impl:mapService"))
        ended = listener.ask(message(REMOVE_LISTENER, 10, number, b"gone"))
        self.assertEqual(ended[0][0][13], 0)

    def test_bad_listeners_are_refused(self):
        peer = self.peer()
        fixed = struct.pack("<?i?", True, ADDED, False)
        with_predicate = message(0x011700, 2, fixed, b"m", text(b"no predicate"))
        self.assertEqual(peer.error_of(with_predicate), UNSUPPORTED_OPERATION)
        self.assertEqual(peer.error_of(message(ADD_LISTENER, 2, fixed, b"")), ILLEGAL_ARGUMENT)
        self.assertEqual(peer.error_of(message(ADD_LISTENER, 2, b"", b"m")), ILLEGAL_ARGUMENT)

    def test_processors_are_run_by_name(self):
        peer = self.peer()

        def execute(processor):
            return message(EXECUTE, 2, struct.pack("<q", 1), b"numbers", text(processor),
                           text(b"k"), partition=K_PARTITION)

        self.assertEqual(peer.ask(execute(b"increment 5"))[1][0], text(b"5"))
        self.assertEqual(peer.ask(execute(b"increment"))[1][0], text(b"6"))
        self.assertEqual(peer.error_of(execute(b"unheard-of")), UNSUPPORTED_OPERATION)

    def test_clients_are_listed(self):
        peer = self.peer()
        status, _, body = self.connect().get("/v1/clients")
        self.assertEqual(status, 200)
        clients = json.loads(body)
        mine = [c for c in clients if c["uuid"] == (CLIENT[7::-1] + CLIENT[:7:-1]).hex()]
        self.assertEqual((mine[0]["name"], mine[0]["type"]), ("c", "PYH"))
        self.assertGreaterEqual(mine[0]["requests"], 1)
        peer.socket.close()

    def test_listeners_of_clients_that_vanish_are_ended(self):
        fixed = struct.pack("<?i?", True, ADDED, False)
        for _ in range(50):
            peer = self.peer()
            peer.socket.sendall(message(ADD_LISTENER, 9, fixed, b"crowded"))
            peer.socket.close()
        witness = self.peer()
        self.assertEqual(len(self.listen(witness, 9, ADD_LISTENER, fixed, b"crowded")), 17)


class Invalidating(Ears):
    """Batches that leave when they are full, and for no other reason."""

    OPTIONS = {"client.near_cache_batch": "5", "client.near_cache_delay": "1h"}

    def test_invalidations_come_together(self):
        cache, writer = self.peer(), self.peer(bytes(range(2, 18)))
        self.listen_near(cache, b"together")
        for i in range(5):
            writer.ask(write(b"together", b"k%d" % i))
        event = cache.receive()
        kind, number, _ = struct.unpack_from("<Iqi", event[0][0])
        self.assertEqual((kind, number), (ADD_INVALIDATION_LISTENER + 3, 9))
        self.assertEqual([f[0] for f in event[2:7]], [text(b"k%d" % i) for i in range(5)])
        sources, partitions, sequences = (f[0] for f in event[8:])
        self.assertEqual(sources, (b"\0" + bytes(range(2, 18))) * 5)
        self.assertEqual(struct.unpack("<5q", sequences), (1, 2, 3, 4, 5))
        known = cache.ask(message(FETCH_SEQUENCES, 5, bytes(17), BEGIN, b"together", END))[5][0]
        self.assertEqual(partitions, known[K_PARTITION * 21 + 4 : K_PARTITION * 21 + 21] * 5)

    def test_a_clear_comes_at_once_behind_what_was_collected(self):
        cache, writer = self.peer(), self.peer(bytes(range(2, 18)))
        self.listen_near(cache, b"cleared")
        writer.ask(write(b"cleared", b"k"))
        writer.ask(message(CLEAR, 2, b"", b"cleared"))
        batch, clear = cache.receive(), cache.receive()
        self.assertEqual(batch[2][0], text(b"k"))
        kind = struct.unpack_from("<I", clear[0][0])[0]
        self.assertEqual((kind, clear[1]), (ADD_INVALIDATION_LISTENER + 2, (b"", NULL | FINAL)))

    def test_who_goes_away_with_a_batch_half_full_is_forgotten(self):
        gone, writer = self.peer(), self.peer(bytes(range(2, 18)))
        self.listen_near(gone, b"left")
        writer.ask(write(b"left", b"k"))
        gone.socket.close()
        cache = self.peer()
        self.listen_near(cache, b"left")
        for i in range(5):
            writer.ask(write(b"left", b"k%d" % i))
        self.assertEqual(len(cache.receive()), 11)


class InvalidatingInTime(Ears):
    """Batches that are never full leave all the same, each time anew."""

    OPTIONS = {"client.near_cache_delay": "20ms"}

    def test_invalidations_do_not_wait_for_ever(self):
        caches, writer = [self.peer(), self.peer()], self.peer(bytes(range(2, 18)))
        for cache in caches:
            self.listen_near(cache, b"timed")
        for i in range(3):
            writer.ask(write(b"timed", b"k"))
            for cache in caches:
                event = cache.receive()
                self.assertEqual(event[2][0], text(b"k"))
                self.assertEqual(struct.unpack("<q", event[6][0]), (i + 1,))


class InvalidatingAtOnce(Ears):
    OPTIONS = {"client.near_cache_batch": "1", "client.near_cache_delay": "1h"}

    def test_invalidations_are_numbered(self):
        cache, writer = self.peer(), self.peer(bytes(range(2, 18)))
        self.listen_near(cache, b"near")
        for i in range(3):
            writer.ask(write(b"near", b"k"))
            event = cache.receive()
            kind, _, partition = struct.unpack_from("<Iqi", event[0][0])
            self.assertEqual((kind, partition), (ADD_INVALIDATION_LISTENER + 2, K_PARTITION))
            self.assertEqual(event[0][0][17:33], bytes(range(2, 18)))
            self.assertEqual(struct.unpack_from("<q", event[0][0], 50)[0], i + 1)
        reply = cache.ask(message(FETCH_SEQUENCES, 5, bytes(17), BEGIN, b"near", END))
        self.assertEqual(reply[2][0], b"near")
        pairs = dict(struct.iter_unpack("<iq", reply[3][0]))
        self.assertEqual((pairs[K_PARTITION], len(pairs)), (3, 271))
        uuids = reply[5][0]
        self.assertEqual(uuids[K_PARTITION * 21 + 5 : K_PARTITION * 21 + 21], event[0][0][34:50])


class OnePartition(Ears):
    """Requests about one partition, and queries that look into some only."""

    OPTIONS = {"map.journal": str(271 * 20)}

    def fill(self, peer, name, keys, partition=K_PARTITION):
        for key in keys:
            fixed = struct.pack("<qq", 1, -1)
            peer.ask(message(PUT, 2, fixed, name, text(key), text(b"v " + key),
                             partition=partition))

    def fetch(self, peer, name, predicate, batch):
        """All pages, each as a list of what was found."""
        pages, pointers = [], struct.pack("<ii", 0x7FFFFFFF, -1)
        while struct.unpack_from("<i", pointers)[0] >= 0:
            projection = serialized(-30, 0, packed(b"this"))
            reply = peer.ask(message(FETCH_WITH_QUERY, 3, struct.pack("<i", batch), name, pointers,
                                     projection, predicate, partition=K_PARTITION))
            self.assertEqual(struct.unpack_from("<I", reply[0][0])[0], FETCH_WITH_QUERY + 1)
            pages.append([content for content, _ in reply[2:-2]])
            pointers = reply[-1][0]
        return pages

    def test_pages_of_a_query_have_all_that_is_meant_and_nothing_else(self):
        peer = self.peer()
        keys = [b"%d" % i for i in range(2000)]
        self.fill(peer, b"paged", keys)
        like = serialized(-20, 5, packed(b"this") + packed(b"v 1%"))
        pages = self.fetch(peer, b"paged", like, 50)
        wanted = sorted(text(b"v " + key) for key in keys if key.startswith(b"1"))
        self.assertEqual(sorted(item for page in pages for item in page), wanted)
        self.assertGreater(len(pages), 1)
        self.assertEqual([page for page in pages[:-1] if len(page) < 50], [])
        none = serialized(-20, 13)
        self.assertEqual(self.fetch(peer, b"paged", none, 50), [[]])

    def test_bad_pages_of_queries_are_refused(self):
        peer = self.peer()
        start, identity, true = struct.pack("<ii", 0x7FFFFFFF, -1), serialized(-30, 2), TRUE

        def fetch(batch=10, pointers=start, projection=identity, predicate=true, partition=1):
            return message(FETCH_WITH_QUERY, 3, struct.pack("<i", batch), b"m", pointers,
                           projection, predicate, partition=partition)

        self.assertEqual(peer.error_of(fetch(batch=0)), ILLEGAL_ARGUMENT)
        self.assertEqual(peer.error_of(fetch(pointers=b"12345678")), ILLEGAL_ARGUMENT)
        self.assertEqual(peer.error_of(fetch(partition=271)), ILLEGAL_ARGUMENT)
        self.assertEqual(peer.error_of(fetch(projection=text(b"x"))), UNSUPPORTED_OPERATION)
        self.assertEqual(peer.error_of(fetch(predicate=text(b"x"))), UNSUPPORTED_OPERATION)

    def keys_of(self, peer, name, predicate):
        reply = peer.ask(message(KEYS_WITH_PREDICATE, 3, b"", name, predicate))
        self.assertEqual(struct.unpack_from("<I", reply[0][0])[0], KEYS_WITH_PREDICATE + 1)
        return sorted(content for content, _ in reply[2:-1])

    def test_predicate_of_partitions_looks_into_those_only(self):
        peer = self.peer()
        self.fill(peer, b"parts", [b"a", b"b"])
        self.fill(peer, b"parts", [b"c"], partition=3)
        one = serialized(-20, 16, inside(text(b"k")) + inside(TRUE))
        self.assertEqual(self.keys_of(peer, b"parts", one), [text(b"a"), text(b"b")])
        other = serialized(-20, 3, packed(b"__key") + inside(text(b"b")))
        both = serialized(-20, 16, inside(text(b"k")) + inside(other))
        self.assertEqual(self.keys_of(peer, b"parts", both), [text(b"b")])
        keys = struct.pack(">ii", -39, 2) + inside(text(b"k")) + inside(text(b"k"))
        many = serialized(-20, 21, keys + inside(TRUE))
        self.assertEqual(self.keys_of(peer, b"parts", many), [text(b"a"), text(b"b")])
        # Inside of another it limits nothing, as in Hazelcast.
        nested = serialized(-20, 1, struct.pack(">i", 1) + inside(one))
        self.assertEqual(len(self.keys_of(peer, b"parts", nested)), 3)

    def test_bad_predicates_of_partitions_are_refused(self):
        peer = self.peer()
        for fields, code in (
            (b"", ILLEGAL_ARGUMENT),
            (inside(text(b"k")), ILLEGAL_ARGUMENT),
            (struct.pack(">i", -28) + inside(TRUE), UNSUPPORTED_OPERATION),
        ):
            request = message(KEYS_WITH_PREDICATE, 3, b"", b"m", serialized(-20, 16, fields))
            self.assertEqual(peer.error_of(request), code, fields)
        for fields, code in (
            (struct.pack(">ii", -39, 0) + inside(TRUE), ILLEGAL_ARGUMENT),
            (struct.pack(">ii", -39, 1 << 30), UNSUPPORTED_OPERATION),
            (struct.pack(">ii", -29, 1), UNSUPPORTED_OPERATION),
            (struct.pack(">iii", -38, 7, 1), UNSUPPORTED_OPERATION),
        ):
            request = message(KEYS_WITH_PREDICATE, 3, b"", b"m", serialized(-20, 21, fields))
            self.assertEqual(peer.error_of(request), code, fields)

    def test_replacing_all_runs_a_processor_in_one_partition(self):
        peer = self.peer()
        self.fill(peer, b"replaced", [b"a", b"b"])
        self.fill(peer, b"replaced", [b"c"], partition=3)
        append = message(REPLACE_ALL, 3, b"", b"replaced", text(b"append !"), partition=K_PARTITION)
        peer.ask(append)
        reply = peer.ask(message(VALUES, 4, b"", b"replaced"))
        self.assertEqual(sorted(content for content, _ in reply[2:-1]),
                         sorted([text(b"v a!"), text(b"v b!"), text(b"v c")]))
        unknown = message(REPLACE_ALL, 3, b"", b"replaced", text(b"unheard-of"), partition=1)
        self.assertEqual(peer.error_of(unknown), UNSUPPORTED_OPERATION)

    def test_entries_are_put_with_the_end_of_their_time(self):
        peer, resp = self.peer(), self.connect()
        seconds, _ = resp.command("TIME")
        never, later = (1 << 63) - 1, (int(seconds) + 3600) * 1000

        def view(key, expires):
            fixed = struct.pack("<10q", 0, 0, expires, 0, 0, 0, 0, 0, never, never)
            return BEGIN, fixed, text(key), text(b"v"), END

        request = message(PUT_ALL_WITH_METADATA, 3, b"", b"default", BEGIN,
                          *view(b"k", later), *view(b"kk", never), END, partition=K_PARTITION)
        self.assertEqual(struct.unpack_from("<I", peer.ask(request)[0][0])[0],
                         PUT_ALL_WITH_METADATA + 1)
        self.assertIn(resp.command("TTL", "k"), range(3500, 3601))
        reply = peer.ask(message(GET, 4, struct.pack("<q", 1), b"default", text(b"kk"),
                                 partition=K_PARTITION))
        self.assertEqual(reply[1][0], text(b"v"))

    def test_there_is_no_interceptor_to_remove(self):
        reply = self.peer().ask(message(REMOVE_INTERCEPTOR, 3, b"", b"m", b"id"))
        self.assertEqual(reply[0][0][13], 0)

    # The journal.

    def bounds(self, peer, name):
        reply = peer.ask(message(JOURNAL_SUBSCRIBE, 3, b"", name, partition=K_PARTITION))
        return struct.unpack_from("<qq", reply[0][0], 13)

    def read(self, name, start, least, most):
        return message(JOURNAL_READ, 3, struct.pack("<qii", start, least, most), name, None, None,
                       partition=K_PARTITION)

    def page(self, reply):
        """How many were read, the next number, the changes and their numbers."""
        kind, _ = struct.unpack_from("<Iq", reply[0][0])
        self.assertEqual(kind, JOURNAL_READ + 1)
        count, following = struct.unpack_from("<iq", reply[0][0], 13)
        numbers = struct.unpack(f"<{len(reply[-1][0]) // 8}q", reply[-1][0])
        return count, following, [content for content, _ in reply[2:-2]], list(numbers)

    def test_journal_is_read_from_any_change_on(self):
        peer = self.peer()
        self.assertEqual(self.bounds(peer, b"journal"), (0, -1))
        self.fill(peer, b"journal", [b"a", b"b", b"a"])
        self.assertEqual(self.bounds(peer, b"journal"), (0, 2))
        changes = [change(1, b"a", b"v a"), change(1, b"b", b"v b"),
                   change(4, b"a", b"v a", b"v a")]
        reply = peer.ask(self.read(b"journal", 0, 1, 10))
        self.assertEqual(self.page(reply), (3, 3, changes, [0, 1, 2]))
        reply = peer.ask(self.read(b"journal", 1, 0, 1))
        self.assertEqual(self.page(reply), (1, 2, changes[1:2], [1]))
        # What is not there yet is read as what comes next.
        reply = peer.ask(self.read(b"journal", 100, 0, 1))
        self.assertEqual(self.page(reply), (0, 3, [], []))

    def test_journal_says_what_was_lost(self):
        peer = self.peer()
        self.fill(peer, b"lossy", [b"%d" % i for i in range(30)])
        self.assertEqual(self.bounds(peer, b"lossy"), (10, 29))
        count, following, changes, numbers = self.page(peer.ask(self.read(b"lossy", 0, 1, 100)))
        self.assertEqual((count, following, numbers), (20, 30, list(range(10, 30))))
        self.assertEqual(changes[0], change(1, b"10", b"v 10", has_lost=True))
        self.assertEqual(changes[1], change(1, b"11", b"v 11"))

    def test_reader_of_a_journal_waits_for_changes(self):
        reader, writer = self.peer(), self.peer(bytes(range(2, 18)))
        reader.socket.sendall(self.read(b"awaited", 0, 2, 10))
        reader.ask(message(PING, 4))
        self.fill(writer, b"awaited", [b"a"])
        reader.ask(message(PING, 5))
        self.fill(writer, b"awaited", [b"b"])
        count, following, _, _ = self.page(reader.receive())
        self.assertEqual((count, following), (2, 2))

    def test_bad_reads_of_a_journal_are_refused(self):
        peer = self.peer()
        for least, most in ((-1, 1), (2, 1), (0, 0)):
            self.assertEqual(peer.error_of(self.read(b"m", 0, least, most)), ILLEGAL_ARGUMENT)
        with_code = message(JOURNAL_READ, 3, struct.pack("<qii", 0, 0, 1), b"m", text(b"x"), None,
                            partition=1)
        self.assertEqual(peer.error_of(with_code), UNSUPPORTED_OPERATION)


class WithoutJournal(Ears):
    def test_map_without_a_journal_says_so(self):
        peer = self.peer()
        subscribe = message(JOURNAL_SUBSCRIBE, 3, b"", b"m", partition=1)
        self.assertEqual(peer.error_of(subscribe), UNSUPPORTED_OPERATION)
        read = message(JOURNAL_READ, 3, struct.pack("<qii", 0, 0, 1), b"m", None, None, partition=1)
        self.assertEqual(peer.error_of(read), UNSUPPORTED_OPERATION)


class EveryRequest(Ears):
    """Each of the protocol's requests, also those that are not served, in shapes that are wrong:
    each is answered, and nobody else notices."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        path = os.path.join(ROOT, "tools", "protocol-codegen")
        loader = importlib.machinery.SourceFileLoader("protocol_codegen", path)
        spec = importlib.util.spec_from_loader(loader.name, loader)
        codegen = importlib.util.module_from_spec(spec)
        sys.modules[loader.name] = codegen  # where its data classes look for themselves
        loader.exec_module(codegen)
        table = codegen.Table(codegen.read(codegen.TABLE))
        cls.requests = [m for m in table.messages() if "authentication" not in m.name.lower()]

    def replies_to(self, shape, partition):
        """The kinds of the replies to all requests in that shape, by the names of the requests."""
        peer, kinds = self.peer(), {}
        fixed = [bytes(sum(f.type.item_size for f in m.request.fixed)) for m in self.requests]
        frames = [len(m.request.fields) - len(m.request.fixed) for m in self.requests]
        for number, request in enumerate(self.requests):
            content, others = shape(fixed[number], frames[number])
            peer.socket.sendall(message(request.id, number, content, *others, partition=partition))
        while len(kinds) < len(self.requests):
            head, flags = peer.receive()[0]
            kind, number = struct.unpack_from("<Iq", head)
            if not flags & EVENT:
                self.assertNotIn(number, kinds)
                kinds[number] = kind
        self.assertEqual(struct.unpack_from("<I", peer.ask(message(PING, 1))[0][0])[0], PING + 1)
        return {self.requests[number].c_name: kind for number, kind in kinds.items()}

    def check(self, shape):
        witness = self.peer()
        for partition in (-1, 3, 271, 2**31 - 1, -(2**31)):
            kinds = self.replies_to(shape, partition)
            # These need what was left out, whatever the others do.
            needy = ("map_put_if_absent", "map_execute_on_key", "queue_offer", "list_add")
            self.assertEqual([kinds[name] for name in needy], [0] * len(needy))
        witness.ask(message(PING, 1))

    def test_requests_without_any_field_are_answered(self):
        self.check(lambda fixed, frames: (b"", []))

    def test_requests_that_are_cut_are_answered(self):
        self.check(lambda fixed, frames: (fixed[:-1], []))

    def test_requests_with_null_everywhere_are_answered(self):
        self.check(lambda fixed, frames: (fixed, [None] * frames))

    def test_requests_with_empty_frames_everywhere_are_answered(self):
        self.check(lambda fixed, frames: (fixed, [b""] * frames))

    def test_requests_with_lists_where_texts_belong_are_answered(self):
        self.check(lambda fixed, frames: (fixed, [BEGIN, END] * frames))

    def test_requests_with_much_behind_them_are_answered(self):
        self.check(lambda fixed, frames: (fixed + bytes(100), [b""] * (frames + 20)))


class Destroyed(Ears):
    def test_requests_after_the_proxy_is_destroyed_find_a_new_one(self):
        peer = self.peer()
        peer.ask(write(b"destroyed", b"k"))
        peer.ask(message(DESTROY, 2, b"", b"destroyed", b"hz:impl:mapService"))
        reply = peer.ask(message(GET, 3, struct.pack("<q", 1), b"destroyed", text(b"k"),
                                 partition=K_PARTITION))
        self.assertTrue(reply[1][1] & NULL)
        peer.ask(write(b"destroyed", b"k"))
        # Twice, and what never was, and of a service that is none.
        for name in (b"destroyed", b"destroyed", b"never"):
            reply = peer.ask(message(DESTROY, 2, b"", name, b"hz:impl:mapService"))
            self.assertEqual(struct.unpack_from("<I", reply[0][0])[0], DESTROY + 1)
        unknown = message(DESTROY, 2, b"", b"x", b"hz:impl:unheardOfService")
        self.assertNotEqual(peer.error_of(unknown), 0)


class DestroyedAreNotCounted(Ears):
    OPTIONS = {"map.count_max": 16, "log.level": "debug"}

    def test_places_of_destroyed_maps_are_used_by_others(self):
        peer, other = self.peer(), self.peer(bytes(16))
        # Default has one place already.
        names = [b"made%d" % i for i in range(15)]
        for name in names:
            peer.ask(write(name, b"k"))
        self.assertNotEqual(peer.error_of(write(b"more", b"k")), 0)
        self.assertGreater(self.member.metric("filbert_map_entries", map="made3"), 0)
        peer.ask(message(DESTROY, 2, b"", names[3], b"hz:impl:mapService"))
        self.assertNotIn("made3", [labels.get("map") for _, labels, _ in self.member.metrics()])
        peer.ask(write(b"more", b"k"))
        # The one that was destroyed comes back when there is room again, for all sessions.
        self.assertNotEqual(peer.error_of(write(names[3], b"k")), 0)
        self.assertNotEqual(other.error_of(write(names[3], b"k")), 0)
        peer.ask(message(DESTROY, 2, b"", b"more", b"hz:impl:mapService"))
        other.ask(write(names[3], b"k"))
        self.assertEqual(self.member.metric("filbert_map_entries", map="made3"), 1)
        # What Redis's clients use is emptied, but it stays.
        self.assertEqual(self.member.command("SET", "k", "v"), "OK")
        peer.ask(message(DESTROY, 2, b"", b"default", b"hz:impl:mapService"))
        self.assertIsNone(self.member.command("GET", "k"))
        self.assertEqual(self.member.metric("filbert_map_entries", map="default"), 0)
        # The log has a thread of its own.
        wait_until(lambda: self.member.log_text().count("event=map_destroyed") == 2, "the events")
        told = [parse_logfmt(line) for line in self.member.log_text().splitlines()]
        self.assertTrue(any(e["event"] == "client_authenticated" for e in told))
        gone = [e["map"] for e in told if e["event"] == "map_destroyed"]
        self.assertEqual(gone, ["made3", "more"])


class Stop(MemberTest):
    def test_who_waits_hears_that_the_member_stops(self):
        member = self.start_member({"stop.timeout": "1h"})
        connection = member.connect()
        self.addCleanup(connection.close)
        peer = Peer(connection).greet()
        peer.socket.sendall(message(QUEUE_TAKE, 2, b"", b"q", partition=K_PARTITION))
        peer.ask(message(PING, 3))
        member.signal()
        self.assertEqual(peer.received_error(), INSTANCE_NOT_ACTIVE)
        self.assertTrue(peer.is_ended())
        self.assertEqual(member.wait(), 0)
        self.assertIn("event=stopped connections_cut=0", member.log_text())


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

    def test_million_requests_without_reading_cost_bounded_memory(self):
        member = self.start_member({"net.output_bytes_max": "1mb", "net.stall_timeout": "1h"})
        used = member.metric("filbert_memory_used_bytes")
        connection = member.connect(receive_buffer=65536)
        self.addCleanup(connection.close)
        peer = Peer(connection).greet()
        peer.ask(put(2, b"k", b"v" * 100))
        peer.socket.setblocking(False)
        # A million of them, one of four about a whole map; their replies would take 200 MB.
        request = (get(3, b"k") * 3 + message(CLEAR, 4, b"", b"another")) * 250
        left = memoryview(request)
        sent, idle = 0, 0
        with Witness(member):
            while sent < 1000 * len(request) and idle < 50:
                try:
                    size = peer.socket.send(left)
                    sent, left, idle = sent + size, left[size:] or memoryview(request), 0
                except BlockingIOError:
                    # It is not read any more, or not yet; the member answers meanwhile.
                    idle += 1
                    grown = member.metric("filbert_memory_used_bytes") - used
                    self.assertLess(grown, 16 * 1024 * 1024)
        self.assertLess(sent, 1000 * len(request))


class SlowListening(SharedMemberTest):
    OPTIONS = {"net.output_bytes_max": "64KiB"}

    def clients(self):
        return json.loads(self.member.admin().get("/v1/clients")[2])

    def test_a_client_that_does_not_read_loses_events_and_nobody_waits(self):
        listener = Peer(self.connect(receive_buffer=4096))
        listener.ask(MAGIC + hello(client=b"slow" + bytes(12)))
        wish = struct.pack("<?i?", True, ADDED, False)
        reply = listener.ask(message(ADD_LISTENER, 9, wish, b"m"))
        self.assertEqual(struct.unpack_from("<I", reply[0][0])[0], ADD_LISTENER + 1)
        writer = Peer(self.connect())
        writer.ask(MAGIC + hello())
        for i in range(400):  # 12 MB of events, and 8 * 64 KiB may wait
            writer.ask(put(10 + i, b"key%d" % i, bytes(30000)))
        self.member.wait_for_metric(lambda count: count > 0, "filbert_client_events_lost_total")
        self.assertEqual(len([each for each in self.clients() if each["events_lost"] > 0]), 1)
        listener.socket.sendall(message(PING, 77))
        while struct.unpack_from("<q", listener.receive()[0][0], 4)[0] != 77:
            pass  # what was not lost comes first
        self.assertEqual(len(self.clients()), 2)


if __name__ == "__main__":
    main()
