# SPDX-License-Identifier: Apache-2.0
"""A WebSocket client for the tests: it can send what no good client would."""
import base64
import hashlib
import os
import struct

import member

GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
MORE, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10


class WebSocket(member.Connection):
    def __init__(self, port, path, headers=b"", **options):
        super().__init__(port, **options)
        key = base64.b64encode(os.urandom(16))
        self.send(
            b"GET %s HTTP/1.1\r\nHost: [::1]\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: %s\r\n%s\r\n"
            % (path.encode(), key, headers)
        )
        status, headers, _ = self.read_response(has_body=False)
        expected = base64.b64encode(hashlib.sha1(key + GUID).digest()).decode()
        if status != 101 or headers["sec-websocket-accept"] != expected:
            raise AssertionError(f"no WebSocket: {status} {headers}")

    def send_frame(self, op, data=b"", is_final=True):
        mask = os.urandom(4)
        size = len(data)
        head = bytes([op | (0x80 if is_final else 0)])
        if size < 126:
            head += bytes([0x80 | size])
        elif size < 65536:
            head += struct.pack(">BH", 0xFE, size)
        else:
            head += struct.pack(">BQ", 0xFF, size)
        word = int.from_bytes(mask * (size // 4 + 1), "little") if size else 0
        masked = (int.from_bytes(data + bytes(-size % 4 + 4), "little") ^ word).to_bytes(
            len(data) + (-size % 4 + 4), "little"
        )[:size]
        self.send(head + mask + masked)

    def read_frame(self):
        """(op, data) of a whole frame; the server's have no mask and are not cut."""
        first, second = self.read(2)
        if not first & 0x80 or second & 0x80:
            raise AssertionError(f"not a server's frame: {first:02x} {second:02x}")
        size = second
        if size == 126:
            size = struct.unpack(">H", self.read(2))[0]
        elif size == 127:
            size = struct.unpack(">Q", self.read(8))[0]
        return first & 0x0F, self.read(size)
