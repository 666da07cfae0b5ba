# SPDX-License-Identifier: Apache-2.0
"""Millions of entries for a server: keys are `key:` and twelve digits, values of one size."""
import random
import socket

import program
import server

KEY_BYTES = 16
BATCH = 2000
REPLY = b"+OK\r\n"


def _requests(begin, end, value_bytes):
    value = bytes(random.Random(1).choices(range(97, 123), k=value_bytes))
    head = b"*3\r\n$3\r\nSET\r\n$16\r\nkey:"
    tail = b"\r\n$%d\r\n%s\r\n" % (value_bytes, value)
    return b"".join([head + b"%012d" % i + tail for i in range(begin, end)])


def fill(port, entries, value_bytes, database=0):
    """Sets the entries and makes sure that the server has them."""
    address = (server.HOST, port)
    with socket.create_connection(address, timeout=server.START_TIMEOUT_S) as connection:
        if database != 0:
            connection.sendall(b"SELECT %d\r\n" % database)
            if connection.recv(len(REPLY), socket.MSG_WAITALL) != REPLY:
                raise program.BenchError(f"the server has no database {database}")
        for begin in range(0, entries, BATCH):
            end = min(begin + BATCH, entries)
            connection.sendall(_requests(begin, end, value_bytes))
            missing = (end - begin) * len(REPLY)
            while missing > 0:
                reply = connection.recv(missing)
                if not reply or reply[:1] == b"-":
                    raise program.BenchError(f"the server answered {reply[:100]!r} to SET")
                missing -= len(reply)
    with server.Client(port) as client:
        if database != 0:
            client.call("select", str(database))
        count = client.call("dbsize")
    if count != entries:
        raise program.BenchError(f"the server holds {count} entries and not {entries}")
