# SPDX-License-Identifier: Apache-2.0
"""The open client protocol as raw messages, for load that costs its sender next to nothing:
requests are made before the clock runs, and answers of a known size are only counted.
"""
import socket
import struct

import program
import server

PARTITIONS = 271
SEED = 0x01000193
TIMEOUT_S = 60.0
BEGIN_FLAG, END_FLAG, FINAL_FLAG, NULL_FLAG = 0x1000, 0x0800, 0x2000, 0x0400
WHOLE_FLAGS = 0xC000
AUTHENTICATION, CREATE_PROXY = 0x000100, 0x000400
BEGIN, END, NULL = object(), object(), object()


def murmur3(data):
    """32 bits for x86, with the protocol's seed; as a signed number."""
    def scramble(block):
        block = block * 0xCC9E2D51 & 0xFFFFFFFF
        return ((block << 15 | block >> 17) & 0xFFFFFFFF) * 0x1B873593 & 0xFFFFFFFF

    value, whole = SEED, len(data) & ~3
    for (block,) in struct.iter_unpack("<I", data[:whole]):
        value ^= scramble(block)
        value = ((value << 13 | value >> 19) & 0xFFFFFFFF) * 5 + 0xE6546B64 & 0xFFFFFFFF
    if whole < len(data):
        value ^= scramble(int.from_bytes(data[whole:], "little"))
    value ^= len(data)
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        value = (value ^ value >> shift) * factor & 0xFFFFFFFF
    value ^= value >> 16
    return value - (1 << 32) if value >= 1 << 31 else value


def data_of(text):
    """A serialized text."""
    raw = text.encode()
    return struct.pack(">iii", 0, -11, len(raw)) + raw


def partition_of(text):
    """Where a key lives that is this text, and an object of this name."""
    value = murmur3(data_of(text)[8:])
    return 0 if value == -(1 << 31) else abs(value) % PARTITIONS


def message(kind, fixed=b"", *parts, partition=-1, correlation=1):
    """A whole message; parts are bytes, NULL, BEGIN or END."""
    frames = [(WHOLE_FLAGS, struct.pack("<Iqi", kind, correlation, partition) + fixed)]
    special = {NULL: NULL_FLAG, BEGIN: BEGIN_FLAG, END: END_FLAG}
    for part in parts:
        frames.append((special[part], b"") if part in special else (0, part))
    frames[-1] = (frames[-1][0] | FINAL_FLAG, frames[-1][1])
    return b"".join(struct.pack("<IH", 6 + len(body), flags) + body for flags, body in frames)


class Connection:
    """A client that has introduced itself."""

    numbers = 0

    def __init__(self, target):
        Connection.numbers += 1
        self.socket = socket.create_connection((server.HOST, target.port), timeout=TIMEOUT_S)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        fixed = struct.pack("<?QQBBB", False, id(target) & 0xFFFFFFFF, Connection.numbers, 1, 1, 0)
        self.ask(b"CP2" + message(AUTHENTICATION, fixed, b"dev", NULL, NULL, b"PYH", b"5.7.0",
                                  b"bench", BEGIN, END))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def receive(self, size):
        """Exactly so many bytes, which nobody looks at."""
        room = memoryview(bytearray(min(size, 1 << 20)))
        while size > 0:
            got = self.socket.recv_into(room, min(size, len(room)))
            if got == 0:
                raise program.BenchError("the server closed the connection")
            size -= got

    def _exactly(self, size):
        data = bytearray()
        while len(data) < size:
            piece = self.socket.recv(size - len(data))
            if not piece:
                raise program.BenchError("the server closed the connection")
            data += piece
        return bytes(data)

    def read(self):
        """The next message as it came. An answer that is an error ends the benchmark."""
        whole, flags = b"", 0
        while not flags & FINAL_FLAG:
            head = self._exactly(6)
            size, flags = struct.unpack("<IH", head)
            whole += head + self._exactly(size - 6)
        if struct.unpack_from("<I", whole, 6)[0] == 0:
            raise program.BenchError(f"the server refused a request: {whole[-200:]}")
        return whole

    def ask(self, request):
        self.socket.sendall(request)
        return self.read()

    def make(self, service, name):
        self.ask(message(CREATE_PROXY, b"", name.encode(), service.encode()))
