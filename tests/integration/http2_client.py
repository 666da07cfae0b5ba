# SPDX-License-Identifier: Apache-2.0
"""HTTP/2 frame by frame, so that a test can send what no library would.

Header fields go out as literals. Of those that come back only the status is read: it is the first
one, and the table that would abbreviate it is turned off.
"""
import struct

import member

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

(DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE,
 CONTINUATION) = range(10)

END_STREAM = ACK = 1
END_HEADERS = 4
PADDED = 8

(NO_ERROR, PROTOCOL_ERROR, INTERNAL_ERROR, FLOW_CONTROL_ERROR, SETTINGS_TIMEOUT, STREAM_CLOSED,
 FRAME_SIZE_ERROR, REFUSED_STREAM, CANCEL, COMPRESSION_ERROR, CONNECT_ERROR,
 ENHANCE_YOUR_CALM) = range(12)

STATUSES = {8: 200, 9: 204, 10: 206, 11: 304, 12: 400, 13: 404, 14: 500}


def frame(kind, flags=0, stream=0, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes((kind, flags)) + struct.pack(
        ">I", stream) + payload


def number(value, bits):
    """An integer of HPACK, without what stands in front of its prefix."""
    if value < (1 << bits) - 1:
        return bytes((value,))
    rest = value - ((1 << bits) - 1)
    data = bytearray(((1 << bits) - 1,))
    while rest >= 128:
        data.append(rest % 128 + 128)
        rest //= 128
    return bytes(data + bytes((rest,)))


def field(name, value):
    name, value = name.encode(), value if isinstance(value, bytes) else value.encode()
    return b"\0" + number(len(name), 7) + name + number(len(value), 7) + value


def block(*fields):
    return b"".join(field(name, value) for name, value in fields)


def request(path="/livez", method="GET", authority="[::1]", more=()):
    return block((":method", method), (":scheme", "http"), (":path", path),
                 (":authority", authority), *more)


def read_status(data):
    """The status of a block of headers."""
    at = 0
    while data[at] & 0xE0 == 0x20:  # another size of the table; here it is 0
        at += 1
    if data[at] & 0x80:
        return STATUSES[data[at] & 0x7F]
    at += 1  # a literal whose name is in the static table
    if not data[at] & 0x80:
        return int(data[at + 1:at + 4])
    bits = "".join(f"{byte:08b}" for byte in data[at + 1:at + 1 + (data[at] & 0x7F)])
    text = ""
    while len(text) < 3:
        if bits[:3] == "000":  # 0, 1, 2 have five bits, the others six
            text, bits = text + str(int(bits[:5], 2)), bits[5:]
        else:
            text, bits = text + str(int(bits[:6], 2) - 0b011001 + 3), bits[6:]
    return int(text)


class Frame:
    def __init__(self, kind, flags, stream, payload):
        self.kind, self.flags, self.stream, self.payload = kind, flags, stream, payload

    def __repr__(self):
        return f"frame {self.kind} flags {self.flags} stream {self.stream} {self.payload[:40]!r}"

    @property
    def code(self):
        """Why a stream was reset, or the connection ends."""
        return struct.unpack(">I", self.payload[4:8] if self.kind == GOAWAY else self.payload)[0]


class Client:
    """A connection that has greeted, unless the test does."""

    def __init__(self, port, settings=(), is_greeting=True, **options):
        self.connection = member.Connection(port, **options)
        self.stream = -1
        if is_greeting:
            payload = struct.pack(">HI", 1, 0)
            payload += b"".join(struct.pack(">HI", *setting) for setting in settings)
            self.connection.send(PREFACE + frame(SETTINGS, payload=payload))

    def close(self):
        self.connection.close()

    def send(self, *frames):
        self.connection.send(b"".join(frames))

    def next_stream(self):
        self.stream += 2
        return self.stream

    def ask(self, headers=None, body=None, flags=END_HEADERS):
        """Sends a request; returns its stream."""
        stream = self.next_stream()
        flags |= 0 if body is not None else END_STREAM
        self.send(frame(HEADERS, flags, stream, request() if headers is None else headers))
        if body is not None:
            self.send(frame(DATA, END_STREAM, stream, body))
        return stream

    def read(self):
        head = self.connection.read(9)
        size = int.from_bytes(head[:3], "big")
        return Frame(head[3], head[4], int.from_bytes(head[5:], "big"), self.connection.read(size))

    def find(self, kind, stream=None):
        """The next frame of the kind; those before it are passed over."""
        while True:
            found = self.read()
            if found.kind == kind and stream in (None, found.stream):
                return found

    def answer(self, stream):
        """(status, body) of a stream; a reset raises."""
        status, body = 0, b""
        while True:
            found = self.read()
            if found.stream != stream:
                continue
            if found.kind == RST_STREAM:
                raise AssertionError(f"stream {stream} was reset: {found.code}")
            if found.kind == HEADERS:
                status = read_status(found.payload)
            elif found.kind == DATA:
                body += found.payload
            if found.flags & END_STREAM and found.kind in (HEADERS, DATA):
                return status, body

    def ending(self):
        """The code with which the member says goodbye; None: it closes without a word."""
        try:
            code = self.find(GOAWAY).code
        except (EOFError, ConnectionResetError):
            return None
        self.connection.read_to_close()
        return code
